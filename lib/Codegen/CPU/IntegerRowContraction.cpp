//===- IntegerRowContraction.cpp - Contract with integer activations ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// x is quantized to integers in blocks. The largest magnitude of a block
// determines its scale. The products of a lane in a chunk are accumulated
// exactly in integers, so all instructions give the same result. The sum is
// converted to f32, multiplied by the scales of x and of the weights, and added
// to the lane's accumulator.
//
//===----------------------------------------------------------------------===//

#include "DotProductInstructions.h"
#include "QuantizedActivations.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
class IntegerRowContraction final : public RowContraction {
public:
  IntegerRowContraction(const WeightContraction &contraction,
                        const ReductionSchedule &order,
                        const LoweringTarget &target, bool parallel)
      : RowContraction(contraction, order, target, parallel),
        dots(this->contraction, target, lanes, order.xBits),
        activations(contraction, order, target, /*parallel=*/false, dots) {}

private:
  int64_t chooseRows() override {
    // Reading packed weights is bound by memory, and a single stream is
    // fastest.
    return std::min<int64_t>(contraction.isPacked() ? 1 : 2,
                             contraction.getChannels());
  }
  void packX() override { activations.emit(); }
  void freeX() override { activations.free(); }
  SmallVector<Value> emitChunk(OpFoldResult first, int64_t rows,
                               OpFoldResult chunk, int64_t count,
                               ValueRange accumulators) override;
  Value splatInteger(int64_t number, int64_t count) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(vectorOf(count, b.getI32Type()),
                                  int32_t(number)));
  }

  DotProductInstructions dots;
  QuantizedActivations activations;
};
} // namespace

SmallVector<Value> IntegerRowContraction::emitChunk(OpFoldResult first,
                                                    int64_t rows,
                                                    OpFoldResult chunk,
                                                    int64_t count,
                                                    ValueRange accumulators) {
  SmallVector<Value> results(accumulators);
  auto floats = vectorOf(lanes, b.getF32Type());
  auto integers = vectorOf(lanes, b.getI32Type());
  auto field =
      vectorOf(lanes * 32 / dots.getWidth(), b.getIntegerType(dots.getWidth()));
  startChunk(first, rows, chunk, count);
  int64_t each = lanes * order.terms;
  for (int64_t part = 0; part < getParts() && part * each < count; ++part) {
    // For each vector: x, its scale and the initial accumulator.
    SmallVector<SmallVector<Value>> x;
    SmallVector<Value> scale, starts, inputs;
    for (int64_t vector = 0; vector < contraction.vectors; ++vector) {
      Value vectorIndex = index(vector), chunkIndex = toValue(chunk);
      SmallVector<Value> laneIndices = {vectorIndex, chunkIndex,
                                        index(part * lanes)};
      x.emplace_back();
      for (unsigned i = 0; i < dots.getFields(); ++i)
        x.back().push_back(vector::LoadOp::create(
            b, field, activations.packed,
            ValueRange{vectorIndex, chunkIndex, index(i),
                       index(part * field.getNumElements())}));
      scale.push_back(
          vector::LoadOp::create(b, floats, activations.scales, laneIndices));
      starts.push_back(activations.hasCorrection()
                           ? vector::LoadOp::create(b, integers,
                                                    activations.inputSums,
                                                    laneIndices)
                                 .getResult()
                           : splatInteger(0, lanes));
      if (contraction.minimum)
        inputs.push_back(vector::LoadOp::create(
            b, floats, activations.scaledSums, laneIndices));
    }
    for (int64_t row = 0; row < rows; ++row) {
      position[contraction.channel] = plus(first, row);
      position[contraction.depth] = plus(start, part * each);
      SmallVector<Value> weights =
          dots.spread(b, loadPacked(std::min(count - part * each, each)));
      Value correction;
      if (contraction.point) {
        Value point =
            buildShared(contraction.point, part, count, b.getI32Type());
        correction = arith::SubIOp::create(
            b, splatInteger(-dots.getOffset(), lanes), point);
      }
      Value blockScale = getBlockScale(part, count);
      Value minimum = getBlockMinimum(part, count);
      for (int64_t vector = 0; vector < contraction.vectors; ++vector) {
        Value from = starts[vector];
        if (correction)
          from = arith::MulIOp::create(b, from, correction);
        Value accumulator = dots.add(b, from, weights, x[vector]);
        accumulator = multiply(arith::SIToFPOp::create(b, floats, accumulator),
                               scale[vector]);
        if (blockScale)
          accumulator = multiply(blockScale, accumulator);
        int64_t number = getNumber(row, vector, part);
        results[number] = add(results[number], accumulator);
        if (minimum)
          results[number] =
              accumulateMinimum(results[number], minimum, inputs[vector]);
      }
    }
  }
  return results;
}

std::unique_ptr<WeightContractionLoops> quant_float::makeIntegerRowContraction(
    const WeightContraction &contraction, const ReductionSchedule &order,
    const LoweringTarget &target, bool parallel) {
  return std::make_unique<IntegerRowContraction>(contraction, order, target,
                                                 parallel);
}
