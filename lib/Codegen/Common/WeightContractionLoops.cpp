//===- WeightContractionLoops.cpp - Loops of contractions -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightContractionLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

/// With fewer weights, one thread is faster than several.
static constexpr int64_t kMinParallel = 1 << 18;

WeightContractionLoops::WeightContractionLoops(
    const WeightContraction &contraction, const ReductionSchedule &order,
    const LoweringTarget &target, bool parallel)
    : contraction(contraction), order(order), target(target),
      op(contraction.op), b(op.getLoc(), op),
      position(op.getNumLoops(), b.getIndexAttr(0)),
      lanes(std::min<int64_t>(target.vectorBytes / 4, kMaxLanes)),
      parallel(parallel && contraction.getChannels() * contraction.getDepth() >=
                               kMinParallel) {
  if (contraction.isPacked() && !order.xBits)
    terms.emplace(this->contraction.values, contraction.bits, target);
}

SmallVector<Value> WeightContractionLoops::getIndices(OpOperand *operand) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  SmallVector<Value> indices;
  for (AffineExpr expression : map.getResults())
    indices.push_back(toValue(affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), AffineMap::get(map.getNumDims(), 0, expression),
        position)));
  return indices;
}

Value WeightContractionLoops::load(OpOperand *operand) {
  return memref::LoadOp::create(b, operand->get(), getIndices(operand));
}

Value WeightContractionLoops::load(OpOperand *operand, int64_t count) {
  Type element = cast<MemRefType>(operand->get().getType()).getElementType();
  return vector::LoadOp::create(b, vectorOf(count, element), operand->get(),
                                getIndices(operand));
}

Value WeightContractionLoops::buildScalar(Value value) {
  return BodySlice(
             b, op, [&](OpOperand *operand) { return load(operand); },
             [&](unsigned loop) { return getIndex(loop); })
      .build(value);
}

Value WeightContractionLoops::convert(Value value, Type element) {
  if (getElementTypeOrSelf(value.getType()) == element)
    return value;
  return b.createOrFold<CastOp>(value, element);
}

OpFoldResult WeightContractionLoops::getSize(unsigned loop) {
  if (ShapedType::isStatic(contraction.getRange(loop)))
    return b.getIndexAttr(contraction.getRange(loop));
  OpOperand *init = op.getDpsInitOperand(0);
  unsigned dim = *op.getMatchingIndexingMap(init).getResultPosition(
      b.getAffineDimExpr(loop));
  return memref::DimOp::create(b, init->get(), dim).getResult();
}

OpFoldResult WeightContractionLoops::getVectors() {
  AffineExpr d0, d1;
  bindDims(b.getContext(), d0, d1);
  OpFoldResult vectors = b.getIndexAttr(1);
  for (unsigned loop : contraction.others)
    vectors = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), d0 * b.getAffineSymbolExpr(0), {vectors, getSize(loop)});
  return vectors;
}

void WeightContractionLoops::selectVector(OpFoldResult vector) {
  SmallVector<unsigned> loops;
  for (unsigned loop : contraction.others) {
    position[loop] = b.getIndexAttr(0);
    if (contraction.getRange(loop) != 1)
      loops.push_back(loop);
  }
  if (loops.empty())
    return;
  for (unsigned loop : llvm::reverse(ArrayRef(loops).drop_front())) {
    Value size = toValue(getSize(loop)), rest = toValue(vector);
    position[loop] =
        getAsOpFoldResult(b.createOrFold<arith::RemUIOp>(rest, size));
    vector = getAsOpFoldResult(b.createOrFold<arith::DivUIOp>(rest, size));
  }
  position[loops.front()] = vector;
}

Value WeightContractionLoops::loadPacked(int64_t count) {
  int64_t bytes = count * contraction.bits / 8;
  auto type = vectorOf(bytes, b.getI8Type());
  Value loaded;
  if (getElementTypeOrSelf(contraction.quantized->get()).isInteger(8))
    loaded = load(contraction.quantized, bytes);
  else
    loaded =
        vector::BitCastOp::create(b, type, load(contraction.quantized, count));
  return vector::BitCastOp::create(b, vectorOf(lanes, b.getI32Type()),
                                   pad(loaded, 4 * lanes));
}

/// Prefetches to the L2 cache: the L1 cache supports few outstanding misses,
/// which loads would wait for. Prefetches beyond the end are harmless.
void WeightContractionLoops::prefetch(int64_t ahead) {
  unsigned inner =
      contraction.isAlongDepth ? contraction.depth : contraction.channel;
  OpFoldResult here = position[inner];
  position[inner] = plus(here, ahead);
  memref::PrefetchOp::create(b, contraction.quantized->get(),
                             getIndices(contraction.quantized),
                             /*isWrite=*/false, /*localityHint=*/2,
                             /*isDataCache=*/true);
  position[inner] = here;
}

Value WeightContractionLoops::getCorrection(Value point, int64_t count) {
  Value offset = splat(-double(contraction.values.offset), count);
  if (!point)
    return offset;
  return arith::SubFOp::create(b, offset, broadcast(point, count));
}

void WeightContractionLoops::forEach(
    OpFoldResult count, bool inThreads,
    llvm::function_ref<void(OpFoldResult)> body) {
  if (isZeroInteger(count))
    return;
  if (isOneInteger(count))
    return body(b.getIndexAttr(0));
  OpBuilder::InsertionGuard guard(b);
  if (inThreads) {
    auto loop =
        scf::ForallOp::create(b, ArrayRef<OpFoldResult>{count}, ValueRange(),
                              /*mapping=*/std::nullopt);
    b.setInsertionPointToStart(loop.getBody());
    return body(loop.getInductionVar(0));
  }
  auto loop = scf::ForOp::create(b, index(0), toValue(count), index(1));
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void WeightContractionLoops::forEachInTasks(
    OpFoldResult count, bool inThreads,
    llvm::function_ref<void(OpFoldResult, Value)> body) {
  if (!inThreads)
    return forEach(count, false,
                   [&](OpFoldResult number) { body(number, index(0)); });
  forEach(kTasks, true, [&](OpFoldResult task) {
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
    auto getBound = [&](AffineExpr number) {
      return toValue(affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), (number * s0).floorDiv(kTasks), {task, count}));
    };
    auto loop = scf::ForOp::create(b, getBound(d0), getBound(d0 + 1), index(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar(), toValue(task));
  });
}
