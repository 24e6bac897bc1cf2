//===- ElementTypes.cpp - ONNX element types as MLIR types ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/QuantFloatTypes.h"
#include "quant-float/Support/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr auto Signless = IntegerType::Signless;
static constexpr auto Unsigned = IntegerType::Unsigned;

static Type getInteger(MLIRContext *context, unsigned width,
                       IntegerType::SignednessSemantics signedness) {
  return IntegerType::get(context, width, signedness);
}

std::optional<ElementKind> quant_float::getElementKind(Type elementType) {
  MLIRContext *context = elementType.getContext();
  // A context that has not loaded the dialect has no strings to compare with.
#define QUANT_FLOAT_ELEMENT(Kind, Number, Onnx, Mlir, Getter, Class, ...)      \
  if (ElementClass::Class == ElementClass::String                              \
          ? isa<StringType>(elementType)                                       \
          : elementType == Getter)                                             \
    return ElementKind::Kind;
#include "quant-float/Support/ElementTypes.def"
  return std::nullopt;
}

std::optional<int32_t> quant_float::getOnnxDataType(Type elementType) {
  if (std::optional<ElementKind> kind = getElementKind(elementType))
    return static_cast<int32_t>(*kind);
  return std::nullopt;
}

Type quant_float::getTypeFromOnnxDataType(MLIRContext *context,
                                          int32_t dataType) {
  switch (dataType) {
#define QUANT_FLOAT_ELEMENT(Kind, Number, Onnx, Mlir, Getter, ...)             \
  case Number:                                                                 \
    return Getter;
#include "quant-float/Support/ElementTypes.def"
  default:
    return {};
  }
}

StringRef quant_float::getOnnxTypeName(Type elementType) {
  std::optional<int32_t> number = getOnnxDataType(elementType);
  return number ? findElement(*number)->onnx : "";
}

Type quant_float::getStorageElementType(Type elementType) {
  unsigned width =
      elementType.isIntOrFloat() ? elementType.getIntOrFloatBitWidth() : 64;
  // LLVM moves bf16 casts to where x86 takes vectors of them apart.
  if (elementType.isUnsignedInteger() || width < 8 || elementType.isBF16())
    return IntegerType::get(elementType.getContext(), std::max(width, 8u));
  return elementType;
}

Type quant_float::withElementType(Type type, Type elementType) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(elementType);
  return elementType;
}

bool quant_float::areCompatible(Type a, Type b) {
  if (a == b || isa<UnknownType>(a) || isa<UnknownType>(b))
    return true;
  auto aTensor = dyn_cast<TensorType>(a), bTensor = dyn_cast<TensorType>(b);
  return aTensor && bTensor &&
         aTensor.getElementType() == bTensor.getElementType() &&
         succeeded(verifyCompatibleShape(a, b));
}

Type quant_float::getStorageType(Type type) {
  return withElementType(type,
                         getStorageElementType(getElementTypeOrSelf(type)));
}
