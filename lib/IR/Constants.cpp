//===- Constants.cpp - Constants of all types -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/Constants.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

bool AnyConstantOp::classof(Operation *op) {
  return isa<arith::ConstantOp, quant_float::ConstantOp>(op);
}

TypedAttr AnyConstantOp::getValue() {
  if (auto constant = dyn_cast<arith::ConstantOp>(getOperation()))
    return constant.getValue();
  return cast<quant_float::ConstantOp>(getOperation()).getValue();
}

AnyConstantOp quant_float::createConstant(OpBuilder &builder, Location loc,
                                          TypedAttr value) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(value.getType()));
  if ((!integer || integer.isSignless()) &&
      arith::ConstantOp::isBuildableWith(value, value.getType()))
    return AnyConstantOp(arith::ConstantOp::create(builder, loc, value));
  return AnyConstantOp(quant_float::ConstantOp::create(builder, loc, value));
}
