//===- FloatFormat.cpp - Float format properties --------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/FloatFormat.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using llvm::APFloat;
using llvm::APInt;

namespace {
/// Which encodings are not finite numbers; see FloatFormats.def.
enum class Specials { Ieee, AllOnes, NegativeZero, None };

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
                           Codes, HasZero)                                     \
  {Type, IsSigned, ExponentBits, MantissaBits, Bias, Specials::Codes, HasZero},
#include "quant-float/Support/FloatFormats.def"
};

/// Returns the row of a type, or null if it is not one of these floats.
/// Compares names, because this library does not depend on the dialect.
static const FormatRow *findRow(Type type) {
  StringRef name = type.getAbstractType().getName();
  name.consume_front("builtin.");
  const FormatRow *found = llvm::find_if(
      kRows, [&](const FormatRow &row) { return row.type.ltrim('!') == name; });
  return found == std::end(kRows) ? nullptr : found;
}

FloatFormat::FloatFormat(Type type) : maxValue(0.0) {
  const FormatRow &row = *findRow(type);
  width = row.getWidth();
  isSigned = row.isSigned;
  mantissaBits = row.mantissaBits;
  bias = row.bias;
  hasInfinity = row.specials == Specials::Ieee;
  hasNaN = row.specials != Specials::None;
  isFNUZ = row.specials == Specials::NegativeZero;
  hasZero = row.hasZero;
  uint64_t all = magnitudeMask(), one = uint64_t(1) << mantissaBits;
  uint64_t allExponents = all & -one;
  maxCode = hasInfinity ? allExponents - 1 : hasNaN && !isFNUZ ? all - 1 : all;
  infinityCode = hasInfinity ? allExponents : 0;
  // The top bit of the mantissa makes a NaN quiet.
  nanCode = hasInfinity ? allExponents | one >> 1
            : isFNUZ    ? signMask()
            : hasNaN    ? all
                        : 0;
  minExponent = hasZero - bias;
  maxExponent = int(maxCode >> mantissaBits) - bias;
  maxValue = getValue(maxCode);
}

APFloat FloatFormat::getValue(uint64_t code) const {
  const llvm::fltSemantics &f64 = APFloat::IEEEdouble();
  bool isNegative = code & signMask();
  uint64_t magnitude = code & magnitudeMask();
  if (hasInfinity && magnitude == infinityCode)
    return APFloat::getInf(f64, isNegative);
  if (isFNUZ ? code == nanCode : magnitude > maxCode)
    return APFloat::getQNaN(f64, isNegative);
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

bool quant_float::isFloat(Type type) { return findRow(type); }

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
  const FormatRow *row = findRow(type);
  return row && row->getWidth() == 8 && row->mantissaBits;
}

bool quant_float::isNarrowFloat(Type type) {
  const FormatRow *row = findRow(type);
  return row && row->getWidth() <= 8;
}
