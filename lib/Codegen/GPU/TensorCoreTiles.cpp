//===- TensorCoreTiles.cpp - Tiles in workgroup memory --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorCoreTiles.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The size of the widest memory access in bytes, and of the words in which
/// blocks are transposed.
static constexpr int64_t kPieceBytes = 16, kWordBytes = 4;
/// The number of rows of 16 bytes that cover all banks of workgroup memory.
static constexpr int64_t kRowsOfBanks = 8;

int64_t TensorCoreTiles::getBytes() const {
  return instruction.a == MatrixElement::Float16 ||
                 instruction.a == MatrixElement::BFloat16
             ? 2
             : 1;
}

//===----------------------------------------------------------------------===//
// Memory layout
//===----------------------------------------------------------------------===//

BlockArgument TensorCoreTiles::getPlainCodes(const TensorCoreOperand &factor,
                                             ArrayRef<unsigned> loops,
                                             size_t &numInner) {
  linalg::GenericOp op = product.op;
  Value source = factor.code;
  // Integers are extensions of the loaded byte.
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
  // Ignore loops of one iteration.
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
  // Visit the axes from the innermost one outward. `isDense` means that the
  // elements of the visited axes are contiguous in memory.
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

PlainCodes TensorCoreTiles::getPlainCodes(const GpuOperand &factor,
                                          const TensorCoreOperand &operand) {
  PlainCodes plain;
  plain.isAlong = true;
  plain.codes = getPlainCodes(operand, product.sums, plain.numInner);
  if (plain.codes && plain.numInner == product.sums.size())
    return plain;
  plain.isAlong = false;
  plain.codes = getPlainCodes(operand, factor.rows, plain.numInner);
  return plain;
}

bool TensorCoreTiles::canCopy(const PlainCodes &plain) const {
  // ldmatrix transposes 16-bit elements only.
  return plain.codes && (plain.isAlong || getBytes() == 2);
}

ArrayRef<unsigned> TensorCoreTiles::getInner(const CodeTile &tile) const {
  ArrayRef<unsigned> loops =
      tile.plain.isAlong ? product.sums : tile.factor->rows;
  return loops.take_back(tile.plain.numInner);
}

CodeTile TensorCoreTiles::makeTile(const GpuOperand &factor,
                                   const TensorCoreOperand &operand,
                                   int64_t lines, Value first) {
  CodeTile tile = {};
  tile.factor = &factor;
  tile.operand = &operand;
  tile.plain = getPlainCodes(factor, operand);
  tile.isCopied = numStages > 1 && canCopy(tile.plain);
  tile.isAcross = tile.isCopied && !tile.plain.isAlong;
  tile.lines = lines;
  tile.first = first;
  tile.numRows = tile.isAcross ? getStep() : lines;
  tile.rowBytes = tile.isAcross ? lines * getBytes() : kDepthBytes;
  tile.shared = makeShared(numStages * tile.numRows * tile.rowBytes);
  return tile;
}

/// Returns the size in bytes of a scalar or a vector.
static int64_t getBytesOf(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return (vector ? vector.getNumElements() : 1) *
         getElementTypeOrSelf(type).getIntOrFloatBitWidth() / 8;
}

Value TensorCoreTiles::viewTile(const CodeTile &tile, Type unit) {
  return view(tile.shared,
              {numStages, tile.numRows, tile.rowBytes / getBytesOf(unit)},
              unit);
}

SmallVector<Value> TensorCoreTiles::getPlaceInTile(const CodeTile &tile,
                                                   Type unit, Value row,
                                                   Value number) {
  int64_t pieces = tile.rowBytes / kPieceBytes;
  int64_t units = kPieceBytes / getBytesOf(unit);
  // The number of consecutive rows that are in different banks without
  // swizzling.
  int64_t apart = std::max<int64_t>(kRowsOfBanks / pieces, 1);
  Value turn = modulo(divide(row, apart), std::min(pieces, kRowsOfBanks));
  Value piece =
      rewriter.createOrFold<arith::XOrIOp>(loc, divide(number, units), turn);
  return {stage, row, plus(times(piece, units), modulo(number, units))};
}

void TensorCoreTiles::storeInTile(const CodeTile &tile, Value unit, Value row,
                                  Value number) {
  memref::StoreOp::create(rewriter, loc, unit, viewTile(tile, unit.getType()),
                          getPlaceInTile(tile, unit.getType(), row, number));
}

//===----------------------------------------------------------------------===//
// Loads of quantized values
//===----------------------------------------------------------------------===//

Value TensorCoreTiles::isAligned(Value address, int64_t bytes) {
  return arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::eq,
      rewriter.createOrFold<arith::AndIOp>(loc, address, index(bytes - 1)),
      index(0));
}

Value TensorCoreTiles::emitAddress(const CodeTile &tile, Value row, Value sum) {
  auto metadata =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, getBuffer(tile));
  Value element = metadata.getOffset();
  for (auto [index, stride] :
       llvm::zip_equal(getInputPlace(*tile.factor, tile.plain.codes, row, sum),
                       metadata.getStrides()))
    element = plus(element, launches.multiply(index, stride));
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(
      rewriter, loc, metadata.getBaseBuffer());
  return plus(base, times(element, getBytes()));
}

Value TensorCoreTiles::isWhole(const CodeTile &tile) {
  if (!tile.plain.codes)
    return nullptr;
  auto metadata =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, getBuffer(tile));
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(
      rewriter, loc, metadata.getBaseBuffer());
  Value all = plus(base, times(metadata.getOffset(), getBytes()));
  auto add = [&](Value elements) {
    all = rewriter.createOrFold<arith::OrIOp>(loc, all,
                                              times(elements, getBytes()));
  };
  // Elements along the innermost loops are contiguous, so that their extent
  // must be a multiple of the access size. The strides of all other axes must
  // be, too.
  ArrayRef<unsigned> inner = getInner(tile);
  OpOperand &operand =
      product.op->getOpOperand(tile.plain.codes.getArgNumber());
  AffineMap map = product.op.getMatchingIndexingMap(&operand);
  for (unsigned axis = 0; axis < map.getNumResults(); ++axis)
    if (llvm::none_of(inner, [&](unsigned loop) {
          return map.getResult(axis).isFunctionOfDim(loop);
        }))
      add(metadata.getStrides()[axis]);
  add(getExtent(inner));
  // Blocks are square, so that the K extent must be a multiple, too.
  if (!tile.isCopied)
    add(depth);
  return isAligned(all, tile.isCopied ? kPieceBytes : kWordBytes);
}

Value TensorCoreTiles::areNeighbours(const CodeTile &tile, Value row,
                                     int64_t width) {
  if (tile.plain.isAlong || tile.plain.numInner == tile.factor->rows.size())
    return nullptr;
  Value inner = getExtent(getInner(tile));
  if (isMultiple(inner, width))
    return nullptr;
  Value place = rewriter.createOrFold<arith::RemUIOp>(loc, row, inner);
  return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ule,
                               plus(place, index(width)), inner);
}

Value TensorCoreTiles::emitCode(const CodeTile &tile, Value row, Value sum) {
  Value code = emitFactor(*tile.factor, tile.operand->code, row, sum);
  if (isFloat())
    return arith::BitcastOp::create(rewriter, loc, getCodeType(), code);
  return arith::TruncIOp::create(rewriter, loc, getCodeType(), code);
}

Value TensorCoreTiles::emitVector(const CodeTile &tile, Value row, Value sum,
                                  int64_t width) {
  Value buffer = getBuffer(tile);
  auto type = VectorType::get({width}, getElementTypeOrSelf(buffer));
  auto load = vector::LoadOp::create(
      rewriter, loc, type, buffer,
      getInputPlace(*tile.factor, tile.plain.codes, row, sum));
  load.setAlignment(width * getBytes());
  auto codeType = VectorType::get({width}, getCodeType());
  if (type == codeType)
    return load;
  return arith::BitcastOp::create(rewriter, loc, codeType, load);
}

void TensorCoreTiles::loadCode(const CodeTile &tile, Value from, Value line,
                               Value summand) {
  Value row = plus(tile.first, line);
  Value sum = plus(from, summand);
  Value isThere =
      isElement(*tile.factor, row, sum, isMultiple(depth, getStep()));
  Value code =
      orZero(isThere, getCodeType(), [&] { return emitCode(tile, row, sum); });
  if (tile.isAcross)
    std::swap(line, summand);
  storeInTile(tile, code, line, summand);
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

int64_t TensorCoreTiles::getNumPieces(const CodeTile &tile) const {
  return tile.lines * kDepthBytes / kPieceBytes;
}

TensorCoreTiles::Piece TensorCoreTiles::getPiece(const CodeTile &tile,
                                                 Value from, Value number) {
  int64_t width = kPieceBytes / getBytes();
  int64_t pieces = tile.rowBytes / kPieceBytes;
  Piece piece;
  piece.line = divide(number, pieces);
  piece.summand = times(modulo(number, pieces), width);
  if (tile.isAcross)
    std::swap(piece.line, piece.summand);
  piece.row = plus(tile.first, piece.line);
  piece.sum = plus(from, piece.summand);
  return piece;
}

void TensorCoreTiles::copyPiece(const CodeTile &tile, const Piece &piece,
                                Value isThere) {
  Value buffer = getBuffer(tile), row = piece.line, code = piece.summand;
  if (tile.isAcross)
    std::swap(row, code);
  int64_t width = kPieceBytes / getBytes();
  Value count;
  if (isThere)
    count =
        arith::SelectOp::create(rewriter, loc, isThere, index(width), index(0));
  Type type = getElementTypeOrSelf(buffer);
  nvgpu::DeviceAsyncCopyOp::create(
      rewriter, loc, nvgpu::DeviceAsyncTokenType::get(rewriter.getContext()),
      viewTile(tile, type), getPlaceInTile(tile, type, row, code), buffer,
      getInputPlace(*tile.factor, tile.plain.codes, piece.row, piece.sum),
      rewriter.getIndexAttr(width), count, /*bypassL1=*/rewriter.getUnitAttr());
}

/// Uses one access if all values are in bounds, contiguous and aligned, else
/// one access for each value.
void TensorCoreTiles::loadPiece(const CodeTile &tile, Value from,
                                Value number) {
  int64_t width = kPieceBytes / getBytes();
  Piece piece = getPiece(tile, from, number);
  Value last = index(width - 1);
  Value isWide =
      isElement(*tile.factor, tile.isAcross ? plus(piece.row, last) : piece.row,
                tile.isAcross ? piece.sum : plus(piece.sum, last), false);
  // Tiles advance by 64 bytes along K, so that the alignment is that of the
  // first tile.
  Value aligned = tile.isAcross ? piece.sum : piece.summand;
  isWide = both(isWide,
                isAligned(emitAddress(tile, piece.row, aligned), kPieceBytes));
  isWide = both(isWide, areNeighbours(tile, piece.row, width));
  auto branch =
      scf::IfOp::create(rewriter, loc, isWide, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  if (tile.isCopied)
    copyPiece(tile, piece, nullptr);
  else
    storeInTile(tile, emitVector(tile, piece.row, piece.sum, width), piece.line,
                divide(piece.summand, width));
  rewriter.setInsertionPointToStart(branch.elseBlock());
  auto loop =
      scf::ForOp::create(rewriter, loc, index(0), index(width), index(1));
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  Value &code = tile.isAcross ? piece.line : piece.summand;
  code = plus(code, loop.getInductionVar());
  loadCode(tile, from, piece.line, piece.summand);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

int64_t TensorCoreTiles::getNumBlocks(const CodeTile &tile) const {
  return tile.lines * kDepthBytes / kWordBytes / (kWordBytes / getBytes());
}

TensorCoreTiles::Block TensorCoreTiles::getBlock(const CodeTile &tile,
                                                 Value from, Value number) {
  int64_t width = kWordBytes / getBytes();
  constexpr int64_t kWords = kDepthBytes / kWordBytes;
  // Eight threads read 32 bytes, the size of a memory transaction. The four
  // groups of eight threads of a warp write to different banks.
  int64_t neighbours = std::min<int64_t>(8, tile.lines / width);
  Block block;
  block.word = modulo(divide(number, neighbours), kWords);
  block.line =
      times(plus(times(divide(number, neighbours * kWords), neighbours),
                 modulo(number, neighbours)),
            width);
  block.summand = times(block.word, width);
  block.row = plus(tile.first, block.line);
  block.sum = plus(from, block.summand);
  return block;
}

SmallVector<Value> TensorCoreTiles::loadBlock(const CodeTile &tile,
                                              const Block &block) {
  int64_t width = kWordBytes / getBytes();
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < width; ++i)
    vectors.push_back(
        emitVector(tile, block.row, plus(block.sum, index(i)), width));
  return vectors;
}

void TensorCoreTiles::storeBlock(const CodeTile &tile, const Block &block,
                                 ValueRange vectors) {
  for (int64_t j = 0; j < int64_t(vectors.size()); ++j) {
    SmallVector<Value> elements;
    for (Value vector : vectors)
      elements.push_back(vector::ExtractOp::create(rewriter, loc, vector, j));
    Value all = vector::FromElementsOp::create(
        rewriter, loc, cast<VectorType>(vectors[0].getType()), elements);
    storeInTile(tile, all, plus(block.line, index(j)), block.word);
  }
}

/// Uses wide accesses if all values are in bounds, contiguous and aligned, else
/// one access for each value.
void TensorCoreTiles::loadBlock(const CodeTile &tile, Value from,
                                Value number) {
  int64_t width = kWordBytes / getBytes();
  Block block = getBlock(tile, from, number);
  Value addresses;
  for (int64_t i = 0; i < width; ++i) {
    Value address = emitAddress(tile, block.row, plus(block.sum, index(i)));
    addresses = addresses
                    ? arith::OrIOp::create(rewriter, loc, addresses, address)
                    : address;
  }
  Value last = index(width - 1);
  Value isWide = both(isElement(*tile.factor, plus(block.row, last),
                                plus(block.sum, last), false),
                      isAligned(addresses, kWordBytes));
  isWide = both(isWide, areNeighbours(tile, block.row, width));
  auto branch =
      scf::IfOp::create(rewriter, loc, isWide, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  storeBlock(tile, block, loadBlock(tile, block));
  rewriter.setInsertionPointToStart(branch.elseBlock());
  auto loop = scf::ForOp::create(rewriter, loc, index(0), index(width * width),
                                 index(1));
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  loadCode(tile, from, plus(block.line, modulo(loop.getInductionVar(), width)),
           plus(block.summand, divide(loop.getInductionVar(), width)));
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

int64_t TensorCoreTiles::getNumWords(const CodeTile &tile) const {
  return tile.lines * kDepthBytes / kWordBytes;
}

TensorCoreTiles::Word TensorCoreTiles::getWord(const CodeTile &tile, Value from,
                                               Value number) {
  constexpr int64_t kWords = kDepthBytes / kWordBytes;
  // Adjacent threads load adjacent elements.
  bool isKContiguous = tile.factor->isKContiguous;
  Word word;
  word.word =
      isKContiguous ? modulo(number, kWords) : divide(number, tile.lines);
  word.line =
      isKContiguous ? divide(number, kWords) : modulo(number, tile.lines);
  word.row = plus(tile.first, word.line);
  word.sum = plus(from, times(word.word, kWordBytes / getBytes()));
  return word;
}

Value TensorCoreTiles::emitWord(const CodeTile &tile, const Word &word) {
  int64_t width = kWordBytes / getBytes();
  auto type = VectorType::get({width}, getCodeType());
  bool isWhole = isMultiple(depth, getStep());
  auto emitAll = [&](llvm::function_ref<Value(Value)> emit) -> Value {
    SmallVector<Value> codes;
    for (int64_t i = 0; i < width; ++i)
      codes.push_back(emit(plus(word.sum, index(i))));
    return vector::FromElementsOp::create(rewriter, loc, type, codes);
  };
  auto emit = [&](Value sum) { return emitCode(tile, word.row, sum); };
  if (isMultiple(depth, width))
    return orZero(isElement(*tile.factor, word.row, word.sum, isWhole), type,
                  [&] { return emitAll(emit); });
  return emitAll([&](Value sum) {
    return orZero(isElement(*tile.factor, word.row, sum, isWhole),
                  getCodeType(), [&] { return emit(sum); });
  });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void TensorCoreTiles::loadTile(const CodeTile &tile, Value from) {
  if (tile.isCopied || (tile.plain.codes && tile.plain.isAlong))
    return forEachElement(getNumPieces(tile), threads,
                          [&](Value number) { loadPiece(tile, from, number); });
  if (tile.plain.codes)
    return forEachElement(getNumBlocks(tile), threads,
                          [&](Value number) { loadBlock(tile, from, number); });
  forEachElement(getNumWords(tile), threads, [&](Value number) {
    Word word = getWord(tile, from, number);
    storeInTile(tile, emitWord(tile, word), word.line, word.word);
  });
}

void TensorCoreTiles::forEachOwn(int64_t count,
                                 llvm::function_ref<void(Value, Value)> body) {
  for (int64_t first = 0; first < count; first += threads) {
    Value number = plus(index(first), thread);
    body(number,
         first + threads <= count ? Value() : isBelow(number, index(count)));
  }
}

void TensorCoreTiles::copyTile(const CodeTile &tile, Value from) {
  forEachOwn(getNumPieces(tile), [&](Value number, Value isOwn) {
    Piece piece = getPiece(tile, from, number);
    Value isThere = isElement(*tile.factor, piece.row, piece.sum, false);
    OpBuilder::InsertionGuard guard(rewriter);
    if (isOwn) {
      auto branch = scf::IfOp::create(rewriter, loc, isOwn);
      rewriter.setInsertionPointToStart(branch.thenBlock());
    }
    copyPiece(tile, piece, isThere);
  });
}

SmallVector<Value> TensorCoreTiles::loadWords(const CodeTile &tile,
                                              Value from) {
  SmallVector<Value> words;
  int64_t width = kWordBytes / getBytes();
  auto type = VectorType::get({width}, getCodeType());
  if (!tile.plain.codes) {
    forEachOwn(getNumWords(tile), [&](Value number, Value isOwn) {
      Value isThere = both(isOwn, isBelow(from, depth));
      words.push_back(orZero(isThere, type, [&] {
        return emitWord(tile, getWord(tile, from, number));
      }));
    });
    return words;
  }
  forEachOwn(getNumBlocks(tile), [&](Value number, Value isOwn) {
    Block block = getBlock(tile, from, number);
    Value isThere =
        both(isOwn, isElement(*tile.factor, block.row, block.sum, false));
    for (int64_t i = 0; i < width; ++i)
      words.push_back(orZero(isThere, type, [&] {
        return emitVector(tile, block.row, plus(block.sum, index(i)), width);
      }));
  });
  return words;
}

ValueRange TensorCoreTiles::storeWords(const CodeTile &tile, ValueRange words) {
  bool hasBlocks = tile.plain.codes != nullptr;
  int64_t each = hasBlocks ? kWordBytes / getBytes() : 1;
  forEachOwn(hasBlocks ? getNumBlocks(tile) : getNumWords(tile),
             [&](Value number, Value isOwn) {
               ValueRange own = words.take_front(each);
               words = words.drop_front(each);
               OpBuilder::InsertionGuard guard(rewriter);
               if (isOwn) {
                 auto branch = scf::IfOp::create(rewriter, loc, isOwn);
                 rewriter.setInsertionPointToStart(branch.thenBlock());
               }
               if (hasBlocks)
                 return storeBlock(tile, getBlock(tile, index(0), number), own);
               Word word = getWord(tile, index(0), number);
               storeInTile(tile, own[0], word.line, word.word);
             });
  return words;
}
