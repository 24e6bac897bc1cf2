//===- Reductions.cpp - Reductions and normalizations ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormContext.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_forms;

/// Returns a constant of the axes from `from` to `rank - 1`.
static Value makeAxes(FormContext &context, int64_t from, int64_t rank) {
  return context.makeInts(llvm::to_vector(llvm::seq(from, rank)));
}

NodeResults openvino_forms::convertReduction(FormContext &context) {
  Value axes = context.hasInput(1) ? context.inputs[1] : Value();
  RankedTensorType type = axes ? context.getRanked(1) : RankedTensorType();
  // No axes means all axes.
  if (!axes || (type && type.getShape() == ArrayRef<int64_t>(0))) {
    if (context.getFlag("noop_with_empty_axes"))
      return context.inputs[0];
    FailureOr<int64_t> rank = context.requireRank(0);
    if (failed(rank))
      return failure();
    axes = makeAxes(context, 0, *rank);
  }
  StringRef layer = context.layerType;
  if (context.elementType(0).isInteger(1))
    layer = getNodeKind(context.node) == NodeKind::ReduceMax
                ? "ReduceLogicalOr"
                : "ReduceLogicalAnd";
  return context.apply(
      layer, {context.inputs[0], axes},
      context.flagAttr("keep_dims", context.getFlag("keepdims")));
}

NodeResults openvino_forms::convertGlobalPool(FormContext &context) {
  FailureOr<int64_t> rank = context.requireRank(0);
  if (failed(rank))
    return failure();
  return context.apply(context.layerType,
                       {context.inputs[0], makeAxes(context, 2, *rank)},
                       context.flagAttr("keep_dims", true));
}

//===----------------------------------------------------------------------===//
// TopK, ArgMax, ArgMin, CumSum
//===----------------------------------------------------------------------===//

static ValueRange addTopK(FormContext &context, Value input, Value count,
                          int64_t axis, bool isLargest) {
  Type type = context.elementType(0), wide = context.b.getI64Type();
  return context.addLayers(
      "TopK", {input, count}, {type, wide},
      {context.intAttr("axis", axis),
       context.stringAttr("mode", isLargest ? "max" : "min"),
       context.stringAttr("sort", "value"), context.flagAttr("stable", true),
       context.typeAttr("index_element_type", wide)});
}

NodeResults openvino_forms::convertTopK(FormContext &context) {
  return addTopK(context, context.inputs[0], context.makeScalar(1),
                 context.getInt("axis", -1), context.getFlag("largest"));
}

/// Returns the first of several extrema, or the last one, which is the first in
/// reverse order.
NodeResults openvino_forms::convertArgument(FormContext &context) {
  FailureOr<int64_t> axis = context.requireAxis("axis");
  if (failed(axis))
    return failure();
  bool isLargest = getNodeKind(context.node) == NodeKind::ArgMax;
  bool isLast = context.getFlag("select_last_index");
  Value input = context.inputs[0];
  if (isLast)
    input = context.apply(
        "Slice", {input, context.makeInts(-1),
                  context.makeInts(std::numeric_limits<int64_t>::min()),
                  context.makeInts(-1), context.makeInts(*axis)});
  Value indices =
      addTopK(context, input, context.makeInt(1), *axis, isLargest)[1];
  if (isLast) {
    Value last = context.broadcast(
        "Subtract", {context.getSize(0, *axis), context.makeInt(1)});
    indices = context.broadcast("Subtract", {last, indices});
  }
  if (context.getFlag("keepdims"))
    return indices;
  return context.apply("Squeeze", {indices, context.makeInts(*axis)});
}

/// Returns 1 for the first maximum along the axis, and 0 for other elements.
NodeResults openvino_forms::convertHardmax(FormContext &context) {
  FailureOr<int64_t> axis = context.requireAxis("axis");
  if (failed(axis))
    return failure();
  Value position =
      addTopK(context, context.inputs[0], context.makeInt(1), *axis, true)[1];
  Value size = context.getSize(0, *axis);
  Type element = context.elementType(0);
  return context.addLayer(
      "OneHot",
      {context.apply("Squeeze", {position, context.makeInts(*axis)}), size,
       context.makeNumber(element, 1), context.makeNumber(element, 0)},
      element, context.intAttr("axis", *axis));
}

NodeResults openvino_forms::convertCumSum(FormContext &context) {
  return context.apply(
      "CumSum", {context.inputs[0], context.makeScalar(1)},
      {context.flagAttr("exclusive", context.getFlag("exclusive")),
       context.flagAttr("reverse", context.getFlag("reverse"))});
}

//===----------------------------------------------------------------------===//
// Normalizations
//===----------------------------------------------------------------------===//

NodeResults openvino_forms::convertBatchNormalization(FormContext &context) {
  if (context.getFlag("training_mode") || context.node.getNumResults() > 1)
    return context.unsupported("training");
  return context.apply(
      "BatchNormInference", context.inputs,
      context.floatAttr("epsilon", context.getFloat("epsilon")));
}

/// Normalizes each channel by its mean and standard deviation.
NodeResults openvino_forms::convertInstanceNormalization(FormContext &context) {
  FailureOr<int64_t> rank = context.requireRank(0);
  if (failed(rank))
    return failure();
  Value value =
      context.apply("MVN", {context.inputs[0], makeAxes(context, 2, *rank)},
                    {context.floatAttr("eps", context.getFloat("epsilon")),
                     context.stringAttr("eps_mode", "inside_sqrt"),
                     context.flagAttr("normalize_variance", true)});
  SmallVector<int64_t> shape(*rank - 1, 1);
  shape.front() = -1;
  Value scale = context.reshape(context.inputs[1], shape);
  Value bias = context.reshape(context.inputs[2], shape);
  return context.broadcast(
      "Add", {context.broadcast("Multiply", {value, scale}), bias});
}

NodeResults openvino_forms::convertLRN(FormContext &context) {
  return context.apply("LRN", {context.inputs[0], context.makeInts(1)},
                       {context.floatAttr("alpha", context.getFloat("alpha")),
                        context.floatAttr("beta", context.getFloat("beta")),
                        context.floatAttr("bias", context.getFloat("bias")),
                        context.intAttr("size", context.getInt("size"))});
}
