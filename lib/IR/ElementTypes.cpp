//===- ElementTypes.cpp - ONNX element types as MLIR types ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/IR/ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/IR/QuantFloatTypes.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/ElementTypes.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Support/LlvmCompat.h"

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
  // If the dialect is not loaded in the context, its types do not exist and
  // must not be compared with.
#define QUANT_FLOAT_ELEMENT(Kind, Number, Onnx, Mlir, Getter, ...)             \
  if (isa<decltype(Getter)>(elementType) && elementType == Getter)             \
    return ElementKind::Kind;
#include "quant-float/Support/ElementTypes.def"
  return std::nullopt;
}

std::optional<int32_t> quant_float::getDataType(Type elementType) {
  if (auto binary = dyn_cast<BinaryType>(elementType)) {
    auto [width, precision, isSigned, isExtended] = binary.getParameters();
    return getBinaryNumber(width, precision, isSigned, isExtended);
  }
  if (std::optional<ElementKind> kind = getElementKind(elementType))
    return static_cast<int32_t>(*kind);
  return std::nullopt;
}

std::optional<int32_t> quant_float::getOnnxDataType(Type elementType) {
  std::optional<int32_t> number = getDataType(elementType);
  return number && *number < kFirstOwnNumber ? number : std::nullopt;
}

Type quant_float::getTypeFromDataType(MLIRContext *context, int32_t dataType) {
  // The dialect's types exist only if the dialect is loaded.
  const ElementInfo *element = findElement(dataType);
  if (element && element->mlir[0] == '!' &&
      !context->getLoadedDialect<QuantFloatDialect>())
    return {};
  if (element && (dataType & kBinaryFlag)) {
    // "!quant_float.binary8p4se"
    StringRef name = StringRef(element->mlir).rsplit('.').second;
    return BinaryType::get(context, *parseBinaryName(name));
  }
  switch (dataType) {
#define QUANT_FLOAT_ELEMENT(Kind, Number, Onnx, Mlir, Getter, ...)             \
  case Number:                                                                 \
    return Getter;
#include "quant-float/Support/ElementTypes.def"
  default:
    return {};
  }
}

Type quant_float::getTypeFromOnnxDataType(MLIRContext *context,
                                          int32_t dataType) {
  return dataType < kFirstOwnNumber ? getTypeFromDataType(context, dataType)
                                    : Type();
}

StringRef quant_float::getOnnxTypeName(Type elementType) {
  std::optional<int32_t> number = getDataType(elementType);
  return number ? findElement(*number)->onnx : "";
}

Type quant_float::getDialectFloatType(Type builtinType) {
  MLIRContext *context = builtinType.getContext();
  Type newer = getFloat8E5M3FNUType(context);
  return newer && builtinType == newer ? Float8UE5M3Type::get(context) : Type();
}

Type quant_float::getBuiltinFloatType(Type dialectType) {
  return isa<Float8UE5M3Type>(dialectType)
             ? getFloat8E5M3FNUType(dialectType.getContext())
             : Type();
}

Type quant_float::getStorageElementType(Type elementType) {
  // A string is stored as its address.
  if (isa<StringType>(elementType))
    return IntegerType::get(elementType.getContext(), 64);
  unsigned width = isNumber(elementType) ? getNumberWidth(elementType) : 64;
  bool isOwnFloat = isFloat(elementType) && !isa<FloatType>(elementType);
  // LLVM's legalization scalarizes casts of bf16 vectors on x86.
  if (elementType.isUnsignedInteger() || width < 8 || isOwnFloat ||
      elementType.isBF16())
    return IntegerType::get(elementType.getContext(), std::max(width, 8u));
  return elementType;
}

Type quant_float::getPackedElementType(Type elementType) {
  if (!elementType.isIntOrFloat() ||
      !isPackable(elementType.getIntOrFloatBitWidth()))
    return {};
  return IntegerType::get(elementType.getContext(),
                          elementType.getIntOrFloatBitWidth());
}

bool quant_float::isPackedElementType(Type type) {
  return type.isSignlessInteger() && isPackable(type.getIntOrFloatBitWidth());
}

bool quant_float::isPacked(DenseResourceElementsAttr elements) {
  Type elementType = elements.getElementType();
  AsmResourceBlob *blob = elements.getRawHandle().getBlob();
  if (!blob || !getPackedElementType(elementType))
    return false;
  std::optional<int64_t> count =
      countElements(elements.getShapedType().getShape());
  size_t bytes = blob->getData().size();
  return count && bytes < static_cast<uint64_t>(*count) &&
         bytes == getPackedBytes(elementType.getIntOrFloatBitWidth(), *count);
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
