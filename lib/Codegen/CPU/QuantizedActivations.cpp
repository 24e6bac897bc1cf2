//===- QuantizedActivations.cpp - Integer activations ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizedActivations.h"

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

Value QuantizedActivations::allocate(ArrayRef<int64_t> sizes, Type element) {
  SmallVector<int64_t> shape(sizes);
  SmallVector<Value> dynamic;
  std::optional<int64_t> vectors = getConstantIntValue(count);
  shape.insert(shape.begin(), vectors.value_or(ShapedType::kDynamic));
  if (!vectors)
    dynamic.push_back(cast<Value>(count));
  return memref::AllocOp::create(b, MemRefType::get(shape, element), dynamic,
                                 b.getI64IntegerAttr(64));
}

void QuantizedActivations::emit() {
  AffineExpr d0 = b.getAffineDimExpr(0);
  OpFoldResult vectors = getVectors();
  count = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), d0.ceilDiv(tile) * tile, {vectors});
  Type f32 = b.getF32Type();
  int64_t chunks = getChunks();
  packed =
      allocate({chunks, dots.getFields(), order.getChunk() / dots.getFields()},
               b.getIntegerType(dots.getWidth()));
  scales = allocate({chunks, order.lanes}, f32);
  if (hasCorrection())
    inputSums = allocate({chunks, order.lanes}, b.getI32Type());
  if (contraction.minimum)
    scaledSums = allocate({chunks, order.lanes}, f32);
  // The floats of a vector.
  flat = memref::AllocOp::create(
      b,
      MemRefType::get({parallel ? kTasks : 1, chunks * order.getChunk()}, f32),
      b.getI64IntegerAttr(64));
  forEachInTasks(count, parallel, [&](OpFoldResult to, Value task) {
    OpFoldResult from = to;
    if (tile != 1)
      from = affine::makeComposedFoldedAffineMin(
          b, b.getLoc(),
          AffineMap::get(1, 1, {d0, b.getAffineSymbolExpr(0) - 1},
                         b.getContext()),
          {to, vectors});
    packVector(task, from, to);
  });
}

void QuantizedActivations::free() {
  for (Value buffer : {packed, scales, inputSums, scaledSums, flat})
    if (buffer)
      memref::DeallocOp::create(b, buffer);
}

void QuantizedActivations::packVector(Value task, OpFoldResult from,
                                      OpFoldResult to) {
  int64_t depth = contraction.getDepth(),
          padded = getChunks() * order.getChunk();
  auto fill = [&](int64_t begin, int64_t end,
                  llvm::function_ref<Value()> element) {
    if (begin == end)
      return;
    auto loop = scf::ForOp::create(b, index(begin), index(end), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    position[contraction.depth] = loop.getInductionVar();
    memref::StoreOp::create(b, element(), flat,
                            ValueRange{task, loop.getInductionVar()});
  };
  selectVector(from);
  fill(0, depth, [&] { return toFloat(buildScalar(contraction.x)); });
  fill(depth, padded, [&] { return number(0); });
  auto loop = scf::ForOp::create(
      b, index(0), index(padded / contraction.getActivationBlock()), index(1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  packBlock(task, to, loop.getInductionVar());
}

Value QuantizedActivations::extractStrided(Value vector, int64_t first,
                                           int64_t step) {
  int64_t count = cast<VectorType>(vector.getType()).getNumElements();
  if (step == 1)
    return vector;
  SmallVector<int64_t> mask;
  for (int64_t lane = first; lane < count; lane += step)
    mask.push_back(lane);
  return vector::ShuffleOp::create(b, vector, vector, mask);
}

Value QuantizedActivations::sumLanes(Value integers) {
  int64_t lanes =
      cast<VectorType>(integers.getType()).getNumElements() / order.terms;
  if (lanes == 1)
    return vector::BroadcastOp::create(
        b, vectorOf(1, b.getI32Type()),
        vector::ReductionOp::create(b, vector::CombiningKind::ADD, integers));
  Value sum = extractStrided(integers, 0, order.terms);
  for (int64_t term = 1; term < order.terms; ++term)
    sum = arith::AddIOp::create(b, sum,
                                extractStrided(integers, term, order.terms));
  return sum;
}

void QuantizedActivations::packBlock(Value task, OpFoldResult vector,
                                     Value number) {
  int64_t block = contraction.getActivationBlock(),
          perChunk = order.getChunk() / block;
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
  Value elements =
      vector::LoadOp::create(b, floats, flat, ValueRange{task, at(d0 * block)});
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
  SmallVector<Value> laneIndices = {toValue(vector), chunk,
                                    at((d0 % perChunk) * numLanes)};
  Value scaleOfLanes = broadcast(scale, numLanes);
  if (hasCorrection() || contraction.minimum) {
    Value inputSum = sumLanes(rounded);
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
                            ValueRange{toValue(vector), chunk, index(field),
                                       at((d0 % perChunk) * (block / fields))});
}
