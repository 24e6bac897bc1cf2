//===- CastFloat.cpp - Floats: exact value and rounding -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Casts.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

//===----------------------------------------------------------------------===//
// Exact values
//===----------------------------------------------------------------------===//

APFloat reference::decodeIEEE(const Format &from, const APInt &bits) {
  APFloat value(*from.semantics, bits);
  const llvm::fltSemantics &exact = getExactSemantics(from);
  // C2, C7: the payload is not carried over, nor left to APFloat::convert.
  if (value.isNaN())
    return APFloat::getQNaN(exact, value.isNegative());
  bool losesInfo;
  value.convert(exact, APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

/// C7. Every value of a narrow float is exact in f64.
APFloat reference::decodeNarrow(const Format &from, const APInt &bits) {
  const llvm::fltSemantics &exact = getExactSemantics(from);
  uint64_t code = bits.getZExtValue();
  bool negative = code & from.signMask();
  uint64_t magnitude = code & ~from.signMask();

  if (from.nonFinite == NonFinite::NegativeZero && negative && magnitude == 0)
    return APFloat::getQNaN(exact, /*Negative=*/true);
  if (magnitude > from.maxMagnitude) {
    if (from.nonFinite == NonFinite::InfAndNaN &&
        magnitude == from.infMagnitude)
      return APFloat::getInf(exact, negative);
    return APFloat::getQNaN(exact, negative);
  }

  // Subnormals are magnitude units of the smallest size; with every step of the
  // exponent field the unit doubles and the hidden bit comes in.
  uint64_t field = magnitude >> from.mantissaBits;
  uint64_t significand = magnitude;
  int unitExponent = from.minUnitExponent();
  if (field != 0) {
    uint64_t hiddenBit = uint64_t(1) << from.mantissaBits;
    significand = hiddenBit | (magnitude & (hiddenBit - 1));
    unitExponent += int(field) - 1;
  }
  APFloat value(exact);
  value.convertFromAPInt(APInt(64, significand), /*IsSigned=*/false,
                         APFloat::rmNearestTiesToEven);
  value = scalbn(value, unitExponent, APFloat::rmNearestTiesToEven);
  if (negative)
    value.changeSign();
  return value;
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

/// C2. The only NaN that leaves is the canonical quiet one with the sign of the
/// one that came.
APInt reference::roundToIEEE(const Format &to, APFloat value) {
  if (value.isNaN())
    return APFloat::getQNaN(*to.semantics, value.isNegative()).bitcastToAPInt();
  bool losesInfo;
  value.convert(*to.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt();
}

/// C5 for float8, C8 for the formats without NaN: there a NaN becomes the zero
/// of the opposite sign.
static uint64_t getNaNCode(const Format &to, bool negative) {
  switch (to.nonFinite) {
  case NonFinite::None:
    return negative ? 0 : to.signMask();
  case NonFinite::NegativeZero:
    return to.signMask();
  case NonFinite::NaN:
  case NonFinite::InfAndNaN:
    break;
  }
  return to.nanMagnitude | (negative ? to.signMask() : 0);
}

/// What becomes of a magnitude above the largest: C3 for float8, C8 for float4
/// and float6, which saturate whatever the attribute says.
static uint64_t getOverflowCode(const Format &to, bool negative,
                                bool saturate) {
  uint64_t sign = negative ? to.signMask() : 0;
  if (saturate || to.nonFinite == NonFinite::None)
    return sign | to.maxMagnitude;
  if (to.nonFinite == NonFinite::InfAndNaN)
    return sign | to.infMagnitude;
  return getNaNCode(to, negative);
}

/// C4. Up to opset 23 the standard's tables send an infinity to NaN in FNUZ
/// formats even when they saturate.
static uint64_t getInfinityCode(const Format &to, bool negative,
                                const CastOptions &options) {
  if (to.nonFinite == NonFinite::NegativeZero && options.opset < 24)
    return getNaNCode(to, negative);
  return getOverflowCode(to, negative, options.saturate);
}

/// F3: what becomes of a number below zero without a sign to say so.
static uint64_t getNegativeCode(const Format &to, bool isZero, bool saturate) {
  return isZero || saturate ? 0 : to.nanMagnitude;
}

/// |value| in units of the destination's last place, rounded to nearest even,
/// as the magnitude that would be its code if the exponent field were unbounded
/// above. A carry out of the mantissa bumps the exponent by itself.
static APInt roundMagnitude(const Format &to, const APFloat &value) {
  int exponent = std::max(ilogb(value), to.minNormalExponent);
  int unitExponent = exponent - int(to.mantissaBits);
  // Exact: the value ends below 2^(mantissaBits + 1), and scaling up a value
  // of the exact semantics loses nothing.
  APFloat scaled =
      scalbn(abs(value), -unitExponent, APFloat::rmNearestTiesToEven);
  APSInt significand(64, /*isUnsigned=*/true);
  bool isExact;
  scaled.convertToInteger(significand, APFloat::rmNearestTiesToEven, &isExact);

  // One step of the exponent field is 2^mantissaBits codes; a normal number's
  // hidden bit counts as one of them.
  uint64_t steps = uint64_t(unitExponent - to.minUnitExponent());
  return significand + APInt(64, steps << to.mantissaBits);
}

/// C3, C6, C8 and F3.
APInt reference::roundToNarrow(const Format &to, const APFloat &value,
                               const CastOptions &options) {
  bool negative = value.isNegative();
  auto result = [&](uint64_t code) { return APInt(to.width, code); };
  if (value.isNaN())
    return result(getNaNCode(to, negative));
  if (value.isInfinity())
    return result(to.isUnsigned && negative
                      ? getNegativeCode(to, /*isZero=*/false, options.saturate)
                      : getInfinityCode(to, negative, options));

  return finishNarrow(
      to, value.isZero() ? APInt::getZero(64) : roundMagnitude(to, value),
      negative, options);
}

APInt reference::finishNarrow(const Format &to, const APInt &magnitude,
                              bool negative, const CastOptions &options) {
  auto result = [&](uint64_t code) { return APInt(to.width, code); };
  if (to.isUnsigned && negative)
    return result(getNegativeCode(to, magnitude.isZero(), options.saturate));
  if (magnitude.ugt(to.maxMagnitude))
    return result(getOverflowCode(to, negative, options.saturate));
  // C6: the FNUZ formats have no −0, its code is their NaN.
  if (magnitude.isZero() && to.nonFinite == NonFinite::NegativeZero)
    return result(0);
  return result(magnitude.getZExtValue() | (negative ? to.signMask() : 0));
}
