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

/// The context with the dialect in it, which its types and attributes need;
/// null for a null one.
static MLIRContext *load(MlirContext context) {
  if (MLIRContext *loaded = unwrap(context)) {
    loaded->getOrLoadDialect<QuantFloatDialect>();
    return loaded;
  }
  return nullptr;
}

template <typename T> static MlirType getType(MlirContext context) {
  MLIRContext *loaded = load(context);
  return loaded ? wrap(Type(T::get(loaded))) : MlirType{nullptr};
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

MlirType quantFloatStringTypeGet(MlirContext context) {
  return getType<StringType>(context);
}

bool quantFloatTypeIsAString(MlirType type) {
  return isa_and_nonnull<StringType>(unwrap(type));
}

MlirTypeID quantFloatStringTypeGetTypeID(void) {
  return wrap(StringType::getTypeID());
}

MlirType quantFloatUnknownTypeGet(MlirContext context) {
  return getType<UnknownType>(context);
}

bool quantFloatTypeIsAnUnknown(MlirType type) {
  return isa_and_nonnull<UnknownType>(unwrap(type));
}

MlirTypeID quantFloatUnknownTypeGetTypeID(void) {
  return wrap(UnknownType::getTypeID());
}

MlirType quantFloatOpaqueTypeGet(MlirContext context, MlirStringRef spelling) {
  MLIRContext *loaded = load(context);
  return loaded ? wrap(Type(
                      quant_float::OpaqueType::get(loaded, unwrap(spelling))))
                : MlirType{nullptr};
}

bool quantFloatTypeIsAnOpaque(MlirType type) {
  return isa_and_nonnull<quant_float::OpaqueType>(unwrap(type));
}

MlirStringRef quantFloatOpaqueTypeGetSpelling(MlirType type) {
  auto opaque = dyn_cast_if_present<quant_float::OpaqueType>(unwrap(type));
  return wrap(opaque ? opaque.getSpelling() : StringRef());
}

MlirTypeID quantFloatOpaqueTypeGetTypeID(void) {
  return wrap(quant_float::OpaqueType::getTypeID());
}

MlirType quantFloatElementTypeGet(MlirContext context, int32_t dtype) {
  MLIRContext *loaded = load(context);
  return loaded ? wrap(getTypeFromOnnxDataType(loaded, dtype))
                : MlirType{nullptr};
}

int32_t quantFloatElementTypeGetDtype(MlirType type) {
  return type.ptr ? getOnnxDataType(unwrap(type)).value_or(0) : 0;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The attribute of an enum's number, null where it has no such case.
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

MlirAttribute quantFloatRoundModeAttrGet(MlirContext context, int32_t mode) {
  return getEnumAttr<RoundModeAttr>(context, mode, symbolizeRoundMode);
}

bool quantFloatAttributeIsARoundMode(MlirAttribute attribute) {
  return isa_and_nonnull<RoundModeAttr>(unwrap(attribute));
}

int32_t quantFloatRoundModeAttrGetValue(MlirAttribute attribute) {
  return getEnumValue<RoundModeAttr>(attribute);
}

MlirTypeID quantFloatRoundModeAttrGetTypeID(void) {
  return wrap(RoundModeAttr::getTypeID());
}

MlirAttribute quantFloatFakeConvertModeAttrGet(MlirContext context,
                                               int32_t mode) {
  return getEnumAttr<FakeConvertModeAttr>(context, mode,
                                          symbolizeFakeConvertMode);
}

bool quantFloatAttributeIsAFakeConvertMode(MlirAttribute attribute) {
  return isa_and_nonnull<FakeConvertModeAttr>(unwrap(attribute));
}

int32_t quantFloatFakeConvertModeAttrGetValue(MlirAttribute attribute) {
  return getEnumValue<FakeConvertModeAttr>(attribute);
}

MlirTypeID quantFloatFakeConvertModeAttrGetTypeID(void) {
  return wrap(FakeConvertModeAttr::getTypeID());
}

MlirAttribute quantFloatFakeConvertReciprocalAttrGet(MlirContext context,
                                                     int32_t reciprocal) {
  return getEnumAttr<FakeConvertReciprocalAttr>(context, reciprocal,
                                                symbolizeFakeConvertReciprocal);
}

bool quantFloatAttributeIsAFakeConvertReciprocal(MlirAttribute attribute) {
  return isa_and_nonnull<FakeConvertReciprocalAttr>(unwrap(attribute));
}

int32_t quantFloatFakeConvertReciprocalAttrGetValue(MlirAttribute attribute) {
  return getEnumValue<FakeConvertReciprocalAttr>(attribute);
}

MlirTypeID quantFloatFakeConvertReciprocalAttrGetTypeID(void) {
  return wrap(FakeConvertReciprocalAttr::getTypeID());
}
