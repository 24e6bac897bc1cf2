//===- Project.cpp - Projections of IEEE P3109 ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operation Convert of IEEE P3109/D1, in the steps of the draft: Decode,
// RoundToPrecision, Saturate, Encode (I2 to I6). All steps compute with exact
// values in f64: it represents every number of a source, and every multiple of
// a destination's last place below the next power of two.
//
//===----------------------------------------------------------------------===//

#include "Casts.h"
#include "mlir/IR/BuiltinTypes.h"
#include "quant-float/Reference/BlockScale.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

namespace {
/// The parameters by which the draft rounds and saturates.
struct Destination {
  explicit Destination(const Format &to);

  /// P and B.
  int precision, bias;
  bool isSigned, hasInfinity;
  /// Mlo and Mhi.
  APFloat lowest, highest;
};
} // namespace

Destination::Destination(const Format &to) : lowest(0.0), highest(0.0) {
  if (to.kind == FormatKind::IEEE) {
    precision = APFloat::semanticsPrecision(*to.semantics);
    bias = 1 - APFloat::semanticsMinExponent(*to.semantics);
    isSigned = hasInfinity = true;
    highest = decode(to, APFloat::getLargest(*to.semantics).bitcastToAPInt());
  } else {
    precision = int(to.mantissaBits) + 1;
    bias = 1 - to.minNormalExponent;
    isSigned = !to.isUnsigned;
    hasInfinity = to.infMagnitude != 0;
    highest = decode(to, APInt(to.width, to.maxMagnitude));
  }
  if (isSigned)
    lowest = -highest;
}

/// Returns floor(value), or the nearest integer with ties to even.
static uint64_t toInteger(const APFloat &value, APFloat::roundingMode mode) {
  APSInt integer(64, /*isUnsigned=*/true);
  bool isExact;
  value.convertToInteger(integer, mode, &isExact);
  return integer.getZExtValue();
}

static APFloat scale(const APFloat &value, int exponent) {
  return scalbn(value, exponent, APFloat::rmNearestTiesToEven);
}

/// Whether a magnitude is rounded to the neighbor that is further from zero
/// (I3, I4). `rest` is v, the distance from `below` in units of the last place.
static bool roundsAway(const Projection &projection, bool isNegative,
                       bool isEven, const APFloat &rest, const APInt *random) {
  constexpr auto floor = APFloat::rmTowardZero;
  APFloat half(0.5), zero(0.0);
  bool isInexact = rest > zero;
  uint64_t bits = random ? random->getZExtValue() : 0;
  int width = random ? int(random->getBitWidth()) : 0;
  uint64_t limit = uint64_t(1) << width;
  switch (projection.rounding) {
  case ProjectionRounding::NearestTiesToEven:
    return rest > half || (rest == half && !isEven);
  case ProjectionRounding::NearestTiesToAway:
    return rest >= half;
  case ProjectionRounding::TowardPositive:
    return isInexact && !isNegative;
  case ProjectionRounding::TowardNegative:
    return isInexact && isNegative;
  case ProjectionRounding::TowardZero:
    return false;
  case ProjectionRounding::ToOdd:
    return isInexact && isEven;
  case ProjectionRounding::StochasticA:
    return toInteger(scale(rest, width), floor) + bits >= limit;
  case ProjectionRounding::StochasticB:
    return toInteger(scale(rest, width + 1), floor) + 2 * bits + 1 >= 2 * limit;
  case ProjectionRounding::StochasticC:
    break;
  }
  return toInteger(scale(rest, width), APFloat::rmNearestTiesToEven) + bits >=
         limit;
}

/// RoundToPrecision (I3): rounds a number without an upper bound of exponents.
static APFloat roundToPrecision(const Destination &to, const APFloat &value,
                                const Projection &projection,
                                const APInt *random) {
  if (value.isZero())
    return APFloat(0.0);
  APFloat magnitude = abs(value);
  int last = std::max(ilogb(magnitude), 1 - to.bias) - to.precision + 1; // Q
  APFloat scaled = scale(magnitude, -last);
  uint64_t below = toInteger(scaled, APFloat::rmTowardZero);
  APFloat steps = APFloat(double(below)), rest = scaled;
  rest.subtract(steps, APFloat::rmNearestTiesToEven);
  bool isEven = to.precision > 1 ? below % 2 == 0
                                 : below == 0 || (last + to.bias) % 2 == 0;
  if (roundsAway(projection, value.isNegative(), isEven, rest, random))
    steps.add(APFloat(1.0), APFloat::rmNearestTiesToEven);
  APFloat rounded = scale(steps, last);
  if (value.isNegative())
    rounded.changeSign();
  return rounded;
}

/// Saturate (I5): returns a number of the finite range, an infinity that the
/// format has, or NaN.
static APFloat saturate(const Destination &to, const APFloat &value,
                        const Projection &projection) {
  if (value >= to.lowest && value <= to.highest)
    return value;
  bool isBelow = value.isNegative();
  const APFloat &end = isBelow ? to.lowest : to.highest;
  bool hasThisInfinity = to.hasInfinity && (to.isSigned || !isBelow);
  switch (projection.saturation) {
  case ProjectionSaturation::SatFinite:
    return end;
  case ProjectionSaturation::SatPropagate:
    return value.isInfinity() && hasThisInfinity ? value : end;
  case ProjectionSaturation::SatNone:
    break;
  }
  bool isTowardEnd =
      projection.rounding == ProjectionRounding::TowardZero ||
      projection.rounding == (isBelow ? ProjectionRounding::TowardPositive
                                      : ProjectionRounding::TowardNegative);
  if (!value.isInfinity() && isTowardEnd)
    return end;
  return hasThisInfinity ? APFloat::getInf(APFloat::IEEEdouble(), isBelow)
                         : APFloat::getQNaN(APFloat::IEEEdouble());
}

/// Encode (I6): zero and NaN have no sign in IEEE formats either.
static APInt encodeProjected(const Format &to, const APFloat &value) {
  if (to.kind == FormatKind::IEEE) {
    APFloat result = value;
    if (result.isNaN() || result.isZero())
      result.clearSign();
    return roundToIEEE(to, result);
  }
  if (value.isNaN())
    return APInt(to.width, to.isUnsigned ? to.nanMagnitude : to.signMask());
  uint64_t sign = value.isNegative() ? to.signMask() : 0;
  if (value.isInfinity())
    return APInt(to.width, sign | to.infMagnitude);
  if (value.isZero())
    return APInt(to.width, 0);
  // E and T: subnormal numbers have the smallest exponent, but no implicit bit.
  int exponent = std::max(ilogb(value), to.minNormalExponent);
  uint64_t significand =
      toInteger(scale(abs(value), int(to.mantissaBits) - exponent),
                APFloat::rmTowardZero);
  uint64_t one = uint64_t(1) << to.mantissaBits;
  uint64_t field =
      significand < one ? 0 : uint64_t(exponent - to.minNormalExponent + 1);
  return APInt(to.width,
               sign | field << to.mantissaBits | (significand & (one - 1)));
}

APInt reference::projectValue(const Format &to, APFloat value,
                              const Projection &projection,
                              const APInt *random) {
  Destination destination(to);
  if (!value.isNaN()) {
    if (!value.isInfinity())
      value = roundToPrecision(destination, value, projection, random);
    value = saturate(destination, value, projection);
  }
  return encodeProjected(to, value);
}

APInt reference::project(const Format &from, const Format &to,
                         const APInt &bits, const Projection &projection,
                         const APInt *random) {
  return projectValue(to, decode(from, bits), projection, random);
}

bool reference::isDraftFormat(Type elementType) {
  return isa<Float8E4M3FNUZType, Float8E5M2FNUZType>(elementType) ||
         elementType.getAbstractType().getName() == "quant_float.binary";
}

bool reference::isProjectable(Type elementType) {
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type>(
             elementType) ||
         isDraftFormat(elementType);
}

//===----------------------------------------------------------------------===//
// Blocks (I7)
//===----------------------------------------------------------------------===//

bool reference::isConvertedBlock(BlockConversion conversion, Type x, Type scale,
                                 Type y) {
  auto isShort = [](Type type) {
    return isProjectable(type) && !isa<Float64Type>(type);
  };
  return isShort(x) && isShort(scale) &&
         (conversion == BlockConversion::ToBlock ? isDraftFormat(y)
                                                 : isProjectable(y));
}

/// Returns 1, -1, or the value if it is neither positive nor negative.
static APFloat getSign(const APFloat &value) {
  if (value.isNaN() || value.isZero())
    return value;
  return APFloat(value.isNegative() ? -1.0 : 1.0);
}

/// Returns the quotient of which a block has the projection. An f64 represents
/// it precisely enough: with 24 bits in numerator and denominator, it differs
/// by at least 2^-49 of itself from other numbers of 25 bits, which are all at
/// which a rounding to 8 bits with 16 random bits changes.
static APFloat divideByScale(APFloat x, APFloat scale) {
  if (x.isNaN() || scale.isNaN())
    return APFloat::getQNaN(APFloat::IEEEdouble());
  if (scale.isZero())
    return APFloat(0.0);
  if (scale.isInfinity()) {
    x = getSign(x);
    scale = getSign(scale);
  }
  x.divide(scale, APFloat::rmNearestTiesToEven);
  return x;
}

APInt reference::convertBlockElement(BlockConversion conversion, Type x,
                                     Type scale, Type y, const APInt &bits,
                                     const APInt &scaleBits,
                                     const Projection &projection,
                                     std::optional<APInt> random) {
  APFloat value = decode(*getFormat(x), bits);
  APFloat factor = decode(*getFormat(scale), scaleBits);
  // Products of two significands of 24 bits are exact in f64.
  if (conversion == BlockConversion::ToBlock)
    value = divideByScale(value, factor);
  else
    value.multiply(factor, APFloat::rmNearestTiesToEven);
  return projectValue(*getFormat(y), value, projection,
                      random ? &*random : nullptr);
}
