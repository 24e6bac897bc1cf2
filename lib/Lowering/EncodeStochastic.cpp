//===- EncodeStochastic.cpp - Stochastic rounding -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A magnitude between two adjacent values is truncated to the lower one after
// an addition of random bits to the truncated bits. A carry rounds up. Only the
// upper k truncated bits matter for k random bits, so that the probability of
// rounding up is the truncated fraction in k bits (S2, S5).
//
//===----------------------------------------------------------------------===//

#include "CastExpander.h"
#include "Storage.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

// Properties of f32.
static constexpr unsigned kMantissaBits = 23;
static constexpr int kBias = 127;
static constexpr uint64_t kMagnitudeMask = 0x7FFFFFFF;
static constexpr uint64_t kInfinity = 0x7F800000;

RandomBits quant_float::getRandomBits(VectorBuilder &lanes, Value random) {
  unsigned width = getNumberWidth(getElementTypeOrSelf(random));
  Value storage = toStorage(lanes.getBuilder(), lanes.getLoc(), random);
  // The upper bits of a byte with a narrower element are unspecified.
  return {
      lanes.bitAnd(lanes.resize(lanes.spread(storage), 32), (1u << width) - 1),
      width};
}

/// Rounds a magnitude in f32, as bits. Returns its encoding as if there
/// were no maximum.
///
/// From the smallest normal number, the encoding is the upper bits of the f32
/// minus the difference of the biases. Below it, the encoding is the number of
/// multiples of the smallest subnormal, which a conversion to an integer
/// computes.
static Value roundToEncoding(VectorBuilder &lanes, Value bits,
                             RandomBits random, const FloatFormat &to) {
  unsigned dropped = kMantissaBits - to.mantissaBits, width = random.width;
  Value added = width <= dropped ? lanes.shl(random.bits, dropped - width)
                                 : lanes.shrU(random.bits, width - dropped);
  Value encoding = lanes.shrU(lanes.make<arith::AddIOp>(bits, added), dropped);
  encoding =
      lanes.add(encoding, -(uint64_t(kBias - to.bias) << to.mantissaBits));
  // bf16 has the exponents of f32, including the subnormals.
  if (to.bias == kBias)
    return encoding;
  auto f32 = Float32Type::get(bits.getContext());
  Value magnitude = lanes.bitcast(bits, f32);
  Value smallest = lanes.powerOfTwo(f32, to.minExponent);
  Value isSmall = lanes.compare(CmpFPredicate::OLT, magnitude, smallest);
  // Other elements are ignored, but the conversion must not overflow.
  Value small = lanes.select(isSmall, magnitude, smallest);
  int scale = int(to.mantissaBits) - to.minExponent + int(width);
  Value steps = lanes.convert<arith::FPToSIOp>(
      lanes.make<arith::MulFOp>(small, lanes.powerOfTwo(f32, scale)),
      lanes.getInt(32));
  steps = lanes.shrU(lanes.make<arith::AddIOp>(steps, random.bits), width);
  return lanes.select(isSmall, steps, encoding);
}

Value quant_float::encodeStochastic(VectorBuilder &lanes, Value value,
                                    RandomBits random, Type type,
                                    const CastSemantics &semantics) {
  FloatFormat to(type);
  Value bits = lanes.toBits(value);
  Value magnitude = lanes.bitAnd(bits, kMagnitudeMask);
  Value isNegative = lanes.compare(CmpIPredicate::slt, bits, 0);
  Value encoding = roundToEncoding(lanes, magnitude, random, to);

  // C2, C3, C8: the rounded value determines whether there is overflow. An
  // infinity always overflows.
  bool saturate = (semantics.saturate && to.width <= 8) || !to.hasNaN;
  uint64_t overflow = saturate         ? to.maxEncoding
                      : to.hasInfinity ? to.infinityEncoding
                                       : to.nanEncoding;
  Value isOver = lanes.make<arith::OrIOp>(
      lanes.compare(CmpIPredicate::ugt, encoding, to.maxEncoding),
      lanes.compare(CmpIPredicate::uge, magnitude, kInfinity));
  encoding = lanes.select(isOver, overflow, encoding);
  // Negative values of unsigned formats give zero or NaN (F3).
  if (!to.isSigned) {
    Value isBelow = lanes.make<arith::AndIOp>(
        isNegative, lanes.compare(CmpIPredicate::ne, encoding, 0));
    encoding = lanes.select(isBelow, saturate ? 0 : to.nanEncoding, encoding);
  }
  // C2, C5. In formats without NaN, the sign bit gives a zero of the other sign
  // (C8).
  encoding =
      lanes.select(lanes.compare(CmpIPredicate::ugt, magnitude, kInfinity),
                   to.hasNaN ? to.nanEncoding : to.signMask(), encoding);
  Value sign =
      lanes.select(isNegative, to.signMask(), lanes.integer(encoding, 0));
  if (to.isFNUZ) {
    // C6: there is no negative zero.
    sign = lanes.select(lanes.compare(CmpIPredicate::eq, encoding, 0), 0, sign);
    encoding = lanes.make<arith::OrIOp>(encoding, sign);
  } else {
    encoding = lanes.make<arith::XOrIOp>(encoding, sign);
  }
  return lanes.resize(encoding, to.width > 8 ? to.width : 8);
}

Value quant_float::roundStochastic(VectorBuilder &lanes, Value value,
                                   RandomBits random) {
  auto type = cast<FloatType>(getElementTypeOrSelf(value));
  IntegerType i32 = lanes.getInt(32);
  Value isNegative = lanes.compare(CmpFPredicate::OLT, value,
                                   lanes.number(type, APFloat(0.0)));
  Value magnitude =
      lanes.select(isNegative, lanes.make<arith::NegFOp>(value), value);
  // Both operations are exact: the fraction has no bits that the number lacks.
  Value truncated = lanes.convert<arith::FPToSIOp>(magnitude, i32);
  Value fraction = lanes.make<arith::SubFOp>(
      magnitude, lanes.convert<arith::SIToFPOp>(truncated, type));
  Value steps = lanes.convert<arith::FPToSIOp>(
      lanes.make<arith::MulFOp>(fraction,
                                lanes.powerOfTwo(type, int(random.width))),
      i32);
  Value up =
      lanes.shrU(lanes.make<arith::AddIOp>(steps, random.bits), random.width);
  Value rounded = lanes.make<arith::AddIOp>(truncated, up);
  Value negated = lanes.make<arith::SubIOp>(lanes.integer(rounded, 0), rounded);
  return lanes.select(isNegative, negated, rounded);
}
