//===- FormContext.cpp - Conversion of an ONNX node -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormContext.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/OpsetRules.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_forms;

FormContext::FormContext(NodeOp node, ImplicitLocOpBuilder &b)
    : NodeRewriter(node, b, kLayerOpset) {
  auto operand = node.getInputs().begin();
  size_t count = node.getInputs().size() + node.getAbsentInputs().size();
  for (size_t i = 0; i != count; ++i)
    inputs.push_back(
        llvm::is_contained(node.getAbsentInputs(), i) ? Value() : *operand++);
  // Trailing absent inputs are equivalent to inputs that are not specified.
  while (!inputs.empty() && !inputs.back())
    inputs.pop_back();
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Type FormContext::resultType(size_t index) const {
  Type type = NodeOp(node)->getResult(index).getType();
  return isa<TensorType>(type) ? getElementTypeOrSelf(type) : elementType(0);
}

std::optional<double> FormContext::getConstantNumber(size_t index) const {
  DenseFPElementsAttr elements;
  if (!matchPattern(inputs[index], m_Constant(&elements)) ||
      elements.getNumElements() != 1)
    return std::nullopt;
  return FloatAttr::getValueAsDouble(*elements.value_begin<APFloat>());
}

FailureOr<int64_t> FormContext::requireAxis(StringRef name) {
  FailureOr<int64_t> rank = requireRank(0);
  if (failed(rank))
    return failure();
  int64_t axis = getInt(name);
  if (axis < -*rank || axis >= *rank)
    return unsupported(name + " " + Twine(axis) + " of rank " + Twine(*rank));
  return axis + (axis < 0 ? *rank : 0);
}

//===----------------------------------------------------------------------===//
// Construction of layers
//===----------------------------------------------------------------------===//

ValueRange FormContext::addLayers(StringRef type, ValueRange operands,
                                  TypeRange elementTypes,
                                  ArrayRef<NamedAttribute> attributes,
                                  int64_t opset) {
  SmallVector<Type> types = llvm::map_to_vector(elementTypes, [](Type type) {
    return Type(UnrankedTensorType::get(type));
  });
  return NodeOp::create(b, types, type, operands, kOpenVinoDomain, opset,
                        StringAttr(), b.getDictionaryAttr(attributes),
                        ArrayRef<int64_t>(), b.getStrArrayAttr({}),
                        /*bodiesCount=*/0)
      ->getResults();
}

Value FormContext::apply(StringRef type, ValueRange operands,
                         ArrayRef<NamedAttribute> attributes, int64_t opset) {
  return addLayer(type, operands,
                  getElementTypeOrSelf(operands.front().getType()), attributes,
                  opset);
}

Value FormContext::broadcast(StringRef type, ValueRange operands) {
  return apply(type, operands, stringAttr("auto_broadcast", "numpy"));
}

Value FormContext::compare(StringRef type, ValueRange operands) {
  return addLayer(type, operands, b.getI1Type(),
                  stringAttr("auto_broadcast", "numpy"));
}

Value FormContext::convert(Value value, Type elementType) {
  if (getElementTypeOrSelf(value) == elementType)
    return value;
  return addLayer("Convert", value, elementType,
                  typeAttr("destination_type", elementType));
}

Value FormContext::reshape(Value value, ArrayRef<int64_t> shape) {
  return apply("Reshape", {value, makeInts(shape)},
               flagAttr("special_zero", false));
}

Value FormContext::makeScalar(size_t index) {
  return getRank(index) == 0 ? inputs[index] : reshape(inputs[index], {});
}

Value FormContext::getShape(size_t index) {
  return addLayer("ShapeOf", inputs[index], b.getI64Type(),
                  typeAttr("output_type", b.getI64Type()));
}

Value FormContext::getSize(size_t index, int64_t axis) {
  return apply("Gather", {getShape(index), makeInt(axis), makeInt(0)},
               intAttr("batch_dims", 0));
}

Value FormContext::countFromFront(Value positions, Value size) {
  Type type = getElementTypeOrSelf(positions);
  Value isNegative = compare("Less", {positions, makeNumber(type, 0)});
  Value moved = broadcast("Add", {positions, convert(size, type)});
  return addLayer("Select", {isNegative, moved, positions}, type,
                  stringAttr("auto_broadcast", "numpy"));
}
