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

using namespace mlir;
using namespace mlir::quant_float;

/// The size of the packed values in which blocks are transposed, in bytes.
static constexpr int64_t kPackedBytes = 4;
/// The number of rows of 16 bytes that cover all banks of workgroup memory.
static constexpr int64_t kBankRows = 8;

//===----------------------------------------------------------------------===//
// Memory layout
//===----------------------------------------------------------------------===//

BlockArgument TensorCoreTiles::getPlainOperand(const TensorCoreOperand &operand,
                                               ArrayRef<unsigned> loops,
                                               size_t &numInner) {
  linalg::GenericOp op = matmul.op;
  BlockArgument argument = operand.getArgument(op);
  if (!argument)
    return nullptr;
  OpOperand &input = op->getOpOperand(argument.getArgNumber());
  auto type = dyn_cast<MemRefType>(input.get().getType());
  if (!type || !type.isLastDimUnitStride() ||
      type.getElementTypeBitWidth() != 8 * getBytes())
    return nullptr;
  // Ignore loops of one iteration.
  SmallVector<AffineExpr> dims;
  for (unsigned loop = 0; loop < extents.size(); ++loop)
    dims.push_back(isConstantIntValue(extents[loop], 1)
                       ? rewriter.getAffineConstantExpr(0)
                       : rewriter.getAffineDimExpr(loop));
  AffineMap map = op.getMatchingIndexingMap(&input);
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults())
    results.push_back(
        simplifyAffineExpr(result.replaceDims(dims), dims.size(), 0));
  // Visit the axes from the innermost one outward. `isDense` means that the
  // elements of the visited axes are contiguous in memory.
  bool isDense = type.getLayout().isIdentity(), isPlain = false;
  size_t axis = results.size();
  numInner = 0;
  for (unsigned loop : llvm::reverse(loops)) {
    if (isa<AffineConstantExpr>(dims[loop])) {
      ++numInner;
      continue;
    }
    size_t next = axis;
    while (next > 0 && isa<AffineConstantExpr>(results[next - 1]) &&
           type.getDimSize(next - 1) == 1)
      --next;
    if (next == 0 || results[next - 1] != dims[loop] ||
        (next != results.size() && !isDense) ||
        llvm::any_of(
            ArrayRef(results).take_front(next - 1),
            [&](AffineExpr result) { return result.isFunctionOfDim(loop); }))
      break;
    ++numInner;
    isPlain = true;
    axis = next - 1;
    isDense &= map.getResult(axis) == dims[loop] ||
               getConstantIntValue(extents[loop]) == type.getDimSize(axis);
  }
  return isPlain ? argument : nullptr;
}

PlainOperand
TensorCoreTiles::getPlainOperand(const GpuOperand &gpuOperand,
                                 const TensorCoreOperand &operand) {
  PlainOperand plain;
  plain.isAlong = true;
  plain.argument =
      getPlainOperand(operand, matmul.contraction.k, plain.numInner);
  if (plain.argument && plain.numInner == matmul.contraction.k.size())
    return plain;
  plain.isAlong = false;
  plain.argument = getPlainOperand(operand, gpuOperand.rows, plain.numInner);
  return plain;
}

bool TensorCoreTiles::canCopy(const PlainOperand &plain) const {
  // ldmatrix transposes 16-bit elements only.
  return plain.argument && (plain.isAlong || getBytes() == 2);
}

ArrayRef<unsigned> TensorCoreTiles::getInner(const OperandTile &tile) const {
  ArrayRef<unsigned> loops =
      tile.plain.isAlong ? matmul.contraction.k : tile.gpuOperand->rows;
  return loops.take_back(tile.plain.numInner);
}

OperandTile TensorCoreTiles::makeTile(const GpuOperand &gpuOperand,
                                      const TensorCoreOperand &operand,
                                      int64_t lines, Value first) {
  OperandTile tile = {};
  tile.gpuOperand = &gpuOperand;
  tile.operand = &operand;
  tile.plain = getPlainOperand(gpuOperand, operand);
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

Value TensorCoreTiles::viewTile(const OperandTile &tile, Type unit) {
  return view(tile.shared,
              {numStages, tile.numRows, tile.rowBytes / getBytesOf(unit)},
              unit);
}

SmallVector<Value> TensorCoreTiles::getTileIndices(const OperandTile &tile,
                                                   Type unit, Value row,
                                                   Value number) {
  int64_t pieces = tile.rowBytes / kMaxAccessBytes;
  int64_t units = kMaxAccessBytes / getBytesOf(unit);
  // The number of consecutive rows that are in different banks without
  // swizzling.
  int64_t rowsPerSwizzle = std::max<int64_t>(kBankRows / pieces, 1);
  Value turn = modulo(divide(row, rowsPerSwizzle), std::min(pieces, kBankRows));
  Value piece =
      rewriter.createOrFold<arith::XOrIOp>(loc, divide(number, units), turn);
  return {stage, row, plus(times(piece, units), modulo(number, units))};
}

void TensorCoreTiles::storeInTile(const OperandTile &tile, Value unit,
                                  Value row, Value number) {
  memref::StoreOp::create(rewriter, loc, unit, viewTile(tile, unit.getType()),
                          getTileIndices(tile, unit.getType(), row, number));
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

Value TensorCoreTiles::emitAddress(const OperandTile &tile, Value row,
                                   Value k) {
  auto metadata =
      memref::ExtractStridedMetadataOp::create(rewriter, loc, getBuffer(tile));
  Value element = metadata.getOffset();
  for (auto [index, stride] : llvm::zip_equal(
           getInputIndices(*tile.gpuOperand, tile.plain.argument, row, k),
           metadata.getStrides()))
    element = plus(element, launches.multiply(index, stride));
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(
      rewriter, loc, metadata.getBaseBuffer());
  return plus(base, times(element, getBytes()));
}

Value TensorCoreTiles::isAlignedTile(const OperandTile &tile) {
  if (!tile.plain.argument)
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
      matmul.op->getOpOperand(tile.plain.argument.getArgNumber());
  AffineMap map = matmul.op.getMatchingIndexingMap(&operand);
  for (unsigned axis = 0; axis < map.getNumResults(); ++axis)
    if (llvm::none_of(inner, [&](unsigned loop) {
          return map.getResult(axis).isFunctionOfDim(loop);
        }))
      add(metadata.getStrides()[axis]);
  add(getExtent(inner));
  // Blocks are square, so that the K extent must be a multiple, too.
  if (!tile.isCopied)
    add(depth);
  return isAligned(all, tile.isCopied ? kMaxAccessBytes : kPackedBytes);
}

Value TensorCoreTiles::areAdjacent(const OperandTile &tile, Value row,
                                   int64_t width) {
  if (tile.plain.isAlong || tile.plain.numInner == tile.gpuOperand->rows.size())
    return nullptr;
  Value inner = getExtent(getInner(tile));
  if (isMultiple(inner, width))
    return nullptr;
  Value inInner = rewriter.createOrFold<arith::RemUIOp>(loc, row, inner);
  return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ule,
                               plus(inInner, index(width)), inner);
}

Value TensorCoreTiles::emitElement(const OperandTile &tile, Value row,
                                   Value k) {
  Value element =
      emitOperand(*tile.gpuOperand, tile.operand->quantized, row, k);
  if (isFloat())
    return arith::BitcastOp::create(rewriter, loc, getStorageType(), element);
  return arith::TruncIOp::create(rewriter, loc, getStorageType(), element);
}

Value TensorCoreTiles::emitVector(const OperandTile &tile, Value row, Value k,
                                  int64_t width) {
  Value buffer = getBuffer(tile);
  auto type = VectorType::get({width}, getElementTypeOrSelf(buffer));
  auto load = vector::LoadOp::create(
      rewriter, loc, type, buffer,
      getInputIndices(*tile.gpuOperand, tile.plain.argument, row, k));
  load.setAlignment(width * getBytes());
  auto storageType = VectorType::get({width}, getStorageType());
  if (type == storageType)
    return load;
  return arith::BitcastOp::create(rewriter, loc, storageType, load);
}

void TensorCoreTiles::loadElement(const OperandTile &tile, Value from,
                                  Value line, Value kInTile) {
  Value row = plus(tile.first, line);
  Value k = plus(from, kInTile);
  Value isInBounds =
      isElement(*tile.gpuOperand, row, k, isMultiple(depth, getStep()));
  Value element = orZero(isInBounds, getStorageType(),
                         [&] { return emitElement(tile, row, k); });
  if (tile.isAcross)
    std::swap(line, kInTile);
  storeInTile(tile, element, line, kInTile);
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

int64_t TensorCoreTiles::getNumPieces(const OperandTile &tile) const {
  return tile.lines * kDepthBytes / kMaxAccessBytes;
}

TensorCoreTiles::Piece TensorCoreTiles::getPiece(const OperandTile &tile,
                                                 Value from, Value number) {
  int64_t width = kMaxAccessBytes / getBytes();
  int64_t pieces = tile.rowBytes / kMaxAccessBytes;
  Piece piece;
  piece.line = divide(number, pieces);
  piece.kInTile = times(modulo(number, pieces), width);
  if (tile.isAcross)
    std::swap(piece.line, piece.kInTile);
  piece.row = plus(tile.first, piece.line);
  piece.k = plus(from, piece.kInTile);
  return piece;
}

void TensorCoreTiles::copyPiece(const OperandTile &tile, const Piece &piece,
                                Value isInBounds) {
  Value buffer = getBuffer(tile), row = piece.line, element = piece.kInTile;
  if (tile.isAcross)
    std::swap(row, element);
  int64_t width = kMaxAccessBytes / getBytes();
  Value count;
  if (isInBounds)
    count = arith::SelectOp::create(rewriter, loc, isInBounds, index(width),
                                    index(0));
  Type type = getElementTypeOrSelf(buffer);
  nvgpu::DeviceAsyncCopyOp::create(
      rewriter, loc, nvgpu::DeviceAsyncTokenType::get(rewriter.getContext()),
      viewTile(tile, type), getTileIndices(tile, type, row, element), buffer,
      getInputIndices(*tile.gpuOperand, tile.plain.argument, piece.row,
                      piece.k),
      rewriter.getIndexAttr(width), count, /*bypassL1=*/rewriter.getUnitAttr());
}

/// Uses one access if all values are in bounds, contiguous and aligned, else
/// one access for each value.
void TensorCoreTiles::loadPiece(const OperandTile &tile, Value from,
                                Value number) {
  int64_t width = kMaxAccessBytes / getBytes();
  Piece piece = getPiece(tile, from, number);
  Value last = index(width - 1);
  Value isWide = isElement(
      *tile.gpuOperand, tile.isAcross ? plus(piece.row, last) : piece.row,
      tile.isAcross ? piece.k : plus(piece.k, last), false);
  // Tiles advance by 64 bytes along K, so that the alignment is that of the
  // first tile.
  Value aligned = tile.isAcross ? piece.k : piece.kInTile;
  isWide = both(isWide, isAligned(emitAddress(tile, piece.row, aligned),
                                  kMaxAccessBytes));
  isWide = both(isWide, areAdjacent(tile, piece.row, width));
  auto branch =
      scf::IfOp::create(rewriter, loc, isWide, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  if (tile.isCopied)
    copyPiece(tile, piece, nullptr);
  else
    storeInTile(tile, emitVector(tile, piece.row, piece.k, width), piece.line,
                divide(piece.kInTile, width));
  rewriter.setInsertionPointToStart(branch.elseBlock());
  auto loop =
      scf::ForOp::create(rewriter, loc, index(0), index(width), index(1));
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  Value &element = tile.isAcross ? piece.line : piece.kInTile;
  element = plus(element, loop.getInductionVar());
  loadElement(tile, from, piece.line, piece.kInTile);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

int64_t TensorCoreTiles::getNumBlocks(const OperandTile &tile) const {
  return tile.lines * kDepthBytes / kPackedBytes / (kPackedBytes / getBytes());
}

TensorCoreTiles::Block TensorCoreTiles::getBlock(const OperandTile &tile,
                                                 Value from, Value number) {
  int64_t width = kPackedBytes / getBytes();
  constexpr int64_t kPackedPerRow = kDepthBytes / kPackedBytes;
  // Eight threads read 32 bytes, the size of a memory transaction. The four
  // groups of eight threads of a warp write to different banks.
  int64_t adjacent = std::min<int64_t>(8, tile.lines / width);
  Block block;
  block.index = modulo(divide(number, adjacent), kPackedPerRow);
  block.line =
      times(plus(times(divide(number, adjacent * kPackedPerRow), adjacent),
                 modulo(number, adjacent)),
            width);
  block.kInTile = times(block.index, width);
  block.row = plus(tile.first, block.line);
  block.k = plus(from, block.kInTile);
  return block;
}

SmallVector<Value> TensorCoreTiles::loadBlock(const OperandTile &tile,
                                              const Block &block) {
  int64_t width = kPackedBytes / getBytes();
  SmallVector<Value> vectors;
  for (int64_t i = 0; i < width; ++i)
    vectors.push_back(
        emitVector(tile, block.row, plus(block.k, index(i)), width));
  return vectors;
}

void TensorCoreTiles::storeBlock(const OperandTile &tile, const Block &block,
                                 ValueRange vectors) {
  for (int64_t j = 0; j < int64_t(vectors.size()); ++j) {
    SmallVector<Value> elements;
    for (Value vector : vectors)
      elements.push_back(vector::ExtractOp::create(rewriter, loc, vector, j));
    Value all = vector::FromElementsOp::create(
        rewriter, loc, cast<VectorType>(vectors[0].getType()), elements);
    storeInTile(tile, all, plus(block.line, index(j)), block.index);
  }
}

/// Uses wide accesses if all values are in bounds, contiguous and aligned, else
/// one access for each value.
void TensorCoreTiles::loadBlock(const OperandTile &tile, Value from,
                                Value number) {
  int64_t width = kPackedBytes / getBytes();
  Block block = getBlock(tile, from, number);
  Value addresses;
  for (int64_t i = 0; i < width; ++i) {
    Value address = emitAddress(tile, block.row, plus(block.k, index(i)));
    addresses = addresses
                    ? arith::OrIOp::create(rewriter, loc, addresses, address)
                    : address;
  }
  Value last = index(width - 1);
  Value isWide = both(isElement(*tile.gpuOperand, plus(block.row, last),
                                plus(block.k, last), false),
                      isAligned(addresses, kPackedBytes));
  isWide = both(isWide, areAdjacent(tile, block.row, width));
  auto branch =
      scf::IfOp::create(rewriter, loc, isWide, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  storeBlock(tile, block, loadBlock(tile, block));
  rewriter.setInsertionPointToStart(branch.elseBlock());
  auto loop = scf::ForOp::create(rewriter, loc, index(0), index(width * width),
                                 index(1));
  rewriter.setInsertionPoint(loop.getBody()->getTerminator());
  loadElement(tile, from,
              plus(block.line, modulo(loop.getInductionVar(), width)),
              plus(block.kInTile, divide(loop.getInductionVar(), width)));
}

//===----------------------------------------------------------------------===//
// Packed values
//===----------------------------------------------------------------------===//

int64_t TensorCoreTiles::getNumPacked(const OperandTile &tile) const {
  return tile.lines * kDepthBytes / kPackedBytes;
}

TensorCoreTiles::Packed TensorCoreTiles::getPacked(const OperandTile &tile,
                                                   Value from, Value number) {
  constexpr int64_t kPackedPerRow = kDepthBytes / kPackedBytes;
  // Adjacent threads load adjacent elements.
  bool isKContiguous = tile.gpuOperand->isKContiguous;
  Packed packed;
  packed.index = isKContiguous ? modulo(number, kPackedPerRow)
                               : divide(number, tile.lines);
  packed.line = isKContiguous ? divide(number, kPackedPerRow)
                              : modulo(number, tile.lines);
  packed.row = plus(tile.first, packed.line);
  packed.k = plus(from, times(packed.index, kPackedBytes / getBytes()));
  return packed;
}

Value TensorCoreTiles::emitPacked(const OperandTile &tile,
                                  const Packed &packed) {
  int64_t width = kPackedBytes / getBytes();
  auto type = VectorType::get({width}, getStorageType());
  bool isKInBounds = isMultiple(depth, getStep());
  auto emitAll = [&](llvm::function_ref<Value(Value)> emit) -> Value {
    SmallVector<Value> elements;
    for (int64_t i = 0; i < width; ++i)
      elements.push_back(emit(plus(packed.k, index(i))));
    return vector::FromElementsOp::create(rewriter, loc, type, elements);
  };
  auto emit = [&](Value k) { return emitElement(tile, packed.row, k); };
  if (isMultiple(depth, width))
    return orZero(
        isElement(*tile.gpuOperand, packed.row, packed.k, isKInBounds), type,
        [&] { return emitAll(emit); });
  return emitAll([&](Value k) {
    return orZero(isElement(*tile.gpuOperand, packed.row, k, isKInBounds),
                  getStorageType(), [&] { return emit(k); });
  });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

void TensorCoreTiles::loadTile(const OperandTile &tile, Value from) {
  if (tile.isCopied || (tile.plain.argument && tile.plain.isAlong))
    return forEachElement(getNumPieces(tile), threads,
                          [&](Value number) { loadPiece(tile, from, number); });
  if (tile.plain.argument)
    return forEachElement(getNumBlocks(tile), threads,
                          [&](Value number) { loadBlock(tile, from, number); });
  forEachElement(getNumPacked(tile), threads, [&](Value number) {
    Packed packed = getPacked(tile, from, number);
    storeInTile(tile, emitPacked(tile, packed), packed.line, packed.index);
  });
}

void TensorCoreTiles::forEachAssigned(
    int64_t count, llvm::function_ref<void(Value, Value)> body) {
  for (int64_t first = 0; first < count; first += threads) {
    Value number = plus(index(first), thread);
    body(number,
         first + threads <= count ? Value() : isBelow(number, index(count)));
  }
}

void TensorCoreTiles::copyTile(const OperandTile &tile, Value from) {
  forEachAssigned(getNumPieces(tile), [&](Value number, Value isActive) {
    Piece piece = getPiece(tile, from, number);
    Value isInBounds = isElement(*tile.gpuOperand, piece.row, piece.k, false);
    emitIf(rewriter, loc, isActive,
           [&] { copyPiece(tile, piece, isInBounds); });
  });
}

SmallVector<Value> TensorCoreTiles::loadPacked(const OperandTile &tile,
                                               Value from) {
  SmallVector<Value> packed;
  int64_t width = kPackedBytes / getBytes();
  auto type = VectorType::get({width}, getStorageType());
  if (!tile.plain.argument) {
    forEachAssigned(getNumPacked(tile), [&](Value number, Value isActive) {
      Value isInBounds = both(isActive, isBelow(from, depth));
      packed.push_back(orZero(isInBounds, type, [&] {
        return emitPacked(tile, getPacked(tile, from, number));
      }));
    });
    return packed;
  }
  forEachAssigned(getNumBlocks(tile), [&](Value number, Value isActive) {
    Block block = getBlock(tile, from, number);
    Value isInBounds =
        both(isActive, isElement(*tile.gpuOperand, block.row, block.k, false));
    for (int64_t i = 0; i < width; ++i)
      packed.push_back(orZero(isInBounds, type, [&] {
        return emitVector(tile, block.row, plus(block.k, index(i)), width);
      }));
  });
  return packed;
}

ValueRange TensorCoreTiles::storePacked(const OperandTile &tile,
                                        ValueRange packed) {
  bool hasBlocks = tile.plain.argument != nullptr;
  int64_t each = hasBlocks ? kPackedBytes / getBytes() : 1;
  forEachAssigned(hasBlocks ? getNumBlocks(tile) : getNumPacked(tile),
                  [&](Value number, Value isActive) {
                    ValueRange values = packed.take_front(each);
                    packed = packed.drop_front(each);
                    emitIf(rewriter, loc, isActive, [&] {
                      if (hasBlocks)
                        return storeBlock(
                            tile, getBlock(tile, index(0), number), values);
                      Packed target = getPacked(tile, index(0), number);
                      storeInTile(tile, values[0], target.line, target.index);
                    });
                  });
  return packed;
}
