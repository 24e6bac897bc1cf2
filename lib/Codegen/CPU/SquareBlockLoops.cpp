//===- SquareBlockLoops.cpp - Reductions in square blocks -----------------===//
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
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::quant_float;
using llvm::SaveAndRestore;

namespace {
class SquareBlockLoops final : public ReductionLoops {
public:
  SquareBlockLoops(const ReductionPlan &plan, const ReductionContext &context)
      : ReductionLoops(plan, context), loop(*plan.blockLoop),
        blockSize(plan.registerLanes) {}

protected:
  SmallVector<Value> emitReductionLoop(ArrayRef<unsigned> loops, int64_t rows,
                                       int64_t lanes,
                                       ValueRange accumulators) override;

private:
  SmallVector<Value> emitBlock(int64_t rows, int64_t lanes,
                               ValueRange accumulators);
  SmallVector<Value> emitFoldedBlocks(Value full, ValueRange accumulators);
  SmallVector<Value> accumulateLane(int64_t lane, OpFoldResult firstLane,
                                    ValueRange accumulators);
  SmallVector<Value>
  reduceLanes(int64_t first, int64_t count,
              llvm::function_ref<SmallVector<Value>(int64_t)> getLane);

  unsigned loop;
  int64_t blockSize;
};
} // namespace

std::unique_ptr<ReductionLoops>
quant_float::createSquareBlockLoops(const ReductionPlan &plan,
                                    const ReductionContext &context) {
  return std::make_unique<SquareBlockLoops>(plan, context);
}

/// Emits the innermost reduction in square blocks, followed by a remainder loop
/// of single steps.
SmallVector<Value>
SquareBlockLoops::emitReductionLoop(ArrayRef<unsigned> loops, int64_t rows,
                                    int64_t lanes, ValueRange accumulators) {
  if (loops.front() != loop || lanes != blockSize)
    return ReductionLoops::emitReductionLoop(loops, rows, lanes, accumulators);
  Value zero = getConstant(0),
        full = getEndOfFullSteps(zero, sizes[loop], blockSize);
  SmallVector<Value> results =
      plan.foldsBlocks && rows == 1
          ? emitFoldedBlocks(full, accumulators)
          : emitFor(zero, full, blockSize, accumulators,
                    [&](Value index, ValueRange current) {
                      position[loop] = index;
                      return emitBlock(rows, lanes, current);
                    });
  return emitFor(full, sizes[loop], 1, results,
                 [&](Value index, ValueRange current) {
                   position[loop] = index;
                   return emitStep(rows, lanes, current);
                 });
}

/// Emits the steps of a square block in order.
SmallVector<Value> SquareBlockLoops::emitBlock(int64_t rows, int64_t lanes,
                                               ValueRange accumulators) {
  SmallVector<SmallVector<Value>> blocks(op.getNumDpsInputs());
  for (auto [block, input] : llvm::zip(blocks, op.getDpsInputOperands()))
    if (plan.isTransposed(input))
      block = loadBlock(input);
  SmallVector<Value> next(accumulators);
  OpFoldResult first = position[loop];
  for (int64_t step = 0; step < blockSize; ++step) {
    position[loop] = add(first, step);
    columns.clear();
    for (ArrayRef<Value> block : blocks)
      columns.push_back(block.empty() ? Value() : block[step]);
    next = emitStep(rows, lanes, next);
  }
  columns.clear();
  return next;
}

/// Emits one step of a block for one lane, with vectors along the reduction.
SmallVector<Value> SquareBlockLoops::accumulateLane(int64_t lane,
                                                    OpFoldResult firstLane,
                                                    ValueRange accumulators) {
  SaveAndRestore saved(position[*plan.vectorLoop], add(firstLane, lane));
  for (OpOperand *input : op.getDpsInputOperands()) {
    columns.emplace_back();
    if (!plan.isTransposed(input))
      continue;
    auto type =
        VectorType::get({blockSize}, getElementTypeOrSelf(input->get()));
    columns.back() = vector::LoadOp::create(builder, type, input->get(),
                                            getIndices(input, 0));
  }
  SmallVector<Value> results = emitStep(/*rows=*/1, blockSize, accumulators);
  columns.clear();
  return results;
}

/// Emits the steps below `full` with vectors along the reduction, one for each
/// lane of the outputs, and reduces these to one vector with one element for
/// each lane. This takes fewer shuffles than transposing the inputs does.
SmallVector<Value> SquareBlockLoops::emitFoldedBlocks(Value full,
                                                      ValueRange accumulators) {
  OpFoldResult firstLane = position[*plan.vectorLoop];
  size_t numOutputs = accumulators.size();
  SmallVector<Value> neutral;
  for (size_t index = 0; index < numOutputs; ++index)
    neutral.push_back(createNeutral(index, blockSize));
  SmallVector<Value> lanes;
  if (!plan.unrollsBlocks()) {
    SmallVector<Value> inits;
    for (int64_t lane = 0; lane < validLanes; ++lane)
      llvm::append_range(inits, neutral);
    lanes = emitFor(
        getConstant(0), full, blockSize, inits,
        [&](Value index, ValueRange current) {
          position[loop] = index;
          SmallVector<Value> next;
          for (int64_t lane = 0; lane < validLanes; ++lane)
            llvm::append_range(
                next,
                accumulateLane(lane, firstLane,
                               current.slice(lane * numOutputs, numOutputs)));
          return next;
        });
  }
  auto getLane = [&](int64_t lane) -> SmallVector<Value> {
    if (lane >= validLanes)
      return neutral;
    if (!plan.unrollsBlocks())
      return SmallVector<Value>(
          ArrayRef(lanes).slice(lane * numOutputs, numOutputs));
    SmallVector<Value> current(neutral);
    for (int64_t step = 0; step < plan.ranges[loop] / blockSize; ++step) {
      position[loop] = builder.getIndexAttr(step * blockSize);
      current = accumulateLane(lane, firstLane, current);
    }
    return current;
  };
  SmallVector<Value> results = reduceLanes(0, blockSize, getLane);
  for (auto [index, result] : llvm::enumerate(results))
    result = combine(index, accumulators[index], result);
  return results;
}

/// Returns vectors whose elements are the reduced vectors of `count` lanes from
/// `first` on, repeated. In each round the even elements of two vectors are
/// combined with the odd ones. Elements stay within 128 bits, as the shuffles
/// of most targets require, until only whole units of 128 bits are left.
SmallVector<Value> SquareBlockLoops::reduceLanes(
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
