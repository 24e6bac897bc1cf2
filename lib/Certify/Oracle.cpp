//===- Oracle.cpp - Exact conversions in integer arithmetic ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExactNumbers.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>
#include <string>

using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

using Kind = Format::Kind;

static constexpr Format kFormats[] = {
    {"f64", Kind::Float, 64, 52, 1023, Specials::Ieee, Overflow::Infinity},
    {"f32", Kind::Float, 32, 23, 127, Specials::Ieee, Overflow::Infinity},
    {"f16", Kind::Float, 16, 10, 15, Specials::Ieee, Overflow::Infinity},
    {"bf16", Kind::Float, 16, 7, 127, Specials::Ieee, Overflow::Infinity},
    {"f8E4M3FN", Kind::Float, 8, 3, 7, Specials::AllOnes,
     Overflow::BySaturateAttribute},
    {"f8E4M3FNUZ", Kind::Float, 8, 3, 8, Specials::NegativeZero,
     Overflow::BySaturateAttribute},
    {"f8E5M2", Kind::Float, 8, 2, 15, Specials::Ieee,
     Overflow::BySaturateAttribute},
    {"f8E5M2FNUZ", Kind::Float, 8, 2, 16, Specials::NegativeZero,
     Overflow::BySaturateAttribute},
    {"f8E3M4", Kind::Float, 8, 4, 3, Specials::Ieee,
     Overflow::BySaturateAttribute,
     /*isSigned=*/true, /*isOnnx=*/false},
    {"f8E4M3", Kind::Float, 8, 3, 7, Specials::Ieee,
     Overflow::BySaturateAttribute,
     /*isSigned=*/true, /*isOnnx=*/false},
    {"f8E4M3B11FNUZ", Kind::Float, 8, 3, 11, Specials::NegativeZero,
     Overflow::BySaturateAttribute, /*isSigned=*/true, /*isOnnx=*/false},
    {"!quant_float.f8UE5M3", Kind::Float, 8, 3, 15, Specials::AllOnes,
     Overflow::BySaturateAttribute, /*isSigned=*/false, /*isOnnx=*/false},
    {"f8E8M0FNU", Kind::Scale, 8, 0, 127, Specials::AllOnes,
     Overflow::BySaturateAttribute},
    {"f6E2M3FN", Kind::Float, 6, 3, 1, Specials::None, Overflow::Saturates},
    {"f6E3M2FN", Kind::Float, 6, 2, 3, Specials::None, Overflow::Saturates},
    {"f4E2M1FN", Kind::Float, 4, 1, 1, Specials::None, Overflow::Saturates},
    {"i64", Kind::Signed, 64},
    {"i32", Kind::Signed, 32},
    {"i16", Kind::Signed, 16},
    {"i8", Kind::Signed, 8},
    {"i4", Kind::Signed, 4},
    {"i2", Kind::Signed, 2},
    {"ui64", Kind::Unsigned, 64},
    {"ui32", Kind::Unsigned, 32},
    {"ui16", Kind::Unsigned, 16},
    {"ui8", Kind::Unsigned, 8},
    {"ui4", Kind::Unsigned, 4},
    {"ui2", Kind::Unsigned, 2},
    {"i1", Kind::Bool, 1},
};

const Format *certify::getFormats(size_t &count) {
  count = std::size(kFormats);
  return kFormats;
}

const std::vector<Format> &certify::getBinaryFormats() {
  // Names are views, so that the strings must not move.
  static const auto table = [] {
    std::pair<std::vector<Format>, std::deque<std::string>> formats;
    for (unsigned k = 3; k <= 8; ++k)
      for (unsigned p = 1; p <= k; ++p)
        for (bool isSigned : {true, false})
          for (bool isExtended : {true, false}) {
            if (isSigned && p == k)
              continue;
            std::string name = "binary" + std::to_string(k) + "p" +
                               std::to_string(p) + (isSigned ? "s" : "u") +
                               (isExtended ? "e" : "f");
            if (name == "binary8p4sf" || name == "binary8p3sf")
              continue;
            formats.second.push_back("!quant_float." + name);
            Format format{formats.second.back(), Kind::Float, k};
            format.mantissaBits = p - 1;
            format.bias = 1 << (isSigned ? k - p - 1 : k - p);
            format.specials = isSigned ? isExtended
                                             ? Specials::NegativeZeroAndInfinity
                                             : Specials::NegativeZero
                              : isExtended ? Specials::AllOnesAndInfinity
                                           : Specials::AllOnes;
            format.isSigned = isSigned;
            format.isOnnx = false;
            formats.first.push_back(format);
          }
    return formats;
  }();
  return table.first;
}

const Format &certify::getStringFormat() {
  // Strings have no encodings.
  static constexpr Format kString{"!quant_float.string", Kind::String, 64};
  return kString;
}

const Format *certify::findFormat(std::string_view name) {
  for (const Format &format : kFormats)
    if (format.name == name)
      return &format;
  for (const Format &format : getBinaryFormats())
    if (format.name == name)
      return &format;
  return nullptr;
}

static const Format &getF32() { return kFormats[1]; }
static const Format &getF16() { return kFormats[2]; }

/// Returns the mask of all bits except the sign.
static uint64_t getMagnitudes(const Format &format) {
  return format.isSigned ? format.getSignBit() - 1 : format.getMask();
}

/// Returns the encoding of positive infinity, or the one with only the exponent
/// bits set if the format has no infinity.
static uint64_t getExponents(const Format &format) {
  uint64_t all = getMagnitudes(format);
  return all >> format.mantissaBits << format.mantissaBits;
}

/// Returns the encoding of the largest number.
static uint64_t getLargest(const Format &format) {
  switch (format.specials) {
  case Specials::Ieee:
    return getExponents(format) - 1;
  case Specials::AllOnes:
  case Specials::NegativeZeroAndInfinity:
    return getMagnitudes(format) - 1;
  case Specials::AllOnesAndInfinity:
    return getMagnitudes(format) - 2;
  case Specials::NegativeZero:
  case Specials::None:
    break;
  }
  return getMagnitudes(format);
}

//===----------------------------------------------------------------------===//
// Encodings
//===----------------------------------------------------------------------===//

/// Returns number / 2^shift rounded to the nearest integer, ties to even.
static uint64_t roundShifted(uint64_t number, unsigned shift) {
  if (shift == 0)
    return number;
  if (shift > 64)
    return 0;
  uint64_t integerPart = shift == 64 ? 0 : number >> shift;
  uint64_t half = uint64_t(1) << (shift - 1);
  uint64_t rest = number & (half | (half - 1));
  return integerPart + (rest > half || (rest == half && (integerPart & 1)));
}

/// Truncates a magnitude to multiples of 2^last and adds one if the fraction,
/// truncated to the number of random bits, and these bits have a carry (S2).
static Value roundByRandomBits(const Value &value, int last,
                               const RandomBits &random) {
  if (value.kind != Value::Kind::Number || value.exponent >= last)
    return value;
  int shift = last - value.exponent;
  uint64_t below = shift < 64 ? value.significand >> shift : 0;
  uint64_t rest = shift < 64 ? value.significand & ((uint64_t(1) << shift) - 1)
                             : value.significand;
  // A fraction below 2^-16 has no bits among the random ones.
  uint64_t fraction = 0;
  if (shift < 64 + int(random.width))
    fraction = uint64_t((Wide(rest) << random.width) >> shift);
  below += fraction + random.bits >= uint64_t(1) << random.width;
  return {Value::Kind::Number, value.negative, below, last};
}

static Value decodeFloat(const Format &format, uint64_t encoding) {
  bool negative = encoding & format.getSignBit();
  uint64_t magnitude = encoding & getMagnitudes(format);
  unsigned mantissaBits = format.mantissaBits;
  uint64_t mantissa = magnitude & ((uint64_t(1) << mantissaBits) - 1);
  switch (format.specials) {
  case Specials::Ieee:
    if (magnitude >= getExponents(format))
      return mantissa ? makeNaN(negative) : makeInfinity(negative);
    break;
  case Specials::AllOnes:
  case Specials::AllOnesAndInfinity:
    if (magnitude == getMagnitudes(format))
      return makeNaN(negative);
    break;
  case Specials::NegativeZero:
  case Specials::NegativeZeroAndInfinity:
    if (negative && magnitude == 0)
      return makeNaN(true);
    break;
  case Specials::None:
    break;
  }
  bool hasLastInfinity = format.specials == Specials::NegativeZeroAndInfinity ||
                         format.specials == Specials::AllOnesAndInfinity;
  if (hasLastInfinity && magnitude == getLargest(format) + 1)
    return makeInfinity(negative);
  // A number whose exponent bits are zero is subnormal and has no implicit
  // leading bit.
  uint64_t exponent = magnitude >> mantissaBits;
  if (exponent)
    mantissa |= uint64_t(1) << mantissaBits;
  int smallest = 1 - format.bias - int(mantissaBits);
  return {Value::Kind::Number, negative, mantissa,
          smallest + int(exponent ? exponent - 1 : 0)};
}

Value certify::decode(const Format &format, uint64_t encoding) {
  encoding &= format.getMask();
  switch (format.kind) {
  case Kind::Float:
    return decodeFloat(format, encoding);
  case Kind::Scale:
    return encoding == format.getMask() ? makeNaN(false)
                                        : Value{Value::Kind::Number, false, 1,
                                                int(encoding) - format.bias};
  case Kind::Signed:
    if (encoding & format.getSignBit())
      return {Value::Kind::Number, true, (~encoding + 1) & format.getMask(), 0};
    break;
  case Kind::Unsigned:
  case Kind::Bool:
  case Kind::String:
    break;
  }
  return {Value::Kind::Number, false, encoding, 0};
}

/// Implements C2 to C6, C8 and F3.
static uint64_t encodeFloat(const Format &format, const Value &exact,
                            const CastRules &rules) {
  Value value = exact;
  // The last mantissa bit of the result is worth 2^last, which is at least
  // 2^smallest.
  int smallest = 1 - format.bias - int(format.mantissaBits);
  int top = value.exponent + getLength(value.significand) - 1;
  int last = std::max(top - int(format.mantissaBits), smallest);
  if (rules.random) {
    value = roundByRandomBits(exact, last, *rules.random);
    // A carry may double the magnitude.
    top = value.exponent + getLength(value.significand) - 1;
    last = std::max(top - int(format.mantissaBits), smallest);
  }
  bool hasNegativeZero = format.specials != Specials::NegativeZero;
  uint64_t sign = value.negative ? format.getSignBit() : 0;
  if (value.isNaN())
    switch (format.specials) {
    case Specials::Ieee:
      return sign | getExponents(format) |
             uint64_t(1) << (format.mantissaBits - 1);
    case Specials::AllOnes:
      return sign | getMagnitudes(format);
    case Specials::NegativeZero:
      return format.getSignBit();
    case Specials::None:
      // NaN becomes a zero of the opposite sign.
      return sign ^ format.getSignBit();
    case Specials::NegativeZeroAndInfinity:
    case Specials::AllOnesAndInfinity:
      // Only IEEE P3109 has these formats.
      break;
    }

  uint64_t magnitude = 0;
  bool overflows = value.isInfinity();
  if (value.significand) {
    int shift = last - value.exponent;
    uint64_t steps = shift < 0 ? value.significand << -shift
                               : roundShifted(value.significand, shift);
    // Each binade takes 2^mantissaBits encodings, so a carry of the rounding
    // continues in the next binade. The exponent is clamped so that values far
    // above the range still overflow.
    uint64_t power =
        uint64_t(std::min(last - smallest, 1 << (format.bits == 64 ? 11 : 9)));
    magnitude = (power << format.mantissaBits) + steps;
    overflows = magnitude > getLargest(format);
  }
  // Negative numbers in formats without a sign (F3).
  if (!format.isSigned && value.negative && (magnitude || overflows))
    return rules.saturate ? 0 : getMagnitudes(format);
  if (!overflows)
    return magnitude || hasNegativeZero ? sign | magnitude : 0;

  bool saturates =
      format.overflow == Overflow::Saturates ||
      (format.overflow == Overflow::BySaturateAttribute && rules.saturate);
  // The tables of opsets 19 to 23 map infinity to NaN in FNUZ types (C4).
  if (value.isInfinity() && !hasNegativeZero && rules.opset < 24)
    saturates = false;
  if (saturates)
    return sign | getLargest(format);
  switch (format.specials) {
  case Specials::Ieee:
    return sign | getExponents(format);
  case Specials::AllOnes:
    return sign | getMagnitudes(format);
  default:
    break;
  }
  return format.getSignBit();
}

/// Implements C9.
static uint64_t encodeScale(const Format &format, const Value &value,
                            const CastRules &rules) {
  uint64_t nan = format.getMask(), largest = nan - 1;
  if (value.isNaN())
    return nan;
  bool isPositive = !value.negative && (value.isInfinity() || !value.isZero());
  if (!isPositive)
    return rules.saturate ? 0 : nan;
  if (value.isInfinity())
    return rules.saturate ? largest : nan;
  int power = value.exponent + getLength(value.significand) - 1;
  int below = power + format.bias;
  bool isPower = !(value.significand & (value.significand - 1));
  if (below < 0)
    return rules.saturate ? 0 : nan;
  if (below > int(largest) || (below == int(largest) && !isPower))
    return rules.saturate ? largest : nan;
  if (isPower || rules.scaleRounding == ScaleRounding::Down)
    return uint64_t(below);
  if (rules.scaleRounding == ScaleRounding::Up)
    return uint64_t(below) + 1;
  uint64_t half = uint64_t(1) << (getLength(value.significand) - 2);
  return uint64_t(below) + ((value.significand & half) != 0);
}

/// Implements C11. The caller keeps the low bits.
static uint64_t truncateToInteger(const Format &format, const Value &value) {
  if (value.isNaN())
    return 0;
  // Round toward zero. Values of more than 64 bits exceed every limit.
  uint64_t magnitude = 0;
  if (value.isInfinity())
    magnitude = ~uint64_t(0);
  else if (value.exponent <= 0)
    magnitude = value.exponent > -64 ? value.significand >> -value.exponent : 0;
  else if (getLength(value.significand) + value.exponent > 64)
    magnitude = ~uint64_t(0);
  else
    magnitude = value.significand << value.exponent;
  bool isUnsigned = format.kind == Kind::Unsigned;
  bool hasWideRange = format.bits == 64 || (isUnsigned && format.bits == 32);
  uint64_t limit = uint64_t(1) << (hasWideRange ? 63 : 31);
  if (value.negative)
    return -std::min(magnitude, limit);
  if (format.bits == 64 && isUnsigned)
    return magnitude;
  return std::min(magnitude, limit - 1);
}

uint64_t certify::encode(const Format &format, const Value &value,
                         const CastRules &rules) {
  switch (format.kind) {
  case Kind::Float:
    return encodeFloat(format, value, rules);
  case Kind::Scale:
    return encodeScale(format, value, rules);
  case Kind::Signed:
  case Kind::Unsigned:
    return truncateToInteger(format, value) & format.getMask();
  case Kind::Bool:
  case Kind::String:
    break;
  }
  return !value.isZero();
}

//===----------------------------------------------------------------------===//
// Projections
//===----------------------------------------------------------------------===//

/// Whether a magnitude `below + rest / 2^shift`, in units of the last place, is
/// rounded up (I3, I4). `isEven` is the parity of the encoding of `below`. The
/// rest has at most 64 bits, and the shift is at most 100.
static bool roundsUp(const DraftProjection &projection, bool negative,
                     bool isEven, uint64_t rest, unsigned shift) {
  Wide unit = Wide(1) << shift;
  unsigned n = projection.randomWidth;
  uint64_t r = projection.random;
  // The rest in units of 2^-bits, rounded down, or to nearest even.
  auto scale = [&](unsigned bits) {
    return uint64_t((Wide(rest) << bits) >> shift);
  };
  auto scaleToNearest = [&](unsigned bits) {
    Wide product = Wide(rest) << bits, left = product & (unit - 1);
    uint64_t floor = uint64_t(product >> shift);
    return floor + (2 * left > unit || (2 * left == unit && (floor & 1)));
  };
  switch (projection.rounding) {
  case DraftRounding::NearestTiesToEven:
    return 2 * Wide(rest) > unit || (2 * Wide(rest) == unit && !isEven);
  case DraftRounding::NearestTiesToAway:
    return 2 * Wide(rest) >= unit;
  case DraftRounding::TowardPositive:
    return rest && !negative;
  case DraftRounding::TowardNegative:
    return rest && negative;
  case DraftRounding::TowardZero:
    return false;
  case DraftRounding::ToOdd:
    return rest && isEven;
  case DraftRounding::StochasticA:
    return scale(n) + r >= uint64_t(1) << n;
  case DraftRounding::StochasticB:
    return scale(n + 1) + 2 * r + 1 >= uint64_t(2) << n;
  case DraftRounding::StochasticC:
    break;
  }
  return scaleToNearest(n) + r >= uint64_t(1) << n;
}

/// Returns the encoding of infinity, or of NaN if there is none.
static uint64_t getOverflow(const Format &format) {
  switch (format.specials) {
  case Specials::Ieee:
    return getExponents(format);
  case Specials::NegativeZeroAndInfinity:
  case Specials::AllOnesAndInfinity:
    return getLargest(format) + 1;
  default:
    break;
  }
  return format.isSigned ? format.getSignBit() : getMagnitudes(format);
}

static uint64_t getProjectedNaN(const Format &format) {
  if (format.specials == Specials::Ieee)
    return getExponents(format) | uint64_t(1) << (format.mantissaBits - 1);
  return format.isSigned ? format.getSignBit() : getMagnitudes(format);
}

uint64_t certify::project(const Format &format, const Value &value,
                          const DraftProjection &projection) {
  if (value.isNaN())
    return getProjectedNaN(format);
  uint64_t magnitude = 0;
  bool overflows = value.isInfinity(), negative = value.negative;
  if (!overflows && value.significand) {
    int precision = int(format.mantissaBits) + 1;
    int top = value.exponent + getLength(value.significand) - 1;
    int last = std::max(top, 1 - format.bias) - precision + 1;
    int shift = last - value.exponent;
    uint64_t below = value.significand, rest = 0;
    if (shift <= 0) {
      below <<= -shift;
      shift = 0;
    } else {
      // Below 2^-36 of the last place, the number does not matter.
      shift = std::min(shift, 100);
      below = shift < 64 ? value.significand >> shift : 0;
      rest = shift < 64 ? value.significand & ((uint64_t(1) << shift) - 1)
                        : value.significand;
    }
    // Numbers of each binade have 2^(P-1) encodings; subnormals have those of
    // the first one.
    uint64_t binade = uint64_t(last + precision - 2 + format.bias);
    uint64_t encoding = (binade << format.mantissaBits) + below;
    bool isEven = precision > 1 ? !(below & 1)
                                : below == 0 || (last + format.bias) % 2 == 0;
    magnitude = encoding +
                roundsUp(projection, negative, isEven, rest, unsigned(shift));
    overflows = magnitude > getLargest(format);
  }
  bool isNone = projection.saturation == DraftSaturation::SatNone;
  bool isTowardZero = projection.rounding == DraftRounding::TowardZero;
  bool roundsInward =
      isTowardZero ||
      projection.rounding == (negative ? DraftRounding::TowardPositive
                                       : DraftRounding::TowardNegative);
  if (!format.isSigned && negative && (overflows || magnitude))
    return !isNone || (roundsInward && !value.isInfinity())
               ? 0
               : getProjectedNaN(format);
  uint64_t sign = negative ? format.getSignBit() : 0;
  if (!overflows)
    return magnitude ? sign | magnitude : 0;
  bool hasInfinity = getOverflow(format) != getProjectedNaN(format);
  bool staysFinite =
      isNone ? roundsInward && !value.isInfinity()
             : projection.saturation == DraftSaturation::SatFinite ||
                   !value.isInfinity() || !hasInfinity;
  return sign | (staysFinite ? getLargest(format) : getOverflow(format));
}

// Products have at most 64 bits, and quotients are rounded to odd. Both are
// exact where that matters.

uint64_t certify::convertFromBlock(const Format &from, const Format &scale,
                                   const Format &to, uint64_t encoding,
                                   uint64_t scaleEncoding,
                                   const DraftProjection &projection) {
  return project(to,
                 multiply(decode(from, encoding), decode(scale, scaleEncoding)),
                 projection);
}

uint64_t certify::convertToBlock(const Format &from, const Format &scale,
                                 const Format &to, uint64_t encoding,
                                 uint64_t scaleEncoding,
                                 const DraftProjection &projection) {
  Value value = decode(from, encoding), factor = decode(scale, scaleEncoding);
  if (value.isNaN() || factor.isNaN())
    return getProjectedNaN(to);
  if (factor.isZero())
    return project(to, makeZero(false), projection);
  if (factor.isInfinity()) {
    int sign = value.isZero() ? 0 : value.negative == factor.negative ? 1 : -1;
    return project(to, makeInteger(sign), projection);
  }
  return project(to, divide(value, factor), projection);
}

/// Rounds a number to a value of a floating-point format.
static Value roundTo(const Format &format, const Value &value) {
  return decodeFloat(format, encodeFloat(format, value, {}));
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

uint64_t certify::cast(const Format &from, const Format &to, uint64_t encoding,
                       const CastRules &rules) {
  encoding &= from.getMask();
  if (rules.projection)
    return project(to, decode(from, encoding), *rules.projection);
  // A cast to the same type keeps all bits (V7).
  if (&from == &to)
    return encoding;
  // Casts between integers keep the low bits (C12).
  if (from.isInteger() && to.isInteger()) {
    if (from.kind == Kind::Signed && (encoding & from.getSignBit()))
      encoding |= ~from.getMask();
    return encoding & to.getMask();
  }
  return encode(to, decode(from, encoding), rules);
}

template <typename Slot>
static void castSlots(const Format &from, const Format &to, uint64_t first,
                      size_t count, void *slots, const CastRules &rules) {
  // Local copies that cannot alias `slots`, so that the loop does not reload
  // them.
  const Format source = from, destination = to;
  const CastRules fixed = rules;
  auto *output = static_cast<Slot *>(slots);
  if (!rules.projection &&
      (&from == &to || (from.isInteger() && to.isInteger()))) {
    // V7 and C12, as in cast.
    uint64_t sign = from.kind == Kind::Signed ? from.getSignBit() : 0;
    uint64_t fromMask = from.getMask(), toMask = to.getMask();
    for (size_t i = 0; i < count; ++i)
      output[i] = Slot(((((first + i) & fromMask) ^ sign) - sign) & toMask);
    return;
  }
  // Consecutive encodings of one sign are ordered numbers (for floats within
  // one binade, or NaNs), and rounding is monotonic. If both ends of a range
  // are cast to the same number, so is everything in between. For integer
  // results this holds before truncation to the low bits. A projection onto the
  // same type only changes zeros, NaNs, and infinities.
  auto convert = [&](uint64_t encoding) {
    if (fixed.projection)
      return project(destination, decode(source, encoding), *fixed.projection);
    return encode(destination, decode(source, encoding), fixed);
  };
  auto convertEnd = [&](uint64_t encoding) {
    return to.isInteger()
               ? truncateToInteger(destination, decode(source, encoding))
               : convert(encoding);
  };
  size_t intervalSize =
      from.isFloat() ? std::min<size_t>(4096, size_t(1) << from.mantissaBits)
                     : 4096;
  bool isSame = &from == &to;
  bool isOrdered = (from.bits == 32 || (from.bits == 16 && from.isFloat())) &&
                   first % intervalSize == 0 && count % intervalSize == 0 &&
                   (isSame || (to.isInteger() ? to.bits <= 32 : to.bits <= 16));
  if (!isOrdered) {
    for (size_t i = 0; i < count; ++i)
      output[i] = Slot(convert(first + i));
    return;
  }
  // Bisects a range whose ends are known.
  auto fill = [&](auto &fill, size_t begin, size_t last, uint64_t atBegin,
                  uint64_t atLast) -> void {
    if (atBegin == atLast) {
      std::fill(output + begin, output + last + 1,
                Slot(convert(first + begin)));
    } else if (isSame && atBegin == first + begin && atLast == first + last) {
      for (size_t i = begin; i <= last; ++i)
        output[i] = Slot(first + i);
    } else if (last - begin < 4) {
      for (size_t i = begin; i <= last; ++i)
        output[i] = Slot(convert(first + i));
    } else {
      size_t middle = begin + (last - begin) / 2;
      fill(fill, begin, middle, atBegin, convertEnd(first + middle));
      fill(fill, middle + 1, last, convertEnd(first + middle + 1), atLast);
    }
  };
  for (size_t i = 0; i < count; i += intervalSize)
    fill(fill, i, i + intervalSize - 1, convertEnd(first + i),
         convertEnd(first + i + intervalSize - 1));
}

void certify::castRange(const Format &from, const Format &to, uint64_t first,
                        size_t count, void *slots, const CastRules &rules) {
  switch (to.getSlotSize()) {
  case 1:
    return castSlots<uint8_t>(from, to, first, count, slots, rules);
  case 2:
    return castSlots<uint16_t>(from, to, first, count, slots, rules);
  case 4:
    return castSlots<uint32_t>(from, to, first, count, slots, rules);
  default:
    return castSlots<uint64_t>(from, to, first, count, slots, rules);
  }
}

//===----------------------------------------------------------------------===//
// Quantizations
//===----------------------------------------------------------------------===//

/// Rounds to the nearest integer, ties to even. Clamps the magnitude to 2^40,
/// beyond the range of all types.
static int64_t roundToInteger(const Value &value) {
  constexpr int64_t far = int64_t(1) << 40;
  int64_t magnitude = far;
  int top = value.exponent + getLength(value.significand);
  if (!value.isInfinity() && (value.isZero() || top <= 40))
    magnitude = int64_t(value.exponent >= 0
                            ? value.significand << value.exponent
                            : roundShifted(value.significand, -value.exponent));
  return value.negative ? -magnitude : magnitude;
}

static int64_t toInteger(const Format &format, uint64_t encoding) {
  Value value = decode(format, encoding);
  return value.negative ? -int64_t(value.significand)
                        : int64_t(value.significand);
}

Value certify::getQuotient(const Format &from, const Format &scale,
                           const Format &precision, uint64_t encoding,
                           uint64_t scaleEncoding) {
  return roundTo(precision,
                 divide(roundTo(precision, decode(from, encoding)),
                        roundTo(precision, decode(scale, scaleEncoding))));
}

uint64_t certify::quantize(const Value &exact, const Format &to,
                           const Format &precision,
                           std::optional<uint64_t> zeroPoint, bool saturate,
                           std::optional<RandomBits> random) {
  Value quotient = exact;
  if (to.isFloat()) {
    CastRules rules;
    rules.saturate = saturate;
    rules.random = random;
    // The zero point of float8 has no effect.
    if (zeroPoint && to.overflow == Overflow::Saturates)
      quotient = roundTo(precision, add(quotient, decode(to, *zeroPoint)));
    return encode(to, quotient, rules);
  }
  if (random)
    quotient = roundByRandomBits(quotient, 0, *random);
  int64_t zero = zeroPoint ? toInteger(to, *zeroPoint) : 0;
  int64_t steps = quotient.isNaN() ? 0 : roundToInteger(quotient);
  int64_t span = int64_t(1) << (to.bits - (to.kind == Kind::Signed));
  int64_t lowest = to.kind == Kind::Signed ? -span : 0;
  return uint64_t(std::clamp(steps + zero, lowest, span - 1)) & to.getMask();
}

uint64_t certify::quantize(const Format &from, const Format &scale,
                           const Format &to, const Format &precision,
                           uint64_t encoding, uint64_t scaleEncoding,
                           std::optional<uint64_t> zeroPoint, bool saturate,
                           std::optional<RandomBits> random) {
  return quantize(getQuotient(from, scale, precision, encoding, scaleEncoding),
                  to, precision, zeroPoint, saturate, random);
}

uint64_t certify::dequantize(const Format &from, const Format &scale,
                             const Format &to, uint64_t encoding,
                             uint64_t scaleEncoding,
                             std::optional<uint64_t> zeroPoint) {
  Value difference = decode(from, encoding);
  if (from.isInteger())
    difference = makeInteger(toInteger(from, encoding) -
                             (zeroPoint ? toInteger(from, *zeroPoint) : 0));
  else if (zeroPoint && from.overflow == Overflow::Saturates)
    difference = add(difference, negate(decode(from, *zeroPoint)));
  Value product = multiply(roundTo(getF32(), difference),
                           roundTo(getF32(), decode(scale, scaleEncoding)));
  return encode(to, roundTo(getF32(), product));
}

uint64_t certify::quantizeAndBack(const Format &format, const Format &scale,
                                  const Format &storage,
                                  const Format &precision, uint64_t encoding,
                                  uint64_t scaleEncoding,
                                  std::optional<uint64_t> zeroPoint,
                                  bool saturate,
                                  std::optional<RandomBits> random) {
  uint64_t stored = quantize(format, scale, storage, precision, encoding,
                             scaleEncoding, zeroPoint, saturate, random);
  return dequantize(storage, scale, format, stored, scaleEncoding, zeroPoint);
}

//===----------------------------------------------------------------------===//
// Random bits
//===----------------------------------------------------------------------===//

uint64_t certify::philox(unsigned k, uint64_t seed, uint64_t offset,
                         uint64_t element) {
  // Philox 4x32-10: ten rounds of two products of 32 bits, with keys that grow
  // by constants (Salmon and others, 2011).
  uint64_t block = offset + element / 4;
  uint32_t counter[4] = {uint32_t(block), uint32_t(block >> 32), 0, 0};
  uint32_t key[2] = {uint32_t(seed), uint32_t(seed >> 32)};
  for (int round = 0; round < 10; ++round) {
    uint64_t a = uint64_t(0xD2511F53) * counter[0];
    uint64_t b = uint64_t(0xCD9E8D57) * counter[2];
    uint32_t next[4] = {uint32_t(b >> 32) ^ counter[1] ^ key[0], uint32_t(b),
                        uint32_t(a >> 32) ^ counter[3] ^ key[1], uint32_t(a)};
    std::copy(next, next + 4, counter);
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter[element % 4] >> (32 - k);
}

//===----------------------------------------------------------------------===//
// fakeconvert
//===----------------------------------------------------------------------===//

/// Rounds to bf16 as OpenVINO does: adds half a unit if the last mantissa bit
/// that remains is 1, and truncates otherwise.
static Value roundToBFloatByOpenVino(const Value &value) {
  if (value.isNaN())
    return value;
  uint64_t encoding = encodeFloat(getF32(), value, {});
  uint64_t last = encoding >> 16 & 1;
  return decodeFloat(getF32(), (encoding + (last << 15)) >> 16 << 16);
}

/// Rounds to f16 as OpenVINO does: to nearest even, except that a number below
/// 2^-15 that rounds up to a power of two at 11 bits is doubled.
static Value roundToHalfByOpenVino(Value value) {
  int length = getLength(value.significand);
  if (value.significand && value.exponent + length - 1 < -15 && length > 11 &&
      roundShifted(value.significand, unsigned(length - 11)) >> 11)
    ++value.exponent;
  return roundTo(getF16(), value);
}

static Value roundByOpenVino(const Format &format, const Value &value) {
  if (&format == &getF16())
    return roundToHalfByOpenVino(value);
  return &format == &getF32() ? roundTo(format, value)
                              : roundToBFloatByOpenVino(value);
}

/// Narrows to float8 through f16. NaN becomes the lowest number. Values out of
/// range need no special case, because they remain out of range in f16.
static Value narrowByPlugin(const Format &destination, const Value &value) {
  if (value.isNaN())
    return negate(decodeFloat(destination, getLargest(destination)));
  return roundTo(destination, roundTo(getF16(), value));
}

/// Narrows from f16. For f8E4M3FN, rounds to the full mantissa width even for
/// subnormal results, and truncates the bits below the smallest subnormal.
static Value narrowByReference(const Format &destination, Value half,
                               bool negativeNaN) {
  if (destination.specials == Specials::Ieee)
    return roundTo(destination, half);
  Value largest = decodeFloat(destination, getLargest(destination));
  largest.negative = half.isNaN() ? negativeNaN : half.negative;
  int top = half.exponent + getLength(half.significand) - 1;
  if (half.kind != Value::Kind::Number ||
      top > largest.exponent + int(destination.mantissaBits))
    return largest;
  int smallest = 1 - destination.bias - int(destination.mantissaBits);
  if (half.isZero() || top < smallest)
    return makeZero(false);
  int drop = top - int(destination.mantissaBits) - half.exponent;
  if (drop > 0) {
    half.significand = roundShifted(half.significand, unsigned(drop));
    half.exponent += drop;
  }
  if (half.exponent < smallest) {
    half.significand >>= smallest - half.exponent;
    half.exponent = smallest;
  }
  // The highest binade has one number less, because NaN takes its encoding.
  return roundTo(destination, half);
}

namespace {
/// The state of one element during a fakeconvert.
struct FakeConvert {
  const Format &format, &destination;
  Value number, scale;
  /// Zero if there is no shift.
  Value shift;
  bool hasShift;

  void computeExactly();
  void computeByPlugin(const FakeConvertRules &rules);
  void computeByReference(const FakeConvertRules &rules);
};
} // namespace

void FakeConvert::computeExactly() {
  number = roundTo(getF32(), multiply(number, scale));
  if (hasShift)
    number = roundTo(getF32(), add(number, negate(shift)));
  number = decode(destination, encode(destination, number));
  if (hasShift)
    number = roundTo(getF32(), add(number, shift));
  number = roundTo(getF32(), divide(number, scale));
}

void FakeConvert::computeByPlugin(const FakeConvertRules &rules) {
  number = roundTo(getF32(), multiply(number, scale));
  if (hasShift)
    number = roundTo(getF32(), add(number, negate(shift)));
  number = narrowByPlugin(destination, roundTo(format, number));
  if (hasShift && !(rules.neutralShift && shift.isZero()))
    number = roundTo(getF32(), add(number, shift));
  Value reciprocal = roundTo(getF32(), divide(makeInteger(1), scale));
  switch (rules.reciprocal) {
  case Reciprocal::Single:
    break;
  case Reciprocal::Nearest:
    reciprocal = roundTo(format, reciprocal);
    break;
  case Reciprocal::OpenVino:
    reciprocal = roundToBFloatByOpenVino(reciprocal);
    break;
  }
  number = roundTo(getF32(), multiply(number, reciprocal));
  if (rules.positiveZero && number.isZero())
    number.negative = false;
}

void FakeConvert::computeByReference(const FakeConvertRules &rules) {
  auto round = [&](const Value &value) {
    return roundByOpenVino(format, roundTo(getF32(), value));
  };
  number = round(multiply(number, scale));
  number = round(add(number, negate(shift)));
  number = narrowByReference(destination, roundToHalfByOpenVino(number),
                             rules.negativeNaN);
  number = round(add(number, shift));
  number = round(divide(number, scale));
}

uint64_t certify::fakeConvert(const Format &format, const Format &destination,
                              uint64_t encoding, uint64_t scaleEncoding,
                              std::optional<uint64_t> shiftEncoding,
                              const FakeConvertRules &rules) {
  Value shift = shiftEncoding ? decode(format, *shiftEncoding) : Value();
  FakeConvert steps = {format,
                       destination,
                       decode(format, encoding),
                       decode(format, scaleEncoding),
                       shift,
                       shiftEncoding.has_value()};
  switch (rules.mode) {
  case FakeConvertMode::Exact:
    steps.computeExactly();
    break;
  case FakeConvertMode::Plugin:
    steps.computeByPlugin(rules);
    break;
  case FakeConvertMode::Reference:
    steps.computeByReference(rules);
    break;
  }
  return encode(format, steps.number);
}
