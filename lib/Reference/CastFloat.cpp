//===- CastFloat.cpp - Casts of floats ------------------------------------===//
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
  // NaN payloads are dropped explicitly (C2, C7). APFloat::convert would keep
  // them.
  if (value.isNaN())
    return APFloat::getQNaN(exact, value.isNegative());
  bool losesInfo;
  value.convert(exact, APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

/// Every value of a narrow float is exact in f64 (C7).
APFloat reference::decodeNarrow(const Format &from, const APInt &bits) {
  const llvm::fltSemantics &exact = getExactSemantics(from);
  uint64_t encoding = bits.getZExtValue();
  bool negative = encoding & from.signMask();
  uint64_t magnitude = encoding & ~from.signMask();

  bool isNegativeZeroNaN = from.nonFinite == NonFinite::NegativeZero ||
                           from.nonFinite == NonFinite::NegativeZeroAndInf;
  if (isNegativeZeroNaN && negative && magnitude == 0)
    return APFloat::getQNaN(exact, /*Negative=*/true);
  if (magnitude > from.maxMagnitude) {
    if (from.infMagnitude && magnitude == from.infMagnitude)
      return APFloat::getInf(exact, negative);
    return APFloat::getQNaN(exact, negative);
  }

  // The significand counts units of the smallest subnormal. Each increment of
  // the exponent field doubles the unit, and normal numbers have a hidden bit.
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

/// NaN becomes the canonical quiet NaN with the sign of the source (C2).
APInt reference::roundToIEEE(const Format &to, APFloat value) {
  if (value.isNaN())
    return APFloat::getQNaN(*to.semantics, value.isNegative()).bitcastToAPInt();
  bool losesInfo;
  value.convert(*to.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value.bitcastToAPInt();
}

/// Returns the encoding of NaN in float8 (C5). In formats without NaN, it
/// becomes the zero of the opposite sign (C8).
static uint64_t getNaNEncoding(const Format &to, bool negative) {
  switch (to.nonFinite) {
  case NonFinite::None:
    return negative ? 0 : to.signMask();
  case NonFinite::NegativeZero:
  case NonFinite::NegativeZeroAndInf:
    return to.signMask();
  case NonFinite::NaN:
  case NonFinite::InfAndNaN:
    break;
  }
  return to.nanMagnitude | (negative ? to.signMask() : 0);
}

/// Returns the result of a magnitude above the maximum: by `saturate` in float8
/// (C3), and always the maximum in float4 and float6 (C8).
static uint64_t getOverflowEncoding(const Format &to, bool negative,
                                    bool saturate) {
  uint64_t sign = negative ? to.signMask() : 0;
  if (saturate || to.nonFinite == NonFinite::None)
    return sign | to.maxMagnitude;
  if (to.nonFinite == NonFinite::InfAndNaN)
    return sign | to.infMagnitude;
  return getNaNEncoding(to, negative);
}

/// Returns the result of an infinity. Before opset 24, ONNX's tables map it to
/// NaN in FNUZ formats, even with saturation (C4).
static uint64_t getInfinityEncoding(const Format &to, bool negative,
                                    const CastOptions &options) {
  if (to.nonFinite == NonFinite::NegativeZero && options.opset < 24)
    return getNaNEncoding(to, negative);
  return getOverflowEncoding(to, negative, options.saturate);
}

/// Returns the result of a negative number in a format without a sign (F3).
static uint64_t getNegativeEncoding(const Format &to, bool isZero,
                                    bool saturate) {
  return isZero || saturate ? 0 : to.nanMagnitude;
}

/// Rounds |value| to nearest even in units of the destination's last place.
/// Returns the magnitude that would be its encoding if the exponent field had
/// no upper bound. A carry out of the mantissa increments the exponent.
static APInt roundMagnitude(const Format &to, const APFloat &value) {
  int exponent = std::max(ilogb(value), to.minNormalExponent);
  int unitExponent = exponent - int(to.mantissaBits);
  // This is exact: the result is below 2^(mantissaBits + 1), and scaling a
  // value up in the exact semantics does not round.
  APFloat scaled =
      scalbn(abs(value), -unitExponent, APFloat::rmNearestTiesToEven);
  APSInt significand(64, /*isUnsigned=*/true);
  bool isExact;
  scaled.convertToInteger(significand, APFloat::rmNearestTiesToEven, &isExact);

  // One step of the exponent field is 2^mantissaBits encodings. The hidden bit
  // of a normal number adds one step.
  uint64_t steps = uint64_t(unitExponent - to.minUnitExponent());
  return significand + APInt(64, steps << to.mantissaBits);
}

/// Rounds to a narrow float (C3, C6, C8, F3).
APInt reference::roundToNarrow(const Format &to, const APFloat &value,
                               const CastOptions &options) {
  bool negative = value.isNegative();
  auto result = [&](uint64_t encoding) { return APInt(to.width, encoding); };
  if (value.isNaN())
    return result(getNaNEncoding(to, negative));
  if (value.isInfinity())
    return result(
        to.isUnsigned && negative
            ? getNegativeEncoding(to, /*isZero=*/false, options.saturate)
            : getInfinityEncoding(to, negative, options));

  return finishNarrow(
      to, value.isZero() ? APInt::getZero(64) : roundMagnitude(to, value),
      negative, options);
}

APInt reference::finishNarrow(const Format &to, const APInt &magnitude,
                              bool negative, const CastOptions &options) {
  auto result = [&](uint64_t encoding) { return APInt(to.width, encoding); };
  if (to.isUnsigned && negative)
    return result(
        getNegativeEncoding(to, magnitude.isZero(), options.saturate));
  if (magnitude.ugt(to.maxMagnitude))
    return result(getOverflowEncoding(to, negative, options.saturate));
  // The FNUZ formats have no -0; its encoding is their NaN (C6).
  if (magnitude.isZero() && to.nonFinite == NonFinite::NegativeZero)
    return result(0);
  return result(magnitude.getZExtValue() | (negative ? to.signMask() : 0));
}
