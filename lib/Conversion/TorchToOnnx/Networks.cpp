//===- Networks.cpp - Normalization of torch ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"
#include <array>
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

NodeResults torch_ops::convertBatchNorm(OpImporter &op) {
  // aten.batch_norm has a flag, and no statistics as results.
  bool hasFlag = op.op.getName() == "aten.batch_norm";
  FailureOr<RankedTensorType> type = requireFloats(op);
  FailureOr<double> epsilon = requireDouble(op, hasFlag ? 7 : 6);
  if (hasFlag) {
    FailureOr<bool> isTraining = requireBool(op, 5);
    if (failed(isTraining))
      return failure();
    if (*isTraining)
      return failOperand(op, 5, "inference");
  }
  if (failed(type) || failed(epsilon))
    return failure();
  if (type->getRank() < 2)
    return failOperand(op, 0, "a tensor with channels");
  TorchMath math(op);
  Type elementType = type->getElementType();
  Type computed = math.getComputeType(elementType);
  // A tensor of one element for each channel, along axis 1.
  SmallVector<int64_t> shape(type->getRank(), 1);
  shape[1] = type->getDimSize(1);
  auto getChannels = [&](size_t index) -> FailureOr<Value> {
    FailureOr<Value> value = requireRankedTensor(op, index);
    if (failed(value))
      return failure();
    auto given = cast<RankedTensorType>(value->getType());
    if (given.getRank() != 1 || !given.hasStaticShape() ||
        given.getDimSize(0) != shape[1])
      return failOperand(op, index, "one element for each channel");
    return math.reshape(math.to(*value, computed), shape);
  };
  FailureOr<Value> mean = getChannels(3), variance = getChannels(4);
  if (failed(mean) || failed(variance))
    return failure();
  Value shifted = math.node(
      "Add",
      {*variance, math.makeNumber(computed, Number::fromFloat(*epsilon))});
  Value scale = math.node("Reciprocal", math.node("Sqrt", shifted));
  if (!isNone(op, 1)) {
    FailureOr<Value> weight = getChannels(1);
    if (failed(weight))
      return failure();
    scale = math.node("Mul", {scale, *weight});
  }
  Value offset = math.node("Neg", math.node("Mul", {*mean, scale}));
  if (!isNone(op, 2)) {
    FailureOr<Value> bias = getChannels(2);
    if (failed(bias))
      return failure();
    offset = math.node("Add", {offset, *bias});
  }
  Value result = math.node("Mul", {math.to(op.inputs[0], computed), scale});
  SmallVector<Value> results = {
      math.to(math.node("Add", {result, offset}), elementType)};
  if (hasFlag)
    return ValueRange(results);
  // The statistics of the batch are not computed.
  for (size_t index : {1, 2}) {
    FailureOr<RankedTensorType> saved = op.requireRankedResult(index);
    if (failed(saved))
      return failure();
    if (!saved->hasStaticShape() || saved->getNumElements() != 0 ||
        !isa<FloatType>(saved->getElementType()))
      return op.unsupported("result " + Twine(index) + " has the type " +
                            showType(*saved) + ", but must be empty");
    results.push_back(
        op.makeConstant(DenseElementsAttr::get(*saved, ArrayRef<Attribute>())));
  }
  return ValueRange(results);
}

/// Returns the tensor with a mean of 0 and a variance of 1 along the axes, the
/// means, and the reciprocals of the standard deviations.
static std::array<Value, 3> normalizeRows(TorchMath &math, Value value,
                                          ArrayRef<int64_t> axes,
                                          double epsilon) {
  Type computed = getElementTypeOrSelf(value);
  Value mean = math.reduce("ReduceMean", value, axes, /*keepDims=*/true);
  Value centered = math.node("Sub", {value, mean});
  Value variance =
      math.reduce("ReduceMean", math.node("Mul", {centered, centered}), axes,
                  /*keepDims=*/true);
  Value shifted = math.node(
      "Add", {variance, math.makeNumber(computed, Number::fromFloat(epsilon))});
  Value scale = math.node("Reciprocal", math.node("Sqrt", shifted));
  return {math.node("Mul", {centered, scale}), mean, scale};
}

/// Requires operand 1 to be the last sizes of the tensor, and returns their
/// axes.
static FailureOr<SmallVector<int64_t>>
requireNormalizedAxes(OpImporter &op, RankedTensorType type) {
  FailureOr<SmallVector<int64_t>> shape = requireIntList(op, 1);
  if (failed(shape))
    return failure();
  int64_t rank = type.getRank(), count = shape->size();
  if (count < 1 || count > rank ||
      type.getShape().take_back(count) != ArrayRef<int64_t>(*shape))
    return failOperand(op, 1, "the last sizes of " + showType(type));
  return llvm::to_vector(llvm::seq<int64_t>(rank - count, rank));
}

/// Returns the normalized tensor, the means, and the reciprocals of the
/// standard deviations.
static FailureOr<SmallVector<Value>> normalizeLayer(OpImporter &op,
                                                    double epsilon) {
  FailureOr<RankedTensorType> type = requireFloats(op);
  if (failed(type))
    return failure();
  FailureOr<SmallVector<int64_t>> axes = requireNormalizedAxes(op, *type);
  if (failed(axes))
    return failure();
  TorchMath math(op);
  Type elementType = type->getElementType();
  Type computed = math.getComputeType(elementType);
  auto [result, mean, scale] =
      normalizeRows(math, math.to(op.inputs[0], computed), *axes, epsilon);
  StringRef nodes[] = {"Mul", "Add"};
  for (size_t index : {2, 3}) {
    if (isNone(op, index))
      continue;
    FailureOr<Value> factor = requireTensor(op, index);
    if (failed(factor))
      return failure();
    result = math.node(nodes[index - 2], {result, math.to(*factor, computed)});
  }
  return SmallVector<Value>{math.to(result, elementType), mean, scale};
}

NodeResults torch_ops::convertLayerNorm(OpImporter &op) {
  FailureOr<double> epsilon = getDouble(op, 4, 1e-5);
  if (failed(epsilon))
    return failure();
  FailureOr<SmallVector<Value>> results = normalizeLayer(op, *epsilon);
  if (failed(results))
    return failure();
  return results->front();
}

NodeResults torch_ops::convertNativeLayerNorm(OpImporter &op) {
  FailureOr<double> epsilon = requireDouble(op, 4);
  if (failed(epsilon))
    return failure();
  FailureOr<SmallVector<Value>> results = normalizeLayer(op, *epsilon);
  if (failed(results))
    return failure();
  for (size_t index : {1, 2})
    (*results)[index] =
        TorchMath(op).to((*results)[index], op.resultElementType(index));
  return ValueRange(*results);
}

/// Normalizes groups of channels of each element of the batch.
NodeResults torch_ops::convertGroupNorm(OpImporter &op) {
  bool isInstance = op.op.getName() == "aten.instance_norm";
  bool isNative = op.op.getName() == "aten.native_group_norm";
  size_t weightIndex = isInstance || isNative ? 1 : 2;
  size_t groupsIndex = isNative ? 6 : 1;
  size_t epsilonIndex = isInstance || isNative ? 7 : 4;
  FailureOr<RankedTensorType> type = requireFloats(op);
  if (failed(type))
    return failure();
  if (type->getRank() < 2 || !type->hasStaticShape() ||
      llvm::is_contained(type->getShape(), 0))
    return failOperand(op, 0, "a tensor of static shape with channels");
  int64_t channels = type->getDimSize(1), groups = channels;
  if (isInstance) {
    FailureOr<bool> isOfInput = requireBool(op, 5);
    if (failed(isOfInput))
      return failure();
    if (!*isOfInput)
      return failOperand(op, 5, "the statistics of the input");
  } else {
    FailureOr<int64_t> given = requireIntOperand(op, groupsIndex);
    if (failed(given))
      return failure();
    groups = *given;
  }
  FailureOr<double> epsilon = getDouble(op, epsilonIndex, 1e-5);
  if (failed(epsilon))
    return failure();
  if (groups < 1 || channels % groups != 0)
    return failOperand(op, groupsIndex, "a divisor of the number of channels");
  std::optional<int64_t> count = countElements(type->getShape().drop_front(2));
  std::optional<int64_t> groupSize =
      count ? countElements({channels / groups, *count}) : std::nullopt;
  if (!groupSize)
    return op.unsupported("operand 0 has too many elements");
  TorchMath math(op);
  Type elementType = type->getElementType();
  Type computed = math.getComputeType(elementType);
  Value value = math.reshape(math.to(op.inputs[0], computed),
                             {type->getDimSize(0), groups, *groupSize});
  auto [result, mean, scale] = normalizeRows(math, value, {2}, *epsilon);
  result = math.reshape(result, type->getShape());
  SmallVector<int64_t> shape(type->getRank(), 1);
  shape[1] = channels;
  StringRef nodes[] = {"Mul", "Add"};
  for (auto [offset, node] : llvm::enumerate(nodes)) {
    size_t index = weightIndex + offset;
    if (isNone(op, index))
      continue;
    FailureOr<Value> factor = requireRankedTensor(op, index);
    if (failed(factor))
      return failure();
    if (op.getRanked(index).getShape() != ArrayRef(channels))
      return failOperand(op, index, "one element for each channel");
    result = math.node(
        node, {result, math.reshape(math.to(*factor, computed), shape)});
  }
  SmallVector<Value> results = {math.to(result, elementType)};
  if (isNative)
    for (auto [index, value] : {std::pair<size_t, Value>(1, mean), {2, scale}})
      results.push_back(
          math.to(math.reshape(value, {type->getDimSize(0), groups}),
                  op.resultElementType(index)));
  return ValueRange(results);
}

NodeResults torch_ops::convertRmsNorm(OpImporter &op) {
  FailureOr<RankedTensorType> type = requireFloats(op);
  if (failed(type))
    return failure();
  FailureOr<SmallVector<int64_t>> axes = requireNormalizedAxes(op, *type);
  if (failed(axes))
    return failure();
  TorchMath math(op);
  auto elementType = cast<FloatType>(type->getElementType());
  Type computed = math.getComputeType(elementType);
  // The default is the precision of the type that is computed.
  const llvm::fltSemantics &semantics =
      cast<FloatType>(computed).getFloatSemantics();
  FailureOr<double> epsilon = getDouble(
      op, 3, std::ldexp(1.0, 1 - int(APFloat::semanticsPrecision(semantics))));
  if (failed(epsilon))
    return failure();
  Value value = math.to(op.inputs[0], computed);
  Value mean =
      math.reduce("ReduceMean", math.node("Mul", {value, value}), *axes,
                  /*keepDims=*/true);
  Value shifted = math.node(
      "Add", {mean, math.makeNumber(computed, Number::fromFloat(*epsilon))});
  Value scale = math.node("Reciprocal", math.node("Sqrt", shifted));
  Value result = math.node("Mul", {value, scale});
  if (!isNone(op, 2)) {
    FailureOr<Value> weight = requireTensor(op, 2);
    if (failed(weight))
      return failure();
    result = math.node("Mul", {result, math.to(*weight, computed)});
  }
  return math.to(result, elementType);
}
