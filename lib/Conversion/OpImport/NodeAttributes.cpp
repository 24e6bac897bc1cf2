//===- NodeAttributes.cpp - Attributes of foreign ONNX ops ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Conversion/OpImport/NodeAttributes.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "quant-float/Conversion/OpImport/ImportConstant.h"
#include "quant-float/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;

std::optional<int64_t> quant_float::readInteger(Attribute attribute) {
  auto integer = dyn_cast_or_null<IntegerAttr>(attribute);
  if (!integer || integer.getValue().getSignificantBits() > 64)
    return std::nullopt;
  bool isUnsigned = integer.getType().isUnsignedInteger() ||
                    integer.getType().isSignlessInteger(1);
  return isUnsigned ? integer.getValue().getZExtValue()
                    : integer.getValue().getSExtValue();
}

/// Returns the number rounded to f32.
static std::optional<float> readSingle(Attribute attribute) {
  auto number = dyn_cast<FloatAttr>(attribute);
  if (!number)
    return std::nullopt;
  APFloat value = number.getValue();
  bool isInexact;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                &isInexact);
  return value.convertToFloat();
}

Attribute quant_float::importNodeAttribute(Attribute value) {
  Builder b(value.getContext());
  if (std::optional<int64_t> integer = readInteger(value))
    return b.getI64IntegerAttr(*integer);
  if (std::optional<float> number = readSingle(value))
    return b.getF32FloatAttr(*number);
  if (isa<StringAttr>(value))
    return value;
  if (auto type = dyn_cast<TypeAttr>(value)) {
    std::optional<int32_t> number = getOnnxDataType(type.getValue());
    return number ? b.getI64IntegerAttr(*number) : Attribute();
  }
  if (isa<ElementsAttr>(value))
    return importConstant(value);
  auto list = dyn_cast<ArrayAttr>(value);
  if (!list)
    return {};
  SmallVector<int64_t> integers;
  SmallVector<float> numbers;
  for (Attribute element : list) {
    if (std::optional<int64_t> integer = readInteger(element))
      integers.push_back(*integer);
    else if (std::optional<float> number = readSingle(element))
      numbers.push_back(*number);
    else if (!isa<StringAttr>(element))
      return {};
  }
  if (integers.size() == list.size())
    return b.getDenseI64ArrayAttr(integers);
  if (numbers.size() == list.size())
    return b.getDenseF32ArrayAttr(numbers);
  if (integers.empty() && numbers.empty())
    return value;
  return {};
}

TypedAttr quant_float::importConstantNode(Builder &b,
                                          ArrayRef<NamedAttribute> attributes) {
  if (attributes.size() != 1)
    return {};
  StringRef name = attributes.front().getName();
  Attribute value = attributes.front().getValue();
  if (name == "value")
    return dyn_cast<TypedAttr>(value);
  Type i64 = b.getI64Type(), f32 = b.getF32Type();
  auto makeType = [](ArrayRef<int64_t> shape, Type type) {
    return RankedTensorType::get(shape, type);
  };
  if (auto integer = dyn_cast<IntegerAttr>(value);
      integer && name == "value_int")
    return DenseElementsAttr::get(makeType({}, i64), integer.getValue());
  if (auto number = dyn_cast<FloatAttr>(value); number && name == "value_float")
    return DenseElementsAttr::get(makeType({}, f32), number.getValue());
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(value);
      integers && name == "value_ints")
    return DenseElementsAttr::get(makeType(integers.size(), i64),
                                  integers.asArrayRef());
  if (auto numbers = dyn_cast<DenseF32ArrayAttr>(value);
      numbers && name == "value_floats")
    return DenseElementsAttr::get(makeType(numbers.size(), f32),
                                  numbers.asArrayRef());
  return {};
}
