//===- EncodeStochastic.cpp - Rounding by random bits ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A magnitude between two neighbours is cut to the lower one, after random bits
// have been added to what is cut off: the carry is the step up. Of the bits cut
// off those count that k random bits have a place for, so that the step is as
// likely as the fraction cut to k bits says (S2, S5).
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

// Of f32.
static constexpr unsigned kMantissaBits = 23;
static constexpr int kBias = 127;
static constexpr uint64_t kMagnitudeMask = 0x7FFFFFFF;
static constexpr uint64_t kInfinity = 0x7F800000;

RandomBits quant_float::getRandomBits(Lanes &lanes, Value random) {
  unsigned width = getNumberWidth(getElementTypeOrSelf(random));
  Value storage = toStorage(lanes.getBuilder(), lanes.getLoc(), random);
  // Callers may leave anything in the bits of a byte above.
  return {
      lanes.bitAnd(lanes.resize(lanes.spread(storage), 32), (1u << width) - 1),
      width};
}

/// The magnitude code, were there no largest, of a magnitude in f32.
///
/// Above the smallest normal number codes are the upper bits of an f32, less
/// the difference of the biases. Below it they are multiples of the smallest
/// subnormal number, which a conversion to an integer counts.
static Value roundToCode(Lanes &lanes, Value bits, RandomBits random,
                         const FloatFormat &to) {
  unsigned dropped = kMantissaBits - to.mantissaBits, width = random.width;
  Value added = width <= dropped ? lanes.shl(random.bits, dropped - width)
                                 : lanes.shrU(random.bits, width - dropped);
  Value code = lanes.shrU(lanes.make<arith::AddIOp>(bits, added), dropped);
  code = lanes.add(code, -(uint64_t(kBias - to.bias) << to.mantissaBits));
  // bf16's exponents are f32's, down to the subnormal numbers.
  if (to.bias == kBias)
    return code;
  auto f32 = Float32Type::get(bits.getContext());
  Value magnitude = lanes.bitcast(bits, f32);
  Value smallest = lanes.powerOfTwo(f32, to.minExponent);
  Value isSmall = lanes.compare(CmpFPredicate::OLT, magnitude, smallest);
  // What is not small is not looked at, but must not be out of range.
  Value small = lanes.select(isSmall, magnitude, smallest);
  int scale = int(to.mantissaBits) - to.minExponent + int(width);
  Value steps = lanes.convert<arith::FPToSIOp>(
      lanes.make<arith::MulFOp>(small, lanes.powerOfTwo(f32, scale)),
      lanes.getInt(32));
  steps = lanes.shrU(lanes.make<arith::AddIOp>(steps, random.bits), width);
  return lanes.select(isSmall, steps, code);
}

Value quant_float::encodeStochastic(Lanes &lanes, Value value,
                                    RandomBits random, Type type,
                                    const CastSemantics &semantics) {
  FloatFormat to(type);
  Value bits = lanes.toBits(value);
  Value magnitude = lanes.bitAnd(bits, kMagnitudeMask);
  Value isNegative = lanes.compare(CmpIPredicate::slt, bits, 0);
  Value code = roundToCode(lanes, magnitude, random, to);

  // C2, C3, C8: what rounding makes of it decides. An infinity is beyond all.
  bool saturate = (semantics.saturate && to.width <= 8) || !to.hasNaN;
  uint64_t overflow = saturate         ? to.maxCode
                      : to.hasInfinity ? to.infinityCode
                                       : to.nanCode;
  Value isOver = lanes.make<arith::OrIOp>(
      lanes.compare(CmpIPredicate::ugt, code, to.maxCode),
      lanes.compare(CmpIPredicate::uge, magnitude, kInfinity));
  code = lanes.select(isOver, overflow, code);
  // F3
  if (!to.isSigned) {
    Value isBelow = lanes.make<arith::AndIOp>(
        isNegative, lanes.compare(CmpIPredicate::ne, code, 0));
    code = lanes.select(isBelow, saturate ? 0 : to.nanCode, code);
  }
  // C2, C5. Of a type without NaN the sign bit makes a zero of the other sign
  // (C8).
  code = lanes.select(lanes.compare(CmpIPredicate::ugt, magnitude, kInfinity),
                      to.hasNaN ? to.nanCode : to.signMask(), code);
  Value sign = lanes.select(isNegative, to.signMask(), lanes.integer(code, 0));
  if (to.isFNUZ) {
    // C6: there is no negative zero.
    sign = lanes.select(lanes.compare(CmpIPredicate::eq, code, 0), 0, sign);
    code = lanes.make<arith::OrIOp>(code, sign);
  } else {
    code = lanes.make<arith::XOrIOp>(code, sign);
  }
  return lanes.resize(code, to.width > 8 ? to.width : 8);
}

Value quant_float::roundStochastic(Lanes &lanes, Value value,
                                   RandomBits random) {
  auto type = cast<FloatType>(getElementTypeOrSelf(value));
  IntegerType i32 = lanes.getInt(32);
  Value isNegative = lanes.compare(CmpFPredicate::OLT, value,
                                   lanes.number(type, APFloat(0.0)));
  Value magnitude =
      lanes.select(isNegative, lanes.make<arith::NegFOp>(value), value);
  // Both steps are exact: the fraction has no bits that the number has not.
  Value whole = lanes.convert<arith::FPToSIOp>(magnitude, i32);
  Value fraction = lanes.make<arith::SubFOp>(
      magnitude, lanes.convert<arith::SIToFPOp>(whole, type));
  Value steps = lanes.convert<arith::FPToSIOp>(
      lanes.make<arith::MulFOp>(fraction,
                                lanes.powerOfTwo(type, int(random.width))),
      i32);
  Value up =
      lanes.shrU(lanes.make<arith::AddIOp>(steps, random.bits), random.width);
  Value rounded = lanes.make<arith::AddIOp>(whole, up);
  Value negated = lanes.make<arith::SubIOp>(lanes.integer(rounded, 0), rounded);
  return lanes.select(isNegative, negated, rounded);
}
