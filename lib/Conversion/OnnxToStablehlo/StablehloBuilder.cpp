//===- StablehloBuilder.cpp - Creation of StableHLO ops -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StablehloBuilder.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Traits.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mlir::quant_float::onnx_forms;
using llvm::APFloat;

Operation *StablehloBuilder::create(StringRef name, TypeRange types,
                                    ValueRange operands,
                                    ArrayRef<NamedAttribute> attributes,
                                    unsigned regions) {
  OperationState state(b.getLoc(), ("stablehlo." + name).str());
  state.addTypes(types);
  state.addOperands(operands);
  // Inherent attributes, as StableHLO prints them.
  if (!attributes.empty())
    state.propertiesAttr = b.getDictionaryAttr(attributes);
  for (unsigned i = 0; i < regions; ++i)
    state.addRegion();
  return b.create(state);
}

NamedAttribute StablehloBuilder::attribute(StringRef name, const Twine &text) {
  Attribute value = parseAttribute(text.str(), b.getContext());
  assert(value && "expected an attribute");
  return b.getNamedAttr(name, value);
}

Value StablehloBuilder::elementwise(StringRef name, ArrayRef<Value> operands,
                                    Type elementType) {
  SmallVector<int64_t> shape;
  for (Value operand : operands)
    if (SmallVector<int64_t> joined; OpTrait::util::getBroadcastedShape(
            shape, typeOf(operand).getShape(), joined))
      shape = joined;
    else
      return {};
  SmallVector<Value> broadcast;
  for (Value operand : operands)
    broadcast.push_back(broadcastTo(operand, shape));
  if (!elementType)
    elementType = elementOf(operands.back());
  return create(name, RankedTensorType::get(shape, elementType), broadcast)
      ->getResult(0);
}

Value StablehloBuilder::compare(StringRef direction, Value lhs, Value rhs,
                                bool isTotal) {
  SmallVector<int64_t> shape;
  if (!OpTrait::util::getBroadcastedShape(typeOf(lhs).getShape(),
                                          typeOf(rhs).getShape(), shape))
    return {};
  Type type = elementOf(lhs);
  bool isUnsigned = type.isUnsignedInteger() || type.isInteger(1);
  StringRef kind = isTotal                ? "TOTALORDER"
                   : isa<FloatType>(type) ? "FLOAT"
                   : isUnsigned           ? "UNSIGNED"
                                          : "SIGNED";
  return create(
             "compare", RankedTensorType::get(shape, b.getI1Type()),
             {broadcastTo(lhs, shape), broadcastTo(rhs, shape)},
             {attribute("comparison_direction",
                        "#stablehlo<comparison_direction " + direction + ">"),
              attribute("compare_type",
                        "#stablehlo<comparison_type " + kind + ">")})
      ->getResult(0);
}

Value StablehloBuilder::convert(Value value, Type elementType) {
  if (elementOf(value) == elementType)
    return value;
  return create("convert", typeOf(value).clone(elementType), value)
      ->getResult(0);
}

Value StablehloBuilder::bitcast(Value value, Type elementType) {
  if (elementOf(value) == elementType)
    return value;
  return create("bitcast_convert", typeOf(value).clone(elementType), value)
      ->getResult(0);
}

Value StablehloBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  if (typeOf(value).getShape() == shape)
    return value;
  return create("reshape", typeOf(value).clone(shape), value)->getResult(0);
}

Value StablehloBuilder::broadcastTo(Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = typeOf(value);
  if (type.getShape() == shape)
    return value;
  // Axes of size 1 stay axes of size 1: broadcast_in_dim repeats them.
  int64_t added = shape.size() - type.getRank();
  return create("broadcast_in_dim", type.clone(shape), value,
                ints("broadcast_dimensions",
                     llvm::to_vector(llvm::seq(added, added + type.getRank()))))
      ->getResult(0);
}

Value StablehloBuilder::divide(Value dividend, Value divisor) {
  SmallVector<int64_t> shape;
  if (!OpTrait::util::getBroadcastedShape(typeOf(dividend).getShape(),
                                          typeOf(divisor).getShape(), shape))
    return {};
  Operation *constant = divisor.getDefiningOp();
  bool isConstant =
      constant && constant->getName().getStringRef() == "stablehlo.constant";
  if (isa<FloatType>(elementOf(divisor)) &&
      (isConstant || typeOf(divisor).getShape() != ArrayRef(shape))) {
    divisor = broadcastTo(divisor, shape);
    divisor = create("optimization_barrier", divisor.getType(), divisor)
                  ->getResult(0);
  }
  return elementwise("divide", {dividend, divisor});
}

Value StablehloBuilder::constant(ElementsAttr value) {
  return create("constant", value.getShapedType(), {},
                b.getNamedAttr("value", value))
      ->getResult(0);
}

Value StablehloBuilder::number(Type elementType, const APFloat &value) {
  APFloat rounded = value;
  bool isInexact;
  rounded.convert(cast<FloatType>(elementType).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &isInexact);
  return constant(
      DenseElementsAttr::get(RankedTensorType::get({}, elementType), rounded));
}

Value StablehloBuilder::integer(Type elementType, int64_t value) {
  APInt bits(elementType.getIntOrFloatBitWidth(), value, /*isSigned=*/true,
             /*implicitTrunc=*/true);
  return constant(
      DenseElementsAttr::get(RankedTensorType::get({}, elementType), bits));
}
