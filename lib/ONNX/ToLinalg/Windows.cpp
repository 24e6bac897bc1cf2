//===- Windows.cpp - Sliding windows along spatial axes -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Windows.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

OpFoldResult onnx_nodes::computeMax(ImplicitLocOpBuilder &b, AffineExpr lhs,
                                    AffineExpr rhs,
                                    ArrayRef<OpFoldResult> operands) {
  AffineMap map =
      AffineMap::get(0, operands.size(), {lhs, rhs}, b.getContext());
  return affine::makeComposedFoldedAffineMax(b, b.getLoc(), map, operands);
}

static OpFoldResult computeMin(ImplicitLocOpBuilder &b, AffineExpr lhs,
                               AffineExpr rhs,
                               ArrayRef<OpFoldResult> operands) {
  AffineMap map =
      AffineMap::get(0, operands.size(), {lhs, rhs}, b.getContext());
  return affine::makeComposedFoldedAffineMin(b, b.getLoc(), map, operands);
}

AffineExpr onnx_nodes::getExtent(AffineExpr kernel, int64_t dilation) {
  return (kernel - 1) * dilation + 1;
}

OpFoldResult WindowAxis::getEnd(ImplicitLocOpBuilder &b) const {
  AffineExpr windows = b.getAffineSymbolExpr(0);
  AffineExpr elements = b.getAffineSymbolExpr(1);
  return computeIndex(b, (windows - 1) * stride + getExtent(elements, dilation),
                      {output, kernel});
}

/// SAME_UPPER and SAME_LOWER: sets the number of windows to ceil(input /
/// stride) and divides the padding evenly. If it is odd, the larger half is at
/// the end (UPPER) or at the beginning (LOWER).
static void padEvenly(ImplicitLocOpBuilder &b, WindowAxis &window,
                      bool moreAtEnd) {
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  window.output = computeIndex(b, s0.ceilDiv(window.stride), window.input);
  OpFoldResult total = computeMax(b, s0 - s1, b.getAffineConstantExpr(0),
                                  {window.getEnd(b), window.input});
  window.padLow =
      computeIndex(b, moreAtEnd ? s0.floorDiv(2) : s0.ceilDiv(2), total);
  window.padHigh = computeIndex(b, s0 - s1, {total, window.padLow});
}

/// Whether the number of windows is known not to be negative for any input
/// size, because the padding alone is large enough.
static bool isCountNonnegative(const WindowAxis &window) {
  std::optional<int64_t> low = getConstantIntValue(window.padLow),
                         high = getConstantIntValue(window.padHigh),
                         kernel = getConstantIntValue(window.kernel);
  return low && high && kernel &&
         *low + *high + window.stride > (*kernel - 1) * window.dilation;
}

/// Computes the number of windows from the padding.
static LogicalResult countWindows(NodeContext &context, WindowAxis &window,
                                  bool ceilMode) {
  ImplicitLocOpBuilder &b = context.b;
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  AffineExpr s2 = b.getAffineSymbolExpr(2);
  OpFoldResult room = computeIndex(
      b, s0 + s1 + s2, {window.input, window.padLow, window.padHigh});
  AffineExpr left = s0 - getExtent(s1, window.dilation);
  if (ceilMode) {
    // Omit windows that would start in the padding after the input.
    OpFoldResult max =
        computeIndex(b, left.ceilDiv(window.stride) + 1, {room, window.kernel});
    OpFoldResult starts = computeIndex(b, (s0 + s1).ceilDiv(window.stride),
                                       {window.input, window.padLow});
    window.output = computeMin(b, s0, s1, {max, starts});
  } else {
    window.output = computeIndex(b, left.floorDiv(window.stride) + 1,
                                 {room, window.kernel});
  }
  std::optional<int64_t> count = getConstantIntValue(window.output);
  if (count && *count < 0)
    return context.unsupported("a window is larger than the padded input");
  // Avoid the max if possible, so that an output size that is equal to the
  // input size is known to be equal.
  if (ceilMode || !isCountNonnegative(window))
    window.output =
        computeMax(b, s0, b.getAffineConstantExpr(0), window.output);
  if (!ceilMode)
    return success();
  // The last window may extend beyond the padding.
  window.padHigh =
      computeMax(b, s0, s1 - s2,
                 {window.padHigh, window.getEnd(b),
                  computeIndex(b, s0 + s1, {window.input, window.padLow})});
  return success();
}

FailureOr<SmallVector<WindowAxis>>
onnx_nodes::getWindows(NodeContext &context, ArrayRef<OpFoldResult> input,
                       ArrayRef<OpFoldResult> kernel) {
  size_t rank = input.size();
  FailureOr<WindowLists> lists = getWindowLists(context, rank);
  if (failed(lists))
    return failure();
  StringRef autoPad = context.getString("auto_pad");
  bool isSame = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  bool isPadded = autoPad == "NOTSET";
  bool ceilMode = context.getFlag("ceil_mode");

  SmallVector<WindowAxis> windows;
  Builder &b = context.b;
  for (size_t axis = 0; axis < rank; ++axis) {
    WindowAxis window{input[axis],
                      kernel[axis],
                      {},
                      b.getIndexAttr(isPadded ? lists->pads[axis] : 0),
                      b.getIndexAttr(isPadded ? lists->pads[rank + axis] : 0),
                      lists->strides[axis],
                      lists->dilations[axis],
                      {}};
    if (isSame)
      padEvenly(context.b, window, autoPad == "SAME_UPPER");
    window.specifiedHigh = window.padHigh;
    if (!isSame && failed(countWindows(context, window, ceilMode)))
      return failure();
    windows.push_back(window);
  }
  return windows;
}

FailureOr<SmallVector<OpFoldResult>>
onnx_nodes::getKernelShape(NodeContext &context, size_t rank) {
  SmallVector<int64_t> shape = context.getInts("kernel_shape");
  if (shape.size() != rank)
    return context.unsupported("attribute 'kernel_shape' must have " +
                               Twine(rank) + " values, but got " +
                               Twine(shape.size()));
  for (int64_t size : shape)
    if (failed(context.requireRange("kernel_shape", size, 1)))
      return failure();
  return getAsIndexOpFoldResult(context.b.getContext(), shape);
}

SmallVector<OpFoldResult>
onnx_nodes::getOutputSizes(ArrayRef<WindowAxis> windows) {
  return llvm::map_to_vector(
      windows, [](const WindowAxis &window) { return window.output; });
}

Value onnx_nodes::padForWindows(NodeContext &context, Value tensor, Value value,
                                ArrayRef<WindowAxis> windows) {
  size_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  SmallVector<OpFoldResult> low(rank - windows.size(),
                                context.b.getIndexAttr(0));
  SmallVector<OpFoldResult> high = low;
  for (const WindowAxis &window : windows) {
    low.push_back(window.padLow);
    high.push_back(window.padHigh);
  }
  return buildPadded(context, tensor, value, low, high);
}
