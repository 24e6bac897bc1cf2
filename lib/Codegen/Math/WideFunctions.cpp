//===- WideFunctions.cpp - Expand math functions on f64 -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WideFunctions.h"
#include "llvm/ADT/TypeSwitch.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Polynomial interpolations at Chebyshev nodes, with the coefficient of the
// highest power first.

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2.
static constexpr double kExp[] = {0x1.1f7861ab0e5c1p-29,
                                  0x1.af574f448311ap-26,
                                  0x1.27e4d8c2b2e6cp-22,
                                  0x1.71ddfd9647581p-19,
                                  0x1.a01a01a7b14bbp-16,
                                  0x1.a01a01ad6369dp-13,
                                  0x1.6c16c16c1613fp-10,
                                  0x1.111111110fe17p-7,
                                  0x1.5555555555556p-5,
                                  0x1.5555555555557p-3,
                                  0x1.0p-1};
/// (log((1 + s) / (1 - s)) - 2s) / s^3 as a polynomial in s^2, for
/// (1 + s) / (1 - s) from sqrt(1/2) to sqrt(2).
static constexpr double kLog[] = {0x1.0c983ef1db931p-3, 0x1.0fb03ad29c301p-3,
                                  0x1.3b1cbff6601c4p-3, 0x1.745cf67195106p-3,
                                  0x1.c71c720793d58p-3, 0x1.24924924733f3p-2,
                                  0x1.9999999999a50p-2, 0x1.5555555555555p-1};
/// (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4 as polynomials in r^2, for
/// |r| <= pi / 4.
static constexpr double kSine[] = {
    -0x1.ab066192d3e8fp-41, 0x1.612161267019ep-33,  -0x1.ae6453ecab5c4p-26,
    0x1.71de3a544a6cep-19,  -0x1.a01a01a019880p-13, 0x1.1111111111110p-7,
    -0x1.5555555555555p-3};
static constexpr double kCosine[] = {
    -0x1.906dbf4fda044p-37, 0x1.1eeb52a201da3p-29,  -0x1.27e4fa0241f7cp-22,
    0x1.a01a019f3dde1p-16,  -0x1.6c16c16c1691fp-10, 0x1.5555555555555p-5};

/// ln 2 in two parts, the first of which is short enough for exact products.
static constexpr double kLog2High = 0x1.62e42feep-1;
static constexpr double kLog2Low = 0x1.a39ef35793c76p-33;

namespace {
/// An unevaluated sum of a number and its rounding error (double-double).
struct Double {
  Value high, low;
};
} // namespace

/// Adds two numbers exactly, of which the first has the larger magnitude
/// (Fast2Sum).
static Double addExactly(Arithmetic &a, Value large, Value small) {
  Value sum = a.add(large, small);
  return {sum, a.subtract(small, a.subtract(sum, large))};
}

/// Adds any two numbers exactly (2Sum).
static Double addAnyExactly(Arithmetic &a, Value x, Value y) {
  Value sum = a.add(x, y), rest = a.subtract(sum, x);
  return {sum,
          a.add(a.subtract(x, a.subtract(sum, rest)), a.subtract(y, rest))};
}

/// Splits a number into halves of 26 bits (Veltkamp).
static Double halveBits(Arithmetic &a, Value x) {
  Value t = a.multiply(x, a.number(0x1.0p27 + 1));
  Value high = a.subtract(t, a.subtract(t, x));
  return {high, a.subtract(x, high)};
}

/// Multiplies exactly (Dekker). It does not use fused multiply-adds, so that
/// the bits do not depend on the target.
static Double multiplyExactly(Arithmetic &a, Value x, Value y) {
  Value product = a.multiply(x, y);
  Double s = halveBits(a, x), t = halveBits(a, y);
  Value rest = a.subtract(a.multiply(s.high, t.high), product);
  rest = a.add(rest, a.multiply(s.high, t.low));
  rest = a.add(rest, a.multiply(s.low, t.high));
  return {product, a.add(rest, a.multiply(s.low, t.low))};
}

static Double multiply(Arithmetic &a, Double x, Double y) {
  Double product = multiplyExactly(a, x.high, y.high);
  Value rest = a.add(a.multiply(x.high, y.low), a.multiply(x.low, y.high));
  return {product.high, a.add(product.low, rest)};
}

//===----------------------------------------------------------------------===//
// Exponential functions
//===----------------------------------------------------------------------===//

namespace {
/// e^x as 2^power * (1 + above). The power is a float with an integer value.
struct Exponential {
  Value power, above;
};
} // namespace

/// Expands e^r - 1 for |r| <= ln 2 / 2.
static Value expandSmallExp(Arithmetic &a, Double r) {
  Value square = a.multiply(r.high, r.high);
  Value p = a.multiply(square, a.polynomial(r.high, kExp));
  return a.add(r.high, a.add(p, r.low));
}

static Exponential expandExponential(Arithmetic &a, Value x) {
  x = a.clamp(x, -746, 711);
  Value rounded = a.round(a.multiply(x, a.number(0x1.71547652b82fep+0))).second;
  Value high = a.subtract(x, a.multiply(rounded, a.number(kLog2High)));
  Value low = a.multiply(rounded, a.number(kLog2Low));
  Value r = a.subtract(high, low);
  return {rounded,
          expandSmallExp(a, {r, a.subtract(a.subtract(high, r), low)})};
}

/// Returns x * 2^power. Multiplies by two factors, so that only the second
/// multiplication can overflow or give a subnormal.
static Value scale(Arithmetic &a, Value x, Value power) {
  Value rounded = a.round(power).first, half = a.halve(rounded);
  Value rest = a.subtractIntegers(rounded, half);
  return a.multiply(a.multiply(x, a.powerOfTwo(half)), a.powerOfTwo(rest));
}

/// Expands e^x / 2^halvings.
static Value expandHalvedExp(Arithmetic &a, Value x, double halvings) {
  auto [power, above] = expandExponential(a, x);
  return scale(a, a.add(a.number(1), above),
               a.subtract(power, a.number(halvings)));
}

static Value expandExp(Arithmetic &a, Value x) {
  return expandHalvedExp(a, x, 0);
}

/// Expands e^x - 1 for x from 0 to 50.
static Value expandExpMinusOne(Arithmetic &a, Value x) {
  auto [power, above] = expandExponential(a, x);
  Value factor = a.powerOfTwo(a.round(power).first);
  Value result =
      a.add(a.multiply(factor, above), a.subtract(factor, a.number(1)));
  return a.select(a.isEqual(power, a.number(0)), above, result);
}

/// tanh t = (e^2t - 1) / (e^2t + 1).
static Value expandTanh(Arithmetic &a, Value x) {
  // From 22 on, the result rounds to 1.
  Value t = a.clamp(a.magnitude(x), 0, 22);
  Value e = expandExpMinusOne(a, a.add(t, t));
  Value two = a.number(2), sum = a.add(e, two);
  Value rest = a.subtract(e, a.subtract(sum, two));
  Value quotient = a.divide(e, sum);
  quotient = a.subtract(quotient, a.multiply(quotient, a.divide(rest, sum)));
  return a.copySign(quotient, x);
}

static Value expandSinh(Arithmetic &a, Value x) {
  Value t = a.magnitude(x), one = a.number(1);
  Value e = expandExpMinusOne(a, a.clamp(t, 0, 22));
  Value small = a.multiply(a.add(e, a.divide(e, a.add(e, one))), a.number(0.5));
  Value isLarge = a.isLess(a.number(22), t);
  return a.copySign(a.select(isLarge, expandHalvedExp(a, t, 1), small), x);
}

static Value expandCosh(Arithmetic &a, Value x) {
  Value half = expandHalvedExp(a, a.magnitude(x), 1);
  return a.add(half, a.divide(a.number(0.25), half));
}

//===----------------------------------------------------------------------===//
// Logarithm
//===----------------------------------------------------------------------===//

/// Splits a positive number into m * 2^k with m near 1. Returns m and k as
/// floats.
static std::pair<Value, Value> splitNumber(Arithmetic &a, Value x) {
  Value isTiny = a.isLess(x, a.number(0x1p-1022));
  Value normal = a.select(isTiny, a.multiply(x, a.number(0x1p54)), x);
  auto [m, k] = a.split(normal, /*low=*/0x1.6a09e667f3bcdp-1);
  return {m, a.select(isTiny, a.subtract(k, a.number(54)), k)};
}

static Value expandLog(Arithmetic &a, Value x) {
  auto [m, k] = splitNumber(a, x);
  Value f = a.subtract(m, a.number(1));
  Value s = a.divide(f, a.add(f, a.number(2))), square = a.multiply(s, s);
  Value p = a.multiply(square, a.polynomial(square, kLog));
  Value half = a.multiply(a.multiply(f, f), a.number(0.5));
  Value rest =
      a.add(a.multiply(s, a.add(half, p)), a.multiply(k, a.number(kLog2Low)));
  Value result = a.subtract(a.multiply(k, a.number(kLog2High)),
                            a.subtract(a.subtract(half, rest), f));
  Value zero = a.number(0);
  result = a.select(a.isEqual(x, zero), a.number(-kInfinity), result);
  result = a.select(a.isLess(x, zero), a.number(kNaN), result);
  // Positive infinity and NaN are returned unchanged.
  return a.select(a.isLess(x, a.number(kInfinity)), result, x);
}

//===----------------------------------------------------------------------===//
// Trigonometric functions
//===----------------------------------------------------------------------===//

namespace {
/// An angle as a number of quarter turns and a remainder of at most an eighth
/// of a turn.
struct ReducedAngle {
  Value quarters;
  Double remainder;
};
} // namespace

/// Returns six 32-bit limbs of 2 / pi from bit `position` on (Payne and Hanek).
static SmallVector<Value> getWindow(Arithmetic &a, Value position) {
  // The bits of 2 / pi after 64 zeros.
  static constexpr uint32_t kBits[] = {
      0,          0,          0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0,
      0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0,
      0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484,
      0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B,
      0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7,
      0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA,
      0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB};
  constexpr size_t kLimbs = 7;
  SmallVector<Value> limbs;
  for (uint32_t bits : kBits)
    limbs.push_back(a.integer(bits));
  // Select limbs by the bits of the position. Each step drops the limbs that
  // cannot be in the window for any position.
  for (size_t step = 32; step != 0; step /= 2) {
    Value stays =
        a.isSame(a.bitAnd(position, 32 * static_cast<int64_t>(step)), 0);
    for (size_t i = 0; i + step < limbs.size() && i < step - 1 + kLimbs; ++i)
      limbs[i] = a.select(stays, limbs[i], limbs[i + step]);
    limbs.resize(std::min(limbs.size(), step - 1 + kLimbs));
  }
  Value shift = a.bitAnd(position, 31), width = a.integer(32);
  SmallVector<Value> window;
  for (size_t i = 0; i + 1 < kLimbs; ++i) {
    Value pair = a.addIntegers(a.shiftLeft(limbs[i], width), limbs[i + 1]);
    window.push_back(a.shiftRight(a.shiftLeft(pair, shift), width));
  }
  return window;
}

static ReducedAngle reduceAngle(Arithmetic &a, Value x) {
  constexpr int64_t kLow = 0xFFFFFFFF;
  Value width = a.integer(32), t = a.magnitude(x), bits = a.toBits(t);
  Value exponent = a.shiftRight(bits, a.integer(52));
  // The bits before the window contribute full turns only.
  SmallVector<Value> window =
      getWindow(a, a.subtractIntegers(exponent, a.integer(1013)));
  Value significand = a.addIntegers(a.bitAnd(bits, (int64_t(1) << 52) - 1),
                                    a.integer(int64_t(1) << 52));
  Value low = a.bitAnd(significand, kLow);
  Value high = a.shiftRight(significand, width);
  // The limbs of the product, least significant first. More significant limbs
  // would count full turns.
  SmallVector<Value> product;
  Value carry = a.integer(0), before;
  for (Value limb : llvm::reverse(window)) {
    Value one = a.multiplyIntegers(low, limb);
    Value sum = a.addIntegers(a.bitAnd(one, kLow), carry);
    carry = a.shiftRight(one, width);
    if (before) {
      Value other = a.multiplyIntegers(high, before);
      sum = a.addIntegers(sum, a.bitAnd(other, kLow));
      carry = a.addIntegers(carry, a.shiftRight(other, width));
    }
    carry = a.addIntegers(carry, a.shiftRight(sum, width));
    product.push_back(a.bitAnd(sum, kLow));
    before = limb;
  }
  auto join = [&](size_t i) {
    return a.addIntegers(a.shiftLeft(product[i], width), product[i - 1]);
  };
  Value first = join(5), second = join(3);
  // Round to the nearest quarter turn; the remainder has either sign.
  Value quarters = a.shiftRight(
      a.addIntegers(first, a.integer(int64_t(1) << 61)), a.integer(62));
  Value two = a.integer(2);
  Value fraction = a.addIntegers(a.shiftLeft(first, two),
                                 a.shiftRight(second, a.integer(62)));
  second = a.addIntegers(a.shiftLeft(second, two),
                         a.shiftRight(product[1], a.integer(30)));
  auto part = [&](Value limb, double unit) {
    return a.multiply(a.toFloat(limb), a.number(unit));
  };
  Value top = a.shiftRightSigned(fraction, width);
  Double rest = addExactly(a, part(top, 0x1p-32),
                           part(a.bitAnd(fraction, kLow), 0x1p-64));
  Value last = part(a.shiftRight(second, a.integer(11)), 0x1p-117);
  rest = addExactly(a, rest.high, a.add(rest.low, last));
  rest = multiply(
      a, rest,
      {a.number(0x1.921fb54442d18p+0), a.number(0x1.1a62633145c07p-54)});
  rest = addExactly(a, rest.high, rest.low);

  Value isSmall = a.isLess(t, a.number(0x1.921fb54442d18p-1));
  rest = {a.select(isSmall, t, rest.high),
          a.select(isSmall, a.number(0), rest.low)};
  quarters = a.select(isSmall, a.integer(0), quarters);
  // Infinities and NaN give x - x, which is NaN.
  Value isFinite = a.isLess(t, a.number(kInfinity));
  rest.high = a.select(isFinite, rest.high, a.subtract(x, x));
  return {quarters, rest};
}

/// Returns the sine of the angle plus `ahead` quarter turns. The angle is that
/// of |x|.
static Value expandSine(Arithmetic &a, ReducedAngle angle, int64_t ahead) {
  auto [r, low] = angle.remainder;
  Value square = a.multiply(r, r), cube = a.multiply(square, r);
  Value half = a.number(0.5), one = a.number(1);
  Value p = a.polynomial(square, ArrayRef(kSine).drop_back());
  Value rest = a.subtract(a.multiply(half, low), a.multiply(cube, p));
  rest = a.subtract(a.multiply(square, rest), low);
  rest = a.subtract(rest, a.multiply(cube, a.number(ArrayRef(kSine).back())));
  Value sine = a.subtract(r, rest);
  p = a.multiply(square, a.polynomial(square, kCosine));
  Value halfSquare = a.multiply(half, square);
  Value start = a.subtract(one, halfSquare);
  rest = a.subtract(a.multiply(square, p), a.multiply(r, low));
  rest = a.add(a.subtract(a.subtract(one, start), halfSquare), rest);
  Value cosine = a.add(start, rest);
  Value quarters = a.addIntegers(angle.quarters, a.integer(ahead));
  Value result = a.select(a.isSame(a.bitAnd(quarters, 1), 0), sine, cosine);
  return a.select(a.isSame(a.bitAnd(quarters, 2), 0), result, a.negate(result));
}

static Value expandSin(Arithmetic &a, Value x) {
  Value result = expandSine(a, reduceAngle(a, x), 0);
  Value isNegative = a.isLess(a.copySign(a.number(1), x), a.number(0));
  return a.select(isNegative, a.negate(result), result);
}

static Value expandCos(Arithmetic &a, Value x) {
  return expandSine(a, reduceAngle(a, x), 1);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

Value quant_float::finishPower(Arithmetic &a, Value x, Value y, Value result) {
  Value base = a.magnitude(x);
  // A negative base requires an integer exponent.
  Value one = a.number(1), zero = a.number(0);
  Value isInteger = a.isInteger(y);
  Value isEven = a.isInteger(a.multiply(y, a.number(0.5)));
  Value isOdd = a.both(isInteger, a.isNot(isEven));
  Value isNegative = a.isLess(a.copySign(one, x), zero);
  result = a.select(a.both(isNegative, isOdd), a.negate(result), result);
  Value nan = a.number(kNaN);
  Value isFiniteBase = a.isLess(base, a.number(kInfinity));
  Value isUndefined = a.both(a.isLess(x, zero), a.isNot(isInteger));
  isUndefined = a.both(isUndefined, isFiniteBase);
  isUndefined = a.either(isUndefined, a.either(a.isNaN(x), a.isNaN(y)));
  result = a.select(isUndefined, nan, result);
  // 1^y and x^0 are 1, even if the other argument is NaN or infinite. So is
  // (-1)^y for an infinite y.
  Value isOne = a.either(a.isEqual(x, one), a.isEqual(y, zero));
  Value isInfinite = a.isEqual(a.magnitude(y), a.number(kInfinity));
  isOne = a.either(isOne, a.both(a.isEqual(base, one), isInfinite));
  return a.select(isOne, one, result);
}

/// Expands log2 of a positive number with about 11 bits more than an f64 has.
static Double expandLongLog2(Arithmetic &a, Value x) {
  auto [m, k] = splitNumber(a, x);
  Value f = a.subtract(m, a.number(1)), two = a.number(2);
  // s = f / (m + 1).
  Double sum = addAnyExactly(a, m, a.number(1));
  Value quotient = a.divide(f, sum.high);
  Double product = multiplyExactly(a, quotient, sum.high);
  Value left = a.subtract(a.subtract(f, product.high), product.low);
  left = a.subtract(left, a.multiply(quotient, sum.low));
  Double s = {quotient, a.divide(left, sum.high)};
  // log m = 2 s + s * s^2 (2 / 3 + s^2 (...)).
  Double square = multiply(a, s, s);
  Value more = a.multiply(
      square.high, a.polynomial(square.high, ArrayRef(kLog).drop_back()));
  Double factor = addAnyExactly(a, a.number(0x1.5555555555555p-1), more);
  factor.low = a.add(factor.low, a.number(0x1.5555555555555p-55));
  Double cube = multiply(a, s, multiply(a, square, factor));
  Double log = addAnyExactly(a, a.multiply(two, s.high), cube.high);
  log.low = a.add(log.low, a.add(a.multiply(two, s.low), cube.low));
  log = multiply(
      a, log,
      {a.number(0x1.71547652b82fep+0), a.number(0x1.777d0ffda0d24p-56)});
  Double result = addAnyExactly(a, k, log.high);
  return addExactly(a, result.high, a.add(result.low, log.low));
}

Value quant_float::expandWidePow(Arithmetic &a, Value x, Value y) {
  constexpr double kMaxExponent = 1100;
  Value base = a.magnitude(x), zero = a.number(0);
  Double log = expandLongLog2(a, base);
  // With larger exponents, the power of any base other than 1 overflows or
  // underflows.
  Value power = a.clamp(y, -0x1p70, 0x1p70);
  Double product = multiplyExactly(a, log.high, power);
  product.low = a.add(product.low, a.multiply(log.low, power));
  Value high = product.high;
  Value growing = a.select(a.isLess(y, zero), a.number(-kMaxExponent),
                           a.number(kMaxExponent));
  high = a.select(a.isEqual(base, zero), a.negate(growing), high);
  high = a.select(a.isEqual(base, a.number(kInfinity)), growing, high);
  Value isKnown = a.isLess(a.magnitude(high), a.number(kMaxExponent));
  high = a.clamp(high, -kMaxExponent, kMaxExponent);
  Value low = a.select(isKnown, product.low, zero);

  Value rounded = a.round(high).second;
  Double f = {a.subtract(high, rounded), low};
  Double r = multiply(
      a, f, {a.number(0x1.62e42fefa39efp-1), a.number(0x1.abc9e3b39803fp-56)});
  r = addExactly(a, r.high, r.low);
  r.low = a.add(r.low, a.multiply(r.low, r.high));
  Value result = scale(a, a.add(a.number(1), expandSmallExp(a, r)), rounded);
  return finishPower(a, x, y, result);
}

Expand quant_float::getWideExpansion(Operation *op) {
  return llvm::TypeSwitch<Operation *, Expand>(op)
      .Case([](math::ExpOp) { return expandExp; })
      .Case([](math::LogOp) { return expandLog; })
      .Case([](math::TanhOp) { return expandTanh; })
      .Case([](math::SinhOp) { return expandSinh; })
      .Case([](math::CoshOp) { return expandCosh; })
      .Case([](math::SinOp) { return expandSin; })
      .Case([](math::CosOp) { return expandCos; })
      .Default([](Operation *) { return nullptr; });
}
