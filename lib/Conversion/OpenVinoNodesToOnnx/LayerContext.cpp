//===- LayerContext.cpp - An OpenVINO layer on its way to ONNX ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/OpenVinoConvert.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

/// One value repeated more often takes memory to no end.
static constexpr int64_t kMostRepeated = int64_t(1) << 20;

std::string openvino_layers::show(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << "'" << type << "'";
  return text;
}

LayerContext::LayerContext(NodeOp node, ImplicitLocOpBuilder &b)
    : NodeAttributes(node), b(b), inputs(node.getInputs()) {}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Type LayerContext::elementType(size_t index) const {
  return getElementTypeOrSelf(inputs[index]);
}

std::optional<int64_t> LayerContext::getRank(size_t index) const {
  if (auto type = dyn_cast<RankedTensorType>(inputs[index].getType()))
    return type.getRank();
  return std::nullopt;
}

std::optional<SmallVector<int64_t>>
LayerContext::getConstantInts(size_t index) const {
  DenseIntElementsAttr elements;
  auto type = dyn_cast<IntegerType>(elementType(index));
  if (!type || !matchPattern(inputs[index], m_Constant(&elements)))
    return std::nullopt;
  // A splat of many elements is no list that anything reads.
  std::optional<int64_t> count = countElements(elements.getType().getShape());
  if (elements.isSplat() && (!count || *count > kMostRepeated))
    return std::nullopt;
  return llvm::map_to_vector(
      elements.getValues<APInt>(), [&](const APInt &value) -> int64_t {
        return type.isUnsigned() ? value.getZExtValue() : value.getSExtValue();
      });
}

FailureOr<SmallVector<int64_t>>
LayerContext::requireConstantInts(size_t index) {
  std::optional<SmallVector<int64_t>> values = getConstantInts(index);
  if (!values)
    return unsupported("input " + Twine(index) + " must be a constant");
  return *values;
}

FailureOr<int64_t> LayerContext::requireConstantInt(size_t index) {
  std::optional<SmallVector<int64_t>> values = getConstantInts(index);
  if (!values || values->size() != 1)
    return unsupported("input " + Twine(index) +
                       " must be a constant of one element");
  return values->front();
}

FailureOr<int64_t> LayerContext::requireRank(size_t index) {
  if (std::optional<int64_t> rank = getRank(index))
    return *rank;
  return unsupported("input " + Twine(index) + " has the type " +
                     show(inputs[index].getType()) +
                     ", whose rank is not known");
}

FailureOr<Type> LayerContext::getIntegerType(StringRef attribute,
                                             Type byDefault) {
  Type type = has(attribute) ? getType(attribute) : byDefault;
  if (isa_and_nonnull<IntegerType>(type))
    return type;
  return unsupported(
      "attribute '" + attribute + "' must be a type of integers, but got " +
      (type ? show(type) : "'" + getString(attribute).str() + "'"));
}

FailureOr<Value> LayerContext::getAsInt64(size_t index) {
  Type type = elementType(index), wide = b.getI64Type();
  if (!isa<IntegerType>(type) || type.isInteger(1))
    return unsupported("input " + Twine(index) +
                       " must have integers, but got elements of type " +
                       show(type));
  if (type == wide)
    return inputs[index];
  // Constants stay such.
  auto ranked = dyn_cast<RankedTensorType>(inputs[index].getType());
  std::optional<SmallVector<int64_t>> values = getConstantInts(index);
  if (!ranked || !values)
    return cast(inputs[index], wide);
  return makeConstant(
      DenseElementsAttr::get(ranked.clone(wide), ArrayRef(*values)));
}

LogicalResult LayerContext::requireRange(StringRef what,
                                         ArrayRef<int64_t> values,
                                         int64_t least) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  for (int64_t value : values)
    if (value < least || value > kMost)
      return unsupported(what + " must be " + Twine(least) + " to " +
                         Twine(kMost) + ", but got " + Twine(value));
  return success();
}

LogicalResult LayerContext::requireSameType() {
  for (size_t i = 1; i < inputs.size(); ++i)
    if (elementType(i) != elementType(0))
      return unsupported("inputs must have elements of one type, but got " +
                         show(elementType(0)) + " and " + show(elementType(i)));
  return success();
}

LogicalResult LayerContext::requireNumbers() {
  Type type = elementType(0);
  bool isInteger = isa<IntegerType>(type) && type.getIntOrFloatBitWidth() >= 8;
  if (isInteger || isStandardFloat(type))
    return success();
  return unsupported("elements of type " + show(type));
}

//===----------------------------------------------------------------------===//
// What takes the layer's place
//===----------------------------------------------------------------------===//

ValueRange LayerContext::buildNodes(StringRef opType, ArrayRef<Value> operands,
                                    TypeRange elementTypes,
                                    ArrayRef<NamedAttribute> attributes) {
  SmallVector<Value> present;
  SmallVector<int64_t> absent;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    if (operand)
      present.push_back(operand);
    else
      absent.push_back(index);
  }
  SmallVector<Type> types = llvm::map_to_vector(elementTypes, [](Type type) {
    return Type(UnrankedTensorType::get(type));
  });
  return NodeOp::create(b, types, opType, present, /*domain=*/"", kOnnxOpset,
                        node.getNodeNameAttr(), b.getDictionaryAttr(attributes),
                        absent, b.getStrArrayAttr({}), /*bodiesCount=*/0)
      ->getResults();
}

Value LayerContext::buildNode(StringRef opType, ValueRange operands,
                              Type elementType,
                              ArrayRef<NamedAttribute> attributes) {
  return buildNodes(opType, llvm::to_vector(operands), elementType,
                    attributes)[0];
}

Value LayerContext::apply(StringRef opType, ValueRange operands,
                          ArrayRef<NamedAttribute> attributes) {
  return buildNode(opType, operands,
                   getElementTypeOrSelf(operands.front().getType()),
                   attributes);
}

Value LayerContext::compare(StringRef opType, ValueRange operands) {
  return buildNode(opType, operands, b.getI1Type());
}

Value LayerContext::cast(Value input, Type elementType) {
  if (getElementTypeOrSelf(input) == elementType)
    return input;
  return createOnnxCast(b, b.getLoc(), input, elementType);
}

Value LayerContext::makeConstant(ElementsAttr elements) {
  // arith has no unsigned integers.
  if (elements.getElementType().isUnsignedInteger())
    return ConstantOp::create(b, elements);
  return arith::ConstantOp::create(b, elements);
}

Value LayerContext::makeNumber(Type elementType, double value) {
  auto type = RankedTensorType::get({}, elementType);
  if (auto floatType = dyn_cast<FloatType>(elementType))
    return makeConstant(
        DenseElementsAttr::get(type, FloatAttr::get(floatType, value)));
  // To the nearest number that the type has.
  APSInt integer(elementType.getIntOrFloatBitWidth(),
                 elementType.isUnsignedInteger());
  bool isExact = false;
  APFloat(value).convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  return makeConstant(DenseElementsAttr::get(type, integer));
}

Value LayerContext::makeInts(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get(values.size(), b.getI64Type());
  return makeConstant(DenseElementsAttr::get(type, values));
}

Value LayerContext::getSize(size_t index, int64_t axis) {
  auto type = dyn_cast<RankedTensorType>(inputs[index].getType());
  if (type && !type.isDynamicDim(axis))
    return makeInts(type.getDimSize(axis));
  Value shape = buildNode("Shape", inputs[index], b.getI64Type());
  return apply("Gather", {shape, makeInts(axis)}, intAttr("axis", 0));
}

Value LayerContext::concatenate(ArrayRef<Value> values) {
  return apply("Concat", values, intAttr("axis", 0));
}

Value LayerContext::widen(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  bool isHalf = isa<Float16Type, BFloat16Type>(type);
  return isHalf ? cast(value, b.getF32Type()) : value;
}

Value LayerContext::reshape(Value value, ArrayRef<int64_t> shape) {
  return apply("Reshape", {value, makeInts(shape)}, intAttr("allowzero", 0));
}

Value LayerContext::unsqueeze(Value value, ArrayRef<int64_t> axes) {
  return axes.empty() ? value : apply("Unsqueeze", {value, makeInts(axes)});
}

Value LayerContext::transpose(Value value, ArrayRef<int64_t> order) {
  return apply("Transpose", value, intsAttr("perm", order));
}

LogicalResult LayerContext::unsupported(const Twine &why) {
  if (problem.empty())
    problem = why.str();
  return failure();
}
