//===- Movement.cpp - Layers that move elements ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"

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
  bool copiesZero = context.getFlag("special_zero");
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

static LogicalResult checkBatches(LayerContext &context) {
  // Counted from the end of the indices where negative.
  int64_t batchAxes = context.getInt("batch_dims");
  if (batchAxes < 0)
    batchAxes += context.getRank(1).value_or(0);
  if (batchAxes != 0)
    return context.unsupported("batch_dims must be 0, but got " +
                               Twine(batchAxes));
  return success();
}

FailureOr<Value>
openvino_layers::convertGatherInBatches(LayerContext &context) {
  if (failed(checkBatches(context)))
    return failure();
  return convertGather(context);
}

/// Whether all indices are known to be inside of an axis.
static bool isInside(LayerContext &context, int64_t axis) {
  auto data = cast<RankedTensorType>(context.inputs[0].getType());
  auto indices = context.getConstantInts(1);
  int64_t size = data.getDimSize(axis);
  return indices && !ShapedType::isDynamic(size) &&
         llvm::all_of(*indices, [&](int64_t index) {
           return -size <= index && index < size;
         });
}

/// What is outside of the axis gives zeros.
FailureOr<Value> openvino_layers::convertGatherOrZero(LayerContext &context) {
  auto axes = context.getConstantInts(2);
  std::optional<int64_t> rank = context.getRank(0);
  std::optional<int64_t> indexRank = context.getRank(1);
  if (!axes || axes->size() != 1 || !rank || !indexRank)
    return convertGatherInBatches(context);
  int64_t axis = axes->front() + (axes->front() < 0 ? *rank : 0);
  Type elementType = context.elementType(0);
  // The e8m0 format has no zero; what is no axis is reported elsewhere.
  if (isa<Float8E8M0FNUType>(elementType) || axis < 0 || axis >= *rank ||
      isInside(context, axis))
    return convertGatherInBatches(context);
  FailureOr<Value> indices = getAsInt64(context, 1);
  if (failed(indices) || failed(checkBatches(context)))
    return failure();
  ImplicitLocOpBuilder &b = context.b;
  Type wide = b.getI64Type(), boolean = b.getI1Type();
  Value sizes = context.buildNode("Shape", context.inputs[0], wide);
  Value size =
      context.buildNode("Gather", {sizes, context.makeNumber(wide, axis)}, wide,
                        context.intAttr("axis", 0));
  Value least = context.buildNode("Neg", size, wide);
  Value isAbove =
      context.buildNode("GreaterOrEqual", {*indices, least}, boolean);
  Value isBelow = context.buildNode("Less", {*indices, size}, boolean);
  Value isFound = context.buildNode("And", {isAbove, isBelow}, boolean);
  context.inputs[1] = context.buildNode(
      "Where", {isFound, *indices, context.makeNumber(wide, 0)}, wide);
  FailureOr<Value> gathered = convertGather(context);
  if (failed(gathered))
    return failure();
  // Beside the indices' axes are those behind the one that they replace.
  auto behind = llvm::to_vector(
      llvm::seq<int64_t>(*indexRank, *indexRank + *rank - axis - 1));
  if (!behind.empty()) {
    Value added = context.makeConstant(DenseElementsAttr::get(
        RankedTensorType::get(behind.size(), wide), ArrayRef(behind)));
    isFound = context.buildNode("Unsqueeze", {isFound, added}, boolean);
  }
  Value zero = context.makeNumber(elementType, 0);
  return context.buildNode("Where", {isFound, *gathered, zero}, elementType);
}

FailureOr<Value> openvino_layers::convertConcat(LayerContext &context) {
  return context.buildNode("Concat", context.inputs, context.elementType(0),
                           context.intAttr("axis", context.getInt("axis")));
}
