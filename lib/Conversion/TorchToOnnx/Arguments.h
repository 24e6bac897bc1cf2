//===- Arguments.h - Arguments of torch ops ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Torch ops take numbers, lists and types as operands, which ops such as
// torch.constant.int and torch.prim.ListConstruct produce. An operand that is
// missing at the end of the list is `none`.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_TORCHTOONNX_ARGUMENTS_H
#define QUANT_FLOAT_LIB_CONVERSION_TORCHTOONNX_ARGUMENTS_H

#include "quant-float/Conversion/OpImport/OpImporter.h"

namespace mlir::quant_float::torch_ops {

/// A constant of type !torch.int, !torch.float or !torch.bool.
struct Number {
  enum class Kind { Int, Float, Bool };
  Kind kind = Kind::Int;
  /// The value of an int or bool.
  int64_t integer = 0;
  /// The value of a float.
  double real = 0;

  static Number fromInt(int64_t value) { return {Kind::Int, value, 0}; }
  static Number fromFloat(double value) { return {Kind::Float, 0, value}; }

  bool isFloat() const { return kind == Kind::Float; }
  /// Returns the value as f64. Large ints are rounded.
  double toDouble() const { return isFloat() ? real : double(integer); }
};

std::optional<Number> readNumber(Value value);
/// Returns the number as in diagnostics.
std::string showNumber(Number number);

bool isNone(OpImporter &op, size_t index);

// These fail with `unsupported` if the operand is not of this kind.
FailureOr<Value> requireTensor(OpImporter &op, size_t index);
FailureOr<Value> requireRankedTensor(OpImporter &op, size_t index);
/// Requires operand 0 to be a tensor of f16, bf16, f32 or f64, and of this rank
/// if it is positive.
FailureOr<RankedTensorType> requireFloats(OpImporter &op, int64_t rank = 0);
FailureOr<Number> requireNumber(OpImporter &op, size_t index);
FailureOr<int64_t> requireIntOperand(OpImporter &op, size_t index);
FailureOr<double> requireDouble(OpImporter &op, size_t index);
FailureOr<bool> requireBool(OpImporter &op, size_t index);
FailureOr<SmallVector<int64_t>> requireIntList(OpImporter &op, size_t index);
FailureOr<SmallVector<Value>> requireList(OpImporter &op, size_t index);
FailureOr<std::string> requireString(OpImporter &op, size_t index);
/// Requires the number of a PyTorch type.
FailureOr<Type> requireDtype(OpImporter &op, size_t index);
/// The same, or `byDefault` for none.
FailureOr<Type> getDtype(OpImporter &op, size_t index, Type byDefault);
FailureOr<int64_t> getInt(OpImporter &op, size_t index, int64_t byDefault);
FailureOr<double> getDouble(OpImporter &op, size_t index, double byDefault);
FailureOr<bool> getBool(OpImporter &op, size_t index, bool byDefault);

/// Returns the op that defines a value, or null. torch.derefine, which only
/// changes the type, is skipped.
Operation *getDefinition(Value value);

/// Requires an axis of a tensor of this rank, and counts negative axes from the
/// end. A rank of 0 has the axes 0 and -1.
FailureOr<int64_t> requireAxis(OpImporter &op, size_t index, int64_t rank);
/// Requires distinct axes, in increasing order. None and an empty list are all
/// axes.
FailureOr<SmallVector<int64_t>> requireAxes(OpImporter &op, size_t index,
                                            int64_t rank);

/// Fails because an operand has the wrong value. `expected` completes
/// "expected ...".
LogicalResult failOperand(OpImporter &op, size_t index, const Twine &expected);

/// Returns the elements of a constant tensor of integers, or none.
std::optional<SmallVector<int64_t>> readIntConstant(Value value);
/// Returns the elements of a constant tensor of floats as f64, or none.
std::optional<SmallVector<double>> readFloatConstant(Value value);

} // namespace mlir::quant_float::torch_ops

#endif // QUANT_FLOAT_LIB_CONVERSION_TORCHTOONNX_ARGUMENTS_H
