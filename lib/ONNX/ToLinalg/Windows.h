//===- Windows.h - Sliding windows along spatial axes -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_TOLINALG_WINDOWS_H
#define QUANT_FLOAT_LIB_ONNX_TOLINALG_WINDOWS_H

#include "Building.h"

namespace mlir::quant_float::onnx_nodes {

/// The window of a convolution or pooling along one axis.
struct WindowAxis {
  OpFoldResult input, kernel, output;
  OpFoldResult padLow, padHigh;
  int64_t stride, dilation;
  /// `padHigh` without the padding that ceil_mode adds.
  OpFoldResult specifiedHigh;

  /// Returns the position, in the padded input, of element `kernel` of window
  /// `output`.
  AffineExpr getPosition(AffineExpr output, AffineExpr kernel) const {
    return output * stride + kernel * dilation;
  }
  /// Returns the index after the last element of the last window, in the padded
  /// input.
  OpFoldResult getEnd(ImplicitLocOpBuilder &b) const;
};

/// Returns the maximum of two expressions. `operands` are their symbols.
OpFoldResult computeMax(ImplicitLocOpBuilder &b, AffineExpr lhs, AffineExpr rhs,
                        ArrayRef<OpFoldResult> operands);

/// Returns the extent of a window with `kernel` elements.
AffineExpr getExtent(AffineExpr kernel, int64_t dilation);

/// Computes the windows of a node from its attributes strides, dilations, pads,
/// auto_pad and ceil_mode. `input` and `kernel` are the sizes of the spatial
/// axes.
FailureOr<SmallVector<WindowAxis>> getWindows(NodeContext &context,
                                              ArrayRef<OpFoldResult> input,
                                              ArrayRef<OpFoldResult> kernel);

/// Reads the attribute kernel_shape, which must have `rank` positive values.
FailureOr<SmallVector<OpFoldResult>> getKernelShape(NodeContext &context,
                                                    size_t rank);

/// Returns the output sizes along the spatial axes.
SmallVector<OpFoldResult> getOutputSizes(ArrayRef<WindowAxis> windows);

/// Pads the last axes of `tensor` with `value`, so that all windows are in
/// bounds.
Value padForWindows(NodeContext &context, Value tensor, Value value,
                    ArrayRef<WindowAxis> windows);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_ONNX_TOLINALG_WINDOWS_H
