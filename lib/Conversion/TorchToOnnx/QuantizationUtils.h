//===- QuantizationUtils.h - Parameters of quantization -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments that several ops of PyTorch's and torchao's quantization have.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_TORCHTOONNX_QUANTIZATIONUTILS_H
#define QUANT_FLOAT_LIB_CONVERSION_TORCHTOONNX_QUANTIZATIONUTILS_H

#include "TorchMath.h"

namespace mlir::quant_float::torch_ops {

/// The type and the range of quantized values.
struct QuantizedRange {
  Type type;
  int64_t low, high;
};

/// Returns the lowest and highest value of a type of quantized values, or none.
std::optional<std::pair<int64_t, int64_t>> getBounds(Type type);

/// Requires a range that the type at `typeIndex` contains.
FailureOr<QuantizedRange> requireRange(OpImporter &op, size_t lowIndex,
                                       size_t typeIndex);

/// Whether QuantizeLinear and DequantizeLinear have the type, and f32
/// represents all sums and differences of two values.
bool isNarrowInteger(Type type);

/// Returns a constant of quantized values, or null if the type cannot represent
/// one of them. Equal values have rank 0 if `isCollapsed`.
Value makeQuantized(OpImporter &op, Type type, ArrayRef<int64_t> values,
                    ArrayRef<int64_t> shape, bool isCollapsed = false);

/// Zero points of an op: constants, or a tensor that can be broadcast to the
/// input.
struct ZeroPoints {
  Operand operand;
  /// The values, if they are constants.
  std::optional<SmallVector<int64_t>> values;
  /// The axis of QuantizeLinear if there are several values.
  int64_t axis = 0;

  bool areZero() const {
    return values &&
           llvm::all_of(*values, [](int64_t value) { return value == 0; });
  }
};

/// Returns a tensor of one element as a tensor of rank 0.
FailureOr<Value> requireScalar(OpImporter &op, size_t index);

/// Returns the number of a constant or of a constant tensor of one element.
std::optional<Number> readScalar(OpImporter &op, size_t index);

/// Requires a tensor of f32, f16 or bf16, and returns it as f32.
FailureOr<Value> requireSingle(OpImporter &op, size_t index);

/// Scales and zero points along an axis, with axes of size 1 for all others.
struct ChannelParameters {
  Value scales;
  std::optional<ZeroPoints> zeroPoints;
  int64_t axis;
};

/// Reads the scales of operand 1 and the zero points of operand 2, if any,
/// along the axis that operand `axisIndex` names.
FailureOr<ChannelParameters> readChannels(OpImporter &op, size_t axisIndex);

/// Returns the smaller of the minimum and 0, and the greater of the maximum and
/// 0.
std::pair<Value, Value> findRange(TorchMath &math, Value value,
                                  ArrayRef<int64_t> axes, bool keepDims);

} // namespace mlir::quant_float::torch_ops

#endif // QUANT_FLOAT_LIB_CONVERSION_TORCHTOONNX_QUANTIZATIONUTILS_H
