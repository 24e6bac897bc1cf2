//===- FoldedLoops.cpp - Vectors along the reduction ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionLoops.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
class FoldedLoops final : public ReductionLoops {
public:
  using ReductionLoops::ReductionLoops;

protected:
  SmallVector<Value> emitReductionLoop(ArrayRef<unsigned> loops, int64_t rows,
                                       int64_t lanes,
                                       ValueRange accumulators) override;

private:
  Value narrow(size_t index, Value vector, int64_t lanes);
};
} // namespace

std::unique_ptr<ReductionLoops>
quant_float::createFoldedLoops(const ReductionPlan &plan,
                               const ReductionContext &context) {
  return std::make_unique<FoldedLoops>(plan, context);
}

/// Halves a vector until it has `lanes` lanes.
Value FoldedLoops::narrow(size_t index, Value vector, int64_t lanes) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  while (count > lanes) {
    count /= 2;
    Value low =
        vector::ExtractStridedSliceOp::create(builder, vector, 0, count, 1);
    Value high =
        vector::ExtractStridedSliceOp::create(builder, vector, count, count, 1);
    vector = combine(index, low, high);
  }
  return vector;
}

/// Emits the innermost reduction with several registers per iteration, then
/// with one, then with scalars. After each loop, the vectors are halved until
/// they have the number of lanes of the next loop, or reduced to a scalar for
/// integer additions.
SmallVector<Value> FoldedLoops::emitReductionLoop(ArrayRef<unsigned> loops,
                                                  int64_t rows, int64_t lanes,
                                                  ValueRange accumulators) {
  unsigned loop = *plan.foldLoop;
  if (loops.front() != loop)
    return ReductionLoops::emitReductionLoop(loops, rows, lanes, accumulators);
  SmallVector<Operation *> combiners = getCombiners(op);
  SmallVector<Value> vectors, totals(accumulators);
  Value from = getConstant(0);
  SmallVector<int64_t> widths{plan.vectorLanes};
  if (plan.vectorLanes > plan.registerLanes)
    widths.push_back(plan.registerLanes);
  widths.push_back(0);
  for (int64_t lanes : widths) {
    for (size_t index = 0; index < totals.size(); ++index) {
      if (vectors.size() <= index) {
        vectors.push_back(createNeutral(index, lanes));
        continue;
      }
      Value &vector = vectors[index];
      // LLVM combines multiplications of bytes and their vector.reduction to
      // one instruction. Halving the vectors first would lose half of the gain.
      if (isa<arith::AddIOp>(combiners[index])) {
        totals[index] =
            combine(index, totals[index],
                    vector::ReductionOp::create(
                        builder, vector::CombiningKind::ADD, vector));
        vector = lanes ? createNeutral(index, lanes) : totals[index];
        continue;
      }
      vector = narrow(index, vector, std::max<int64_t>(lanes, 1));
      if (!lanes)
        vector = combine(index, totals[index],
                         vector::ExtractOp::create(builder, vector, 0));
    }
    int64_t step = std::max<int64_t>(lanes, 1);
    Value to = getEndOfFullSteps(from, sizes[loop], step);
    vectors =
        emitFor(from, to, step, vectors, [&](Value index, ValueRange current) {
          position[loop] = index;
          return emitStep(/*rows=*/1, lanes, current);
        });
    from = to;
  }
  return vectors;
}
