//===- LinalgUtils.cpp - Classification of linalg ops ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgUtils.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;

std::optional<MultiplyAccumulate> MultiplyAccumulate::get(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return std::nullopt;
  Block *body = op.getBlock();
  Value accumulator = body->getArguments().back();
  Operation *accumulate = body->getTerminator()->getOperand(0).getDefiningOp();
  if (!accumulate || accumulate->getBlock() != body)
    return std::nullopt;
  if (auto fma = dyn_cast<math::FmaOp>(accumulate)) {
    if (fma.getC() != accumulator)
      return std::nullopt;
    return MultiplyAccumulate{fma, nullptr, fma.getA(), fma.getB()};
  }
  if (!isa<arith::AddFOp, arith::AddIOp>(accumulate))
    return std::nullopt;
  bool isFirst = accumulate->getOperand(0) == accumulator;
  if (!isFirst && accumulate->getOperand(1) != accumulator)
    return std::nullopt;
  Operation *multiply = accumulate->getOperand(isFirst).getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(multiply) ||
      multiply->getBlock() != body || !multiply->hasOneUse())
    return std::nullopt;
  return MultiplyAccumulate{accumulate, multiply, multiply->getOperand(0),
                            multiply->getOperand(1)};
}

Value MultiplyAccumulate::create(OpBuilder &builder, Value accumulator,
                                 Value lhs, Value rhs) const {
  // Clone the ops, to keep their attributes.
  auto clone = [&](Operation *op, ValueRange operands) {
    return builder
        .create(op->getLoc(), op->getName().getIdentifier(), operands,
                TypeRange(accumulator.getType()), op->getAttrs())
        ->getResult(0);
  };
  if (!multiply)
    return clone(accumulate, {lhs, rhs, accumulator});
  return clone(accumulate, {accumulator, clone(multiply, {lhs, rhs})});
}

Access quant_float::getAccess(linalg::GenericOp op, OpOperand *operand,
                              unsigned loop) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  if (!map.isFunctionOfDim(loop))
    return Access::Invariant;
  for (AffineExpr expression : map.getResults().drop_back())
    if (expression.isFunctionOfDim(loop))
      return Access::Strided;
  if (!cast<MemRefType>(operand->get().getType()).isLastDimUnitStride())
    return Access::Strided;
  std::optional<SmallVector<int64_t>> step =
      getSteps(map.getSubMap(map.getNumResults() - 1), loop);
  return step && step->front() == 1 ? Access::Contiguous : Access::Strided;
}

std::optional<SmallVector<int64_t>> quant_float::getSteps(AffineMap map,
                                                          unsigned loop) {
  AffineExpr dim = getAffineDimExpr(loop, map.getContext());
  SmallVector<int64_t> steps;
  for (AffineExpr index : map.getResults()) {
    auto step = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(index.replace(dim, dim + 1) - index,
                           map.getNumDims(), map.getNumSymbols()));
    if (!step)
      return std::nullopt;
    steps.push_back(step.getValue());
  }
  return steps;
}

SmallVector<Operation *> quant_float::getCombiners(linalg::GenericOp op) {
  SmallVector<Operation *> combiners;
  unsigned numInputs = op.getNumDpsInputs();
  for (auto [index, value] :
       llvm::enumerate(op.getBody()->getTerminator()->getOperands())) {
    Operation *combiner = value.getDefiningOp();
    BlockArgument before = op.getBody()->getArgument(numInputs + index);
    if (!isa_and_nonnull<arith::AddIOp, arith::AndIOp, arith::MaximumFOp,
                         arith::MaxSIOp, arith::MaxUIOp, arith::MinimumFOp,
                         arith::MinSIOp, arith::MinUIOp, arith::OrIOp>(
            combiner) ||
        !before.hasOneUse() || *before.user_begin() != combiner ||
        !value.hasOneUse())
      return {};
    combiners.push_back(combiner);
  }
  return combiners;
}

SmallVector<Value> quant_float::createIndices(OpBuilder &builder, Location loc,
                                              AffineMap map,
                                              ArrayRef<OpFoldResult> position) {
  SmallVector<Value> indices;
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    indices.push_back(
        createAffineApply(builder, loc, map.getSubMap({i}), position));
  return indices;
}

Value quant_float::createAffineApply(OpBuilder &builder, Location loc,
                                     AffineMap map,
                                     ArrayRef<OpFoldResult> operands) {
  return getValueOrCreateConstantIndexOp(
      builder, loc,
      affine::makeComposedFoldedAffineApply(builder, loc, map, operands));
}

Value quant_float::createAffineApply(OpBuilder &builder, Location loc,
                                     AffineExpr expression,
                                     ArrayRef<OpFoldResult> operands) {
  return getValueOrCreateConstantIndexOp(
      builder, loc,
      affine::makeComposedFoldedAffineApply(builder, loc, expression,
                                            operands));
}

SmallVector<Value> quant_float::createLoopExtents(OpBuilder &builder,
                                                  Location loc,
                                                  linalg::GenericOp op) {
  auto linalgOp = cast<linalg::LinalgOp>(op.getOperation());
  return llvm::map_to_vector(
      linalgOp.createLoopRanges(builder, loc), [&](const Range &range) {
        return getValueOrCreateConstantIndexOp(builder, loc, range.size);
      });
}

bool quant_float::hasContiguousOperands(linalg::GenericOp op) {
  return llvm::all_of(op->getOperandTypes(), [](Type operand) {
    auto type = dyn_cast<MemRefType>(operand);
    return type && (type.getRank() == 0 || type.isLastDimUnitStride());
  });
}

Value quant_float::broadcast(ImplicitLocOpBuilder &builder, Value value,
                             int64_t lanes) {
  if (!lanes || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      builder, VectorType::get({lanes}, value.getType()), value);
}

Value quant_float::createIndexVector(ImplicitLocOpBuilder &builder, Value first,
                                     int64_t lanes) {
  auto type = VectorType::get({lanes}, builder.getIndexType());
  return arith::AddIOp::create(builder, broadcast(builder, first, lanes),
                               vector::StepOp::create(builder, type));
}

SmallVector<Value>
quant_float::emitBody(ImplicitLocOpBuilder &builder, linalg::GenericOp op,
                      ValueRange arguments, int64_t lanes,
                      llvm::function_ref<Value(unsigned)> getIndex) {
  IRMapping mapping;
  Block *body = op.getBody();
  mapping.map(body->getArguments().take_front(arguments.size()), arguments);
  for (Operation &nested : body->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(nested)) {
      mapping.map(index.getResult(), getIndex(index.getDim()));
      continue;
    }
    bool isVector = llvm::any_of(nested.getOperands(), [&](Value operand) {
      return isa<VectorType>(mapping.lookupOrDefault(operand).getType());
    });
    if (isVector)
      for (Value operand : nested.getOperands())
        mapping.map(
            operand,
            broadcast(builder, mapping.lookupOrDefault(operand), lanes));
    Operation *copy = builder.clone(nested, mapping);
    if (isVector)
      for (Value result : copy->getResults())
        result.setType(VectorType::get({lanes}, result.getType()));
  }
  return llvm::map_to_vector(
      body->getTerminator()->getOperands(), [&](Value value) {
        return broadcast(builder, mapping.lookupOrDefault(value), lanes);
      });
}

SmallVector<linalg::GenericOp> quant_float::collectGenericOps(
    Operation *root, llvm::function_ref<bool(linalg::GenericOp)> filter) {
  SmallVector<linalg::GenericOp> ops;
  root->walk([&](linalg::GenericOp op) {
    if (!filter || filter(op))
      ops.push_back(op);
  });
  return ops;
}

bool quant_float::hasPackedElements(Value value) {
  return isPackedElementType(getElementTypeOrSelf(value));
}
