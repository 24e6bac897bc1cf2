//===- Dialect.cpp - The dialect for MLIR's C API -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float-c/Dialect.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/IR/Diagnostics.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatAttributes.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/IR/QuantFloatTypes.h"
#include "quant-float/InitAll.h"

using namespace mlir;
using namespace mlir::quant_float;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(QuantFloat, quant_float,
                                      mlir::quant_float::QuantFloatDialect)

void quantFloatRegisterAllDialects(MlirDialectRegistry registry) {
  if (registry.ptr)
    registerAllDialects(*unwrap(registry));
}

/// Returns the context after loading the dialect, which its types and
/// attributes require. Returns null for a null context.
static MLIRContext *load(MlirContext context) {
  if (MLIRContext *loaded = unwrap(context)) {
    loaded->getOrLoadDialect<QuantFloatDialect>();
    return loaded;
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Defines the functions that all types have.
#define DEFINE_TYPE(Name, IsA)                                                 \
  bool quantFloatTypeIs##IsA##Name(MlirType type) {                            \
    return isa_and_nonnull<quant_float::Name##Type>(unwrap(type));             \
  }                                                                            \
                                                                               \
  MlirTypeID quantFloat##Name##TypeGetTypeID(void) {                           \
    return wrap(quant_float::Name##Type::getTypeID());                         \
  }
DEFINE_TYPE(String, A)
DEFINE_TYPE(Float8UE5M3, A)
DEFINE_TYPE(Binary, A)
DEFINE_TYPE(Unknown, An)
DEFINE_TYPE(Opaque, An)
#undef DEFINE_TYPE

MlirType quantFloatStringTypeGet(MlirContext context) {
  MLIRContext *loaded = load(context);
  return loaded ? wrap(Type(StringType::get(loaded))) : MlirType{nullptr};
}

MlirType quantFloatFloat8UE5M3TypeGet(MlirContext context) {
  MLIRContext *loaded = load(context);
  return loaded ? wrap(Type(Float8UE5M3Type::get(loaded))) : MlirType{nullptr};
}

MlirType quantFloatBinaryTypeGet(MlirContext context, int32_t width,
                                 int32_t precision, bool isSigned,
                                 bool isExtended) {
  MLIRContext *loaded = load(context);
  bool isNarrow = width >= 3 && width <= 8 && precision >= 1 &&
                  precision <= (isSigned ? width - 1 : width);
  if (!loaded || !isNarrow)
    return MlirType{nullptr};
  BinaryParameters parameters = {static_cast<unsigned>(width),
                                 static_cast<unsigned>(precision), isSigned,
                                 isExtended};
  // These parameters are valid.
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(loaded)); };
  return wrap(getBinaryType(emitError, loaded, parameters));
}

MlirType quantFloatUnknownTypeGet(MlirContext context) {
  MLIRContext *loaded = load(context);
  return loaded ? wrap(Type(UnknownType::get(loaded))) : MlirType{nullptr};
}

MlirType quantFloatOpaqueTypeGet(MlirContext context, MlirStringRef spelling) {
  MLIRContext *loaded = load(context);
  return loaded ? wrap(Type(
                      quant_float::OpaqueType::get(loaded, unwrap(spelling))))
                : MlirType{nullptr};
}

MlirStringRef quantFloatOpaqueTypeGetSpelling(MlirType type) {
  auto opaque = dyn_cast_if_present<quant_float::OpaqueType>(unwrap(type));
  return wrap(opaque ? opaque.getSpelling() : StringRef());
}

MlirType quantFloatElementTypeGet(MlirContext context, int32_t dtype) {
  MLIRContext *loaded = load(context);
  return loaded ? wrap(getTypeFromDataType(loaded, dtype)) : MlirType{nullptr};
}

int32_t quantFloatElementTypeGetDtype(MlirType type) {
  return type.ptr ? getDataType(unwrap(type)).value_or(0) : 0;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Returns the enum attribute for a number, or null if there is no such case.
template <typename Attr, typename Enum>
static MlirAttribute getEnumAttr(MlirContext context, int32_t number,
                                 std::optional<Enum> (*symbolize)(uint32_t)) {
  MLIRContext *loaded = load(context);
  std::optional<Enum> value = symbolize(static_cast<uint32_t>(number));
  return loaded && value ? wrap(Attribute(Attr::get(loaded, *value)))
                         : MlirAttribute{nullptr};
}

template <typename Attr> static int32_t getEnumValue(MlirAttribute attribute) {
  auto known = dyn_cast_if_present<Attr>(unwrap(attribute));
  return known ? static_cast<int32_t>(known.getValue()) : -1;
}

#define DEFINE_ENUM(Name)                                                      \
  MlirAttribute quantFloat##Name##AttrGet(MlirContext context,                 \
                                          int32_t number) {                    \
    return getEnumAttr<Name##Attr>(context, number, symbolize##Name);          \
  }                                                                            \
                                                                               \
  bool quantFloatAttributeIsA##Name(MlirAttribute attribute) {                 \
    return isa_and_nonnull<Name##Attr>(unwrap(attribute));                     \
  }                                                                            \
                                                                               \
  int32_t quantFloat##Name##AttrGetValue(MlirAttribute attribute) {            \
    return getEnumValue<Name##Attr>(attribute);                                \
  }                                                                            \
                                                                               \
  MlirTypeID quantFloat##Name##AttrGetTypeID(void) {                           \
    return wrap(Name##Attr::getTypeID());                                      \
  }
DEFINE_ENUM(RoundMode)
DEFINE_ENUM(CastMode)
DEFINE_ENUM(FakeConvertMode)
DEFINE_ENUM(FakeConvertReciprocal)
DEFINE_ENUM(BlockScaleRule)
DEFINE_ENUM(ScaleOrder)
DEFINE_ENUM(ScaleLayout)
#undef DEFINE_ENUM

MlirAttribute quantFloatProjectionAttrGet(MlirContext context, int32_t rounding,
                                          int32_t saturation) {
  MLIRContext *loaded = load(context);
  std::optional<P3109Rounding> knownRounding =
      symbolizeP3109Rounding(static_cast<uint32_t>(rounding));
  std::optional<P3109Saturation> knownSaturation =
      symbolizeP3109Saturation(static_cast<uint32_t>(saturation));
  if (!loaded || !knownRounding || !knownSaturation)
    return MlirAttribute{nullptr};
  return wrap(Attribute(ProjectionAttr::get(loaded, P3109Draft::D1,
                                            *knownRounding, *knownSaturation)));
}

bool quantFloatAttributeIsAProjection(MlirAttribute attribute) {
  return isa_and_nonnull<ProjectionAttr>(unwrap(attribute));
}

int32_t quantFloatProjectionAttrGetRounding(MlirAttribute attribute) {
  auto known = dyn_cast_if_present<ProjectionAttr>(unwrap(attribute));
  return known ? static_cast<int32_t>(known.getRounding()) : -1;
}

int32_t quantFloatProjectionAttrGetSaturation(MlirAttribute attribute) {
  auto known = dyn_cast_if_present<ProjectionAttr>(unwrap(attribute));
  return known ? static_cast<int32_t>(known.getSaturation()) : -1;
}

MlirTypeID quantFloatProjectionAttrGetTypeID(void) {
  return wrap(ProjectionAttr::getTypeID());
}
