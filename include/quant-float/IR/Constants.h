//===- Constants.h - Constants of all types ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// arith.constant does not support unsigned and signed integers, also not as
// elements of tensors (LLVM 23 and later refuse them). quant_float.constant
// does. Code that deals with ONNX's and OpenVINO's types creates and recognizes
// constants with the functions of this header.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_CONSTANTS_H
#define QUANT_FLOAT_IR_CONSTANTS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"

namespace mlir::quant_float {

/// An arith.constant or a quant_float.constant.
class AnyConstantOp : public OpState {
public:
  explicit AnyConstantOp(Operation *op = nullptr) : OpState(op) {}

  static bool classof(Operation *op);

  TypedAttr getValue();
  Type getType() { return getResult().getType(); }
  Value getResult() { return getOperation()->getResult(0); }
  operator Value() { return getResult(); }
};

/// Creates an arith.constant, or a quant_float.constant if arith.constant does
/// not support the type of `value`.
AnyConstantOp createConstant(OpBuilder &builder, Location loc, TypedAttr value);
inline AnyConstantOp createConstant(ImplicitLocOpBuilder &builder,
                                    TypedAttr value) {
  return createConstant(builder, builder.getLoc(), value);
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_CONSTANTS_H
