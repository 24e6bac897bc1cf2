//===- ElementBits.cpp - Constants as bit patterns ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementBits.h"

#include "Shapes.h"
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
  // A size of 0 makes the count 0 even if the other sizes are dynamic or their
  // product overflows.
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
  // Do not create an attribute per element: the context never frees them.
  auto number = dyn_cast<FloatType>(elementType);
  if (!number)
    return cast<TypedAttr>(DenseElementsAttr::get(shaped, bits));
  SmallVector<APFloat> values =
      llvm::map_to_vector(bits, [&](const APInt &element) {
        return APFloat(number.getFloatSemantics(), element);
      });
  return cast<TypedAttr>(DenseElementsAttr::get(shaped, values));
}

Attribute quant_float::foldWithParameters(
    Operation *op, ArrayRef<Attribute> operands,
    const reference::Granularity &granularity, int64_t limit,
    llvm::function_ref<APInt(const FoldedElement &)> fold, bool hasRandomBits) {
  Type type = op->getResult(0).getType();
  auto shaped = dyn_cast<ShapedType>(type);
  if (shaped && !shaped.hasStaticShape())
    return {};
  SmallVector<SmallVector<APInt>, 4> bits;
  for (auto [operand, value] : llvm::zip_equal(operands, op->getOperands())) {
    auto typed = dyn_cast_or_null<TypedAttr>(operand);
    if (!typed ||
        isa<ShapedType>(typed.getType()) != isa<ShapedType>(value.getType()))
      return {};
    std::optional<SmallVector<APInt>> found = getElementBits(operand);
    if (!found)
      return {};
    bits.push_back(std::move(*found));
  }
  ArrayRef<APInt> inputs = bits[0], scales = bits[1], others, randoms;
  if (hasRandomBits)
    randoms = bits.back();
  if (bits.size() > (hasRandomBits ? 3 : 2))
    others = bits[2];

  auto foldOne = [&](uint64_t input, uint64_t parameter) {
    auto getElement = [](ArrayRef<APInt> bits,
                         uint64_t index) -> const APInt & {
      return bits.size() == 1 ? bits.front() : bits[index];
    };
    FoldedElement element{
        getElement(inputs, input), getElement(scales, parameter), {}, {}};
    if (!others.empty())
      element.other = getElement(others, parameter);
    if (!randoms.empty())
      element.random = getElement(randoms, input);
    return fold(element);
  };
  bool isSplat = inputs.size() == 1 && scales.size() == 1 &&
                 others.size() <= 1 && randoms.size() <= 1;
  if (!shaped || isSplat)
    return getConstantOfBits(type, foldOne(0, 0));
  // A scalable constant must be a splat. The type of the attribute may have
  // more static sizes than that of the value.
  SmallVector<int64_t> sizes = *getSizes(type);
  SmallVector<int64_t> scaleSizes =
      *getSizes(cast<TypedAttr>(operands[1]).getType());
  std::optional<int64_t> count = countFolded(sizes, limit);
  if (!count || llvm::any_of(sizes, reference::isScalable) ||
      !granularity.fits(scaleSizes, sizes) ||
      (inputs.size() > 1 && int64_t(inputs.size()) != *count) ||
      (randoms.size() > 1 && int64_t(randoms.size()) != *count) ||
      (others.size() > 1 && others.size() != scales.size()))
    return {};
  reference::ParameterElements elements(granularity, scaleSizes, sizes);
  SmallVector<APInt> folded;
  for (int64_t i = 0; i < *count; ++i)
    folded.push_back(foldOne(i, elements[i]));
  return getConstantOfBits(type, folded);
}
