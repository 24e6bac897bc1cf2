//===- QuantizedActivations.h - Integer activations -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_QUANTIZEDACTIVATIONS_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_QUANTIZEDACTIVATIONS_H

#include "../Common/WeightContractionLoops.h"
#include "DotProductInstructions.h"

namespace mlir::quant_float {

/// Quantizes x to integers in blocks, and stores them in the order in which
/// dot-product instructions read them. The largest magnitude of a block
/// determines its scale. Lanes and chunks are those of the reduction schedule.
class QuantizedActivations final : public WeightContractionLoops {
public:
  /// The number of vectors is rounded up to a multiple of `tile`. The added
  /// vectors are copies of the last one.
  QuantizedActivations(const WeightContraction &contraction,
                       const ReductionSchedule &order,
                       const LoweringTarget &target, bool parallel,
                       const DotProductInstructions &dots, int64_t tile = 1)
      : WeightContractionLoops(contraction, order, target, parallel),
        dots(dots), tile(tile) {}

  /// Allocates and fills the buffers.
  void emit() override;
  void free();

  /// Whether the sums of x correct sums of values without offset and zero
  /// point.
  bool hasCorrection() const { return dots.getOffset() || contraction.point; }

  /// The integers, indexed by vector, chunk, field and position. Indexed by
  /// vector, chunk and lane: their scales, and the sums of a lane's integers.
  /// If there is no zero point, the sums are already multiplied by the negated
  /// offset. If there is a minimum, also the sums times the scales.
  Value packed, scales, inputSums, scaledSums;

private:
  Value allocate(ArrayRef<int64_t> sizes, Type element);
  void packVector(Value task, OpFoldResult from, OpFoldResult to);
  void packBlock(Value task, OpFoldResult vector, Value number);
  /// Returns every `step`-th element, from `first` on.
  Value extractStrided(Value vector, int64_t first, int64_t step);
  /// Adds the `order.terms` integers of each lane.
  Value sumLanes(Value integers);
  Value splatInteger(int64_t number, int64_t count) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(vectorOf(count, b.getI32Type()),
                                  int32_t(number)));
  }
  int64_t getChunks() const {
    return llvm::divideCeil(contraction.getDepth(), order.getChunk());
  }

  const DotProductInstructions &dots;
  int64_t tile;
  /// The number of vectors in the buffers.
  OpFoldResult count;
  /// The floats of a vector, indexed by task and position.
  Value flat;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_QUANTIZEDACTIVATIONS_H
