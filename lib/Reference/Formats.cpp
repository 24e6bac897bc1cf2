//===- Formats.cpp - Element formats of the Reference ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Formats.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APFloat;

Format reference::ieee(unsigned width, const llvm::fltSemantics &semantics) {
  Format format{FormatKind::IEEE, width};
  format.semantics = &semantics;
  return format;
}

static Format narrow(unsigned width, NonFinite nonFinite, unsigned mantissaBits,
                     int minNormalExponent, uint64_t maxMagnitude) {
  Format format{FormatKind::Narrow, width};
  format.nonFinite = nonFinite;
  format.mantissaBits = mantissaBits;
  format.minNormalExponent = minNormalExponent;
  format.maxMagnitude = maxMagnitude;
  return format;
}

static Format e4m3fn() {
  Format format = narrow(8, NonFinite::NaN, 3, -6, 0x7E);
  format.nanMagnitude = 0x7F;
  return format;
}

/// Creates a format whose magnitude after the maximum is infinity.
static Format withInfinity(unsigned mantissaBits, int minNormalExponent,
                           uint64_t maxMagnitude, uint64_t nanMagnitude) {
  Format format = narrow(8, NonFinite::InfAndNaN, mantissaBits,
                         minNormalExponent, maxMagnitude);
  format.infMagnitude = maxMagnitude + 1;
  format.nanMagnitude = nanMagnitude;
  return format;
}

static Format ue5m3() {
  Format format = narrow(8, NonFinite::NaN, 3, -14, 0xFE);
  format.nanMagnitude = 0xFF;
  format.isUnsigned = true;
  return format;
}

/// Returns the format Binary{width, precision, signedness, domain} of IEEE
/// P3109. In unsigned formats, NaN is the last encoding; in signed ones, it is
/// that of -0. Infinity is the last magnitude, or the one before NaN.
static Format binary(unsigned width, unsigned precision, bool isSigned,
                     bool isExtended) {
  int bias = 1 << (width - precision - (isSigned ? 1 : 0));
  uint64_t last = (uint64_t(1) << (isSigned ? width - 1 : width)) - 1;
  uint64_t largest = last - (isSigned ? 0 : 1) - (isExtended ? 1 : 0);
  NonFinite nonFinite = isSigned ? isExtended ? NonFinite::NegativeZeroAndInf
                                              : NonFinite::NegativeZero
                        : isExtended ? NonFinite::InfAndNaN
                                     : NonFinite::NaN;
  Format format = narrow(width, nonFinite, precision - 1, 1 - bias, largest);
  format.isUnsigned = !isSigned;
  if (!isSigned)
    format.nanMagnitude = last;
  if (isExtended)
    format.infMagnitude = largest + 1;
  return format;
}

/// Returns the format of a type of the dialect by the type's name and, for the
/// formats of IEEE P3109, its spelling, because this library does not depend on
/// the dialect.
static std::optional<Format> getOwnFormat(Type type) {
  StringRef name = type.getAbstractType().getName();
  if (name == "quant_float.f8UE5M3")
    return ue5m3();
  if (name != "quant_float.binary")
    return std::nullopt;
  // "!quant_float.binary8p4se"
  std::string spelling;
  llvm::raw_string_ostream(spelling) << type;
  StringRef parameters = spelling;
  unsigned width, precision;
  if (!parameters.consume_front("!quant_float.binary") ||
      parameters.consumeInteger(10, width) || !parameters.consume_front("p") ||
      parameters.consumeInteger(10, precision) || parameters.size() != 2)
    return std::nullopt;
  return binary(width, precision, parameters[0] == 's', parameters[1] == 'e');
}

static std::optional<Format> getIntegerFormat(IntegerType type) {
  unsigned width = type.getWidth();
  if (type.isSignlessInteger(1))
    return Format{FormatKind::Bool, 1};
  if (type.isSigned() || width == 1 || width > 64 ||
      !llvm::isPowerOf2_32(width))
    return std::nullopt;
  Format format{FormatKind::Integer, width};
  format.isSigned = type.isSignless();
  return format;
}

std::optional<Format> reference::getFormat(Type elementType) {
  using Result = std::optional<Format>;
  return llvm::TypeSwitch<Type, Result>(elementType)
      .Case([](Float64Type) { return ieee(64, APFloat::IEEEdouble()); })
      .Case([](Float32Type) { return ieee(32, APFloat::IEEEsingle()); })
      .Case([](Float16Type) { return ieee(16, APFloat::IEEEhalf()); })
      .Case([](BFloat16Type) { return ieee(16, APFloat::BFloat()); })
      .Case([](Float8E4M3FNType) { return e4m3fn(); })
      .Case([](Float8E4M3FNUZType) {
        return narrow(8, NonFinite::NegativeZero, 3, -7, 0x7F);
      })
      .Case([](Float8E5M2Type) { return withInfinity(2, -14, 0x7B, 0x7E); })
      .Case([](Float8E5M2FNUZType) {
        return narrow(8, NonFinite::NegativeZero, 2, -15, 0x7F);
      })
      .Case([](Float8E3M4Type) { return withInfinity(4, -2, 0x6F, 0x78); })
      .Case([](Float8E4M3Type) { return withInfinity(3, -6, 0x77, 0x7C); })
      .Case([](Float8E4M3B11FNUZType) {
        return narrow(8, NonFinite::NegativeZero, 3, -10, 0x7F);
      })
      .Case([](Float6E2M3FNType) {
        return narrow(6, NonFinite::None, 3, 0, 0x1F);
      })
      .Case([](Float6E3M2FNType) {
        return narrow(6, NonFinite::None, 2, -2, 0x1F);
      })
      .Case([](Float4E2M1FNType) {
        return narrow(4, NonFinite::None, 1, 0, 0x7);
      })
      .Case([](Float8E8M0FNUType) { return Format{FormatKind::Scale, 8}; })
      .Case([](IntegerType type) { return getIntegerFormat(type); })
      .Default([](Type type) { return getOwnFormat(type); });
}
