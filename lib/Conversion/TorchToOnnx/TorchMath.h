//===- TorchMath.h - Elementwise arithmetic of PyTorch ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates nodes that compute what PyTorch's elementwise operators compute on
// CPUs, with its type promotion: operands are converted to a common type, f16
// and bf16 are computed in f32, and the result is rounded once.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_TORCHTOONNX_TORCHMATH_H
#define QUANT_FLOAT_LIB_CONVERSION_TORCHTOONNX_TORCHMATH_H

#include "Arguments.h"

namespace mlir::quant_float::torch_ops {

/// A tensor, or a number that does not determine the type of a result unless
/// its kind requires it.
struct Operand {
  Value tensor;
  Number number;

  Operand(Value tensor) : tensor(tensor) {}
  Operand(Number number) : number(number) {}
  Operand(int64_t value) : number(Number::fromInt(value)) {}
  Operand(double value) : number(Number::fromFloat(value)) {}
};

/// Functions that fail record the reason (see OnnxNodeBuilder::unsupported) and
/// return any value.
class TorchMath {
public:
  explicit TorchMath(OpImporter &op) : op(op), b(op.b) {}

  OpImporter &op;
  ImplicitLocOpBuilder &b;

  //===--------------------------------------------------------------------===//
  // Types
  //===--------------------------------------------------------------------===//

  /// Returns f32 for f16 and bf16, and all other types unchanged.
  Type getComputeType(Type elementType);
  /// Returns the common element type of the operands.
  Type promote(ArrayRef<Operand> operands);
  /// Returns the type of the operands' broadcast shape.
  Type broadcast(ValueRange operands, Type elementType);

  /// Creates a constant of rank 0. A number that an integer type cannot
  /// represent is unsupported.
  Value makeNumber(Type elementType, Number number);
  /// Converts as Tensor.to does.
  Value to(Value value, Type elementType);
  /// Converts floats that are integers in the range of `elementType`.
  Value toIntInRange(Value value, Type elementType);

  //===--------------------------------------------------------------------===//
  // Arithmetic
  //===--------------------------------------------------------------------===//

  /// Creates a node on operands of the same element type.
  Value node(StringRef opType, ValueRange operands, Type elementType = {},
             ArrayRef<NamedAttribute> attributes = {});
  /// Returns the operand in the type in which `common` is computed. Numbers
  /// and tensors of rank 0 are rounded to `common` if `isRounded`.
  Value prepare(const Operand &operand, Type common, bool isRounded = true);
  /// Computes a node in the common type. Factors and divisors that are numbers
  /// or of rank 0 are not rounded to it.
  Value apply(StringRef opType, ArrayRef<Operand> operands);
  /// Computes a node in `elementType`.
  Value applyIn(StringRef opType, ArrayRef<Operand> operands, Type elementType);
  Value compare(StringRef opType, Operand lhs, Operand rhs);

  Value add(Operand lhs, Operand rhs) { return apply("Add", {lhs, rhs}); }
  Value sub(Operand lhs, Operand rhs) { return apply("Sub", {lhs, rhs}); }
  Value mul(Operand lhs, Operand rhs) { return apply("Mul", {lhs, rhs}); }
  /// Divides; integers are converted to f32.
  Value div(Operand lhs, Operand rhs);
  Value round(Value value);
  Value isNaN(Value value);
  Value where(Value condition, Operand ifTrue, Operand ifFalse);
  /// Clamps; null bounds are absent. NaN stays NaN.
  Value clamp(Value value, std::optional<Operand> low,
              std::optional<Operand> high);

  //===--------------------------------------------------------------------===//
  // Shapes
  //===--------------------------------------------------------------------===//

  /// Reduces all axes, or the axes that are listed.
  Value reduce(StringRef opType, Value value, ArrayRef<int64_t> axes,
               bool keepDims);
  /// Reshapes to a static shape.
  Value reshape(Value value, ArrayRef<int64_t> shape);

private:
  Value toScale(Value value);
  Value toInteger(Value value, IntegerType type);
};

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

// These fail with `unsupported` if an operand is not of this kind.

/// Returns a tensor or a number.
FailureOr<Operand> requireOperand(OpImporter &op, size_t index);
/// Returns the first operands, which are tensors or numbers.
FailureOr<SmallVector<Operand>> requireOperands(OpImporter &op, size_t count);
/// Returns the operand of an op on numbers that are no booleans, in the type in
/// which it is computed. Integers are converted to floats if the result is a
/// float.
FailureOr<Value> requireUnary(OpImporter &op);

} // namespace mlir::quant_float::torch_ops

#endif // QUANT_FLOAT_LIB_CONVERSION_TORCHTOONNX_TORCHMATH_H
