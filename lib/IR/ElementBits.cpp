//===- ElementBits.cpp - Constants as bit patterns ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementBits.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/BufferSize.h"

using namespace mlir;
using namespace mlir::quant_float;

std::optional<SmallVector<APInt>>
quant_float::getElementBits(Attribute attribute) {
  SmallVector<APInt> bits;
  if (auto integer = dyn_cast_or_null<IntegerAttr>(attribute)) {
    bits.push_back(integer.getValue());
    return bits;
  }
  if (auto number = dyn_cast_or_null<FloatAttr>(attribute)) {
    bits.push_back(number.getValue().bitcastToAPInt());
    return bits;
  }
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!elements ||
      (!elements.isSplat() && elements.getNumElements() > kFoldLimit))
    return std::nullopt;
  if (isa<FloatType>(elements.getElementType())) {
    if (elements.isSplat())
      bits.push_back(elements.getSplatValue<APFloat>().bitcastToAPInt());
    else
      for (const APFloat &value : elements.getValues<APFloat>())
        bits.push_back(value.bitcastToAPInt());
    return bits;
  }
  if (isa<IntegerType>(elements.getElementType())) {
    if (elements.isSplat())
      bits.push_back(elements.getSplatValue<APInt>());
    else
      llvm::append_range(bits, elements.getValues<APInt>());
    return bits;
  }
  return std::nullopt;
}

std::optional<int64_t> quant_float::countFolded(ArrayRef<int64_t> shape,
                                                int64_t limit) {
  // What is behind or in front of a 0 may be any size.
  if (llvm::is_contained(shape, 0))
    return 0;
  std::optional<int64_t> count = countElements(shape);
  return count && *count <= limit ? count : std::nullopt;
}

static TypedAttr getScalarOfBits(Type type, const APInt &bits) {
  if (auto number = dyn_cast<FloatType>(type))
    return FloatAttr::get(type, APFloat(number.getFloatSemantics(), bits));
  return IntegerAttr::get(type, bits);
}

TypedAttr quant_float::getConstantOfBits(Type type, ArrayRef<APInt> bits) {
  Type elementType = getElementTypeOrSelf(type);
  if (!elementType.isIntOrFloat())
    return {};
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return bits.size() == 1 ? getScalarOfBits(type, bits.front()) : TypedAttr();
  if (!shaped.hasStaticShape())
    return {};
  SmallVector<Attribute> values;
  for (const APInt &element : bits)
    values.push_back(getScalarOfBits(elementType, element));
  return cast<TypedAttr>(DenseElementsAttr::get(shaped, values));
}
