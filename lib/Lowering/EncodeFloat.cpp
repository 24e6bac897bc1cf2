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

// Properties of f32.
static constexpr unsigned kMantissaBits = 23;
static constexpr uint64_t kMagnitudeMask = 0x7FFFFFFF;
static constexpr uint64_t kExponentMask = 0x7F800000;

static FloatType getF32(Value value) {
  return Float32Type::get(value.getContext());
}

/// Converts `value` to `type` with the target's conversion. A NaN keeps its
/// sign.
static Value convertFloat(VectorBuilder &lanes, Value value, FloatType type) {
  unsigned fromWidth = VectorBuilder::getWidth(value), width = type.getWidth();
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

Value quant_float::roundToOdd(VectorBuilder &lanes, Value value) {
  // Round to nearest first. If that rounded away from zero, step back to the
  // previous value. Then set the lowest bit of inexact results. Overflow steps
  // back from infinity to the largest value, and underflow gives the smallest
  // subnormal, which a later rounding treats like the exact value.
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

/// Sets the payload of a NaN that the conversion to 16 bits made quiet to zero
/// (C2) by integer minima. As a signed integer, a positive quiet NaN is at
/// least the canonical one, and all other values are less. As an unsigned
/// integer, the same applies to negative NaNs.
static Value dropPayload(VectorBuilder &lanes, Value value, FloatType type) {
  FloatFormat format(type);
  Value bits = lanes.toBits(value);
  bits =
      lanes.make<arith::MinSIOp>(bits, lanes.integer(bits, format.nanEncoding));
  bits = lanes.make<arith::MinUIOp>(
      bits, lanes.integer(bits, format.signMask() | format.nanEncoding));
  return lanes.bitcast(bits, type);
}

/// Makes NaNs quiet and clears their payload, but keeps their sign (C2).
static Value canonicalizeNaN(VectorBuilder &lanes, Value value, Value isNaN,
                             FloatType type) {
  FloatFormat format(type);
  Value bits = lanes.toBits(value);
  Value canonical =
      lanes.bitOr(lanes.bitAnd(bits, format.signMask()), format.nanEncoding);
  return lanes.bitcast(lanes.select(isNaN, canonical, bits), type);
}

/// Returns the value that the encoding of a magnitude would have if all
/// exponents, including those beyond the maximum, were those of normal numbers.
static APFloat getOrdinaryValue(const FloatFormat &format, uint64_t encoding) {
  uint64_t one = uint64_t(1) << format.mantissaBits;
  APFloat significand(APFloat::IEEEsingle(), one | (encoding & (one - 1)));
  return scalbn(significand,
                int(encoding >> format.mantissaBits) - format.bias -
                    int(format.mantissaBits),
                APFloat::rmNearestTiesToEven);
}

/// Replaces magnitudes above the maximum, infinities and NaN by the value that
/// getOrdinaryValue returns for their encoding, so that rounding produces the
/// correct encoding of every value.
///
/// The encoding of NaN is greater than that of the maximum: the format's NaN if
/// it has one, or else the sign bit, which changes a NaN to the zero of the
/// other sign (C8).
static Value capMagnitude(VectorBuilder &lanes, Value magnitude, NaNs nans,
                          const FloatFormat &to, bool saturate,
                          bool infinityIsNaN, bool isCapped = false) {
  FloatType f32 = getF32(magnitude);
  uint64_t nanEncoding = to.hasNaN ? to.nanEncoding : to.signMask();
  Value nan = lanes.number(f32, getOrdinaryValue(to, nanEncoding));
  bool hasMinimumNumber = lanes.getTarget().hasMinimumNumber;
  auto selectLess = [&](Value a, Value b) {
    return lanes.select(lanes.compare(CmpFPredicate::OLT, a, b), a, b);
  };
  // The comparison is false for NaN, so this also replaces NaNs. But LLVM
  // converts it to minNum of IEEE 754-2008, which does not replace a signaling
  // NaN.
  bool isMinNum = nans == NaNs::Any && !lanes.getTarget().minIsSelect;
  auto replaceNaN = [&](Value value) {
    if (hasMinimumNumber)
      return lanes.make<arith::MinNumFOp>(value, nan);
    return isMinNum ? lanes.select(lanes.isNaN(magnitude), nan, value)
                    : selectLess(value, nan);
  };
  // C3: without saturation, overflow gives NaN if there is no infinity.
  if (!saturate && !to.hasInfinity)
    return hasMinimumNumber
               ? replaceNaN(magnitude)
               : selectLess(isMinNum ? replaceNaN(magnitude) : magnitude, nan);

  // C3, C8. A NaN is not greater than the limit and remains.
  Value limit =
      lanes.number(f32, getOrdinaryValue(to, saturate ? to.maxEncoding
                                                      : to.infinityEncoding));
  Value capped = isCapped ? magnitude : lanes.cap(magnitude, limit);
  if (infinityIsNaN) {
    // Infinity becomes NaN in these opsets (C4).
    Value infinity =
        lanes.number(f32, APFloat::getInf(f32.getFloatSemantics()));
    Value isFinite = lanes.compare(CmpFPredicate::OLT, magnitude, infinity);
    return lanes.select(isFinite, capped, nan);
  }
  return nans == NaNs::None ? capped : replaceNaN(capped);
}

/// Rounds `magnitude` to nearest even in `to`. Returns the encoding in the low
/// bits of an i32 (as many as the storage of `to` has); the other bits are
/// unspecified.
///
/// Adding 2^(e + 23 - M) to a number with exponent e rounds it to M mantissa
/// bits, because the sum has the exponent of the power of two. If e is at least
/// the smallest exponent of `to`, the same addition rounds subnormals:
///
///   t = max(2^e, 2^minExponent)
///   r = t * 2^(23 - M) + magnitude          (the product is exact)
///
/// The low bits of r are the rounded significand including its leading one, and
/// the exponent field of t counts the binades below. Their sum is the encoding;
/// a carry out of the significand increments the exponent as it should. The
/// excess of the exponent field is subtracted by the factor: t * (2^(23 - M) +
/// c / 2^M) has c in its low bits. c is even, so ties still round to even.
static Value roundToEncoding(VectorBuilder &lanes, Value magnitude,
                             const FloatFormat &to) {
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

/// Rounds to f16 for targets without the conversion. C2 is C3 without
/// saturation.
static Value encodeHalf(VectorBuilder &lanes, Value value, NaNs nans,
                        const FloatFormat &half) {
  Value bits = lanes.toBits(value);
  Value magnitude =
      lanes.bitcast(lanes.bitAnd(bits, kMagnitudeMask), getF32(value));
  Value encoding = roundToEncoding(lanes,
                                   capMagnitude(lanes, magnitude, nans, half,
                                                /*saturate=*/false,
                                                /*infinityIsNaN=*/false),
                                   half);
  Value sign = lanes.bitAnd(lanes.shrU(bits, 16), half.signMask());
  return lanes.resize(lanes.make<arith::OrIOp>(encoding, sign), 16);
}

/// Whether bf16 represents all values of `intermediate`.
static bool isBFloat(const Intermediate &intermediate,
                     const FloatFormat &bfloat) {
  return intermediate.nans != NaNs::Any &&
         intermediate.significantBits <= bfloat.mantissaBits + 1;
}

/// Rounds to bf16. It has the exponents of f32, so that rounding is integer
/// arithmetic on the bits, and a carry into the exponent, up to infinity, is
/// correct.
static Value encodeBFloat(VectorBuilder &lanes,
                          const Intermediate &intermediate,
                          const FloatFormat &bfloat) {
  Value bits = lanes.toBits(intermediate.value);
  if (isBFloat(intermediate, bfloat))
    return lanes.resize(lanes.shrU(bits, 16), 16);
  Value last = lanes.bitAnd(lanes.shrU(bits, 16), 1);
  Value rounded = lanes.make<arith::AddIOp>(lanes.add(bits, 0x7FFF), last);
  Value encoding = lanes.shrU(rounded, 16);
  if (intermediate.nans == NaNs::Any) {
    Value sign = lanes.bitAnd(lanes.shrU(bits, 16), bfloat.signMask());
    encoding = lanes.select(lanes.isNaN(intermediate.value),
                            lanes.bitOr(sign, bfloat.nanEncoding), encoding);
  }
  return lanes.resize(encoding, 16);
}

Value quant_float::encodeStandardFloat(VectorBuilder &lanes,
                                       Intermediate intermediate,
                                       FloatType to) {
  Value value = intermediate.value;
  auto carrierType = cast<FloatType>(getElementTypeOrSelf(value));
  if (to.isBF16() && (!lanes.getTarget().hasBFloatConversions ||
                      isBFloat(intermediate, FloatFormat(to))))
    return lanes.bitcast(encodeBFloat(lanes, intermediate, FloatFormat(to)),
                         to);
  if (to.isF16() && !lanes.getTarget().hasHalfConversions)
    return lanes.bitcast(
        encodeHalf(lanes, value, intermediate.nans, FloatFormat(to)), to);

  Value result = to == carrierType ? value : convertFloat(lanes, value, to);
  bool madeNaNs = to != carrierType && !lanes.getTarget().makesCanonicalNaNs;
  if (intermediate.nans != NaNs::Any &&
      (intermediate.nans != NaNs::Canonical || !madeNaNs))
    return result;
  // This is cheaper than a comparison if vectors of 16-bit integers have
  // minima.
  if (to.getWidth() == 16 && lanes.getTarget().keepsNaNSigns)
    return dropPayload(lanes, result, to);
  return canonicalizeNaN(lanes, result, lanes.isNaN(value), to);
}

APFloat quant_float::getOverflowValue(Type type,
                                      const CastSemantics &semantics) {
  FloatFormat to(type);
  if (semantics.saturate || !to.hasNaN)
    return getOrdinaryValue(to, to.maxEncoding);
  return getOrdinaryValue(to, to.hasInfinity ? to.infinityEncoding
                                             : to.nanEncoding);
}

Value quant_float::encodeNarrowFloat(VectorBuilder &lanes,
                                     Intermediate intermediate, Type type,
                                     const CastSemantics &semantics) {
  FloatFormat to(type);
  Value value = intermediate.value;
  FloatType f32 = getF32(value);
  Value bits = intermediate.signBits, magnitude = value;
  if (!bits) {
    bits = lanes.toBits(value);
    magnitude = lanes.bitcast(lanes.bitAnd(bits, kMagnitudeMask), f32);
  }
  // C8: formats without NaN always saturate.
  bool saturate = semantics.saturate || !to.hasNaN;
  Value capped = capMagnitude(lanes, magnitude, intermediate.nans, to, saturate,
                              to.isFNUZ && saturate && semantics.infinityIsNaN,
                              intermediate.isCapped);
  Value encoding = roundToEncoding(lanes, capped, to);

  // F3: the format has no negative values. Only those that round to zero are
  // valid.
  if (!to.isSigned) {
    encoding = lanes.resize(encoding, 8);
    uint64_t unchanged = saturate ? to.nanEncoding : 0;
    Value isOutside = lanes.make<arith::AndIOp>(
        lanes.compare(CmpIPredicate::slt, bits, 0),
        lanes.compare(CmpIPredicate::ne, encoding, unchanged));
    return lanes.select(isOutside, saturate ? 0 : to.nanEncoding, encoding);
  }

  // C6: FNUZ formats have no negative zero. Magnitudes of at most half the
  // smallest subnormal round to zero. The encoding of NaN includes the sign bit
  // (C5).
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
    encoding = lanes.resize(encoding, 8);
    sign = lanes.resize(sign, 8);
  }
  sign = lanes.bitAnd(sign, to.signMask());
  if (!to.isFNUZ)
    return lanes.resize(lanes.make<arith::XOrIOp>(encoding, sign), 8);
  if (!packsBytes)
    sign = dropOfZero(sign);
  return lanes.resize(lanes.make<arith::OrIOp>(encoding, sign), 8);
}

Value quant_float::encodeScale(VectorBuilder &lanes, Intermediate intermediate,
                               const CastSemantics &semantics) {
  // The encoding is the exponent field, rounded by an addition to the mantissa
  // below it. Below 2^-126 there is one more value, 2^-127, which is the top
  // bit of the mantissa of a subnormal. The threshold to encoding 1 is
  // therefore explicit.
  Value bits = lanes.toBits(intermediate.value);
  uint64_t increment = 0, firstOfEncoding1 = 0;
  switch (semantics.roundMode) {
  case RoundMode::Up:
    increment = 0x7FFFFF;
    firstOfEncoding1 = 0x400001;
    break;
  case RoundMode::Down:
  case RoundMode::Stochastic:
    break;
  case RoundMode::Nearest:
    increment = 0x400000;
    firstOfEncoding1 = 0x600000;
    break;
  }
  Value encoding = bits;
  if (increment)
    encoding = lanes.add(encoding, increment);
  encoding = lanes.shrU(encoding, kMantissaBits);
  // Negative values are less as signed integers and give 0, too.
  if (firstOfEncoding1 || semantics.saturate)
    encoding = lanes.select(
        lanes.compare(CmpIPredicate::slt, bits, firstOfEncoding1), 0, encoding);

  if (semantics.saturate) {
    // Negative values are already 0.
    Value isOver = lanes.compare(CmpIPredicate::ugt, encoding, 0xFE);
    encoding = lanes.select(isOver, 0xFE, encoding);
    if (intermediate.nans != NaNs::None)
      encoding = lanes.select(lanes.isNaN(intermediate.value), 0xFF, encoding);
  } else {
    // Values outside of [2^-127, 2^127] before rounding. As unsigned
    // differences, negative values, infinity and NaN are greater, too.
    Value fromSmallest = lanes.add(bits, -uint64_t(0x00400000));
    Value isOutside = lanes.compare(CmpIPredicate::ugt, fromSmallest,
                                    0x7F000000 - 0x00400000);
    encoding = lanes.select(isOutside, 0xFF, encoding);
  }
  return lanes.bitcast(lanes.resize(encoding, 8),
                       Float8E8M0FNUType::get(bits.getContext()));
}
