//===- Windows.h - Windows that slide over axes -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_WINDOWS_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_WINDOWS_H

#include "Building.h"

namespace mlir::quant_float::onnx_nodes {

/// How the window of a convolution or pooling slides along one axis.
struct WindowAxis {
  OpFoldResult input, kernel, output;
  OpFoldResult padLow, padHigh;
  int64_t stride, dilation;
  /// `padHigh` without what ceil_mode adds to it.
  OpFoldResult givenHigh;

  /// Where element `kernel` of window `output` is, in the padded input.
  AffineExpr getPosition(AffineExpr output, AffineExpr kernel) const {
    return output * stride + kernel * dilation;
  }
  /// The index in the padded input behind the last element of the last window.
  OpFoldResult getEnd(ImplicitLocOpBuilder &b) const;
};

/// The larger of two expressions in the operands, its symbols.
OpFoldResult computeMax(ImplicitLocOpBuilder &b, AffineExpr lhs, AffineExpr rhs,
                        ArrayRef<OpFoldResult> operands);

/// How far a window reaches, of this many elements.
AffineExpr getExtent(AffineExpr kernel, int64_t dilation);

/// The windows of a node by its attributes strides, dilations, pads, auto_pad
/// and ceil_mode; `input` and `kernel` are the sizes of the spatial axes.
FailureOr<SmallVector<WindowAxis>> getWindows(NodeContext &context,
                                              ArrayRef<OpFoldResult> input,
                                              ArrayRef<OpFoldResult> kernel);

/// The attribute kernel_shape, for `rank` axes.
FailureOr<SmallVector<OpFoldResult>> getKernelShape(NodeContext &context,
                                                    size_t rank);

/// The sizes of the result along the windows' axes.
SmallVector<OpFoldResult> getOutputSizes(ArrayRef<WindowAxis> windows);

/// `tensor` with `value` around the last axes, so that no window reaches
/// outside.
Value padForWindows(NodeContext &context, Value tensor, Value value,
                    ArrayRef<WindowAxis> windows);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_WINDOWS_H
