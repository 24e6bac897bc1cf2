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

/// The ops that layers become mean the same from here on.
static constexpr int64_t kOnnxOpset = 21;

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

Value LayerContext::build(StringRef opType, StringRef domain, int64_t opset,
                          ValueRange operands, Type elementType,
                          ArrayRef<NamedAttribute> attributes) {
  auto result = NodeOp::create(
      b, TypeRange(UnrankedTensorType::get(elementType)),
      b.getStringAttr(opType), operands, b.getStringAttr(domain),
      b.getI64IntegerAttr(opset), node.getNodeNameAttr(),
      b.getDictionaryAttr(attributes), b.getDenseI64ArrayAttr({}),
      b.getStrArrayAttr({}), /*bodiesCount=*/0);
  return result.getResult(0);
}

Value LayerContext::buildNode(StringRef opType, ValueRange operands,
                              Type elementType,
                              ArrayRef<NamedAttribute> attributes) {
  return build(opType, /*domain=*/"", kOnnxOpset, operands, elementType,
               attributes);
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

LogicalResult LayerContext::unsupported(const Twine &why) {
  if (problem.empty())
    problem = why.str();
  return failure();
}
