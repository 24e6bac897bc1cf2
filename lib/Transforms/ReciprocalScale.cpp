//===- ReciprocalScale.cpp - Reciprocals of scales ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReciprocalScale.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/Support/LlvmCompat.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the elements of a constant, or a single one for a splat. Nullopt if
/// the value is not a constant or its data is not available.
static std::optional<SmallVector<APFloat>> getElements(Value value) {
  Attribute constant;
  if (!matchPattern(value, m_Constant(&constant)))
    return std::nullopt;
  if (auto scalar = dyn_cast<FloatAttr>(constant))
    return SmallVector<APFloat>{scalar.getValue()};
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    if (!blob || !isValidRawBuffer(resource.getType(), blob->getData()))
      return std::nullopt;
    constant = DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                                   blob->getData());
  }
  auto elements = dyn_cast<DenseElementsAttr>(constant);
  if (!elements || !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  if (elements.isSplat())
    return SmallVector<APFloat>{elements.getSplatValue<APFloat>()};
  return llvm::to_vector(elements.getValues<APFloat>());
}

static bool isNormalOf(const llvm::fltSemantics &semantics, APFloat value) {
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return !losesInfo && value.isNormal();
}

ReciprocalScale quant_float::findReciprocals(Value scale, FloatType type) {
  ReciprocalScale result;
  std::optional<SmallVector<APFloat>> elements = getElements(scale);
  if (!elements) {
    result.error = "the scale is not a constant";
    return result;
  }
  for (auto [index, element] : llvm::enumerate(*elements)) {
    // f64 represents every scale and the reciprocal of every power of two.
    bool losesInfo;
    APFloat value = element, reciprocal(0.0);
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    bool isExact = value.getExactInverse(&reciprocal);
    if (!isExact || !isNormalOf(type.getFloatSemantics(), reciprocal)) {
      llvm::raw_string_ostream os(result.error);
      os << "the reciprocal of element " << index << " of the scale, ";
      SmallString<32> printed;
      element.toString(printed);
      os << printed << ", is not "
         << (isExact ? "a normal number of " : "exact in ") << type;
      result.values.clear();
      return result;
    }
    reciprocal.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                       &losesInfo);
    result.values.push_back(reciprocal);
  }
  return result;
}

Value quant_float::createConstant(OpBuilder &builder, Location loc,
                                  const ReciprocalScale &scale, FloatType type,
                                  ArrayRef<int64_t> sizes, bool isTensor) {
  if (!isTensor && sizes.empty())
    return arith::ConstantOp::create(
        builder, loc, FloatAttr::get(type, scale.values.front()));
  ShapedType shaped = isTensor ? ShapedType(RankedTensorType::get(sizes, type))
                               : ShapedType(VectorType::get(sizes, type));
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(shaped, scale.values));
}
