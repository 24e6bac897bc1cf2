//===- Pooling.cpp - Pooling layers ---------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
struct Windows {
  int64_t rank;
  SmallVector<NamedAttribute> attributes;
};
} // namespace

/// Implements rounding_type ceil by increasing the padding, so that rounding
/// down gives the same number of windows. Rounding up adds a window if elements
/// remain after the last one. Unlike in ONNX and with ceil_torch, it may begin
/// in the padding.
static FailureOr<bool> roundUp(LayerContext &context, ArrayRef<int64_t> begin,
                               SmallVectorImpl<int64_t> &end) {
  SmallVector<int64_t> kernel = context.getInts("kernel");
  SmallVector<int64_t> strides =
      context.getInts("strides", SmallVector<int64_t>(kernel.size(), 1));
  SmallVector<int64_t> dilations =
      context.getInts("dilations", SmallVector<int64_t>(kernel.size(), 1));
  auto type = dyn_cast<RankedTensorType>(context.inputs[0].getType());
  if (!type || type.getRank() != static_cast<int64_t>(kernel.size()) + 2 ||
      ShapedType::isDynamicShape(type.getShape().drop_front(2)))
    return context.unsupported("rounding_type ceil requires static sizes, but "
                               "the input has the type " +
                               showType(context.inputs[0].getType()));
  for (auto [axis, size] : llvm::enumerate(type.getShape().drop_front(2))) {
    int64_t extent = (kernel[axis] - 1) * dilations[axis] + 1;
    int64_t room = size + begin[axis] + end[axis] - extent;
    if (room > 0)
      end[axis] += llvm::divideCeil(room, strides[axis]) * strides[axis] - room;
  }
  return true;
}

static FailureOr<Windows> convertWindows(LayerContext &context) {
  SmallVector<int64_t> kernel = context.getInts("kernel");
  size_t rank = kernel.size();
  SmallVector<NamedAttribute> attributes = {
      context.intsAttr("kernel_shape", kernel)};
  SmallVector<int64_t> zeros(rank, 0);
  SmallVector<int64_t> begin = context.getInts("pads_begin", zeros);
  SmallVector<int64_t> end = context.getInts("pads_end", zeros);
  for (StringRef name : {"strides", "dilations"}) {
    SmallVector<int64_t> values = context.getInts(name);
    if (values.empty())
      continue;
    if (failed(context.requireRange(name, values, 1)))
      return failure();
    if (values.size() != rank)
      return context.unsupported(name + " must have " + Twine(rank) +
                                 " values, but got " + Twine(values.size()));
    attributes.push_back(context.intsAttr(name, values));
  }
  if (begin.size() != rank || end.size() != rank)
    return context.unsupported("pads_begin and pads_end must have " +
                               Twine(rank) + " values");
  if (failed(context.requireRange("kernel", kernel, 1)) ||
      failed(context.requireRange("pads_begin", begin, 0)) ||
      failed(context.requireRange("pads_end", end, 0)))
    return failure();
  std::string autoPad = context.getString("auto_pad").upper();
  StringRef rounding = context.getString("rounding_type");
  if (autoPad != "EXPLICIT" && autoPad != "NOTSET") {
    attributes.push_back(context.stringAttr("auto_pad", autoPad));
    if (autoPad == "VALID" && rounding != "floor")
      autoPad = "EXPLICIT";
    begin = end = zeros;
  }
  if (autoPad == "EXPLICIT" || autoPad == "NOTSET") {
    if (rounding == "ceil" && failed(roundUp(context, begin, end)))
      return failure();
    attributes.push_back(context.intsAttr(
        "pads", llvm::to_vector(llvm::concat<int64_t>(begin, end))));
  }
  attributes.push_back(context.intAttr("ceil_mode", rounding == "ceil_torch"));
  return Windows{static_cast<int64_t>(rank), attributes};
}

//===----------------------------------------------------------------------===//
// MaxPool and AvgPool
//===----------------------------------------------------------------------===//

LayerResults openvino_layers::convertMaxPool(LayerContext &context) {
  FailureOr<Windows> windows = convertWindows(context);
  if (failed(windows))
    return failure();
  return context.apply("MaxPool", context.inputs, windows->attributes);
}

/// The indices of the maxima are counted within the dimensions from `axis` on.
LayerResults openvino_layers::convertMaxPoolWithIndices(LayerContext &context) {
  FailureOr<Windows> windows = convertWindows(context);
  if (failed(windows))
    return failure();
  Type type = context.elementType(0), wide = context.b.getI64Type();
  if (context.node->getNumResults() < 2 ||
      context.node->getResult(1).use_empty()) {
    Value values =
        context.apply("MaxPool", context.inputs, windows->attributes);
    return ValueRange{values, Value()};
  }
  FailureOr<Type> indexType =
      context.getIntegerType("index_element_type", wide);
  if (failed(indexType))
    return failure();
  ValueRange results = context.buildNodes("MaxPool", context.inputs,
                                          {type, wide}, windows->attributes);
  Value values = results[0], indices = results[1];
  int64_t rank = windows->rank + 2, axisValue = context.getInt("axis");
  int64_t axis = axisValue + (axisValue < 0 ? rank : 0);
  if (axis < 0 || axis >= rank)
    return context.unsupported("axis " + Twine(axisValue) + " of rank " +
                               Twine(rank));
  if (axis > 0) {
    Value count = context.getSize(0, axis);
    for (int64_t other : llvm::seq<int64_t>(axis + 1, rank))
      count = context.apply("Mul", {count, context.getSize(0, other)});
    indices = context.apply("Mod", {indices, count});
  }
  return ValueRange{values, context.cast(indices, *indexType)};
}

LayerResults openvino_layers::convertAvgPool(LayerContext &context) {
  FailureOr<Windows> windows = convertWindows(context);
  if (failed(windows))
    return failure();
  windows->attributes.push_back(
      context.intAttr("count_include_pad", !context.getFlag("exclude-pad")));
  return context.apply("AveragePool", context.inputs, windows->attributes);
}

//===----------------------------------------------------------------------===//
// Adaptive pooling
//===----------------------------------------------------------------------===//

/// Window i of n is from floor(i * size / n) to ceil((i + 1) * size / n). The
/// axes are reduced one after the other. This is correct for means too, because
/// the other axes have the same sizes in all windows of an axis.
static FailureOr<Value> poolAdaptively(LayerContext &context,
                                       StringRef reduction) {
  auto type = dyn_cast<RankedTensorType>(context.inputs[0].getType());
  FailureOr<SmallVector<int64_t>> sizes = context.requireConstantInts(1);
  if (failed(sizes))
    return failure();
  int64_t rank = sizes->size();
  if (!type || type.getRank() != rank + 2 ||
      ShapedType::isDynamicShape(type.getShape().drop_front(2)))
    return context.unsupported("expected an input of rank " + Twine(rank + 2) +
                               " and static sizes, but got the type " +
                               showType(context.inputs[0].getType()));
  // Each window becomes a node.
  constexpr int64_t kMaxSize = 1024;
  Value value = context.widen(context.inputs[0]);
  for (auto [index, count] : llvm::enumerate(*sizes)) {
    int64_t axis = index + 2, size = type.getDimSize(axis);
    if (count < 1 || count > kMaxSize)
      return context.unsupported("the output must have 1 to " +
                                 Twine(kMaxSize) + " windows, but got " +
                                 Twine(count));
    SmallVector<Value> parts;
    for (int64_t i : llvm::seq(count)) {
      Value part = context.apply(
          "Slice", {value, context.makeInts(i * size / count),
                    context.makeInts(llvm::divideCeil((i + 1) * size, count)),
                    context.makeInts(axis)});
      parts.push_back(context.apply(reduction, {part, context.makeInts(axis)},
                                    context.intAttr("keepdims", 1)));
    }
    value = context.apply("Concat", parts, context.intAttr("axis", axis));
  }
  return context.cast(value, context.elementType(0));
}

LayerResults openvino_layers::convertAdaptiveAvgPool(LayerContext &context) {
  return poolAdaptively(context, "ReduceMean");
}

LayerResults openvino_layers::convertAdaptiveMaxPool(LayerContext &context) {
  if (context.node->getNumResults() > 1 &&
      !context.node->getResult(1).use_empty())
    return context.unsupported("the indices of the largest elements");
  FailureOr<Value> values = poolAdaptively(context, "ReduceMax");
  if (failed(values))
    return failure();
  return ValueRange{*values, Value()};
}
