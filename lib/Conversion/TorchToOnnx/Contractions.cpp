//===- Contractions.cpp - Matmuls and convolutions of torch --------------===//
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

/// Returns the type of the result of an op without its element type.
static Type withResultShape(OpImporter &op, Type elementType) {
  return cast<TensorType>(op.resultType()).clone(elementType);
}

static bool isByte(Type type) {
  return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() == 8;
}

/// Multiplies matrices. Integers of 8 bits have exact sums of 32 bits; floats
/// of at most 32 bits are summed in f32. The result is not rounded further.
static FailureOr<Value> multiply(OpImporter &op, Value lhs, Value rhs) {
  TorchMath math(op);
  Type left = getElementTypeOrSelf(lhs), right = getElementTypeOrSelf(rhs);
  Type result = op.resultElementType();
  for (Type type : {left, right, result})
    if (!isNumber(type) || type.isInteger(1) ||
        isa<IntegerType>(type) != isa<IntegerType>(left))
      return op.unsupported("elements of types " + showType(left) + " and " +
                            showType(right) + " with a result of " +
                            showType(result));
  for (Value value : {lhs, rhs}) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() == 0)
      return op.unsupported("expected matrices, but got " +
                            showType(value.getType()));
  }
  if (isByte(left) && isByte(right) && result.getIntOrFloatBitWidth() <= 32)
    return op.buildNode("MatMulInteger", {lhs, rhs},
                        withResultShape(op, op.b.getI32Type()));
  Type sum;
  if (isa<IntegerType>(left))
    sum = op.b.getIntegerType(result.getIntOrFloatBitWidth() <= 32 ? 32 : 64);
  else
    sum = result.isF64() ? Type(op.b.getF64Type()) : op.b.getF32Type();
  lhs = math.to(lhs, sum);
  rhs = math.to(rhs, sum);
  return op.buildNode("MatMul", {lhs, rhs}, withResultShape(op, sum));
}

NodeResults torch_ops::convertMatmul(OpImporter &op) {
  FailureOr<Value> lhs = requireTensor(op, 0);
  FailureOr<Value> rhs = requireTensor(op, 1);
  if (failed(lhs) || failed(rhs))
    return failure();
  FailureOr<Value> result = multiply(op, *lhs, *rhs);
  if (failed(result))
    return failure();
  return TorchMath(op).to(*result, op.resultElementType());
}

NodeResults torch_ops::convertLinear(OpImporter &op) {
  FailureOr<Value> input = requireTensor(op, 0);
  FailureOr<Value> weight = requireRankedTensor(op, 1);
  if (failed(input) || failed(weight))
    return failure();
  auto type = cast<RankedTensorType>(weight->getType());
  if (type.getRank() != 2)
    return failOperand(op, 1, "a matrix");
  Value transposed =
      op.buildNode("Transpose", *weight,
                   type.clone({type.getDimSize(1), type.getDimSize(0)}),
                   op.intsAttr("perm", {1, 0}));
  FailureOr<Value> result = multiply(op, *input, transposed);
  if (failed(result))
    return failure();
  TorchMath math(op);
  if (!isNone(op, 2)) {
    FailureOr<Value> bias = requireTensor(op, 2);
    if (failed(bias))
      return failure();
    *result = math.node(
        "Add", {*result, math.to(*bias, getElementTypeOrSelf(*result))});
  }
  return math.to(*result, op.resultElementType());
}

NodeResults torch_ops::convertAddmm(OpImporter &op) {
  FailureOr<Value> bias = requireTensor(op, 0);
  FailureOr<Value> lhs = requireTensor(op, 1);
  FailureOr<Value> rhs = requireTensor(op, 2);
  if (failed(bias) || failed(lhs) || failed(rhs))
    return failure();
  FailureOr<Value> result = multiply(op, *lhs, *rhs);
  if (failed(result))
    return failure();
  TorchMath math(op);
  Type sum = getElementTypeOrSelf(*result);
  Value added = math.to(*bias, sum);
  // The scale of the bias, then that of the product.
  Value *scaled[] = {&added, &*result};
  for (size_t i : {0, 1}) {
    if (isNone(op, 3 + i))
      continue;
    FailureOr<Number> scale = requireNumber(op, 3 + i);
    if (failed(scale))
      return failure();
    if (scale->toDouble() != 1)
      *scaled[i] = math.node("Mul", {*scaled[i], math.makeNumber(sum, *scale)});
  }
  return math.to(math.node("Add", {*result, added}), op.resultElementType());
}

NodeResults torch_ops::convertScaledMatmul(OpImporter &op) {
  FailureOr<Value> lhs = requireTensor(op, 0);
  FailureOr<Value> rhs = requireTensor(op, 1);
  FailureOr<Value> lhsScale = requireRankedTensor(op, 2);
  FailureOr<Value> rhsScale = requireRankedTensor(op, 3);
  if (failed(lhs) || failed(rhs) || failed(lhsScale) || failed(rhsScale))
    return failure();
  if (!isNone(op, 5))
    return failOperand(op, 5, "no scale of the result");
  for (size_t index : {0, 1})
    if (!isFloat8(op.elementType(index)))
      return failOperand(op, index, "a tensor of float8 elements");
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  FailureOr<Value> result = multiply(op, *lhs, *rhs);
  if (failed(type) || failed(result))
    return failure();
  TorchMath math(op);
  // One scale for the tensor, for each row of `lhs`, or each column of `rhs`.
  for (size_t index : {2, 3}) {
    Value scale = op.inputs[index];
    RankedTensorType scaleType = op.getRanked(index);
    bool isOne = scaleType.hasStaticShape() && scaleType.getNumElements() == 1;
    bool isAlong = scaleType.getRank() == 2 && type->getRank() == 2 &&
                   scaleType.getDimSize(index == 2 ? 1 : 0) == 1 &&
                   scaleType.getDimSize(index == 2 ? 0 : 1) ==
                       type->getDimSize(index == 2 ? 0 : 1);
    if (!scaleType.getElementType().isF32() || (!isOne && !isAlong))
      return op.unsupported("scales of type " + showType(scaleType));
    if (isOne)
      scale = math.reshape(scale, {});
    *result = math.node("Mul", {*result, scale});
  }
  if (!isNone(op, 4)) {
    FailureOr<Value> bias = requireTensor(op, 4);
    if (failed(bias))
      return failure();
    *result = math.node("Add", {*result, math.to(*bias, op.b.getF32Type())});
  }
  return math.to(*result, op.resultElementType());
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

namespace {
struct ConvolutionAttributes {
  SmallVector<int64_t> outputPadding;
  /// The amounts at the begins and ends of all axes, if no operand has them.
  std::optional<SmallVector<int64_t>> pads;
  bool isTransposed = false;
  int64_t groups = 1;
};
} // namespace

/// Returns a list with one integer for each spatial axis.
static FailureOr<SmallVector<int64_t>>
requireSpatial(OpImporter &op, size_t index, size_t count, int64_t byDefault) {
  if (isNone(op, index))
    return SmallVector<int64_t>(count, byDefault);
  FailureOr<SmallVector<int64_t>> list = requireIntList(op, index);
  if (failed(list))
    return failure();
  if (list->size() == 1)
    list->assign(count, list->front());
  for (int64_t value : *list)
    if (value < byDefault || value > std::numeric_limits<int32_t>::max())
      return failOperand(op, index,
                         "integers from " + Twine(byDefault) + " to 2^31 - 1");
  if (list->size() != count)
    return failOperand(op, index, Twine(count) + " integers");
  return list;
}

static NodeResults convolve(OpImporter &op, size_t strides, size_t padding,
                            size_t dilations,
                            ConvolutionAttributes &attributes) {
  FailureOr<Value> input = requireRankedTensor(op, 0);
  FailureOr<Value> weight = requireRankedTensor(op, 1);
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(input) || failed(weight) || failed(type))
    return failure();
  int64_t rank = op.getRanked(0).getRank();
  if (rank < 3 || rank > 5 || op.getRanked(1).getRank() != rank ||
      type->getRank() != rank)
    return op.unsupported("expected tensors with a batch, channels and 1 to 3 "
                          "spatial axes, but got " +
                          showType(input->getType()) + " and " +
                          showType(weight->getType()));
  size_t count = rank - 2;
  auto strideList = requireSpatial(op, strides, count, 1);
  auto paddingList = attributes.pads
                         ? FailureOr<SmallVector<int64_t>>(*attributes.pads)
                         : requireSpatial(op, padding, count, 0);
  auto dilationList = requireSpatial(op, dilations, count, 1);
  if (failed(strideList) || failed(paddingList) || failed(dilationList))
    return failure();
  Type elementType = type->getElementType();
  for (size_t index : {0, 1})
    if (!isStandardFloat(op.elementType(index)) ||
        !isStandardFloat(elementType))
      return op.unsupported("elements of type " +
                            showType(op.elementType(index)));
  if (attributes.groups < 1)
    return op.unsupported("expected at least 1 group, but got " +
                          Twine(attributes.groups));

  TorchMath math(op);
  Type sum = math.getComputeType(elementType);
  SmallVector<Value> operands = {math.to(*input, sum), math.to(*weight, sum)};
  if (!isNone(op, 2)) {
    FailureOr<Value> bias = requireTensor(op, 2);
    if (failed(bias))
      return failure();
    operands.push_back(math.to(*bias, sum));
  }
  SmallVector<int64_t> pads(*paddingList);
  if (!attributes.pads)
    llvm::append_range(pads, *paddingList);
  SmallVector<NamedAttribute> named = {op.intsAttr("strides", *strideList),
                                       op.intsAttr("pads", pads),
                                       op.intsAttr("dilations", *dilationList),
                                       op.intAttr("group", attributes.groups)};
  if (attributes.isTransposed)
    named.push_back(op.intsAttr("output_padding", attributes.outputPadding));
  ArrayRef<int64_t> kernel = op.getRanked(1).getShape().drop_front(2);
  if (llvm::none_of(kernel, ShapedType::isDynamic))
    named.push_back(op.intsAttr("kernel_shape", kernel));
  Value result =
      op.buildNode(attributes.isTransposed ? "ConvTranspose" : "Conv", operands,
                   type->clone(sum), named);
  return math.to(result, elementType);
}

NodeResults torch_ops::convertConvolution(OpImporter &op) {
  ConvolutionAttributes attributes;
  FailureOr<Value> input = requireRankedTensor(op, 0);
  FailureOr<bool> isTransposed = requireBool(op, 6);
  FailureOr<int64_t> groups = requireIntOperand(op, 8);
  if (failed(input) || failed(isTransposed) || failed(groups))
    return failure();
  attributes.isTransposed = *isTransposed;
  attributes.groups = *groups;
  if (*isTransposed) {
    int64_t count = std::max<int64_t>(op.getRanked(0).getRank() - 2, 0);
    FailureOr<SmallVector<int64_t>> outputPadding =
        requireSpatial(op, 7, count, 0);
    if (failed(outputPadding))
      return failure();
    attributes.outputPadding = *outputPadding;
  }
  return convolve(op, 3, 4, 5, attributes);
}

/// Reads the number of groups, which is 1 by default.
static LogicalResult readGroups(OpImporter &op, size_t index,
                                ConvolutionAttributes &attributes) {
  FailureOr<int64_t> groups = getInt(op, index, 1);
  if (failed(groups))
    return failure();
  attributes.groups = *groups;
  return success();
}

NodeResults torch_ops::convertConv(OpImporter &op) {
  ConvolutionAttributes attributes;
  if (failed(readGroups(op, 6, attributes)))
    return failure();
  return convolve(op, 3, 4, 5, attributes);
}

NodeResults torch_ops::convertConvTranspose(OpImporter &op) {
  ConvolutionAttributes attributes;
  attributes.isTransposed = true;
  FailureOr<Value> input = requireRankedTensor(op, 0);
  if (failed(input) || failed(readGroups(op, 6, attributes)))
    return failure();
  int64_t count = std::max<int64_t>(op.getRanked(0).getRank() - 2, 0);
  FailureOr<SmallVector<int64_t>> outputPadding =
      requireSpatial(op, 5, count, 0);
  if (failed(outputPadding))
    return failure();
  attributes.outputPadding = *outputPadding;
  return convolve(op, 3, 4, 7, attributes);
}

NodeResults torch_ops::convertConvPadding(OpImporter &op) {
  ConvolutionAttributes attributes;
  std::string mode = "valid";
  if (!isNone(op, 4)) {
    FailureOr<std::string> given = requireString(op, 4);
    if (failed(given))
      return failure();
    mode = *given;
  }
  FailureOr<Value> weight = requireRankedTensor(op, 1);
  if (failed(weight) || failed(readGroups(op, 6, attributes)))
    return failure();
  if (mode != "valid" && mode != "same")
    return op.unsupported("operand 4: expected 'valid' or 'same', but got '" +
                          mode + "'");
  size_t count = std::max<int64_t>(op.getRanked(1).getRank() - 2, 0);
  SmallVector<int64_t> pads(2 * count);
  if (mode == "same") {
    auto strides = requireSpatial(op, 3, count, 1);
    auto dilations = requireSpatial(op, 5, count, 1);
    if (failed(strides) || failed(dilations))
      return failure();
    for (size_t axis : llvm::seq(count)) {
      int64_t size = op.getRanked(1).getDimSize(axis + 2);
      constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max();
      if ((*strides)[axis] != 1)
        return failOperand(op, 3, "strides of 1 with the padding 'same'");
      if (ShapedType::isDynamic(size) || size < 1 || size > kMaxSize)
        return failOperand(op, 1, "a kernel of known sizes");
      int64_t total = (*dilations)[axis] * (size - 1);
      pads[axis] = total / 2;
      pads[count + axis] = total - total / 2;
    }
  }
  attributes.pads = pads;
  return convolve(op, 3, 4, 5, attributes);
}

NodeResults torch_ops::convertEinsum(OpImporter &op) {
  FailureOr<std::string> equation = requireString(op, 0);
  FailureOr<SmallVector<Value>> values = requireList(op, 1);
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(equation) || failed(values) || failed(type))
    return failure();
  Type elementType = type->getElementType();
  if (!isStandardFloat(elementType) || values->empty())
    return op.unsupported("elements of type " + showType(elementType));
  TorchMath math(op);
  Type sum = math.getComputeType(elementType);
  for (Value &value : *values) {
    if (getElementTypeOrSelf(value) != elementType)
      return op.unsupported("elements of type " + showType(value.getType()));
    value = math.to(value, sum);
  }
  Value result = op.buildNode("Einsum", *values, type->clone(sum),
                              op.stringAttr("equation", *equation));
  return math.to(result, elementType);
}
