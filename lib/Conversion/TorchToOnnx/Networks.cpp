//===- Networks.cpp - Pooling and normalization of torch -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/FloatFormat.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

/// Requires a tensor of floats.
static FailureOr<RankedTensorType> requireFloats(OpImporter &op, int64_t rank) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value))
    return failure();
  auto type = cast<RankedTensorType>(value->getType());
  if (!isStandardFloat(type.getElementType()) ||
      (rank > 0 && type.getRank() != rank))
    return op.unsupported(
        "operand 0 has the type " + showType(type) + ", but must have " +
        (rank > 0 ? "rank " + std::to_string(rank) + " and " : std::string()) +
        "elements of 'f16', 'bf16', 'f32' or 'f64'");
  return type;
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// Reads a list of 1 or 2 integers.
static FailureOr<SmallVector<int64_t>>
requirePair(OpImporter &op, size_t index, int64_t fewest,
            std::optional<ArrayRef<int64_t>> byDefault) {
  SmallVector<int64_t> result;
  if (!isNone(op, index)) {
    FailureOr<SmallVector<int64_t>> list = requireIntList(op, index);
    if (failed(list))
      return failure();
    result = *list;
  }
  if (result.empty() && byDefault)
    result.assign(byDefault->begin(), byDefault->end());
  if (result.size() == 1)
    result.push_back(result.front());
  if (result.size() != 2)
    return failOperand(op, index, "2 integers");
  for (int64_t value : result)
    if (value < fewest || value > std::numeric_limits<int32_t>::max())
      return failOperand(op, index,
                         "integers from " + Twine(fewest) + " to 2^31 - 1");
  return result;
}

/// The operands that both kinds of pooling have.
static FailureOr<SmallVector<NamedAttribute>> readPooling(OpImporter &op,
                                                          size_t ceilMode) {
  FailureOr<SmallVector<int64_t>> kernel = requirePair(op, 1, 1, std::nullopt);
  if (failed(kernel))
    return failure();
  auto strides = requirePair(op, 2, 1, ArrayRef<int64_t>(*kernel));
  auto padding = requirePair(op, 3, 0, ArrayRef<int64_t>({0, 0}));
  FailureOr<bool> isCeil = getBool(op, ceilMode, false);
  if (failed(strides) || failed(padding) || failed(isCeil))
    return failure();
  for (size_t axis : {0, 1})
    if ((*padding)[axis] > (*kernel)[axis] / 2)
      return failOperand(op, 3, "a padding of at most half of the kernel");
  SmallVector<int64_t> pads(*padding);
  llvm::append_range(pads, *padding);
  return SmallVector<NamedAttribute>{
      op.intsAttr("kernel_shape", *kernel), op.intsAttr("strides", *strides),
      op.intsAttr("pads", pads), op.intAttr("ceil_mode", *isCeil)};
}

static Value pool(OpImporter &op, StringRef opType,
                  ArrayRef<NamedAttribute> attributes) {
  TorchMath math(op);
  Type type = op.elementType(0);
  Type computed = math.getComputeType(type);
  Value result = op.buildNode(opType, math.to(op.inputs[0], computed),
                              cast<TensorType>(op.resultType()).clone(computed),
                              attributes);
  return math.to(result, type);
}

NodeResults torch_ops::convertMaxPool(OpImporter &op) {
  if (failed(requireFloats(op, 4)))
    return failure();
  FailureOr<SmallVector<NamedAttribute>> attributes = readPooling(op, 5);
  auto dilations = requirePair(op, 4, 1, ArrayRef<int64_t>({1, 1}));
  if (failed(attributes) || failed(dilations))
    return failure();
  attributes->push_back(op.intsAttr("dilations", *dilations));
  Value result = pool(op, "MaxPool", *attributes);
  if (op.op->getNumResults() == 1)
    return result;
  // ONNX counts indices over the whole tensor.
  if (!op.op->getResult(1).use_empty())
    return op.unsupported("the indices of maxima are used");
  FailureOr<RankedTensorType> indices = op.requireRankedResult(1);
  if (failed(indices))
    return failure();
  if (!indices->hasStaticShape())
    return op.unsupported("result 1 has the type " + showType(*indices) +
                          ", but must have a static shape");
  Value results[] = {result, op.makeConstant(DenseElementsAttr::get(
                                 *indices, op.b.getI64IntegerAttr(0)))};
  return ValueRange(results);
}

NodeResults torch_ops::convertAveragePool(OpImporter &op) {
  if (failed(requireFloats(op, 4)))
    return failure();
  FailureOr<SmallVector<NamedAttribute>> attributes = readPooling(op, 4);
  FailureOr<bool> isPaddingCounted = getBool(op, 5, true);
  if (failed(attributes) || failed(isPaddingCounted))
    return failure();
  if (!isNone(op, 6))
    return failOperand(op, 6, "no divisor");
  attributes->push_back(op.intAttr("count_include_pad", *isPaddingCounted));
  return pool(op, "AveragePool", *attributes);
}

NodeResults torch_ops::convertAdaptivePool(OpImporter &op) {
  FailureOr<RankedTensorType> type = requireFloats(op, 4);
  FailureOr<SmallVector<int64_t>> sizes = requireIntList(op, 1);
  if (failed(type) || failed(sizes))
    return failure();
  if (*sizes != SmallVector<int64_t>{1, 1})
    return failOperand(op, 1, "the sizes 1 and 1");
  TorchMath math(op);
  Value value =
      math.to(op.inputs[0], math.getComputeType(type->getElementType()));
  return math.to(math.reduce("ReduceMean", value, {2, 3}, /*keepDims=*/true),
                 type->getElementType());
}

//===----------------------------------------------------------------------===//
// Normalization
//===----------------------------------------------------------------------===//

NodeResults torch_ops::convertBatchNorm(OpImporter &op) {
  FailureOr<RankedTensorType> type = requireFloats(op, 0);
  FailureOr<double> epsilon = requireDouble(op, 6);
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

/// Returns the normalized tensor, the means, and the reciprocals of the
/// standard deviations.
static FailureOr<SmallVector<Value>> normalizeLayer(OpImporter &op,
                                                    double epsilon) {
  FailureOr<RankedTensorType> type = requireFloats(op, 0);
  FailureOr<SmallVector<int64_t>> shape = requireIntList(op, 1);
  if (failed(type) || failed(shape))
    return failure();
  int64_t rank = type->getRank(), count = shape->size();
  if (count < 1 || count > rank ||
      type->getShape().take_back(count) != ArrayRef<int64_t>(*shape))
    return failOperand(op, 1, "the last sizes of " + showType(*type));
  TorchMath math(op);
  Type elementType = type->getElementType();
  Type computed = math.getComputeType(elementType);
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(rank - count, rank));
  Value value = math.to(op.inputs[0], computed);
  Value mean = math.reduce("ReduceMean", value, axes, /*keepDims=*/true);
  Value centered = math.node("Sub", {value, mean});
  Value variance =
      math.reduce("ReduceMean", math.node("Mul", {centered, centered}), axes,
                  /*keepDims=*/true);
  Value shifted = math.node(
      "Add", {variance, math.makeNumber(computed, Number::fromFloat(epsilon))});
  Value scale = math.node("Reciprocal", math.node("Sqrt", shifted));
  Value result = math.node("Mul", {centered, scale});
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
  double epsilon = 1e-5;
  if (!isNone(op, 4)) {
    FailureOr<double> given = requireDouble(op, 4);
    if (failed(given))
      return failure();
    epsilon = *given;
  }
  FailureOr<SmallVector<Value>> results = normalizeLayer(op, epsilon);
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
