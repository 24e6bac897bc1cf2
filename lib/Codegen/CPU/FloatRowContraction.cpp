//===- FloatRowContraction.cpp - Contract weights decoded to f32 ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Common/Conditionals.h"
#include "../Common/WeightContractionLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
class FloatRowContraction final : public RowContraction {
public:
  using RowContraction::RowContraction;

private:
  int64_t chooseRows() override;
  void packX() override;
  void freeX() override {
    for (Value buffer : {packed, inputSums})
      if (buffer)
        memref::DeallocOp::create(b, buffer);
  }
  void packElement(int64_t vector, OpFoldResult chunk, Value lane, int64_t term,
                   Value &inputSum, bool isPartial);
  SmallVector<Value> emitChunk(OpFoldResult first, int64_t rows,
                               OpFoldResult chunk, int64_t count,
                               ValueRange accumulators) override;
  Value loadInputSum(int64_t vector, OpFoldResult chunk, int64_t part);
  Value initAccumulator(int64_t vector, OpFoldResult chunk, int64_t part,
                        int64_t count);
  /// A group of terms and parts that are decoded together.
  struct Step {
    int64_t part, parts, term, terms;
  };
  SmallVector<Step> getSteps();
  /// Decodes the vectors of a step, indexed by term and part. Vectors beyond
  /// the end of the reduction are null.
  SmallVector<Value> decode(const Step &step, int64_t count);

  /// The packed x, indexed by vector, chunk, term and lane, and the sum of each
  /// lane in a chunk.
  Value packed, inputSums;
};
} // namespace

/// Two rows share the loads of x if there are enough registers. More rows would
/// be more concurrent memory streams than hardware prefetchers handle well.
int64_t FloatRowContraction::chooseRows() {
  int64_t numRegisters = 2 * contraction.vectors * (getParts() + 1) + 3;
  int64_t rows = numRegisters > target.vectorRegisters ? 1 : 2;
  return std::min(rows, contraction.getChannels());
}

void FloatRowContraction::packElement(int64_t vector, OpFoldResult chunk,
                                      Value lane, int64_t term, Value &inputSum,
                                      bool isPartial) {
  AffineExpr d0, d1;
  bindDims(b.getContext(), d0, d1);
  AffineExpr within =
      order.consecutive ? d1 * order.terms + term : d1 + term * order.lanes;
  OpFoldResult depthIndex = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), d0 * order.getChunk() + within, {chunk, lane});
  position[contraction.depth] = depthIndex;
  Value isInBounds;
  if (isPartial)
    isInBounds =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, toValue(depthIndex),
                              index(contraction.getDepth()));
  Value element = emitIfElse(
      b, b.getLoc(), b.getF32Type(), isInBounds, [&] { return x(vector); },
      [&] { return number(0); });
  if (needsInputSums())
    inputSum = add(inputSum, element);
  double scale =
      terms ? std::ldexp(contraction.values.unit, -terms->getExponent(term))
            : 1;
  if (scale != 1)
    element = multiply(element, number(scale));
  memref::StoreOp::create(
      b, element, packed,
      ValueRange{index(vector), toValue(chunk), index(term), lane});
}

void FloatRowContraction::packX() {
  Type f32 = b.getF32Type();
  auto allocate = [&](ArrayRef<int64_t> sizes) {
    return memref::AllocOp::create(b, MemRefType::get(sizes, f32),
                                   b.getI64IntegerAttr(64));
  };
  packed =
      allocate({contraction.vectors, getChunks(), order.terms, order.lanes});
  if (needsInputSums())
    inputSums = allocate({contraction.vectors, getChunks(), order.lanes});
  auto packChunk = [&](OpFoldResult chunk, bool isPartial) {
    auto loop = scf::ForOp::create(b, index(0), index(order.lanes), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value lane = loop.getInductionVar();
    for (int64_t vector = 0; vector < contraction.vectors; ++vector) {
      Value inputSum;
      for (int64_t term = 0; term < order.terms; ++term)
        packElement(vector, chunk, lane, term, inputSum, isPartial);
      if (!needsInputSums())
        continue;
      if (contraction.values.unit != 1)
        inputSum = multiply(inputSum, number(contraction.values.unit));
      memref::StoreOp::create(b, inputSum, inputSums,
                              ValueRange{index(vector), toValue(chunk), lane});
    }
  };
  int64_t full = contraction.getDepth() / order.getChunk();
  forEach(full, false, [&](OpFoldResult chunk) { packChunk(chunk, false); });
  if (full != getChunks())
    packChunk(b.getIndexAttr(full), true);
}

SmallVector<FloatRowContraction::Step> FloatRowContraction::getSteps() {
  SmallVector<Step> steps;
  int64_t each =
      std::clamp<int64_t>(getDecoded() / order.lanes, 1, order.terms);
  if (getDecoded() > lanes)
    for (int64_t term = 0; term < order.terms; term += each)
      steps.push_back({0, getParts(), term, each});
  else
    for (int64_t part = 0; part < getParts(); ++part)
      steps.push_back({part, 1, 0, order.terms});
  return steps;
}

SmallVector<Value> FloatRowContraction::decode(const Step &step,
                                               int64_t count) {
  SmallVector<Value> results(step.parts * step.terms);
  if (terms) {
    int64_t each = lanes * order.terms, from = step.part * each;
    position[contraction.depth] = plus(start, from);
    return from < count
               ? terms->decode(b, loadPacked(std::min(count - from, each)))
               : results;
  }
  // All parts of a term are contiguous, or only one part.
  int64_t width = step.parts * lanes;
  int64_t groupTerms = getDecoded() > lanes ? step.terms : 1;
  for (int64_t term = 0; term < step.terms; term += groupTerms) {
    int64_t from = (step.term + term) * order.lanes + step.part * lanes;
    int64_t numElements = std::min(groupTerms * width, count - from);
    if (numElements <= 0)
      break;
    position[contraction.depth] = plus(start, from);
    BodySlice slice(
        b, op,
        [&](OpOperand *operand) {
          return operand == contraction.quantized ? load(operand, numElements)
                                                  : load(operand);
        },
        [&](unsigned loop) { return getIndex(loop); });
    Value value = toFloat(slice.build(contraction.decoded));
    if (contraction.point)
      value = arith::SubFOp::create(
          b, value,
          broadcast(toFloat(buildScalar(contraction.point)), numElements));
    value = pad(value, groupTerms * width);
    for (int64_t i = 0; i < groupTerms * step.parts && i * lanes < numElements;
         ++i)
      results[term * step.parts + i] = this->slice(value, i * lanes, lanes);
  }
  return results;
}

SmallVector<Value> FloatRowContraction::emitChunk(OpFoldResult first,
                                                  int64_t rows,
                                                  OpFoldResult chunk,
                                                  int64_t count,
                                                  ValueRange accumulators) {
  SmallVector<Value> results(accumulators);
  VectorType type = vectorOf(lanes, b.getF32Type());
  startChunk(first, rows, chunk, count);
  // The accumulators of the chunk, indexed by row, vector and part.
  SmallVector<Value> partial(accumulators.size());
  for (const Step &step : getSteps()) {
    SmallVector<SmallVector<Value>> decoded;
    for (int64_t row = 0; row < rows; ++row) {
      position[contraction.channel] = plus(first, row);
      decoded.push_back(decode(step, count));
      if (needsCorrection())
        for (int64_t vector = 0; vector < contraction.vectors; ++vector)
          partial[getNumber(row, vector, step.part)] =
              initAccumulator(vector, chunk, step.part, count);
    }
    for (int64_t term = 0; term < step.terms; ++term)
      for (int64_t part = 0; part < step.parts; ++part) {
        if (!decoded[0][term * step.parts + part])
          continue;
        for (int64_t vector = 0; vector < contraction.vectors; ++vector) {
          Value factor = vector::LoadOp::create(
              b, type, packed,
              ValueRange{index(vector), toValue(chunk), index(step.term + term),
                         index((step.part + part) * lanes)});
          for (int64_t row = 0; row < rows; ++row) {
            Value &accumulator =
                partial[getNumber(row, vector, step.part + part)];
            accumulator = accumulate(
                accumulator, decoded[row][term * step.parts + part], factor);
          }
        }
      }
    if (step.term + step.terms < order.terms)
      continue;
    for (int64_t part = step.part; part < step.part + step.parts; ++part)
      for (int64_t row = 0; row < rows; ++row) {
        position[contraction.channel] = plus(first, row);
        Value scale = getBlockScale(part, count);
        Value minimum = getBlockMinimum(part, count);
        for (int64_t vector = 0; vector < contraction.vectors; ++vector) {
          int64_t number = getNumber(row, vector, part);
          Value value = partial[number];
          // Null if the lanes are beyond the end of the reduction.
          if (!value)
            continue;
          results[number] = scale ? accumulate(results[number], scale, value)
                                  : add(results[number], value);
          if (minimum)
            results[number] = accumulateMinimum(
                results[number], minimum, loadInputSum(vector, chunk, part));
        }
      }
  }
  return results;
}

Value FloatRowContraction::loadInputSum(int64_t vector, OpFoldResult chunk,
                                        int64_t part) {
  return vector::LoadOp::create(
      b, vectorOf(lanes, b.getF32Type()), inputSums,
      ValueRange{index(vector), toValue(chunk), index(part * lanes)});
}

/// Returns the initial accumulator of a part of a chunk: the correction for the
/// offset and the zero point.
Value FloatRowContraction::initAccumulator(int64_t vector, OpFoldResult chunk,
                                           int64_t part, int64_t count) {
  Value point = contraction.point ? buildShared(contraction.point, part, count,
                                                b.getF32Type())
                                  : Value();
  return multiply(getCorrection(point, lanes),
                  loadInputSum(vector, chunk, part));
}

std::unique_ptr<WeightContractionLoops> quant_float::makeFloatRowContraction(
    const WeightContraction &contraction, const ReductionSchedule &order,
    const LoweringTarget &target, bool parallel) {
  return std::make_unique<FloatRowContraction>(contraction, order, target,
                                               parallel);
}
