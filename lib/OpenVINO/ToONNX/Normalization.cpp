//===- Normalization.cpp - Normalization layers ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

static Value reduce(LayerContext &context, StringRef opType, Value value,
                    Value axes) {
  NamedAttribute attributes[] = {context.intAttr("keepdims", 1),
                                 context.intAttr("noop_with_empty_axes", 1)};
  return context.apply(opType, {value, axes}, attributes);
}

static Value makeLike(LayerContext &context, Value like, double value) {
  return context.makeNumber(getElementTypeOrSelf(like.getType()), value);
}

//===----------------------------------------------------------------------===//
// Softmax
//===----------------------------------------------------------------------===//

/// All versions normalize along one axis. Since version 8 it may be negative.
LayerResults openvino_layers::convertSoftmax(LayerContext &context) {
  int64_t axis = context.getInt("axis");
  if (axis < 0 && context.opset() < 8)
    return context.unsupported(
        "the axis may be negative from opset 8 on, but got " + Twine(axis));
  return context.apply("Softmax", context.inputs,
                       context.intAttr("axis", axis));
}

LayerResults openvino_layers::convertLogSoftmax(LayerContext &context) {
  return context.apply("LogSoftmax", context.inputs,
                       context.intAttr("axis", context.getInt("axis")));
}

//===----------------------------------------------------------------------===//
// Mean and variance
//===----------------------------------------------------------------------===//

/// (x - mean) / sqrt(variance + epsilon), or / (sqrt(variance) + epsilon).
static Value normalize(LayerContext &context, Value x, Value axes,
                       bool isDivided, bool isInside, double epsilon) {
  Value mean = reduce(context, "ReduceMean", x, axes);
  Value difference = context.apply("Sub", {x, mean});
  if (!isDivided)
    return difference;
  Value square = context.apply("Mul", {difference, difference});
  Value divisor = reduce(context, "ReduceMean", square, axes);
  Value added = makeLike(context, x, epsilon);
  if (isInside)
    divisor = context.apply("Add", {divisor, added});
  divisor = context.apply("Sqrt", divisor);
  if (!isInside)
    divisor = context.apply("Add", {divisor, added});
  return context.apply("Div", {difference, divisor});
}

static Value normalizeElements(LayerContext &context, Value axes,
                               bool isInside) {
  Value x = context.widen(context.inputs[0]);
  Value result =
      normalize(context, x, axes, context.getFlag("normalize_variance"),
                isInside, context.getFloat("eps"));
  return context.cast(result, context.elementType(0));
}

LayerResults openvino_layers::convertMVNV1(LayerContext &context) {
  FailureOr<int64_t> rank = context.requireRank(0);
  if (failed(rank))
    return failure();
  int64_t first = context.getFlag("across_channels") ? 1 : 2;
  auto axes =
      llvm::to_vector(llvm::seq<int64_t>(std::min(first, *rank), *rank));
  return normalizeElements(context, context.makeInts(axes), /*isInside=*/true);
}

LayerResults openvino_layers::convertMVN(LayerContext &context) {
  FailureOr<Value> axes = context.getAsInt64(1);
  if (failed(axes))
    return failure();
  return normalizeElements(context, *axes,
                           context.getString("eps_mode") == "inside_sqrt");
}

/// Reshapes a value per channel to broadcast along axis 1 of a tensor.
static Value spread(LayerContext &context, Value value, int64_t rank) {
  return context.unsqueeze(value,
                           llvm::to_vector(llvm::seq<int64_t>(1, rank - 1)));
}

LayerResults openvino_layers::convertGroupNormalization(LayerContext &context) {
  FailureOr<int64_t> rank = context.requireRank(0);
  if (failed(rank) || failed(context.requireSameType()))
    return failure();
  if (*rank < 2)
    return context.unsupported("the input must have rank 2 or more, but got " +
                               Twine(*rank));
  Value x = context.widen(context.inputs[0]);
  Value groups = context.reshape(x, {0, context.getInt("num_groups"), -1});
  Value normal = normalize(context, groups, context.makeInts(2), true, true,
                           context.getFloat("epsilon"));
  Value shape =
      context.buildNode("Shape", context.inputs[0], context.b.getI64Type());
  normal = context.apply("Reshape", {normal, shape});
  Value scale = spread(context, context.widen(context.inputs[1]), *rank);
  Value bias = spread(context, context.widen(context.inputs[2]), *rank);
  Value scaled = context.apply("Mul", {normal, scale});
  return context.cast(context.apply("Add", {scaled, bias}),
                      context.elementType(0));
}

/// In version 1, the data is input 2.
LayerResults openvino_layers::convertBatchNormV1(LayerContext &context) {
  auto &inputs = context.inputs;
  std::rotate(inputs.begin(), inputs.begin() + 2, inputs.begin() + 3);
  return convertBatchNorm(context);
}

LayerResults openvino_layers::convertBatchNorm(LayerContext &context) {
  return context.apply(
      "BatchNormalization", context.inputs,
      context.floatAttr("epsilon", context.getFloat("epsilon")));
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

static Value addSquares(LayerContext &context, Value x, Value axes) {
  return reduce(context, "ReduceSum", context.apply("Mul", {x, x}), axes);
}

LayerResults openvino_layers::convertNormalizeL2(LayerContext &context) {
  FailureOr<Value> axes = context.getAsInt64(1);
  if (failed(axes))
    return failure();
  Value x = context.widen(context.inputs[0]);
  Value sum = addSquares(context, x, *axes);
  StringRef opType = context.getString("eps_mode") == "add" ? "Add" : "Max";
  Value min = makeLike(context, x, context.getFloat("eps"));
  Value length = context.apply("Sqrt", context.apply(opType, {sum, min}));
  return context.cast(context.apply("Div", {x, length}),
                      context.elementType(0));
}

/// Divides each element by the norm along the channels.
LayerResults openvino_layers::convertGRN(LayerContext &context) {
  Value x = context.widen(context.inputs[0]);
  Value sum = addSquares(context, x, context.makeInts(1));
  Value bias = makeLike(context, x, context.getFloat("bias"));
  Value length = context.apply("Sqrt", context.apply("Add", {sum, bias}));
  return context.cast(context.apply("Div", {x, length}),
                      context.elementType(0));
}

LayerResults openvino_layers::convertLRN(LayerContext &context) {
  auto axes = context.requireConstantInts(1);
  if (failed(axes))
    return failure();
  if (axes->size() != 1 || axes->front() != 1)
    return context.unsupported("the axes must be 1, the channel axis");
  NamedAttribute attributes[] = {
      context.floatAttr("alpha", context.getFloat("alpha")),
      context.floatAttr("beta", context.getFloat("beta")),
      context.floatAttr("bias", context.getFloat("bias")),
      context.intAttr("size", context.getInt("size"))};
  return context.apply("LRN", context.inputs[0], attributes);
}
