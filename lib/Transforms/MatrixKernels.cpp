//===- MatrixKernels.cpp - Products by instructions of a warp -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block makes a tile of the result, each of its warps a share of it:
//
//   for each 64 bytes of summands:
//     all: load the codes of both factors into shared memory, zeros behind the
//          end of the sum
//     barrier
//     each warp: multiplies them
//     barrier
//
// Where the chip copies to shared memory by itself, and codes lie there as they
// do in memory, some tiles are on their way while one is multiplied:
//
//   all: begin to load the first tiles but one
//   for each 64 bytes of summands:
//     all: wait for the oldest tile
//     barrier
//     all: begin to load a tile in place of the one before this
//     each warp: multiplies this one
//
// Both factors have their summands next to each other there. Every shape of
// mma.sync then takes the same words of 4 bytes into registers: of a quarter of
// the threads' number from row to row, of the rest from word to word.
//
// Codes of 16 bits that lie across the sum in memory are copied in rows of one
// summand each, and ldmatrix turns them around on their way to registers.
//
// Zero points come off in the end, modulo 2^32 as the products and sums are:
//
//   sum((a - p) * (b - q)) = sum(a * b) - q * sum(a) - p * sum(b) + K * p * q
//
// where the sums of one factor are its products with ones.
//
//===----------------------------------------------------------------------===//

#include "MatrixInstructions.h"
#include "ProductTiles.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr int64_t kWarp = 32;
/// Bytes of summands of a tile, and from row to row: the eight rows that a warp
/// reads at once are in different banks.
static constexpr int64_t kDepthBytes = 64;
static constexpr int64_t kRowBytes = kDepthBytes + 16;
static constexpr int64_t kWordBytes = 4;
/// Bytes of the widest access to memory that all chips have.
static constexpr int64_t kPieceBytes = 16;
/// Of a block's shared memory, which all chips have without being asked; and
/// tiles in it at once: more leave room for fewer blocks.
static constexpr int64_t kMostSharedBytes = 48 * 1024, kMostStages = 3;
/// Behind each summand, where those are rows: the eight that ldmatrix reads at
/// once are in different banks.
static constexpr int64_t kSummandPadding = 8;
/// Words of 16 bytes: the threads of one row read one each.
static constexpr int64_t kThreadsOfRow = 4;

namespace {
/// The codes of one factor in shared memory, of one stage or several.
struct CodeTile {
  const GpuFactor *factor;
  const MatrixOperand *operand;
  Value shared, codes, words, codesOfWords, pieces;
  /// How many rows it has, the first of the tile, and the warp's in the tile.
  int64_t lines;
  Value first, warpRow;
  /// Of the instruction.
  int64_t rows;
  /// Whether each row in shared memory is a summand.
  bool isAcross;
};

/// Registers of one of the instruction's matrices.
using Registers = SmallVector<Value, 4>;

class MatrixKernel : GpuProductBuilder {
public:
  MatrixKernel(KernelLaunches &launches, const GpuProduct &product,
               const MatrixPlan &plan, const ProductTile &shape)
      : GpuProductBuilder(launches, product), plan(plan),
        instruction(*plan.instruction), shape(shape),
        threads(shape.getShares() * kWarp) {}

  void build();

private:
  bool isFloat() const { return instruction.sum == MatrixElement::Float32; }
  int64_t getBytes() const;
  /// The codes' type in shared memory, and that of the registers they are in.
  Type getCodeType();
  Type getRegisterType();
  Type getSumType();
  /// Whether this is known of it.
  static bool isMultiple(Value extent, int64_t of) {
    std::optional<int64_t> known = getConstantIntValue(extent);
    return known && *known % of == 0;
  }
  Value getOnes();

  CodeTile makeTile(const GpuFactor &factor, const MatrixOperand &operand,
                    int64_t lines, Value first, Value warpRow, int64_t rows);
  /// Whether codes are copied as they are, in rows of lines or of summands.
  bool areCopied(const GpuFactor &factor, const MatrixOperand &operand,
                 bool across);
  /// How many tiles are in shared memory at once.
  int64_t chooseStages();
  void loadTile(const CodeTile &tile, Value from);
  /// Begins to load the tiles of both factors, if there are summands from there
  /// on.
  void beginStage(Value from, Value inStage);
  /// The block argument that codes are, if they lie in memory as they do in
  /// tiles, neighbours along the innermost of the loops, whose number is set.
  BlockArgument getPlainCodes(const CodeTile &tile, ArrayRef<unsigned> loops,
                              size_t &numInner);
  /// `width` codes of memory from a row and summand on, and their address.
  Value emitVector(const CodeTile &tile, BlockArgument codes, Value row,
                   Value sum, int64_t width);
  Value emitAddress(const CodeTile &tile, BlockArgument codes, Value row,
                    Value sum);
  Value isAligned(Value address, int64_t bytes);
  /// Begins to copy a piece to its place in shared memory.
  void copyPiece(const CodeTile &tile, BlockArgument codes, Value row,
                 Value sum, ValueRange place);
  /// As many codes along the sum as a piece has: at once, if all are there and
  /// aligned.
  void loadPiece(const CodeTile &tile, BlockArgument codes, Value from,
                 Value number);
  /// A block of rows and summands, each of which is a word: those of the rows
  /// are loaded, if they are neighbours by the innermost loops; those of the
  /// summands stored.
  void loadBlock(const CodeTile &tile, BlockArgument codes, size_t numInner,
                 Value from, Value number);
  /// The codes of a word one by one.
  void loadWord(const CodeTile &tile, Value from, Value number);
  void loadCode(const CodeTile &tile, Value from, Value line, Value summand);
  /// As many codes along the rows as a piece has, of one summand.
  void loadAcross(const CodeTile &tile, BlockArgument codes, size_t numInner,
                  Value from, Value number);
  Value emitCode(const CodeTile &tile, Value row, Value sum);
  /// Whether that many neighbours from a row on are next to each other.
  Value areNeighbours(const CodeTile &tile, size_t numInner, Value row,
                      int64_t width);
  /// What a thread has of the instruction's rows from `row` on.
  Registers loadTransposed(const CodeTile &tile, int64_t row, int64_t step);
  Registers loadRegisters(const CodeTile &tile, int64_t row, int64_t step);
  Registers multiply(ArrayRef<Value> a, ArrayRef<Value> b, ArrayRef<Value> c);
  /// Adds the products of a tile to all registers of sums.
  SmallVector<Value> addTile(ValueRange sums);
  SmallVector<Value> emitTile(Value from, ValueRange sums);
  SmallVector<Value> emitStage(Value from, ValueRange sums);
  /// A row or column of the result, and what makes values of its sums.
  struct SumLine {
    ResultLine line;
    Value subtracted, scale;
  };
  SumLine getSumLine(const CodeTile &tile, Value inWarp);
  void storeSums(ValueRange sums);

  int64_t getRowsOfWarp() const { return shape.shareRows / instruction.m; }
  int64_t getColumnsOfWarp() const {
    return shape.shareColumns / instruction.n;
  }
  int64_t getSumRegisters() const {
    return instruction.m * instruction.n / kWarp;
  }
  /// Where sums of one factor are among the registers, in units of matrices.
  int64_t getSumsOfLeft() const { return getRowsOfWarp() * getColumnsOfWarp(); }
  int64_t getSumsOfRight() const {
    return getSumsOfLeft() + (plan.right.subtracted ? getRowsOfWarp() : 0);
  }
  int64_t getNumSums() const {
    return getSumsOfRight() + (plan.left.subtracted ? getColumnsOfWarp() : 0);
  }

  const MatrixPlan &plan;
  const MatrixInstruction &instruction;
  const ProductTile &shape;
  int64_t threads, numStages = 1;
  /// In which tiles are loaded and multiplied.
  Value stage;
  CodeTile left, right;
  /// The thread's number in its warp, by four and the rest.
  Value group, inGroup;
};
} // namespace

int64_t MatrixKernel::getBytes() const {
  return instruction.a == MatrixElement::Float16 ||
                 instruction.a == MatrixElement::BFloat16
             ? 2
             : 1;
}

Type MatrixKernel::getCodeType() {
  return rewriter.getIntegerType(8 * getBytes());
}

Type MatrixKernel::getRegisterType() {
  if (instruction.a == MatrixElement::Float16)
    return VectorType::get({2}, rewriter.getF16Type());
  return rewriter.getI32Type();
}

Type MatrixKernel::getSumType() {
  return isFloat() ? Type(rewriter.getF32Type()) : rewriter.getI32Type();
}

Value MatrixKernel::getOnes() {
  return arith::ConstantIntOp::create(rewriter, loc, 0x01010101, 32);
}

CodeTile MatrixKernel::makeTile(const GpuFactor &factor,
                                const MatrixOperand &operand, int64_t lines,
                                Value first, Value warpRow, int64_t rows) {
  Type word = getRegisterType();
  CodeTile tile = {};
  tile.factor = &factor;
  tile.operand = &operand;
  tile.lines = lines;
  tile.first = first;
  tile.warpRow = warpRow;
  tile.rows = rows;
  tile.isAcross = numStages > 1 && areCopied(factor, operand, /*across=*/true);
  int64_t count = lines, rowBytes = kRowBytes;
  if (tile.isAcross) {
    count = kDepthBytes / getBytes();
    rowBytes = (lines + kSummandPadding) * getBytes();
  }
  tile.shared = makeShared(numStages * count * rowBytes);
  auto viewOf = [&](int64_t bytes, Type type) {
    return view(tile.shared, {numStages, count, rowBytes / bytes}, type);
  };
  auto vectorOf = [&](int64_t bytes) {
    return VectorType::get({bytes / getBytes()}, getCodeType());
  };
  tile.codes = viewOf(getBytes(), getCodeType());
  tile.pieces = viewOf(kPieceBytes, vectorOf(kPieceBytes));
  tile.codesOfWords = viewOf(kWordBytes, vectorOf(kWordBytes));
  tile.words = viewOf(kWordBytes, word);
  return tile;
}

Value MatrixKernel::emitCode(const CodeTile &tile, Value row, Value sum) {
  Value code = emitFactor(*tile.factor, tile.operand->code, row, sum);
  if (isFloat())
    return arith::BitcastOp::create(rewriter, loc, getCodeType(), code);
  return arith::TruncIOp::create(rewriter, loc, getCodeType(), code);
}

BlockArgument MatrixKernel::getPlainCodes(const CodeTile &tile,
                                          ArrayRef<unsigned> loops,
                                          size_t &numInner) {
  linalg::GenericOp op = product.op;
  Value source = tile.operand->code;
  // An integer is made of the byte.
  if (!isFloat())
    source = source.getDefiningOp()->getOperand(0);
  while (auto cast = source.getDefiningOp<StorageCastOp>())
    source = cast.getInput();
  auto argument = dyn_cast<BlockArgument>(source);
  if (!argument || argument.getOwner() != op.getBody())
    return nullptr;
  OpOperand &operand = op->getOpOperand(argument.getArgNumber());
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type || !type.isLastDimUnitStride() ||
      type.getElementTypeBitWidth() != 8 * getBytes())
    return nullptr;
  // Loops of one element are none.
  SmallVector<AffineExpr> dims;
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    dims.push_back(isConstantIntValue(extents[loop], 1)
                       ? rewriter.getAffineConstantExpr(0)
                       : rewriter.getAffineDimExpr(loop));
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<AffineExpr> places;
  for (AffineExpr place : map.getResults())
    places.push_back(
        simplifyAffineExpr(place.replaceDims(dims), dims.size(), 0));
  // From the innermost axis out: whether there is nothing between one row of
  // what is inside and the next.
  bool isDense = type.getLayout().isIdentity(), isPlain = false;
  size_t axis = places.size();
  numInner = 0;
  for (unsigned loop : llvm::reverse(loops)) {
    if (isa<AffineConstantExpr>(dims[loop])) {
      ++numInner;
      continue;
    }
    size_t next = axis;
    while (next > 0 && isa<AffineConstantExpr>(places[next - 1]) &&
           type.getDimSize(next - 1) == 1)
      --next;
    if (next == 0 || places[next - 1] != dims[loop] ||
        (next != places.size() && !isDense) ||
        llvm::any_of(
            ArrayRef(places).take_front(next - 1),
            [&](AffineExpr place) { return place.isFunctionOfDim(loop); }))
      break;
    ++numInner;
    isPlain = true;
    axis = next - 1;
    isDense &= map.getResult(axis) == dims[loop] ||
               getConstantIntValue(extents[loop]) == type.getDimSize(axis);
  }
  return isPlain ? argument : nullptr;
}

void MatrixKernel::loadCode(const CodeTile &tile, Value from, Value line,
                            Value summand) {
  bool isWhole = isMultiple(depth, kDepthBytes / getBytes());
  Value row = plus(tile.first, line);
  Value sum = plus(from, summand);
  Value code = orZero(isElement(*tile.factor, row, sum, isWhole), getCodeType(),
                      [&] { return emitCode(tile, row, sum); });
  if (tile.isAcross)
    std::swap(line, summand);
  memref::StoreOp::create(rewriter, loc, code, tile.codes,
                          ValueRange{stage, line, summand});
}

void MatrixKernel::loadWord(const CodeTile &tile, Value from, Value number) {
  int64_t width = kWordBytes / getBytes();
  constexpr int64_t kWords = kDepthBytes / kWordBytes;
  // Neighbouring threads load neighbours in memory.
  bool alongSum = tile.factor->alongSum;
  Value word = alongSum ? modulo(number, kWords) : divide(number, tile.lines);
  Value line = alongSum ? divide(number, kWords) : modulo(number, tile.lines);
  Value row = plus(tile.first, line);
  Value sum = plus(from, times(word, width));
  auto type = VectorType::get({width}, getCodeType());
  bool isWhole = isMultiple(depth, kDepthBytes / getBytes());
  auto emitAll = [&](llvm::function_ref<Value(Value)> emit) -> Value {
    SmallVector<Value> codes;
    for (int64_t i = 0; i < width; ++i)
      codes.push_back(emit(plus(sum, index(i))));
    return vector::FromElementsOp::create(rewriter, loc, type, codes);
  };
  auto emit = [&](Value sum) { return emitCode(tile, row, sum); };
  Value codes;
  if (isMultiple(depth, width))
    codes = orZero(isElement(*tile.factor, row, sum, isWhole), type,
                   [&] { return emitAll(emit); });
  else
    codes = emitAll([&](Value sum) {
      return orZero(isElement(*tile.factor, row, sum, isWhole), getCodeType(),
                    [&] { return emit(sum); });
    });
  memref::StoreOp::create(rewriter, loc, codes, tile.codesOfWords,
                          ValueRange{stage, line, word});
}

Value MatrixKernel::emitVector(const CodeTile &tile, BlockArgument codes,
                               Value row, Value sum, int64_t width) {
  Value buffer = product.op->getOperand(codes.getArgNumber());
  auto type = VectorType::get({width}, getElementTypeOrSelf(buffer));
  auto load =
      vector::LoadOp::create(rewriter, loc, type, buffer,
                             getInputPlace(*tile.factor, codes, row, sum));
  load.setAlignment(width * getBytes());
  auto codeType = VectorType::get({width}, getCodeType());
  if (type == codeType)
    return load;
  return arith::BitcastOp::create(rewriter, loc, codeType, load);
}

Value MatrixKernel::emitAddress(const CodeTile &tile, BlockArgument codes,
                                Value row, Value sum) {
  Value buffer = product.op->getOperand(codes.getArgNumber());
  auto metadata =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, buffer);
  Value element = metadata.getOffset();
  for (auto [index, stride] : llvm::zip_equal(
           getInputPlace(*tile.factor, codes, row, sum), metadata.getStrides()))
    element = plus(element, launches.multiply(index, stride));
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(
      rewriter, loc, metadata.getBaseBuffer());
  return plus(base, times(element, getBytes()));
}

Value MatrixKernel::isAligned(Value address, int64_t bytes) {
  return arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::eq,
      arith::AndIOp::create(rewriter, loc, address, index(bytes - 1)),
      index(0));
}

void MatrixKernel::copyPiece(const CodeTile &tile, BlockArgument codes,
                             Value row, Value sum, ValueRange place) {
  Value buffer = product.op->getOperand(codes.getArgNumber());
  Value target =
      view(tile.shared, cast<MemRefType>(tile.codes.getType()).getShape(),
           getElementTypeOrSelf(buffer));
  nvgpu::DeviceAsyncCopyOp::create(
      rewriter, loc, nvgpu::DeviceAsyncTokenType::get(rewriter.getContext()),
      target, place, buffer, getInputPlace(*tile.factor, codes, row, sum),
      rewriter.getIndexAttr(kPieceBytes / getBytes()), /*srcElements=*/Value(),
      /*bypassL1=*/rewriter.getUnitAttr());
}

void MatrixKernel::loadPiece(const CodeTile &tile, BlockArgument codes,
                             Value from, Value number) {
  int64_t width = kPieceBytes / getBytes();
  constexpr int64_t kPieces = kDepthBytes / kPieceBytes;
  Value line = divide(number, kPieces);
  Value piece = modulo(number, kPieces);
  Value summand = times(piece, width);
  Value row = plus(tile.first, line);
  Value sum = plus(from, summand);
  // The last of them.
  Value isThere =
      isElement(*tile.factor, row, plus(sum, index(width - 1)), false);
  Value isWide = arith::AndIOp::create(
      rewriter, loc, isThere,
      isAligned(emitAddress(tile, codes, row, sum), kPieceBytes));
  auto branch =
      scf::IfOp::create(rewriter, loc, isWide, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  if (numStages > 1)
    copyPiece(tile, codes, row, sum, {stage, line, summand});
  else
    memref::StoreOp::create(rewriter, loc,
                            emitVector(tile, codes, row, sum, width),
                            tile.pieces, ValueRange{stage, line, piece});
  rewriter.setInsertionPointToStart(branch.elseBlock());
  auto loop =
      scf::ForOp::create(rewriter, loc, index(0), index(width), index(1));
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  loadCode(tile, from, line, plus(summand, loop.getInductionVar()));
}

Value MatrixKernel::areNeighbours(const CodeTile &tile, size_t numInner,
                                  Value row, int64_t width) {
  ArrayRef<unsigned> rows = tile.factor->rows;
  if (numInner == rows.size())
    return nullptr;
  Value inner = getExtent(rows.take_back(numInner));
  if (isMultiple(inner, width))
    return nullptr;
  Value place = rewriter.createOrFold<arith::RemUIOp>(loc, row, inner);
  return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ule,
                               plus(place, index(width)), inner);
}

void MatrixKernel::loadAcross(const CodeTile &tile, BlockArgument codes,
                              size_t numInner, Value from, Value number) {
  int64_t width = kPieceBytes / getBytes(), pieces = tile.lines / width;
  Value line = times(modulo(number, pieces), width);
  Value summand = divide(number, pieces);
  Value row = plus(tile.first, line);
  Value sum = plus(from, summand);
  Value isThere =
      isElement(*tile.factor, plus(row, index(width - 1)), sum, false);
  Value isWide = arith::AndIOp::create(
      rewriter, loc, isThere,
      isAligned(emitAddress(tile, codes, row, sum), kPieceBytes));
  isWide = both(isWide, areNeighbours(tile, numInner, row, width));
  auto branch =
      scf::IfOp::create(rewriter, loc, isWide, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  copyPiece(tile, codes, row, sum, {stage, summand, line});
  rewriter.setInsertionPointToStart(branch.elseBlock());
  auto loop =
      scf::ForOp::create(rewriter, loc, index(0), index(width), index(1));
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  loadCode(tile, from, plus(line, loop.getInductionVar()), summand);
}

void MatrixKernel::loadBlock(const CodeTile &tile, BlockArgument codes,
                             size_t numInner, Value from, Value number) {
  int64_t width = kWordBytes / getBytes();
  constexpr int64_t kWords = kDepthBytes / kWordBytes;
  // Eight threads read 32 bytes, as many as memory gives at once; the four
  // groups of them in a warp write to other banks.
  int64_t neighbours = std::min<int64_t>(8, tile.lines / width);
  Value word = modulo(divide(number, neighbours), kWords);
  Value block = plus(times(divide(number, neighbours * kWords), neighbours),
                     modulo(number, neighbours));
  Value line = times(block, width);
  Value summand = times(word, width);
  Value row = plus(tile.first, line);
  Value sum = plus(from, summand);
  Value addresses;
  for (int64_t i = 0; i < width; ++i) {
    Value address = emitAddress(tile, codes, row, plus(sum, index(i)));
    addresses = addresses
                    ? arith::OrIOp::create(rewriter, loc, addresses, address)
                    : address;
  }
  Value isThere = isElement(*tile.factor, plus(row, index(width - 1)),
                            plus(sum, index(width - 1)), false);
  Value isWide = arith::AndIOp::create(rewriter, loc, isThere,
                                       isAligned(addresses, kWordBytes));
  isWide = both(isWide, areNeighbours(tile, numInner, row, width));
  auto branch =
      scf::IfOp::create(rewriter, loc, isWide, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < width; ++i)
    vectors.push_back(emitVector(tile, codes, row, plus(sum, index(i)), width));
  for (int64_t j = 0; j < width; ++j) {
    SmallVector<Value> elements;
    for (Value vector : vectors)
      elements.push_back(vector::ExtractOp::create(rewriter, loc, vector, j));
    Value all = vector::FromElementsOp::create(
        rewriter, loc, cast<VectorType>(vectors[0].getType()), elements);
    memref::StoreOp::create(rewriter, loc, all, tile.codesOfWords,
                            ValueRange{stage, plus(line, index(j)), word});
  }
  rewriter.setInsertionPointToStart(branch.elseBlock());
  auto loop = scf::ForOp::create(rewriter, loc, index(0), index(width * width),
                                 index(1));
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  loadCode(tile, from, plus(line, modulo(loop.getInductionVar(), width)),
           plus(summand, divide(loop.getInductionVar(), width)));
}

void MatrixKernel::loadTile(const CodeTile &tile, Value from) {
  int64_t width = kWordBytes / getBytes();
  size_t numInner;
  BlockArgument codes = getPlainCodes(tile, product.sums, numInner);
  if (codes && numInner == product.sums.size()) {
    forEachElement(tile.lines * kDepthBytes / kPieceBytes, threads,
                   [&](Value number) { loadPiece(tile, codes, from, number); });
    return;
  }
  codes = getPlainCodes(tile, tile.factor->rows, numInner);
  if (tile.isAcross) {
    forEachElement(
        tile.lines * kDepthBytes / kPieceBytes, threads,
        [&](Value number) { loadAcross(tile, codes, numInner, from, number); });
    return;
  }
  if (codes) {
    forEachElement(
        tile.lines / width * kDepthBytes / kWordBytes, threads,
        [&](Value number) { loadBlock(tile, codes, numInner, from, number); });
    return;
  }
  forEachElement(tile.lines * kDepthBytes / kWordBytes, threads,
                 [&](Value number) { loadWord(tile, from, number); });
}

/// A matrix is eight rows and summands; the threads of a quarter of the warp
/// have the addresses of its summands.
Registers MatrixKernel::loadTransposed(const CodeTile &tile, int64_t row,
                                       int64_t step) {
  constexpr int64_t kMatrix = 8;
  int64_t halves = tile.rows / kMatrix;
  int64_t count = instruction.k / kMatrix * halves;
  Value lane = modulo(thread, kWarp);
  Value matrix = modulo(divide(lane, kMatrix), count);
  Value summand =
      plus(times(divide(matrix, halves), kMatrix),
           plus(modulo(lane, kMatrix), index(step * instruction.k)));
  Value line = plus(tile.warpRow,
                    plus(times(modulo(matrix, halves), kMatrix), index(row)));
  // Bits as they are, whatever 16 of them stand for.
  Type f16 = rewriter.getF16Type();
  Value source =
      view(tile.shared, cast<MemRefType>(tile.codes.getType()).getShape(), f16);
  Value loaded = nvgpu::LdMatrixOp::create(
      rewriter, loc, VectorType::get({count, 2}, f16), source,
      ValueRange{stage, summand, line}, /*transpose=*/true, count);
  Registers registers;
  for (int64_t i = 0; i < count; ++i) {
    Value pair = vector::ExtractOp::create(rewriter, loc, loaded, i);
    if (pair.getType() != getRegisterType())
      pair = LLVM::BitcastOp::create(rewriter, loc, getRegisterType(), pair);
    registers.push_back(pair);
  }
  return registers;
}

Registers MatrixKernel::loadRegisters(const CodeTile &tile, int64_t row,
                                      int64_t step) {
  if (tile.isAcross)
    return loadTransposed(tile, row, step);
  Registers registers;
  int64_t words = instruction.k * getBytes() / kWordBytes;
  for (int64_t word = 0; word < words; word += kThreadsOfRow)
    for (int64_t half = 0; half < tile.rows; half += 8) {
      Value line = plus(plus(tile.warpRow, group), index(row + half));
      Value place = plus(inGroup, index(step * words + word));
      registers.push_back(memref::LoadOp::create(
          rewriter, loc, tile.words, ValueRange{stage, line, place}));
    }
  return registers;
}

Registers MatrixKernel::multiply(ArrayRef<Value> a, ArrayRef<Value> b,
                                 ArrayRef<Value> c) {
  SmallVector<Value> operands(a);
  llvm::append_range(operands, b);
  llvm::append_range(operands, c);
  auto type = LLVM::LLVMStructType::getLiteral(
      rewriter.getContext(), SmallVector<Type>(c.size(), getSumType()));
  StringAttr name =
      rewriter.getStringAttr("llvm.nvvm.mma." + instruction.intrinsic);
  Value result =
      LLVM::CallIntrinsicOp::create(rewriter, loc, type, name, operands)
          .getResult(0);
  Registers sums;
  for (int64_t i = 0; i < int64_t(c.size()); ++i)
    sums.push_back(LLVM::ExtractValueOp::create(rewriter, loc, result, i));
  return sums;
}

SmallVector<Value> MatrixKernel::addTile(ValueRange sums) {
  SmallVector<Registers> all;
  int64_t each = getSumRegisters();
  for (int64_t i = 0; i < getNumSums(); ++i)
    all.emplace_back(sums.slice(i * each, each));
  int64_t rows = getRowsOfWarp(), columns = getColumnsOfWarp();
  int64_t steps = kDepthBytes / (instruction.k * getBytes());
  for (int64_t step = 0; step < steps; ++step) {
    SmallVector<Registers> a, b;
    for (int64_t i = 0; i < rows; ++i)
      a.push_back(loadRegisters(left, i * instruction.m, step));
    for (int64_t j = 0; j < columns; ++j)
      b.push_back(loadRegisters(right, j * instruction.n, step));
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        Registers &sum = all[i * columns + j];
        sum = multiply(a[i], b[j], sum);
      }
    if (plan.right.subtracted)
      for (int64_t i = 0; i < rows; ++i) {
        Registers &sum = all[getSumsOfLeft() + i];
        sum = multiply(a[i], Registers(b[0].size(), getOnes()), sum);
      }
    if (plan.left.subtracted)
      for (int64_t j = 0; j < columns; ++j) {
        Registers &sum = all[getSumsOfRight() + j];
        sum = multiply(Registers(a[0].size(), getOnes()), b[j], sum);
      }
  }
  SmallVector<Value> results;
  for (const Registers &registers : all)
    llvm::append_range(results, registers);
  return results;
}

SmallVector<Value> MatrixKernel::emitTile(Value from, ValueRange sums) {
  loadTile(left, from);
  loadTile(right, from);
  gpu::BarrierOp::create(rewriter, loc);
  SmallVector<Value> results = addTile(sums);
  gpu::BarrierOp::create(rewriter, loc);
  return results;
}

bool MatrixKernel::areCopied(const GpuFactor &factor,
                             const MatrixOperand &operand, bool across) {
  CodeTile tile = {};
  tile.factor = &factor;
  tile.operand = &operand;
  ArrayRef<unsigned> loops = product.sums;
  size_t numInner;
  bool alongSum =
      getPlainCodes(tile, loops, numInner) && numInner == loops.size();
  if (!across || alongSum)
    return !across && alongSum;
  // ldmatrix turns around pairs of bytes.
  return getBytes() == 2 && getPlainCodes(tile, factor.rows, numInner);
}

int64_t MatrixKernel::chooseStages() {
  bool isAnyCopied = false;
  for (bool across : {false, true})
    isAnyCopied |= areCopied(product.left, plan.left, across) ||
                   areCopied(product.right, plan.right, across);
  if (!plan.hasAsyncCopies || !isAnyCopied)
    return 1;
  int64_t stages =
      std::min(kMostStages,
               kMostSharedBytes / ((shape.rows + shape.columns) * kRowBytes));
  if (std::optional<int64_t> known = getConstantIntValue(depth))
    stages = std::min(
        stages, int64_t(llvm::divideCeil(*known, kDepthBytes / getBytes())));
  return std::max<int64_t>(stages, 1);
}

void MatrixKernel::beginStage(Value from, Value inStage) {
  stage = inStage;
  {
    OpBuilder::InsertionGuard guard(rewriter);
    auto branch = scf::IfOp::create(rewriter, loc, isBelow(from, depth));
    rewriter.setInsertionPointToStart(branch.thenBlock());
    loadTile(left, from);
    loadTile(right, from);
  }
  // Without copies, too: those of how many tiles may be on their way counts.
  NVVM::CpAsyncCommitGroupOp::create(rewriter, loc);
}

SmallVector<Value> MatrixKernel::emitStage(Value from, ValueRange sums) {
  int64_t step = kDepthBytes / getBytes(), ahead = numStages - 1;
  NVVM::CpAsyncWaitGroupOp::create(rewriter, loc, ahead - 1);
  gpu::BarrierOp::create(rewriter, loc);
  Value number = divide(from, step);
  beginStage(plus(from, index(ahead * step)),
             modulo(plus(number, index(ahead)), numStages));
  stage = modulo(number, numStages);
  return addTile(sums);
}

MatrixKernel::SumLine MatrixKernel::getSumLine(const CodeTile &tile,
                                               Value inWarp) {
  SumLine line;
  line.line =
      getLine(*tile.factor, plus(plus(tile.first, tile.warpRow), inWarp));
  auto emit = [&](Value value) -> Value {
    if (!value)
      return nullptr;
    return orZero(line.line.isThere, value.getType(), [&] {
      return emitFactor(*tile.factor, value, line.line.number, index(0));
    });
  };
  line.subtracted = emit(tile.operand->subtracted);
  line.scale = emit(tile.operand->scale);
  return line;
}

void MatrixKernel::storeSums(ValueRange sums) {
  int64_t each = getSumRegisters(), columns = getColumnsOfWarp();
  Type i32 = rewriter.getI32Type();
  auto times32 = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(rewriter, loc, x, y);
  };
  Value count = arith::IndexCastOp::create(rewriter, loc, i32, depth);
  // Two neighbours, then those of eight rows below.
  SmallVector<SumLine> lines, places;
  for (int64_t row = 0; row < shape.shareRows; row += 8)
    lines.push_back(getSumLine(left, plus(group, index(row))));
  for (int64_t column = 0; column < shape.shareColumns; column += 8)
    for (int64_t next = 0; next < 2; ++next)
      places.push_back(
          getSumLine(right, plus(times(inGroup, 2), index(column + next))));
  for (int64_t i = 0; i < getRowsOfWarp(); ++i)
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t k = 0; k < each; ++k) {
        const SumLine &row = lines[i * (instruction.m / 8) + k / 2];
        const SumLine &column = places[j * 2 + k % 2];
        ifResult(row.line, column.line, [&] {
          Value sum = sums[(i * columns + j) * each + k];
          Value p = row.subtracted, q = column.subtracted;
          if (p) {
            Value ofRight = sums[(getSumsOfRight() + j) * each + k];
            sum = minus(sum, times32(p, ofRight));
          }
          if (q) {
            Value ofLeft = sums[(getSumsOfLeft() + i) * each + k];
            sum = minus(sum, times32(q, ofLeft));
          }
          if (p && q)
            sum = plus(sum, times32(count, times32(p, q)));
          for (Value scale : {row.scale, column.scale})
            if (scale)
              sum = arith::MulFOp::create(rewriter, loc, sum, scale);
          SmallVector<Value> place = getPlace(row.line, column.line);
          Value before =
              memref::LoadOp::create(rewriter, loc, getResult(), place);
          sum = isFloat()
                    ? Value(arith::AddFOp::create(rewriter, loc, before, sum))
                    : plus(before, sum);
          memref::StoreOp::create(rewriter, loc, sum, getResult(), place);
        });
      }
}

void MatrixKernel::build() {
  beginTiles(shape.rows, shape.columns, threads);
  Value warp = divide(thread, kWarp);
  Value lane = modulo(thread, kWarp);
  group = divide(lane, kThreadsOfRow);
  inGroup = modulo(lane, kThreadsOfRow);
  numStages = chooseStages();
  stage = index(0);
  int64_t warpsOfRow = shape.columns / shape.shareColumns;
  left =
      makeTile(product.left, plan.left, shape.rows, firstRow,
               times(divide(warp, warpsOfRow), shape.shareRows), instruction.m);
  right = makeTile(product.right, plan.right, shape.columns, firstColumn,
                   times(modulo(warp, warpsOfRow), shape.shareColumns),
                   instruction.n);

  Value zero = arith::ConstantOp::create(rewriter, loc, getSumType(),
                                         rewriter.getZeroAttr(getSumType()));
  SmallVector<Value> sums(getNumSums() * getSumRegisters(), zero);
  for (int64_t i = 0; i + 1 < numStages; ++i)
    beginStage(index(i * kDepthBytes / getBytes()), index(i));
  auto loop = scf::ForOp::create(rewriter, loc, index(0), depth,
                                 index(kDepthBytes / getBytes()), sums);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value from = loop.getInductionVar();
    ValueRange before = loop.getRegionIterArgs();
    SmallVector<Value> next =
        numStages > 1 ? emitStage(from, before) : emitTile(from, before);
    scf::YieldOp::create(rewriter, loc, next);
  }
  storeSums(loop.getResults());
  launches.endLaunch();
}

void quant_float::buildMatrixKernel(KernelLaunches &launches,
                                    const GpuProduct &product,
                                    const MatrixPlan &plan,
                                    const ProductTile &shape) {
  MatrixKernel(launches, product, plan, shape).build();
}
