//===- BlockOracle.cpp - Exact scales and elements of blocks --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the oracle for blocks. It implements the rules B with the
// arithmetic of ExactNumbers.h.
//
//===----------------------------------------------------------------------===//

#include "ExactNumbers.h"

#include <algorithm>
#include <string_view>

using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;

using Kind = Format::Kind;

static const Format &getF32() {
  static const Format &f32 = *findFormat("f32");
  return f32;
}
static const Format &getE4M3() {
  static const Format &e4m3 = *findFormat("f8E4M3FN");
  return e4m3;
}

//===----------------------------------------------------------------------===//
// The rules
//===----------------------------------------------------------------------===//

bool certify::isTwoLevel(BlockRule rule) {
  return rule >= BlockRule::TransformerEngine;
}

static bool isPowerOfTwoScale(const Format &scale) {
  return scale.kind == Kind::Scale;
}

bool certify::definesScales(BlockRule rule, const Format &element,
                            const Format &scale) {
  auto isAnyOf = [](const Format &format,
                    std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), format.name) != names.end();
  };
  if (rule == BlockRule::DeepGemm)
    return isAnyOf(element, {"f8E4M3FN"}) &&
           isAnyOf(scale, {"f32", "f8E8M0FNU"});
  if (rule == BlockRule::Ggml)
    return isAnyOf(element, {"f4E2M1FN"}) &&
           isAnyOf(scale, {"f8E4M3FN", "f8E8M0FNU"});
  if (isTwoLevel(rule))
    return isAnyOf(element, {"f4E2M1FN"}) && isAnyOf(scale, {"f8E4M3FN"});
  if (!isAnyOf(element, {"f8E4M3FN", "f8E5M2", "f6E2M3FN", "f6E3M2FN",
                         "f4E2M1FN", "i8", "i4"}))
    return false;
  return rule == BlockRule::AbsMax
             ? isAnyOf(scale, {"f32", "f16", "bf16", "f8E4M3FN",
                               "!quant_float.f8UE5M3"})
             : isPowerOfTwoScale(scale);
}

/// The number of bits after the point of integers with these scales. MXINT8
/// elements are multiples of 2^-6 (B7).
static int getFraction(const Format &element, const Format &scale) {
  return element.name == "i8" && isPowerOfTwoScale(scale) ? 6 : 0;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Rounds to f32.
static Value q(const Value &value) {
  return decode(getF32(), encode(getF32(), value));
}

static Value makeRatio(int64_t numerator, int64_t denominator) {
  return divide(makeInteger(numerator), makeInteger(denominator));
}

static Value makePower(int exponent) {
  return {Value::Kind::Number, false, 1, exponent};
}

static Value getMagnitude(Value value) {
  value.negative = false;
  return value;
}

static bool isLess(const Value &a, const Value &b) {
  Value difference = add(a, negate(b));
  return !difference.isNaN() && !difference.isZero() && difference.negative;
}

/// Both propagate NaN.
static Value getMinimum(const Value &a, const Value &b) {
  return a.isNaN() || (!b.isNaN() && isLess(a, b)) ? a : b;
}
static Value getMaximum(const Value &a, const Value &b) {
  return a.isNaN() || (!b.isNaN() && isLess(b, a)) ? a : b;
}

/// Rounding to odd neither creates nor removes powers of two, so these are
/// exact also for rounded quotients.
static int getFloorLog2(const Value &value) {
  return value.exponent + getLength(value.significand) - 1;
}
static int getCeilLog2(const Value &value) {
  bool isPower = !(value.significand & (value.significand - 1));
  return getFloorLog2(value) + !isPower;
}

/// Rounds to nearest even; finite values above the largest number become it.
static uint64_t encodeSaturating(const Format &format, const Value &value) {
  uint64_t encoding = encode(format, value);
  bool overflows = value.kind == Value::Kind::Number &&
                   decode(format, encoding).isInfinity();
  return overflows ? encoding - 1 : encoding;
}

//===----------------------------------------------------------------------===//
// Powers of two (B3)
//===----------------------------------------------------------------------===//

namespace {
/// The largest value of an element type, its exponent, and the number of bits
/// of its mantissa.
struct Largest {
  Value value;
  int exponent, mantissaBits;
};
} // namespace

static Largest getLargest(const Format &element, const Format &scale) {
  Value value;
  if (element.isFloat()) {
    value = decode(element, encode(element, makeInfinity(false)));
    return {value, getFloorLog2(value), int(element.mantissaBits)};
  }
  value = makeInteger((int64_t(1) << (element.bits - 1)) - 1);
  value.exponent -= getFraction(element, scale);
  return {value, getFloorLog2(value), int(element.bits) - 2};
}

static uint64_t encodePower(int exponent, int smallest = -127) {
  return uint64_t(std::clamp(exponent, smallest, 127) + 127);
}

static uint64_t getPowerOfTwo(BlockRule rule, const Format &element,
                              const Format &scale, const Value &amax) {
  constexpr uint64_t kNaN = 255;
  if (amax.isNaN() || amax.isInfinity())
    return kNaN;
  if (amax.isZero())
    return 0;
  Largest largest = getLargest(element, scale);
  switch (rule) {
  case BlockRule::Ceil:
    return encodePower(getCeilLog2(amax) - largest.exponent);
  case BlockRule::Even: {
    int unit = std::max(getFloorLog2(amax), -126) - largest.mantissaBits;
    int exponent = getFloorLog2(add(amax, makePower(unit - 1)));
    return exponent > 127 ? kNaN : encodePower(exponent - largest.exponent);
  }
  case BlockRule::RCeil: {
    Value product = q(multiply(amax, q(divide(makeInteger(1), largest.value))));
    return product.isZero() ? 0 : encodePower(getCeilLog2(product));
  }
  case BlockRule::Nearest: {
    Value quotient = q(divide(amax, largest.value));
    if (quotient.isZero())
      return 0;
    int exponent = getFloorLog2(quotient);
    Value middle = {Value::Kind::Number, false, 3, exponent - 1};
    return encodePower(isLess(quotient, middle) ? exponent : exponent + 1);
  }
  case BlockRule::Tosa:
    if (&element != &getE4M3())
      return encodePower(getFloorLog2(divide(amax, largest.value)) + 1);
    [[fallthrough]];
  case BlockRule::CeilExact:
    return encodePower(getCeilLog2(divide(amax, largest.value)));
  default:
    // floor and ggml.
    return encodePower(getFloorLog2(amax) - largest.exponent);
  }
}

//===----------------------------------------------------------------------===//
// The rules of implementations (B4 to B6)
//===----------------------------------------------------------------------===//

/// Rounds to f8E4M3FN as ggml does (B5). Adding half a unit rounds to f32.
static uint64_t encodeByGgml(const Value &value) {
  if (value.isNaN() || value.isZero())
    return 0;
  if (value.isInfinity() || !isLess(value, makeInteger(248)))
    return 0x7E;
  auto truncate = [](const Value &number) {
    return number.exponent < 0 ? number.significand >> -number.exponent
                               : number.significand << number.exponent;
  };
  // Steps of 2^-9 below 2^-6, and of 2^-3 of the power of two from there on.
  int power = getFloorLog2(value);
  int step = std::max(power, -6) - 3;
  Value steps = value;
  steps.exponent -= step;
  Value rounded = add(steps, makePower(-1));
  if (power < -6) {
    if (steps.exponent < -60)
      return 0;
    return std::min<uint64_t>(truncate(q(rounded)), 7);
  }
  return uint64_t(power + 6) * 8 + truncate(rounded);
}

/// Returns T, the scale of the tensor (B6).
static Value getTensorFactor(const TensorLevel &level) {
  Value value = getMagnitude(decode(getF32(), level.encoding));
  if (level.isAmax)
    value = q(divide(value, makeInteger(2688)));
  return value.isZero() ? makeInteger(1) : value;
}

/// Returns E, the reciprocal of T (B6).
static Value getTensorReciprocal(BlockRule rule, const TensorLevel &level) {
  bool isTE = rule == BlockRule::TransformerEngine;
  Value value = getMagnitude(decode(getF32(), level.encoding));
  if (value.isZero())
    return makeInteger(1);
  Value one = makeInteger(1), bound = makeInteger(2688);
  Value result = !level.isAmax ? q(divide(one, value))
                 : isTE        ? q(divide(bound, value))
                               : q(multiply(bound, q(divide(one, value))));
  if (!isTE)
    return result;
  Value largest = decode(getF32(), 0x7F7FFFFF);
  result = getMinimum(result, largest);
  return result.isZero() ? one : result;
}

uint64_t certify::getTensorScale(uint64_t amaxEncoding) {
  return encode(getF32(), getTensorFactor({/*isAmax=*/true, amaxEncoding}));
}

uint64_t certify::getBlockScale(BlockRule rule, const Format &from,
                                const Format &element, const Format &scale,
                                uint64_t amaxEncoding,
                                std::optional<TensorLevel> level) {
  Value amax = getMagnitude(decode(from, amaxEncoding));
  Value one = makeInteger(1), six = makeInteger(6);
  switch (rule) {
  case BlockRule::AbsMax: {
    Value quotient = q(divide(amax, getLargest(element, scale).value));
    uint64_t encoding = encodeSaturating(scale, quotient);
    return decode(scale, encoding).isZero() ? encode(scale, one) : encoding;
  }
  case BlockRule::DeepGemm: {
    Value bound = getMaximum(amax, q(makeRatio(1, 10000)));
    Value quotient = q(divide(bound, makeInteger(448)));
    if (!isPowerOfTwoScale(scale))
      return encode(scale, quotient);
    bool isNumber = quotient.kind == Value::Kind::Number;
    return isNumber ? encodePower(getCeilLog2(quotient), /*smallest=*/-126)
                    : scale.getMask();
  }
  case BlockRule::Ggml:
    if (isPowerOfTwoScale(scale))
      break;
    return encodeByGgml(q(divide(amax, six)));
  case BlockRule::TransformerEngine: {
    Value factor =
        q(multiply(getTensorReciprocal(rule, *level), q(divide(one, six))));
    return encode(scale, q(multiply(amax, factor)));
  }
  case BlockRule::TorchAO: {
    Value quotient = q(divide(q(divide(amax, six)), getTensorFactor(*level)));
    return encode(scale, getMinimum(getMaximum(quotient, makePower(-6)),
                                    makeInteger(448)));
  }
  case BlockRule::ModelOptimizer: {
    Value quotient = q(divide(amax, q(multiply(six, getTensorFactor(*level)))));
    if (quotient.isZero())
      quotient = one;
    return encode(scale, getMinimum(getMaximum(quotient, makePower(-9)),
                                    makeInteger(448)));
  }
  case BlockRule::CompressedTensors: {
    uint64_t encoding = encode(
        scale,
        q(multiply(getTensorReciprocal(rule, *level), q(divide(amax, six)))));
    return decode(scale, encoding).isZero() ? encode(scale, makePower(-3))
                                            : encoding;
  }
  default:
    break;
  }
  return getPowerOfTwo(rule, element, scale, amax);
}

//===----------------------------------------------------------------------===//
// Elements (B7, B8)
//===----------------------------------------------------------------------===//

BlockQuantizer::BlockQuantizer(BlockRule rule, const Format &from,
                               const Format &scaleFormat, const Format &to,
                               uint64_t scaleEncoding,
                               std::optional<TensorLevel> level)
    : rule(rule), from(from), to(to), scale(decode(scaleFormat, scaleEncoding)),
      operand(scale), fraction(getFraction(to, scaleFormat)) {
  Value one = makeInteger(1);
  switch (rule) {
  case BlockRule::DeepGemm:
    // The reciprocal of a power of two is exact.
    if (isPowerOfTwoScale(scaleFormat))
      break;
    multiplies = true;
    operand = q(divide(one, scale));
    break;
  case BlockRule::Ggml:
    for (uint64_t encoding = 0; encoding < 8; ++encoding)
      products[encoding] = q(multiply(decode(to, encoding), scale));
    break;
  case BlockRule::TransformerEngine: {
    multiplies = true;
    Value reciprocal = q(divide(one, getTensorReciprocal(rule, *level)));
    operand = getMinimum(q(divide(one, q(multiply(scale, reciprocal)))),
                         decode(getF32(), 0x7F7FFFFF));
    break;
  }
  case BlockRule::TorchAO:
    multiplies = true;
    operand = q(divide(q(divide(one, getTensorFactor(*level))), scale));
    break;
  case BlockRule::ModelOptimizer:
    operand = q(multiply(scale, getTensorFactor(*level)));
    break;
  case BlockRule::CompressedTensors:
    operand = q(divide(scale, getTensorReciprocal(rule, *level)));
    break;
  default:
    break;
  }
}

Value BlockQuantizer::getQuotient(uint64_t encoding) const {
  Value value = decode(from, encoding);
  return q(multiplies ? multiply(value, operand) : divide(value, operand));
}

/// Returns the element whose product with the scale is nearest, as ggml does.
uint64_t BlockQuantizer::findNearest(uint64_t encoding) const {
  if (scale.isNaN())
    return 0;
  Value value = decode(from, encoding);
  uint64_t nearest = 0, smallest = 0;
  for (uint64_t candidate = 0; candidate < 8; ++candidate) {
    // The encodings of magnitudes are ordered, and NaN is above infinity.
    Value distance =
        getMagnitude(q(add(products[candidate], negate(getMagnitude(value)))));
    uint64_t distanceEncoding = encode(getF32(), distance);
    if (candidate && distanceEncoding >= smallest)
      continue;
    nearest = candidate;
    smallest = distanceEncoding;
  }
  return nearest && value.negative ? nearest | to.getSignBit() : nearest;
}

uint64_t BlockQuantizer::quantize(uint64_t encoding,
                                  std::optional<RandomBits> random) const {
  if (rule == BlockRule::Ggml && !random)
    return findNearest(encoding);
  Value quotient = getQuotient(encoding);
  quotient.exponent += fraction;
  uint64_t element = certify::quantize(quotient, to, getF32(), std::nullopt,
                                       /*saturate=*/true, random);
  // The lowest integer is never used.
  bool isLowest = to.isInteger() && element == to.getSignBit();
  return isLowest ? element + 1 : element;
}

bool BlockQuantizer::mayHaveEitherSign(uint64_t encoding,
                                       bool isStochastic) const {
  // Without random bits, ggml does not divide.
  return (rule != BlockRule::Ggml || isStochastic) && to.isFloat() &&
         to.specials == Specials::None && getQuotient(encoding).isNaN();
}

uint64_t certify::dequantizeBlock(const Format &from, const Format &scale,
                                  const Format &to, uint64_t encoding,
                                  uint64_t scaleEncoding,
                                  std::optional<uint64_t> tensorScale,
                                  bool isTensorFirst) {
  Value value = decode(from, encoding), factor = decode(scale, scaleEncoding);
  value.exponent -= getFraction(from, scale);
  Value level = tensorScale ? decode(getF32(), *tensorScale) : Value();
  if (tensorScale && isTensorFirst)
    factor = q(multiply(factor, level));
  value = q(multiply(value, factor));
  if (tensorScale && !isTensorFirst)
    value = q(multiply(value, level));
  return encode(to, value);
}
