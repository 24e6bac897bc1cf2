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

#include "../Common/WeightContractionLoops.h"
#include "DotProductInstructions.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Blocks whose largest magnitude is below this value are quantized to zeros,
/// because the reciprocal of their scale might not be finite.
static constexpr double kMinMagnitude = 0x1p-100;
/// Adding this constant to a float of small magnitude rounds it to an integer,
/// which the lowest bits of the result contain.
static constexpr double kRoundingBias = 0x1.8p23;

namespace {
class IntegerRowContraction final : public RowContraction {
public:
  IntegerRowContraction(const WeightContraction &contraction,
                        const ReductionSchedule &order,
                        const LoweringTarget &target, bool parallel)
      : RowContraction(contraction, order, target, parallel),
        dots(this->contraction, target, lanes, order.xBits) {}

private:
  int64_t chooseRows() override {
    // Reading packed weights is bound by memory, and a single stream is
    // fastest.
    return std::min<int64_t>(contraction.isPacked() ? 1 : 2,
                             contraction.getChannels());
  }
  void packX() override;
  void packBlock(Value flat, int64_t vector, Value number);
  SmallVector<Value> emitChunk(OpFoldResult first, int64_t rows,
                               OpFoldResult chunk, int64_t count,
                               ValueRange accumulators) override;
  /// The number of elements of x that share a scale.
  int64_t getBlock() const {
    return contraction.block == contraction.getDepth() ||
                   contraction.block % 32 == 0
               ? 32
               : 16;
  }
  bool hasCorrection() const { return dots.getOffset() || contraction.point; }
  /// Returns every `step`-th element, from `first` on.
  Value extractStrided(Value vector, int64_t first, int64_t step);
  Value splatInteger(int64_t number, int64_t count) {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(vectorOf(count, b.getI32Type()),
                                  int32_t(number)));
  }

  DotProductInstructions dots;
  /// The quantized x, indexed by vector, chunk, field and position. Indexed by
  /// vector, chunk and lane: its scales, and the sums of a lane's integers. If
  /// there is no zero point, the sums are already multiplied by the negated
  /// offset. If there is a minimum, also the sums times the scales.
  Value packed, scales, inputSums, scaledSums;
};
} // namespace

Value IntegerRowContraction::extractStrided(Value vector, int64_t first,
                                            int64_t step) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  if (step == 1)
    return vector;
  SmallVector<int64_t> mask;
  for (int64_t lane = first; lane < count; lane += step)
    mask.push_back(lane);
  return vector::ShuffleOp::create(b, vector, vector, mask);
}

void IntegerRowContraction::packX() {
  Type f32 = b.getF32Type();
  int64_t depth = contraction.getDepth(),
          padded = getChunks() * order.getChunk();
  packed = allocate({contraction.vectors, getChunks(), dots.getFields(),
                     order.getChunk() / dots.getFields()},
                    b.getIntegerType(dots.getWidth()));
  scales = allocate({contraction.vectors, getChunks(), order.lanes}, f32);
  if (hasCorrection())
    inputSums = allocate({contraction.vectors, getChunks(), order.lanes},
                         b.getI32Type());
  if (contraction.minimum)
    scaledSums = allocate({contraction.vectors, getChunks(), order.lanes}, f32);
  Value flat = allocate({contraction.vectors, padded}, f32);
  for (int64_t vector = 0; vector < contraction.vectors; ++vector) {
    auto fill = [&](int64_t from, int64_t to,
                    llvm::function_ref<Value(Value)> element) {
      if (from == to)
        return;
      auto loop = scf::ForOp::create(b, index(from), index(to), index(1));
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value depthIndex = loop.getInductionVar();
      memref::StoreOp::create(b, element(depthIndex), flat,
                              ValueRange{index(vector), depthIndex});
    };
    fill(0, depth, [&](Value depthIndex) {
      position[contraction.depth] = depthIndex;
      return x(vector);
    });
    fill(depth, padded, [&](Value) { return number(0); });
    auto loop =
        scf::ForOp::create(b, index(0), index(padded / getBlock()), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    packBlock(flat, vector, loop.getInductionVar());
  }
}

void IntegerRowContraction::packBlock(Value flat, int64_t vector,
                                      Value number) {
  int64_t block = getBlock(), perChunk = order.getChunk() / block;
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  auto floats = vectorOf(block, f32), integers = vectorOf(block, i32);
  auto scalar = [&](double value) { return this->number(value); };
  AffineExpr d0 = b.getAffineDimExpr(0);
  auto at = [&](AffineExpr expression) {
    return toValue(affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), expression, {OpFoldResult(number)}));
  };
  Value chunk = at(d0.floorDiv(perChunk));

  // Compute the largest magnitude as an integer: NaNs are larger than all
  // numbers.
  Value elements = vector::LoadOp::create(
      b, floats, flat, ValueRange{index(vector), at(d0 * block)});
  Value sizes =
      arith::AndIOp::create(b, vector::BitCastOp::create(b, integers, elements),
                            splatInteger(0x7fffffff, block));
  Value maxMagnitude =
      vector::ReductionOp::create(b, vector::CombiningKind::MAXUI, sizes);
  maxMagnitude = arith::BitcastOp::create(b, f32, maxMagnitude);

  double limit = (1 << (order.xBits - 1)) - 1;
  Value isSmall = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT,
                                        maxMagnitude, scalar(kMinMagnitude));
  Value isFinite =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, maxMagnitude,
                            scalar(std::numeric_limits<double>::infinity()));
  Value reciprocal = arith::DivFOp::create(b, scalar(limit), maxMagnitude);
  reciprocal = arith::SelectOp::create(b, isSmall, scalar(0), reciprocal);
  Value scale = arith::DivFOp::create(b, maxMagnitude, scalar(limit));
  if (contraction.values.unit != 1)
    scale = multiply(scale, scalar(contraction.values.unit));
  scale = arith::SelectOp::create(b, isSmall, scalar(0), scale);
  scale = arith::SelectOp::create(
      b, isFinite, scale, scalar(std::numeric_limits<double>::quiet_NaN()));

  // If the scale is NaN, the result does not depend on the integers.
  Value rounded = add(splat(kRoundingBias, block),
                      multiply(elements, broadcast(reciprocal, block)));
  rounded = arith::SubIOp::create(
      b, vector::BitCastOp::create(b, integers, rounded),
      splatInteger(llvm::bit_cast<int32_t>(float(kRoundingBias)), block));

  int64_t numLanes = block / order.terms;
  SmallVector<Value> laneIndices = {index(vector), chunk,
                                    at((d0 % perChunk) * numLanes)};
  Value scaleOfLanes = broadcast(scale, numLanes);
  if (hasCorrection() || contraction.minimum) {
    Value inputSum;
    for (int64_t term = 0; term < order.terms; ++term) {
      Value each = extractStrided(rounded, term, order.terms);
      inputSum = inputSum ? arith::AddIOp::create(b, inputSum, each).getResult()
                          : each;
    }
    if (contraction.minimum) {
      Value asFloat =
          arith::SIToFPOp::create(b, vectorOf(numLanes, f32), inputSum);
      vector::StoreOp::create(b, multiply(asFloat, scaleOfLanes), scaledSums,
                              laneIndices);
    }
    if (hasCorrection() && !contraction.point)
      inputSum = arith::MulIOp::create(
          b, inputSum, splatInteger(-dots.getOffset(), numLanes));
    if (hasCorrection())
      vector::StoreOp::create(b, inputSum, inputSums, laneIndices);
  }
  vector::StoreOp::create(b, scaleOfLanes, scales, laneIndices);
  int64_t fields = dots.getFields();
  if (dots.getWidth() < 32)
    rounded = arith::TruncIOp::create(
        b, vectorOf(block, b.getIntegerType(dots.getWidth())), rounded);
  for (int64_t field = 0; field < fields; ++field)
    vector::StoreOp::create(b, extractStrided(rounded, field, fields), packed,
                            ValueRange{index(vector), chunk, index(field),
                                       at((d0 % perChunk) * (block / fields))});
}

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
            b, field, packed,
            ValueRange{vectorIndex, chunkIndex, index(i),
                       index(part * field.getNumElements())}));
      scale.push_back(vector::LoadOp::create(b, floats, scales, laneIndices));
      starts.push_back(
          hasCorrection()
              ? vector::LoadOp::create(b, integers, inputSums, laneIndices)
                    .getResult()
              : splatInteger(0, lanes));
      if (contraction.minimum)
        inputs.push_back(
            vector::LoadOp::create(b, floats, scaledSums, laneIndices));
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
