//===- ExpandProjection.cpp - Projections of IEEE P3109 -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The magnitude of an f32, which represents all sources but f64 exactly, is a
// significand m of 24 bits, times a power of two; that of an f64 has 53 bits.
// In units of the last place of the result, it is m / 2^shift: an integer and a
// fraction v. The integer and the exponent give the encoding below the
// magnitude; encodings continue beyond the maximum as if exponents had no upper
// bound. Every rounding mode only decides by v, the encoding and the sign
// whether the next encoding is the result. Adjacent encodings are adjacent
// numbers in every format, also in those with a precision of 1, whose ties
// round to the even encoding.
//
// All of this is integer arithmetic, so that the environment has no effect.
//
//===----------------------------------------------------------------------===//

#include "CastExpander.h"

using namespace mlir;
using namespace mlir::quant_float;
using arith::CmpIPredicate;
using Rounding = P3109Rounding;
using Saturation = P3109Saturation;

namespace {
/// Rounds and saturates the elements of a vector.
class Projector {
public:
  /// `bits` are those of elements of type `from`, which is f32 or f64.
  Projector(VectorBuilder &lanes, Value bits, FloatType from, Type to,
            ProjectionAttr projection, std::optional<RandomBits> random)
      : lanes(lanes), from(from), to(to), isRepresentable(from == to),
        rounding(projection.getRounding()),
        saturation(projection.getSaturation()), random(random),
        fractionBits(this->from.mantissaBits + 1),
        magnitude(lanes.bitAnd(bits, this->from.magnitudeMask())),
        isNegative(lanes.compare(CmpIPredicate::slt, bits, 0)) {
    if (random)
      this->random->bits = lanes.resize(random->bits, this->from.width);
  }

  Value project();

private:
  void truncate();
  Value roundsAway();
  Value saturate(Value encoding);
  Value make(bool condition) {
    return lanes.constant(lanes.getBuilder().getBoolAttr(condition));
  }

  VectorBuilder &lanes;
  FloatFormat from, to;
  bool isRepresentable;
  Rounding rounding;
  Saturation saturation;
  std::optional<RandomBits> random;
  /// The bits of a fraction. A fraction with more bits has its lowest bit set
  /// if any of these is set (sticky bit), which is sufficient for all
  /// comparisons, because random bits are at most 16.
  unsigned fractionBits;
  Value magnitude, isNegative;
  /// The encoding below the magnitude, and the distance from it in units of the
  /// last place and of 2^-fractionBits.
  Value encoding, fraction;
};
} // namespace

void Projector::truncate() {
  int precision = int(to.mantissaBits) + 1;
  Value exponent = lanes.shrU(magnitude, from.mantissaBits);
  Value one = lanes.integer(magnitude, 1);
  // Zero and subnormals of the source have the exponent field of the smallest
  // normal numbers, without an implicit bit.
  Value isNormal = lanes.compare(CmpIPredicate::ne, exponent, 0);
  Value field = lanes.make<arith::MaxUIOp>(exponent, one);
  Value implicit = lanes.select(isNormal, uint64_t(1) << from.mantissaBits,
                                lanes.integer(magnitude, 0));
  Value significand = lanes.make<arith::OrIOp>(
      lanes.bitAnd(magnitude, (uint64_t(1) << from.mantissaBits) - 1),
      implicit);
  // The exponent of the result, biased as in the source, without an upper
  // bound.
  uint64_t smallest = uint64_t(from.bias + to.minExponent);
  Value top =
      lanes.make<arith::MaxUIOp>(exponent, lanes.integer(exponent, smallest));
  Value shift = lanes.add(lanes.make<arith::SubIOp>(top, field),
                          uint64_t(int(fractionBits) - precision));
  // Shift out the bits below those of the fraction, and set a sticky bit.
  Value max = lanes.integer(shift, fractionBits);
  Value excess =
      lanes.make<arith::SubIOp>(lanes.make<arith::MaxUIOp>(shift, max), max);
  excess = lanes.make<arith::MinUIOp>(excess, max);
  Value kept = lanes.make<arith::ShRUIOp>(significand, excess);
  Value isLost = lanes.compare(
      CmpIPredicate::ne, lanes.make<arith::ShLIOp>(kept, excess), significand);
  significand = lanes.make<arith::OrIOp>(
      kept, lanes.convert<arith::ExtUIOp>(isLost, lanes.getInt(from.width)));
  shift = lanes.make<arith::MinUIOp>(shift, max);

  Value steps = lanes.make<arith::ShRUIOp>(significand, shift);
  Value rest = lanes.make<arith::SubIOp>(
      significand, lanes.make<arith::ShLIOp>(steps, shift));
  fraction =
      lanes.make<arith::ShLIOp>(rest, lanes.make<arith::SubIOp>(max, shift));
  Value binades = lanes.add(top, -smallest);
  encoding =
      lanes.make<arith::AddIOp>(lanes.shl(binades, to.mantissaBits), steps);
}

/// Returns whether the next encoding is the result (I3, I4).
Value Projector::roundsAway() {
  Value isInexact = lanes.compare(CmpIPredicate::ne, fraction, 0);
  uint64_t half = uint64_t(1) << (fractionBits - 1);
  auto isEven = [&] {
    return lanes.compare(CmpIPredicate::eq, lanes.bitAnd(encoding, 1), 0);
  };
  auto reaches = [&](Value sum, unsigned width) {
    return lanes.compare(CmpIPredicate::uge, sum, uint64_t(1) << width);
  };
  switch (rounding) {
  case Rounding::NearestTiesToEven:
    // A tie with an odd encoding exceeds one half by 1.
    return lanes.compare(
        CmpIPredicate::ugt,
        lanes.make<arith::AddIOp>(fraction, lanes.bitAnd(encoding, 1)), half);
  case Rounding::NearestTiesToAway:
    return lanes.compare(CmpIPredicate::uge, fraction, half);
  case Rounding::TowardPositive:
    return lanes.make<arith::AndIOp>(
        isInexact, lanes.make<arith::XOrIOp>(isNegative, make(true)));
  case Rounding::TowardNegative:
    return lanes.make<arith::AndIOp>(isInexact, isNegative);
  case Rounding::TowardZero:
    return make(false);
  case Rounding::ToOdd:
    return lanes.make<arith::AndIOp>(isInexact, isEven());
  case Rounding::StochasticA: {
    Value steps = lanes.shrU(fraction, fractionBits - random->width);
    return reaches(lanes.make<arith::AddIOp>(steps, random->bits),
                   random->width);
  }
  case Rounding::StochasticB: {
    Value steps = lanes.shrU(fraction, fractionBits - random->width - 1);
    Value bits = lanes.add(lanes.shl(random->bits, 1), 1);
    return reaches(lanes.make<arith::AddIOp>(steps, bits), random->width + 1);
  }
  case Rounding::StochasticC:
    break;
  }
  // To nearest, ties to even, by an addition before the bits are shifted out.
  unsigned dropped = fractionBits - random->width;
  Value last = lanes.bitAnd(lanes.shrU(fraction, dropped), 1);
  Value sum = lanes.add(fraction, (uint64_t(1) << (dropped - 1)) - 1);
  Value steps = lanes.shrU(lanes.make<arith::AddIOp>(sum, last), dropped);
  return reaches(lanes.make<arith::AddIOp>(steps, random->bits), random->width);
}

/// Returns the encoding of a rounded magnitude, of infinity and of NaN (I5,
/// I6).
Value Projector::saturate(Value encoding) {
  auto integer = [&](uint64_t number) {
    return lanes.integer(magnitude, number);
  };
  Value isInfinite =
      lanes.compare(CmpIPredicate::eq, magnitude, from.infinityEncoding);
  uint64_t beyond = to.hasInfinity ? to.infinityEncoding : to.nanEncoding;
  bool isTowardZero = rounding == Rounding::TowardZero;
  bool endsAbove = isTowardZero || rounding == Rounding::TowardNegative;
  bool endsBelow = isTowardZero || rounding == Rounding::TowardPositive;
  // The results of finite numbers and of infinities, above and below.
  Value overflow;
  switch (saturation) {
  case Saturation::SatFinite:
    overflow = integer(to.maxEncoding);
    break;
  case Saturation::SatPropagate:
    overflow = integer(to.maxEncoding);
    if (to.hasInfinity)
      overflow = lanes.select(isInfinite, to.infinityEncoding, overflow);
    break;
  case Saturation::SatNone:
    overflow = integer(endsAbove ? to.maxEncoding : beyond);
    if (endsAbove != endsBelow)
      overflow = lanes.select(isNegative, endsBelow ? to.maxEncoding : beyond,
                              overflow);
    if (endsAbove || endsBelow)
      overflow = lanes.select(isInfinite, beyond, overflow);
    break;
  }
  Value isZero = lanes.compare(CmpIPredicate::eq, encoding, 0);
  Value isOver = lanes.compare(CmpIPredicate::ugt, encoding, to.maxEncoding);
  Value result = lanes.select(isOver, overflow, encoding);
  Value isBelowZero = lanes.make<arith::AndIOp>(
      isNegative, lanes.make<arith::XOrIOp>(isZero, make(true)));
  if (to.isSigned) {
    Value sign = lanes.select(isBelowZero, to.signMask(), integer(0));
    result = lanes.make<arith::OrIOp>(result, sign);
  } else {
    // The lowest number is 0, and there is no negative infinity.
    Value below = integer(0);
    if (saturation == Saturation::SatNone)
      below = endsBelow ? lanes.select(isInfinite, to.nanEncoding, below)
                        : integer(to.nanEncoding);
    result = lanes.select(isBelowZero, below, result);
  }
  Value isNaN =
      lanes.compare(CmpIPredicate::ugt, magnitude, from.infinityEncoding);
  return lanes.select(isNaN, to.nanEncoding, result);
}

Value Projector::project() {
  if (isRepresentable)
    return saturate(magnitude);
  truncate();
  Value rounded = encoding;
  if (rounding != Rounding::TowardZero)
    rounded = lanes.make<arith::AddIOp>(
        encoding,
        lanes.convert<arith::ExtUIOp>(roundsAway(), lanes.getInt(from.width)));
  return lanes.resize(saturate(rounded), std::max(to.width, 8u));
}

Value quant_float::expandProjection(VectorBuilder &lanes, Value storage,
                                    Type from, Type to,
                                    ProjectionAttr projection,
                                    std::optional<RandomBits> random) {
  Value value = decodeFloat(lanes, storage, from).value;
  auto wide = cast<FloatType>(getElementTypeOrSelf(value));
  if (to.isF64() && !wide.isF64()) {
    wide = cast<FloatType>(to);
    value = lanes.convert<arith::ExtFOp>(value, wide);
  }
  return Projector(lanes, lanes.toBits(value), wide, to, projection, random)
      .project();
}
