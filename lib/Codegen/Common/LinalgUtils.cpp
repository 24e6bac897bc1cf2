//===- LinalgUtils.cpp - Classification of linalg ops ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mlir::quant_float;

std::optional<MultiplyAccumulate>
MultiplyAccumulate::get(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 1)
    return std::nullopt;
  Block *body = op.getBody();
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
