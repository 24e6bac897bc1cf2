//===- ReductionBlocks.cpp - Reductions in square blocks ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the vectors run across rows and the inputs are contiguous along the
// reduction, the inputs are loaded as square blocks: one vector along the
// reduction for each lane. If the accumulation order matters, a block is
// transposed. Otherwise each lane is reduced by itself, and the lanes are
// joined at the end.
//
//===----------------------------------------------------------------------===//

#include "ReductionLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Loads a square block: one vector along the reduction for each lane.
/// Transposes it to one vector across the lanes for each reduction step. Each
/// round of shuffles interleaves the first half of the vectors with the second
/// half.
SmallVector<Value> ReductionLoopNest::loadBlock(OpOperand *operand) {
  Type element = cast<MemRefType>(operand->get().getType()).getElementType();
  auto type = VectorType::get({registerLanes}, element);
  OpFoldResult first = position[*vectorLoop];
  SmallVector<Value> vectors;
  for (int64_t lane = 0; lane < registerLanes; ++lane) {
    if (lane >= present) {
      vectors.push_back(
          arith::ConstantOp::create(builder, builder.getZeroAttr(type)));
      continue;
    }
    position[*vectorLoop] = affine::makeComposedFoldedAffineApply(
        builder, op.getLoc(), builder.getAffineDimExpr(0) + lane, {first});
    vectors.push_back(vector::LoadOp::create(builder, type, operand->get(),
                                             getIndices(operand, 0)));
  }
  position[*vectorLoop] = first;
  SmallVector<int64_t> low, high;
  for (int64_t i = 0; i < registerLanes / 2; ++i)
    for (int64_t half : {int64_t(0), registerLanes}) {
      low.push_back(half + i);
      high.push_back(half + registerLanes / 2 + i);
    }
  for (int64_t done = 1; done < registerLanes; done *= 2) {
    SmallVector<Value> next;
    for (int64_t i = 0; i < registerLanes / 2; ++i)
      for (ArrayRef<int64_t> mask : {ArrayRef(low), ArrayRef(high)})
        next.push_back(vector::ShuffleOp::create(
            builder, vectors[i], vectors[i + registerLanes / 2], mask));
    vectors = std::move(next);
  }
  return vectors;
}

/// Emits the innermost reduction in square blocks, followed by a remainder loop
/// of single steps.
SmallVector<Value> ReductionLoopNest::emitBlocks(int64_t rows, int64_t lanes,
                                                 ValueRange accumulators) {
  Value size = sizes[*blockLoop];
  Value rest =
      arith::RemSIOp::create(builder, size, getConstant(registerLanes));
  Value full = arith::SubIOp::create(builder, size, rest);
  SmallVector<Value> results =
      canFoldBlocks(rows)
          ? emitFoldedBlocks(full, accumulators)
          : emitBlockLoop(getConstant(0), full, registerLanes, accumulators,
                          [&](ValueRange current) {
                            return emitBlock(rows, lanes, current);
                          });
  return emitBlockLoop(full, size, 1, results, [&](ValueRange current) {
    return emitStep(rows, lanes, current);
  });
}

SmallVector<Value> ReductionLoopNest::emitBlockLoop(
    Value from, Value to, int64_t step, ValueRange inits,
    llvm::function_ref<SmallVector<Value>(ValueRange)> body) {
  auto forOp = scf::ForOp::create(builder, from, to, getConstant(step), inits);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  position[*blockLoop] = forOp.getInductionVar();
  scf::YieldOp::create(builder, body(forOp.getRegionIterArgs()));
  return SmallVector<Value>(forOp.getResults());
}

/// Emits the steps of a square block in order.
SmallVector<Value> ReductionLoopNest::emitBlock(int64_t rows, int64_t lanes,
                                                ValueRange accumulators) {
  unsigned numInputs = op.getNumDpsInputs();
  SmallVector<SmallVector<Value>> blocks(numInputs);
  for (auto [index, input] : llvm::enumerate(op.getDpsInputOperands()))
    if (isTransposed(input))
      blocks[index] = loadBlock(input);
  SmallVector<Value> next(accumulators);
  OpFoldResult first = position[*blockLoop];
  for (int64_t step = 0; step < registerLanes; ++step) {
    position[*blockLoop] = affine::makeComposedFoldedAffineApply(
        builder, op.getLoc(), builder.getAffineDimExpr(0) + step, {first});
    columns.assign(numInputs, Value());
    for (unsigned index = 0; index < numInputs; ++index)
      if (!blocks[index].empty())
        columns[index] = blocks[index][step];
    next = emitStep(rows, lanes, next);
  }
  columns.clear();
  return next;
}

/// Whether the steps of square blocks may be accumulated in any order, and all
/// operands that vary are contiguous along the reduction.
bool ReductionLoopNest::canFoldBlocks(int64_t rows) {
  return rows == 1 && !dots && !op.hasIndexSemantics() &&
         !getCombiners(op).empty() &&
         llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           return !isa<MemRefType>(input->get().getType()) ||
                  isTransposed(input) ||
                  (getAccess(op, input, *vectorLoop) == Access::Invariant &&
                   getAccess(op, input, *blockLoop) == Access::Invariant);
         });
}

/// Emits the steps below `full` with vectors along the reduction, one for each
/// lane of the outputs, and reduces these to one vector with one element for
/// each lane. This takes fewer shuffles than transposing the inputs does.
SmallVector<Value>
ReductionLoopNest::emitFoldedBlocks(Value full, ValueRange accumulators) {
  // With more steps, a loop is as fast.
  constexpr int64_t kUnrolledSteps = 4;
  SmallVector<Operation *> combiners = getCombiners(op);
  OpFoldResult firstLane = position[*vectorLoop];
  SmallVector<Value> neutral;
  for (auto [combiner, accumulator] :
       llvm::zip_equal(combiners, accumulators)) {
    Attribute element = *arith::getNeutralElement(combiner);
    auto type = cast<VectorType>(accumulator.getType());
    neutral.push_back(arith::ConstantOp::create(
        builder, DenseElementsAttr::get(type, element)));
  }
  // Emits one step of one lane.
  auto accumulate = [&](int64_t lane, ValueRange current) {
    OpFoldResult vector = position[*vectorLoop];
    position[*vectorLoop] = affine::makeComposedFoldedAffineApply(
        builder, op.getLoc(), builder.getAffineDimExpr(0) + lane, {firstLane});
    columns.assign(op.getNumDpsInputs(), Value());
    for (auto [index, input] : llvm::enumerate(op.getDpsInputOperands())) {
      if (!isTransposed(input))
        continue;
      auto type = VectorType::get(
          {registerLanes},
          cast<MemRefType>(input->get().getType()).getElementType());
      columns[index] = vector::LoadOp::create(builder, type, input->get(),
                                              getIndices(input, 0));
    }
    SmallVector<Value> results = emitStep(/*rows=*/1, registerLanes, current);
    columns.clear();
    position[*vectorLoop] = vector;
    return results;
  };
  std::optional<int64_t> numSteps = getConstantIntValue(sizes[*blockLoop]);
  bool isUnrolled = numSteps && *numSteps / registerLanes <= kUnrolledSteps;
  SmallVector<Value> lanes;
  if (!isUnrolled) {
    SmallVector<Value> inits;
    for (int64_t lane = 0; lane < present; ++lane)
      llvm::append_range(inits, neutral);
    lanes = emitBlockLoop(
        getConstant(0), full, registerLanes, inits, [&](ValueRange current) {
          SmallVector<Value> next;
          for (int64_t lane = 0; lane < present; ++lane)
            llvm::append_range(
                next, accumulate(lane, current.slice(lane * neutral.size(),
                                                     neutral.size())));
          return next;
        });
  }
  auto getLane = [&](int64_t lane) -> SmallVector<Value> {
    if (lane >= present)
      return neutral;
    if (!isUnrolled)
      return SmallVector<Value>(
          ArrayRef(lanes).slice(lane * neutral.size(), neutral.size()));
    SmallVector<Value> current(neutral);
    for (int64_t step = 0; step < *numSteps / registerLanes; ++step) {
      position[*blockLoop] = builder.getIndexAttr(step * registerLanes);
      current = accumulate(lane, current);
    }
    return current;
  };
  SmallVector<Value> results = reduceLanes(0, registerLanes, getLane);
  for (auto [index, result] : llvm::enumerate(results))
    result = combine(index, accumulators[index], result);
  return results;
}

/// Returns vectors whose elements are the reduced vectors of `count` lanes from
/// `first` on, repeated. In each round the even elements of two vectors are
/// combined with the odd ones. Elements stay within 128 bits, as the shuffles
/// of most targets require, until only whole units of 128 bits are left.
SmallVector<Value> ReductionLoopNest::reduceLanes(
    int64_t first, int64_t count,
    llvm::function_ref<SmallVector<Value>(int64_t)> getLane) {
  if (count == 1)
    return getLane(first);
  SmallVector<Value> low = reduceLanes(first, count / 2, getLane);
  SmallVector<Value> high = reduceLanes(first + count / 2, count / 2, getLane);
  for (auto [index, lhs, rhs] : llvm::enumerate(low, high)) {
    auto type = cast<VectorType>(lhs.getType());
    int64_t size = type.getNumElements();
    int64_t inUnit =
        std::min<int64_t>(128 / type.getElementTypeBitWidth(), size);
    // The number of elements that move together, within a part of the vector.
    int64_t group = count <= inUnit ? 1 : inUnit;
    int64_t part = count <= inUnit ? inUnit : size;
    SmallVector<int64_t> even, odd;
    for (int64_t start = 0; start < size; start += part)
      for (int64_t vector : {int64_t(0), size})
        for (int64_t at = 0; at < part; at += 2 * group)
          for (int64_t i = 0; i < group; ++i) {
            even.push_back(vector + start + at + i);
            odd.push_back(vector + start + at + group + i);
          }
    lhs = combine(index, vector::ShuffleOp::create(builder, lhs, rhs, even),
                  vector::ShuffleOp::create(builder, lhs, rhs, odd));
  }
  return low;
}
