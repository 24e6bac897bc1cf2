//===- VectorizeTransposes.cpp - Vectorize transposing elementwise ops ----===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An elementwise op that reads an input in another order than it writes its
// outputs cannot load vectors: elements that are adjacent in the output are far
// apart in the input. This pass processes square blocks, which it transposes in
// registers:
//
//   for a tile of columns i and rows j:        // full cache lines
//     for a block of columns i, for a block of rows j:
//       for each j: row[j] = input[j, i...]    // contiguous along i
//       for each i: output[i, j...] = f(transposed[i])
//
// The last blocks end with the last column and row, and overlap the previous
// ones, so that there is no remainder.
//
//===----------------------------------------------------------------------===//

#include "../Common/BufferAccesses.h"
#include "../Common/ElementwiseLoops.h"
#include "../Common/LinalgUtils.h"
#include "TransposeInRegisters.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATVECTORIZETRANSPOSESPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-vectorize-transposes"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// The maximum size of a block. A block of bytes has this size although a
/// register holds more of them, because it needs a register for each row.
static constexpr int64_t kMaxBlock = 16;
/// The minimum size of a block. Smaller ones are not faster than scalars.
static constexpr int64_t kMinBlock = 4;
/// The size of a tile along each dimension, in bytes of the widest operand. A
/// tile consists of full cache lines in both layouts, and fits into an L1
/// cache.
static constexpr int64_t kTileBytes = 256;
/// The minimum number of elements for which several threads are faster than
/// one.
static constexpr int64_t kMinParallelSize = 8 * 32768;

namespace {
/// The loop nest of one op.
class TransposingLoops {
public:
  static std::optional<TransposingLoops> match(GenericOp op,
                                               int64_t vectorBytes);
  /// Replaces the op by loops over blocks. If the extents are dynamic, the op
  /// remains for those that are smaller than a block.
  void emit(RewriterBase &rewriter, bool parallel);

private:
  explicit TransposingLoops(GenericOp op)
      : op(op), position(op.getNumLoops()) {}
  bool matchBody();
  bool matchOperands(int64_t vectorBytes);
  void emitTiles(ImplicitLocOpBuilder &b, bool parallel);
  void emitBlock(ImplicitLocOpBuilder &b);
  Value getExtent(unsigned loop) const { return extents[loop]; }

  GenericOp op;
  /// The loops along which the outputs (rows) and the transposed inputs
  /// (columns) are contiguous.
  unsigned row = 0, column = 0;
  int64_t block = 0, tile = 0;
  SmallVector<Value> extents;
  /// The index of each loop.
  SmallVector<OpFoldResult> position;
};
} // namespace

bool TransposingLoops::matchBody() {
  return llvm::all_of(op.getBody()->without_terminator(), [](Operation &inner) {
    return OpTrait::hasElementwiseMappableTraits(&inner) ||
           isa<arith::ConstantOp, linalg::IndexOp>(inner);
  });
}

/// Whether vectors of the elements have the layout of the elements in memory.
static bool hasVectors(Type element) {
  return element.isIntOrFloat() && !isPackedElementType(element) &&
         llvm::is_contained({8u, 16u, 32u, 64u},
                            element.getIntOrFloatBitWidth());
}

bool TransposingLoops::matchOperands(int64_t vectorBytes) {
  AffineMap output = op.getIndexingMapsArray().back();
  if (output.getNumResults() == 0)
    return false;
  auto innermost = dyn_cast<AffineDimExpr>(output.getResults().back());
  if (!innermost)
    return false;
  row = innermost.getPosition();
  std::optional<unsigned> across;
  int64_t widest = 1;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      continue;
    Access access = getAccess(op, &operand, row);
    if (op.isDpsInit(&operand) ? access != Access::Contiguous
                               : access == Access::Invariant) {
      if (op.isDpsInit(&operand))
        return false;
      continue;
    }
    if (!hasVectors(type.getElementType()))
      return false;
    widest = std::max<int64_t>(widest, type.getElementTypeBitWidth() / 8);
    if (access == Access::Contiguous)
      continue;
    // All transposed inputs are contiguous along the same loop.
    auto last = dyn_cast<AffineDimExpr>(
        op.getMatchingIndexingMap(&operand).getResults().back());
    if (!last ||
        getAccess(op, &operand, last.getPosition()) != Access::Contiguous)
      return false;
    if (across && *across != last.getPosition())
      return false;
    across = last.getPosition();
  }
  if (!across)
    return false;
  column = *across;
  block = std::min(kMaxBlock, vectorBytes / widest);
  for (unsigned loop : {row, column}) {
    int64_t extent = op.getStaticLoopRanges()[loop];
    if (!ShapedType::isDynamic(extent))
      block = std::min<int64_t>(block, llvm::bit_floor<uint64_t>(extent));
  }
  tile = std::max(block, kTileBytes / widest);
  return block >= kMinBlock && llvm::isPowerOf2_64(block);
}

std::optional<TransposingLoops> TransposingLoops::match(GenericOp op,
                                                        int64_t vectorBytes) {
  if (!op.hasPureBufferSemantics() || !isElementwise(op) ||
      op.getNumLoops() < 2 || op.getNumDpsInits() == 0)
    return std::nullopt;
  TransposingLoops loops(op);
  if (!loops.matchBody() || !loops.matchOperands(vectorBytes))
    return std::nullopt;
  // Blocks overlap.
  BufferAccesses accesses(op);
  if (!accesses.canRepeat())
    return std::nullopt;
  return loops;
}

/// Emits the block of rows and columns that starts at `position`.
void TransposingLoops::emitBlock(ImplicitLocOpBuilder &b) {
  OpFoldResult firstRow = position[row], firstColumn = position[column];
  auto advance = [&](OpFoldResult first, int64_t by) {
    return affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0) + by, {first});
  };
  auto getIndices = [&](OpOperand *operand) {
    return createIndices(b, b.getLoc(), op.getMatchingIndexingMap(operand),
                         position);
  };
  auto load = [&](OpOperand *operand) -> Value {
    Type element = cast<MemRefType>(operand->get().getType()).getElementType();
    return vector::LoadOp::create(b, VectorType::get({block}, element),
                                  operand->get(), getIndices(operand));
  };
  auto getIndex = [&](unsigned loop) {
    Value index =
        getValueOrCreateConstantIndexOp(b, b.getLoc(), position[loop]);
    return loop == row ? createIndexVector(b, index, block) : index;
  };
  llvm::SmallDenseMap<OpOperand *, SmallVector<Value>> transposed;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isa<MemRefType>(input->get().getType()) ||
        getAccess(op, input, row) != Access::Strided)
      continue;
    SmallVector<Value> rows;
    for (int64_t i = 0; i < block; ++i) {
      position[row] = advance(firstRow, i);
      rows.push_back(load(input));
    }
    position[row] = firstRow;
    transposed[input] = transposeInRegisters(b, b.getLoc(), rows);
  }
  for (int64_t i = 0; i < block; ++i) {
    position[column] = advance(firstColumn, i);
    SmallVector<Value> arguments;
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!isa<MemRefType>(input->get().getType()))
        arguments.push_back(input->get());
      else if (transposed.contains(input))
        arguments.push_back(transposed[input][i]);
      else if (getAccess(op, input, row) == Access::Contiguous)
        arguments.push_back(load(input));
      else
        arguments.push_back(
            memref::LoadOp::create(b, input->get(), getIndices(input)));
    }
    for (auto [init, value] :
         llvm::zip_equal(op.getDpsInitsMutable(),
                         emitBody(b, op, arguments, block, getIndex)))
      vector::StoreOp::create(b, value, init.get(), getIndices(&init));
  }
  position[column] = firstColumn;
}

void TransposingLoops::emitTiles(ImplicitLocOpBuilder &b, bool parallel) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto beginLoop = [&](Value from, Value to, int64_t step) -> Value {
    auto loop = scf::ForOp::create(b, from, to, index(step));
    b.setInsertionPointToStart(loop.getBody());
    return loop.getInductionVar();
  };
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (loop != row && loop != column)
      position[loop] =
          op.getStaticLoopRanges()[loop] == 1
              ? OpFoldResult(b.getIndexAttr(0))
              : OpFoldResult(beginLoop(index(0), getExtent(loop), 1));
  const unsigned loops[] = {column, row};
  Value tiles[2], ends[2];
  // The last block of the columns may store elements that the block of another
  // thread stores as well. Both store the same values.
  for (auto [i, loop] : llvm::enumerate(loops)) {
    if (parallel && i == 0) {
      AffineExpr size = b.getAffineDimExpr(0);
      OpFoldResult count = affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), size.ceilDiv(tile),
          {getAsOpFoldResult(getExtent(loop))});
      auto forall = scf::ForallOp::create(b, {count}, ValueRange(),
                                          /*mapping=*/std::nullopt);
      b.setInsertionPoint(forall.getTerminator());
      tiles[i] = arith::MulIOp::create(b, forall.getInductionVars().front(),
                                       index(tile));
    } else {
      tiles[i] = beginLoop(index(0), getExtent(loop), tile);
    }
    ends[i] = arith::MinSIOp::create(
        b, arith::AddIOp::create(b, tiles[i], index(tile)), getExtent(loop));
  }
  for (auto [i, loop] : llvm::enumerate(loops)) {
    Value first = beginLoop(tiles[i], ends[i], block);
    int64_t extent = op.getStaticLoopRanges()[loop];
    if (ShapedType::isDynamic(extent) || extent % block != 0)
      first = arith::MinSIOp::create(
          b, first,
          b.createOrFold<arith::SubIOp>(getExtent(loop), index(block)));
    position[loop] = first;
  }
  emitBlock(b);
}

void TransposingLoops::emit(RewriterBase &rewriter, bool parallel) {
  rewriter.setInsertionPoint(op);
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  int64_t size = 1;
  extents = createLoopExtents(b, b.getLoc(), op);
  for (Value extent : extents) {
    // Dynamic extents count as large.
    size = std::min(
        llvm::SaturatingMultiply<uint64_t>(
            size, getConstantIntValue(extent).value_or(kMinParallelSize)),
        uint64_t(kMinParallelSize));
  }
  parallel &= size == kMinParallelSize;
  Value isLarge;
  for (unsigned loop : {row, column}) {
    if (!ShapedType::isDynamic(op.getStaticLoopRanges()[loop]))
      continue;
    Value fits =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, getExtent(loop),
                              arith::ConstantIndexOp::create(b, block));
    isLarge = isLarge ? arith::AndIOp::create(b, isLarge, fits) : fits;
  }
  if (!isLarge) {
    emitTiles(b, parallel);
    rewriter.eraseOp(op);
    return;
  }
  auto branch = scf::IfOp::create(b, isLarge, /*withElseRegion=*/true);
  rewriter.moveOpBefore(op, branch.elseBlock()->getTerminator());
  b.setInsertionPointToStart(branch.thenBlock());
  emitTiles(b, parallel);
}

namespace {
struct VectorizeTransposes final
    : quant_float::impl::QuantFloatVectorizeTransposesPassBase<
          VectorizeTransposes> {
  using QuantFloatVectorizeTransposesPassBase::
      QuantFloatVectorizeTransposesPassBase;

  void runOnOperation() override {
    if (vectorBytes < 1) {
      getOperation()->emitError()
          << "vector-bytes: expected 1 or more, but got "
          << vectorBytes.getValue();
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    SmallVector<GenericOp> ops =
        collectGenericOps(getOperation(), [&](GenericOp op) {
          return TransposingLoops::match(op, vectorBytes).has_value();
        });
    for (GenericOp op : ops) {
      op = collapseLoops(rewriter, loadInvariantInputs(rewriter, op));
      std::optional<TransposingLoops> loops =
          TransposingLoops::match(op, vectorBytes);
      if (!loops)
        continue;
      LDBG() << "transposing blocks at " << op.getLoc();
      loops->emit(rewriter, parallel);
      ++numVectorized;
    }
  }
};
} // namespace
