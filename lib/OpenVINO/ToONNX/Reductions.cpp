//===- Reductions.cpp - Layers that reduce along axes ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

static Value reduce(LayerContext &context, StringRef opType, Value value,
                    Value axes) {
  // An empty list of axes reduces nothing.
  NamedAttribute attributes[] = {
      context.intAttr("keepdims", context.getFlag("keep_dims")),
      context.intAttr("noop_with_empty_axes", 1)};
  return context.apply(opType, {value, axes}, attributes);
}

LayerResults openvino_layers::convertReduction(LayerContext &context) {
  FailureOr<Value> axes = context.getAsInt64(1);
  if (failed(axes) || failed(context.requireNumbers()))
    return failure();
  return reduce(context, context.onnxType, context.inputs[0], *axes);
}

LayerResults openvino_layers::convertLogicalReduction(LayerContext &context) {
  FailureOr<Value> axes = context.getAsInt64(1);
  if (failed(axes))
    return failure();
  if (!context.elementType(0).isInteger(1))
    return context.unsupported("elements of type " +
                               showType(context.elementType(0)));
  return reduce(context, context.onnxType, context.inputs[0], *axes);
}

//===----------------------------------------------------------------------===//
// TopK
//===----------------------------------------------------------------------===//

/// Of equal elements, the first ones are selected, as a stable sort does. If
/// the order is unspecified, the result is sorted by value.
LayerResults openvino_layers::convertTopK(LayerContext &context) {
  FailureOr<Value> count = context.getAsInt64(1);
  if (failed(count))
    return failure();
  Type type = context.elementType(0), wide = context.b.getI64Type();
  NamedAttribute axis = context.intAttr("axis", context.getInt("axis"));
  Value one = context.reshape(*count, 1);
  auto choose = [&](Value from, bool isLargest) {
    NamedAttribute attributes[] = {axis, context.intAttr("largest", isLargest),
                                   context.intAttr("sorted", 1)};
    Type types[] = {getElementTypeOrSelf(from.getType()), wide};
    return context.buildNodes("TopK", {from, one}, types, attributes);
  };
  ValueRange chosen =
      choose(context.inputs[0], context.getString("mode") == "max");
  Value values = chosen[0], indices = chosen[1];
  if (context.getString("sort") == "index") {
    indices = choose(indices, /*isLargest=*/false)[0];
    values = context.buildNode("GatherElements", {context.inputs[0], indices},
                               type, axis);
  }
  FailureOr<Type> indexType =
      context.getIntegerType("index_element_type", context.b.getI32Type());
  if (failed(indexType))
    return failure();
  return ValueRange{values, context.cast(indices, *indexType)};
}
