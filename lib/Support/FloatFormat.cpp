//===- FloatFormat.cpp - Float format properties --------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/FloatFormat.h"

#include "quant-float/Support/BinaryType.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using llvm::APFloat;
using llvm::APInt;

namespace {
/// Which encodings are not finite numbers; see FloatFormats.def.
enum class Specials {
  Ieee,
  AllOnes,
  NegativeZero,
  None,
  NegativeZeroAndInfinity,
  AllOnesAndInfinity
};

struct FormatRow {
  StringLiteral type;
  bool isSigned;
  unsigned exponentBits, mantissaBits;
  int bias;
  Specials specials;
  bool hasZero;

  unsigned getWidth() const { return isSigned + exponentBits + mantissaBits; }
};
} // namespace

static constexpr FormatRow kRows[] = {
#define QUANT_FLOAT_FORMAT(Type, IsSigned, ExponentBits, MantissaBits, Bias,   \
                           Special, HasZero)                                   \
  {Type, IsSigned,          ExponentBits, MantissaBits,                        \
   Bias, Specials::Special, HasZero},
#include "quant-float/Support/FloatFormats.def"
};

/// Returns the row that a table of the formats of IEEE P3109 would have. No
/// exponent is reserved, and the bias is one more than that of IEEE 754.
static FormatRow makeRow(const BinaryParameters &parameters) {
  unsigned exponentBits =
      parameters.width - parameters.precision + (parameters.isSigned ? 0 : 1);
  Specials specials =
      parameters.isSigned ? Specials::NegativeZero : Specials::AllOnes;
  if (parameters.isExtended)
    specials = parameters.isSigned ? Specials::NegativeZeroAndInfinity
                                   : Specials::AllOnesAndInfinity;
  return {BinaryType::name,         parameters.isSigned,     exponentBits,
          parameters.precision - 1, 1 << (exponentBits - 1), specials,
          /*hasZero=*/true};
}

/// Returns the row of a type, if it is one of these floats. Compares names,
/// because this library does not depend on the dialect.
static std::optional<FormatRow> findRow(Type type) {
  if (auto binary = dyn_cast<BinaryType>(type))
    return makeRow(binary.getParameters());
  StringRef name = type.getAbstractType().getName();
  name.consume_front("builtin.");
  const FormatRow *found = llvm::find_if(
      kRows, [&](const FormatRow &row) { return row.type.ltrim('!') == name; });
  return found == std::end(kRows) ? std::nullopt : std::optional(*found);
}

FloatFormat::FloatFormat(Type type) : maxValue(0.0) {
  const FormatRow row = *findRow(type);
  width = row.getWidth();
  isSigned = row.isSigned;
  mantissaBits = row.mantissaBits;
  bias = row.bias;
  bool isIeee = row.specials == Specials::Ieee;
  hasInfinity = isIeee || row.specials == Specials::NegativeZeroAndInfinity ||
                row.specials == Specials::AllOnesAndInfinity;
  hasNaN = row.specials != Specials::None;
  isFNUZ = row.specials == Specials::NegativeZero ||
           row.specials == Specials::NegativeZeroAndInfinity;
  isBinary = isa<BinaryType>(type);
  hasZero = row.hasZero;
  uint64_t all = magnitudeMask(), one = uint64_t(1) << mantissaBits;
  uint64_t allExponents = all & -one;
  // Without the encodings of IEEE 754, NaN and infinity are the last ones.
  maxEncoding =
      isIeee ? allExponents - 1 : all - (hasNaN && !isFNUZ) - hasInfinity;
  infinityEncoding = hasInfinity ? maxEncoding + 1 : 0;
  // The top bit of the mantissa makes a NaN quiet.
  nanEncoding = isIeee   ? allExponents | one >> 1
                : isFNUZ ? signMask()
                : hasNaN ? all
                         : 0;
  minExponent = hasZero - bias;
  maxExponent = int(maxEncoding >> mantissaBits) - bias;
  maxValue = getValue(maxEncoding);
}

APFloat FloatFormat::getValue(uint64_t encoding) const {
  const llvm::fltSemantics &f64 = APFloat::IEEEdouble();
  bool isNegative = encoding & signMask();
  uint64_t magnitude = encoding & magnitudeMask();
  if (hasInfinity && magnitude == infinityEncoding)
    return APFloat::getInf(f64, isNegative);
  if (isFNUZ ? encoding == nanEncoding : magnitude > maxEncoding)
    return APFloat::getQNaN(f64, isNegative && !isBinary);
  uint64_t one = uint64_t(1) << mantissaBits;
  uint64_t exponent = magnitude >> mantissaBits;
  uint64_t significand = magnitude & (one - 1);
  if (exponent || !hasZero)
    significand |= one;
  APFloat value(f64);
  value.convertFromAPInt(APInt(64, significand), /*IsSigned=*/false,
                         APFloat::rmNearestTiesToEven);
  value = scalbn(
      value, std::max(int(exponent) - bias, minExponent) - int(mantissaBits),
      APFloat::rmNearestTiesToEven);
  if (isNegative)
    value.changeSign();
  return value;
}

bool quant_float::isFloat(Type type) { return findRow(type).has_value(); }

bool quant_float::isNumber(Type type) {
  return type.isIntOrFloat() || isFloat(type);
}

unsigned quant_float::getNumberWidth(Type type) {
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth()
                             : findRow(type)->getWidth();
}

bool quant_float::isStandardFloat(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type);
}

bool quant_float::isFloat8(Type type) {
  std::optional<FormatRow> row = findRow(type);
  return row && row->getWidth() == 8 && row->mantissaBits;
}

bool quant_float::isNarrowFloat(Type type) {
  std::optional<FormatRow> row = findRow(type);
  return row && row->getWidth() <= 8;
}
