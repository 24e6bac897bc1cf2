//===- EncodeFloat.cpp - f32 to floats ------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastExpander.h"

using namespace mlir;
using namespace mlir::quant_float;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

// Of f32.
static constexpr unsigned kMantissaBits = 23;
static constexpr uint64_t kMagnitudeMask = 0x7FFFFFFF;
static constexpr uint64_t kExponentMask = 0x7F800000;

static FloatType getF32(Value value) {
  return Float32Type::get(value.getContext());
}

/// `value` rounded or extended to `type` by the target. A NaN keeps its sign.
static Value convertFloat(Lanes &lanes, Value value, FloatType type) {
  unsigned fromWidth = Lanes::getWidth(value), width = type.getWidth();
  Value result = width > fromWidth
                     ? lanes.convert<arith::ExtFOp>(value, type)
                     : lanes.convert<arith::TruncFOp>(value, type);
  if (lanes.getTarget().keepsNaNSigns)
    return result;
  Value isNegative = lanes.shrU(lanes.toBits(value), fromWidth - 1);
  Value sign = lanes.shl(lanes.resize(isNegative, width), width - 1);
  return lanes.bitcast(lanes.make<arith::OrIOp>(lanes.toBits(result), sign),
                       type);
}

Value quant_float::roundToOdd(Lanes &lanes, Value value) {
  // Nearest first; where that went away from zero, one step back; then the
  // lowest bit says that something was lost. An overflow comes back from
  // infinity to the largest value, an underflow is the smallest subnormal:
  // both still round to the same side of whatever is asked later.
  Value nearest = convertFloat(lanes, value, getF32(value));
  Type f64 = getElementTypeOrSelf(value);
  Value back = lanes.convert<arith::ExtFOp>(nearest, f64);
  Value bits = lanes.toBits(nearest);
  auto magnitude = [&](Value a) {
    return lanes.bitcast(lanes.bitAnd(lanes.toBits(a), ~uint64_t(0) >> 1), f64);
  };
  Value isAway =
      lanes.compare(CmpFPredicate::OGT, magnitude(back), magnitude(value));
  Value towardZero = lanes.select(isAway, lanes.add(bits, -1), bits);
  Value isInexact = lanes.compare(CmpFPredicate::ONE, back, value);
  Value odd = lanes.select(isInexact, lanes.bitOr(towardZero, 1), bits);
  return lanes.bitcast(odd, getF32(value));
}

/// The same of a NaN that is quiet by conversion to 16 bits: as an integer it
/// is not below the one without payload, among the positive ones, which
/// negative ones are below, or among the negative ones, which are above the
/// others.
static Value dropPayload(Lanes &lanes, Value value, FloatType type) {
  FloatFormat format(type);
  Value bits = lanes.toBits(value);
  bits = lanes.make<arith::MinSIOp>(bits, lanes.integer(bits, format.nanCode));
  bits = lanes.make<arith::MinUIOp>(
      bits, lanes.integer(bits, format.signMask() | format.nanCode));
  return lanes.bitcast(bits, type);
}

/// Quiet and without payload, the sign kept (C2).
static Value canonicalizeNaN(Lanes &lanes, Value value, Value isNaN,
                             FloatType type) {
  FloatFormat format(type);
  Value bits = lanes.toBits(value);
  Value canonical =
      lanes.bitOr(lanes.bitAnd(bits, format.signMask()), format.nanCode);
  return lanes.bitcast(lanes.select(isNaN, canonical, bits), type);
}

/// The value of a magnitude code if every exponent were an ordinary one, those
/// beyond the largest too.
static APFloat getOrdinaryValue(const FloatFormat &format, uint64_t code) {
  uint64_t one = uint64_t(1) << format.mantissaBits;
  APFloat significand(APFloat::IEEEsingle(), one | (code & (one - 1)));
  return scalbn(significand,
                int(code >> format.mantissaBits) - format.bias -
                    int(format.mantissaBits),
                APFloat::rmNearestTiesToEven);
}

/// Puts what is no ordinary value of `to` on the ordinary value of the code
/// that it gets, so that rounding makes the right code of everything.
///
/// NaN has a code above the largest value's: its own, or without one the sign
/// bit, which makes of a NaN the zero of the other sign (C8).
static Value capMagnitude(Lanes &lanes, Value magnitude, NaNs nans,
                          const FloatFormat &to, bool saturate,
                          bool infinityIsNaN, bool isCapped = false) {
  FloatType f32 = getF32(magnitude);
  uint64_t nanCode = to.hasNaN ? to.nanCode : to.signMask();
  Value nan = lanes.number(f32, getOrdinaryValue(to, nanCode));
  bool hasMinimumNumber = lanes.getTarget().hasMinimumNumber;
  auto selectLess = [&](Value a, Value b) {
    return lanes.select(lanes.compare(CmpFPredicate::OLT, a, b), a, b);
  };
  // A NaN is not less and goes as well. But LLVM takes this for IEEE 754-2008's
  // minNum, which keeps a signaling one.
  bool isMinNum = nans == NaNs::Any && !lanes.getTarget().minIsSelect;
  auto replaceNaN = [&](Value value) {
    if (hasMinimumNumber)
      return lanes.make<arith::MinNumFOp>(value, nan);
    return isMinNum ? lanes.select(lanes.isNaN(magnitude), nan, value)
                    : selectLess(value, nan);
  };
  // C3: without saturation NaN is what overflows, where there is no infinity.
  if (!saturate && !to.hasInfinity)
    return hasMinimumNumber
               ? replaceNaN(magnitude)
               : selectLess(isMinNum ? replaceNaN(magnitude) : magnitude, nan);

  // C3, C8. A NaN is not more than the limit, and stays.
  Value limit = lanes.number(
      f32, getOrdinaryValue(to, saturate ? to.maxCode : to.infinityCode));
  Value capped = isCapped ? magnitude : lanes.cap(magnitude, limit);
  if (infinityIsNaN) {
    // C4
    Value infinity =
        lanes.number(f32, APFloat::getInf(f32.getFloatSemantics()));
    Value isFinite = lanes.compare(CmpFPredicate::OLT, magnitude, infinity);
    return lanes.select(isFinite, capped, nan);
  }
  return nans == NaNs::None ? capped : replaceNaN(capped);
}

/// The magnitude code of `magnitude` rounded to nearest even in `to`, in the
/// low bits of an i32 (those of the storage of `to`); the others are garbage.
///
/// Adding 2^(e + 23 - M) to a number of exponent e leaves M mantissa bits and
/// rounds the rest away, as the sum has the exponent of the power of two. With
/// e held at the smallest exponent of `to` the same addition rounds subnormals:
///
///   t = max(2^e, 2^minExponent)
///   r = t * 2^(23 - M) + magnitude          (the product is exact)
///
/// The low bits of r are the rounded significand with its leading one, the
/// exponent of t counts the binades below: their sum is the code, and a carry
/// out of the significand goes where it should. What the exponent of t counts
/// too much, an even number, is part of the factor: t * (2^(23 - M) + c / 2^M)
/// has c in its low bits.
static Value roundToCode(Lanes &lanes, Value magnitude, const FloatFormat &to) {
  FloatType f32 = getF32(magnitude);
  unsigned dropped = kMantissaBits - to.mantissaBits;
  Value power =
      lanes.bitcast(lanes.bitAnd(lanes.toBits(magnitude), kExponentMask), f32);
  Value smallest = lanes.powerOfTwo(f32, to.minExponent);
  power = lanes.getLarger(power, smallest);

  uint32_t smallestBits = uint32_t(127 + to.minExponent) << kMantissaBits;
  uint32_t correction =
      -(smallestBits >> dropped) & (to.width > 8 ? 0xFFFF : 0xFF);
  uint32_t factor = uint32_t(127 + dropped) << kMantissaBits | correction;
  Value sum = lanes.toBits(lanes.addScaledPower(
      power, APFloat(APFloat::IEEEsingle(), APInt(32, factor)), magnitude));
  return lanes.make<arith::AddIOp>(sum,
                                   lanes.shrU(lanes.toBits(power), dropped));
}

/// f16 for targets that have no conversion: C2 is C3 without saturation.
static Value encodeHalf(Lanes &lanes, Value value, NaNs nans,
                        const FloatFormat &half) {
  Value bits = lanes.toBits(value);
  Value magnitude =
      lanes.bitcast(lanes.bitAnd(bits, kMagnitudeMask), getF32(value));
  Value code = roundToCode(lanes,
                           capMagnitude(lanes, magnitude, nans, half,
                                        /*saturate=*/false,
                                        /*infinityIsNaN=*/false),
                           half);
  Value sign = lanes.bitAnd(lanes.shrU(bits, 16), half.signMask());
  return lanes.resize(lanes.make<arith::OrIOp>(code, sign), 16);
}

/// Whether bf16 holds what `carrier` can be.
static bool isBFloat(const Carrier &carrier, const FloatFormat &bfloat) {
  return carrier.nans != NaNs::Any &&
         carrier.significantBits <= bfloat.mantissaBits + 1;
}

/// bf16 has f32's exponents, so that rounding is integer arithmetic on the
/// bits: a carry into the exponent, up to infinity, is what should happen.
static Value encodeBFloat(Lanes &lanes, const Carrier &carrier,
                          const FloatFormat &bfloat) {
  Value bits = lanes.toBits(carrier.value);
  if (isBFloat(carrier, bfloat))
    return lanes.resize(lanes.shrU(bits, 16), 16);
  Value last = lanes.bitAnd(lanes.shrU(bits, 16), 1);
  Value rounded = lanes.make<arith::AddIOp>(lanes.add(bits, 0x7FFF), last);
  Value code = lanes.shrU(rounded, 16);
  if (carrier.nans == NaNs::Any) {
    Value sign = lanes.bitAnd(lanes.shrU(bits, 16), bfloat.signMask());
    code = lanes.select(lanes.isNaN(carrier.value),
                        lanes.bitOr(sign, bfloat.nanCode), code);
  }
  return lanes.resize(code, 16);
}

Value quant_float::encodeStandardFloat(Lanes &lanes, Carrier carrier,
                                       FloatType to) {
  Value value = carrier.value;
  auto carrierType = cast<FloatType>(getElementTypeOrSelf(value));
  if (to.isBF16() && (!lanes.getTarget().hasBFloatConversions ||
                      isBFloat(carrier, FloatFormat(to))))
    return lanes.bitcast(encodeBFloat(lanes, carrier, FloatFormat(to)), to);
  if (to.isF16() && !lanes.getTarget().hasHalfConversions)
    return lanes.bitcast(
        encodeHalf(lanes, value, carrier.nans, FloatFormat(to)), to);

  Value result = to == carrierType ? value : convertFloat(lanes, value, to);
  bool madeNaNs = to != carrierType && !lanes.getTarget().makesCanonicalNaNs;
  if (carrier.nans != NaNs::Any &&
      (carrier.nans != NaNs::Canonical || !madeNaNs))
    return result;
  // Less than a comparison, where vectors of words have it.
  if (to.getWidth() == 16 && lanes.getTarget().keepsNaNSigns)
    return dropPayload(lanes, result, to);
  return canonicalizeNaN(lanes, result, lanes.isNaN(value), to);
}

APFloat quant_float::getOverflowValue(Type type,
                                      const CastSemantics &semantics) {
  FloatFormat to(type);
  if (semantics.saturate || !to.hasNaN)
    return getOrdinaryValue(to, to.maxCode);
  return getOrdinaryValue(to, to.hasInfinity ? to.infinityCode : to.nanCode);
}

Value quant_float::encodeNarrowFloat(Lanes &lanes, Carrier carrier, Type type,
                                     const CastSemantics &semantics) {
  FloatFormat to(type);
  Value value = carrier.value;
  FloatType f32 = getF32(value);
  Value bits = carrier.signBits, magnitude = value;
  if (!bits) {
    bits = lanes.toBits(value);
    magnitude = lanes.bitcast(lanes.bitAnd(bits, kMagnitudeMask), f32);
  }
  // C8: formats without NaN always saturate.
  bool saturate = semantics.saturate || !to.hasNaN;
  Value capped = capMagnitude(lanes, magnitude, carrier.nans, to, saturate,
                              to.isFNUZ && saturate && semantics.infinityIsNaN,
                              carrier.isCapped);
  Value code = roundToCode(lanes, capped, to);

  // F3: no number below zero but one that rounds to it.
  if (!to.isSigned) {
    code = lanes.resize(code, 8);
    uint64_t kept = saturate ? to.nanCode : 0;
    Value isOutside =
        lanes.make<arith::AndIOp>(lanes.compare(CmpIPredicate::slt, bits, 0),
                                  lanes.compare(CmpIPredicate::ne, code, kept));
    return lanes.select(isOutside, saturate ? 0 : to.nanCode, code);
  }

  // C6: FNUZ has no negative zero. Up to half the smallest subnormal rounds to
  // it. The code of NaN has the sign bit (C5).
  auto dropOfZero = [&](Value sign) {
    Value isNonZero = lanes.compare(
        CmpFPredicate::OGT, magnitude,
        lanes.powerOfTwo(f32, to.minExponent - int(to.mantissaBits) - 1));
    return lanes.select(isNonZero, sign, lanes.integer(sign, 0));
  };
  bool packsBytes = lanes.getTarget().packsBytes;
  if (packsBytes && to.isFNUZ)
    bits = dropOfZero(bits);
  Value sign = lanes.shrU(bits, 32 - to.width);
  if (packsBytes) {
    code = lanes.resize(code, 8);
    sign = lanes.resize(sign, 8);
  }
  sign = lanes.bitAnd(sign, to.signMask());
  if (!to.isFNUZ)
    return lanes.resize(lanes.make<arith::XOrIOp>(code, sign), 8);
  if (!packsBytes)
    sign = dropOfZero(sign);
  return lanes.resize(lanes.make<arith::OrIOp>(code, sign), 8);
}

Value quant_float::encodeScale(Lanes &lanes, Carrier carrier,
                               const CastSemantics &semantics) {
  // The code is the exponent field, rounded by adding to the mantissa below it.
  // Under 2^-126 the grid has one value more, 2^-127, which is the top bit of a
  // subnormal's mantissa: there the threshold to code 1 is written out.
  Value bits = lanes.toBits(carrier.value);
  uint64_t increment = 0, firstOfCode1 = 0;
  switch (semantics.roundMode) {
  case RoundMode::Up:
    increment = 0x7FFFFF;
    firstOfCode1 = 0x400001;
    break;
  case RoundMode::Down:
  case RoundMode::Stochastic:
    break;
  case RoundMode::Nearest:
    increment = 0x400000;
    firstOfCode1 = 0x600000;
    break;
  }
  Value code = bits;
  if (increment)
    code = lanes.add(code, increment);
  code = lanes.shrU(code, kMantissaBits);
  // Negatives are below it as integers, too.
  if (firstOfCode1 || semantics.saturate)
    code = lanes.select(lanes.compare(CmpIPredicate::slt, bits, firstOfCode1),
                        0, code);

  if (semantics.saturate) {
    // What is negative is 0 already, and stays.
    Value isOver = lanes.compare(CmpIPredicate::ugt, code, 0xFE);
    code = lanes.select(isOver, 0xFE, code);
    if (carrier.nans != NaNs::None)
      code = lanes.select(lanes.isNaN(carrier.value), 0xFF, code);
  } else {
    // What is left of [2^-127, 2^127], tested before rounding: negatives have
    // the sign bit and are far above, NaN and infinity are too.
    Value fromSmallest = lanes.add(bits, -uint64_t(0x00400000));
    Value isOutside = lanes.compare(CmpIPredicate::ugt, fromSmallest,
                                    0x7F000000 - 0x00400000);
    code = lanes.select(isOutside, 0xFF, code);
  }
  return lanes.bitcast(lanes.resize(code, 8),
                       Float8E8M0FNUType::get(bits.getContext()));
}
