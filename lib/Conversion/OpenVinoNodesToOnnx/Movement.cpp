//===- Movement.cpp - Layers that move elements ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

/// ONNX has shapes and indices of 64 bits.
static FailureOr<Value> getAsInt64(LayerContext &context, size_t index) {
  Type type = context.elementType(index);
  if (!isa<IntegerType>(type) || type.isInteger(1))
    return context.unsupported("input " + Twine(index) +
                               " must have integers, but got elements of "
                               "type " +
                               show(type));
  Type wide = context.b.getI64Type();
  return type == wide ? context.inputs[index]
                      : context.cast(context.inputs[index], wide);
}

/// special_zero: a 0 stands for the input's size there.
FailureOr<Value> openvino_layers::convertReshape(LayerContext &context) {
  FailureOr<Value> shape = getAsInt64(context, 1);
  if (failed(shape))
    return failure();
  bool copiesZero = context.getBool("special_zero", false);
  return context.buildNode("Reshape", {context.inputs[0], *shape},
                           context.elementType(0),
                           context.intAttr("allowzero", !copiesZero));
}

/// An order of no axes turns them around.
FailureOr<Value> openvino_layers::convertTranspose(LayerContext &context) {
  auto order = context.getConstantInts(1);
  if (!order)
    return context.unsupported("the order of axes must be a constant");
  if (llvm::any_of(*order, [](int64_t axis) { return axis < 0; }))
    return context.unsupported("the order of axes must have no negative ones");
  SmallVector<NamedAttribute> attributes;
  if (!order->empty())
    attributes.push_back(context.intsAttr("perm", *order));
  return context.buildNode("Transpose", context.inputs[0],
                           context.elementType(0), attributes);
}

FailureOr<Value> openvino_layers::convertGather(LayerContext &context) {
  auto axis = context.getConstantInts(2);
  if (!axis || axis->size() != 1)
    return context.unsupported("the axis must be a constant of one element");
  FailureOr<Value> indices = getAsInt64(context, 1);
  if (failed(indices))
    return failure();
  return context.buildNode("Gather", {context.inputs[0], *indices},
                           context.elementType(0),
                           context.intAttr("axis", axis->front()));
}

FailureOr<Value>
openvino_layers::convertGatherInBatches(LayerContext &context) {
  // Counted from the end of the indices where negative.
  int64_t batchAxes = context.getInt("batch_dims").value_or(0);
  if (batchAxes < 0)
    batchAxes += context.getRank(1).value_or(0);
  if (batchAxes != 0)
    return context.unsupported("batch_dims must be 0, but got " +
                               Twine(batchAxes));
  return convertGather(context);
}

FailureOr<Value> openvino_layers::convertConcat(LayerContext &context) {
  std::optional<int64_t> axis = context.getInt("axis");
  if (!axis)
    return context.unsupported("attribute 'axis' is missing");
  return context.buildNode("Concat", context.inputs, context.elementType(0),
                           context.intAttr("axis", *axis));
}
