//===- ExpandIntegers.cpp - Integers and bool -----------------------------===//
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

static bool isUnsigned(IntegerType type) {
  return type.isUnsigned() || type.getWidth() == 1;
}

//===----------------------------------------------------------------------===//
// From integers
//===----------------------------------------------------------------------===//

/// Clamps `value` to [-2^bits, 2^bits].
static Value clampMagnitude(VectorBuilder &lanes, Value value, unsigned bits,
                            bool isUnsigned) {
  Value upper = lanes.integer(value, uint64_t(1) << bits);
  if (isUnsigned)
    return lanes.make<arith::MinUIOp>(value, upper);
  Value lower = lanes.integer(value, -(uint64_t(1) << bits));
  return lanes.make<arith::MaxSIOp>(lanes.make<arith::MinSIOp>(value, upper),
                                    lower);
}

/// Rounds integers that need more than `precision` bits to odd at bit
/// `dropped`. The odd one of two adjacent integers in two's complement is floor
/// | 1, whatever the sign.
static Value roundIntegerToOdd(VectorBuilder &lanes, Value value,
                               unsigned precision, unsigned dropped,
                               bool isUnsigned) {
  uint64_t mask = (uint64_t(1) << dropped) - 1;
  Value low = lanes.bitAnd(value, mask);
  Value sticky = lanes.resize(lanes.compare(CmpIPredicate::ne, low, 0),
                              VectorBuilder::getWidth(value));
  Value odd = lanes.make<arith::OrIOp>(lanes.bitAnd(value, ~mask),
                                       lanes.shl(sticky, dropped));
  Value isSmall =
      lanes.compare(CmpIPredicate::eq,
                    clampMagnitude(lanes, value, precision, isUnsigned), value);
  return lanes.select(isSmall, value, odd);
}

/// Converts 64-bit integers to f64 on targets without such conversions of
/// vectors. Each half is exact in f64, so only their sum is rounded.
static Value convertByHalves(VectorBuilder &lanes, Value value,
                             bool isUnsigned) {
  auto f64 = Float64Type::get(value.getContext());
  Value high = lanes.resize(lanes.shrU(value, 32), 32);
  Value low = lanes.resize(value, 32);
  Value highPart = isUnsigned ? lanes.convert<arith::UIToFPOp>(high, f64)
                              : lanes.convert<arith::SIToFPOp>(high, f64);
  return lanes.multiplyAdd(highPart, lanes.powerOfTwo(f64, 32),
                           lanes.convert<arith::UIToFPOp>(low, f64));
}

Intermediate quant_float::convertInteger(VectorBuilder &lanes, Value storage,
                                         IntegerType from, Type to) {
  MLIRContext *context = storage.getContext();
  auto f32 = Float32Type::get(context);
  auto f64 = Float64Type::get(context);
  bool fromUnsigned = isUnsigned(from);
  bool byHalves =
      from.getWidth() == 64 && !lanes.getTarget().hasLongConversions;
  auto convert = [&](Value value, FloatType type) -> Intermediate {
    if (byHalves)
      return {convertByHalves(lanes, value, fromUnsigned), NaNs::None};
    // Below 32 bits, the signed conversion is correct for unsigned integers,
    // too.
    if (from.getWidth() < 32)
      value = lanes.resize(value, 32, !fromUnsigned);
    bool asUnsigned = fromUnsigned &&
                      VectorBuilder::getWidth(value) >= from.getWidth() &&
                      from.getWidth() >= 32;
    return {asUnsigned ? lanes.convert<arith::UIToFPOp>(value, type)
                       : lanes.convert<arith::SIToFPOp>(value, type),
            NaNs::None};
  };

  if (to.isF64() || (to.isF32() && !byHalves))
    return convert(storage, cast<FloatType>(to));
  // These are exact in f32.
  if (from.getWidth() < 32)
    return convert(storage, f32);
  // The maxima of these types are below 2^24. Larger values overflow whether
  // they are clamped or not, and clamped values are exact in f32.
  if (!to.isF32() && !to.isBF16() && !isa<Float8E8M0FNUType>(to)) {
    Value clamped = clampMagnitude(lanes, storage, 24, fromUnsigned);
    return {lanes.convert<arith::SIToFPOp>(lanes.resize(clamped, 32), f32),
            NaNs::None};
  }
  if (from.getWidth() == 32)
    return convert(roundIntegerToOdd(lanes, storage, 24, 8, fromUnsigned), f32);
  return convert(roundIntegerToOdd(lanes, storage, 53, 11, fromUnsigned), f64);
}

//===----------------------------------------------------------------------===//
// To integers
//===----------------------------------------------------------------------===//

Value quant_float::wrapInteger(VectorBuilder &lanes, Value value,
                               IntegerType to) {
  if (to.getWidth() >= 8)
    return lanes.resize(value, to.getWidth());
  value = lanes.resize(value, 8);
  if (to.isUnsigned())
    return lanes.bitAnd(value, (uint64_t(1) << to.getWidth()) - 1);
  unsigned shift = 8 - to.getWidth();
  return lanes.shrS(lanes.shl(value, shift), shift);
}

/// C11 up to 32 bits, by the target's conversion for values for which it is
/// defined.
static Value truncateTo32(VectorBuilder &lanes,
                          const Intermediate &intermediate) {
  Value value = intermediate.value;
  auto type = cast<FloatType>(getElementTypeOrSelf(value));
  Value tooLarge = lanes.powerOfTwo(type, 31);
  // The range from -2^31 to the largest value below 2^31.
  APFloat largest = scalbn(APFloat(type.getFloatSemantics(), 1), 31,
                           APFloat::rmNearestTiesToEven);
  largest.next(/*nextDown=*/true);
  Value upper = lanes.number(type, largest);
  Value lower = lanes.number(type, -scalbn(APFloat(type.getFloatSemantics(), 1),
                                           31, APFloat::rmNearestTiesToEven));
  Value inside = lanes.select(lanes.compare(CmpFPredicate::OLT, value, upper),
                              value, upper);
  inside = lanes.select(lanes.compare(CmpFPredicate::OGT, inside, lower),
                        inside, lower);
  Value result = lanes.convert<arith::FPToSIOp>(inside, lanes.getInt(32));
  result = lanes.select(lanes.compare(CmpFPredicate::OGE, value, tooLarge),
                        0x7FFFFFFF, result);
  if (intermediate.nans != NaNs::None)
    result = lanes.select(lanes.isNaN(value), 0, result);
  return result;
}

/// C11 for 64 bits and for ui32, by shifting the significand, because few
/// targets convert vectors to 64-bit integers. Saturates to i64, or above to
/// ui64 if `toUnsigned` is set.
static Value truncateTo64(VectorBuilder &lanes,
                          const Intermediate &intermediate, bool toUnsigned) {
  auto f64 = Float64Type::get(intermediate.value.getContext());
  Value value = intermediate.value;
  if (!getElementTypeOrSelf(value).isF64())
    value = lanes.convert<arith::ExtFOp>(value, f64);
  Value bits = lanes.toBits(value);
  Value field = lanes.bitAnd(lanes.shrU(bits, 52), 0x7FF);
  Value significand = lanes.bitOr(lanes.bitAnd(bits, (uint64_t(1) << 52) - 1),
                                  uint64_t(1) << 52);

  // |value| = significand * 2^(field - 1075). A right shift by 63 gives zero.
  // Left shifts of values in range are at most by 11.
  auto shiftCount = [&](Value count) {
    return lanes.make<arith::MaxSIOp>(
        lanes.make<arith::MinSIOp>(count, lanes.integer(count, 63)),
        lanes.integer(count, 0));
  };
  Value left = shiftCount(lanes.add(field, -uint64_t(1075)));
  Value right =
      shiftCount(lanes.make<arith::SubIOp>(lanes.integer(field, 1075), field));
  Value magnitude = lanes.make<arith::ShRUIOp>(
      lanes.make<arith::ShLIOp>(significand, left), right);

  Value isNegative = lanes.compare(CmpIPredicate::slt, bits, 0);
  Value zero = lanes.integer(magnitude, 0);
  Value result = lanes.select(
      isNegative, lanes.make<arith::SubIOp>(zero, magnitude), magnitude);
  // Values of at least 2^63 (2^64) and of at most -2^63 give the ends of the
  // range.
  uint64_t limit = 1023 + (toUnsigned ? 64 : 63);
  Value isOver = lanes.compare(CmpIPredicate::uge, field, limit);
  result = lanes.select(isOver, toUnsigned ? ~uint64_t(0) : ~uint64_t(0) >> 1,
                        result);
  Value isUnder = lanes.make<arith::AndIOp>(
      isNegative, lanes.compare(CmpIPredicate::uge, field, 1023 + 63));
  result = lanes.select(isUnder, uint64_t(1) << 63, result);
  if (intermediate.nans != NaNs::None)
    result = lanes.select(lanes.isNaN(value), 0, result);
  return result;
}

Value quant_float::truncateToInteger(VectorBuilder &lanes,
                                     Intermediate intermediate,
                                     IntegerType to) {
  bool by32 = to.getWidth() < 32 || (to.getWidth() == 32 && !to.isUnsigned());
  if (by32)
    return wrapInteger(lanes, truncateTo32(lanes, intermediate), to);
  bool toUnsigned = to.getWidth() == 64 && to.isUnsigned();
  return wrapInteger(lanes, truncateTo64(lanes, intermediate, toUnsigned), to);
}

Value quant_float::testNonZero(VectorBuilder &lanes, Value storage, Type from) {
  Value bits = lanes.toBits(storage);
  if (isa<Float8E8M0FNUType>(from))
    return lanes.integer(bits, 1);
  // Zeros of both signs are false. FNUZ formats have no negative zero; this
  // encoding is their NaN, which is true.
  if (isFloat(from)) {
    FloatFormat format(from);
    if (!format.isFNUZ)
      bits = lanes.bitAnd(bits, format.magnitudeMask());
  }
  return lanes.resize(lanes.compare(CmpIPredicate::ne, bits, 0), 8);
}
