//===- StringOracle.cpp - Exact casts from and to strings -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers to strings and back (C14), in integers of any size. Digits are
// generated one after the other, with the remainder and the distances to the
// ends of the interval that rounds to the number (Steele and White, 1990).
//
//===----------------------------------------------------------------------===//

#include "ExactNumbers.h"
#include "quant-float/Certify/Oracle.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

using namespace mlir::quant_float;
using namespace mlir::quant_float::certify;

using Kind = Format::Kind;

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

namespace {
/// A nonnegative integer, with its lowest 32 bits first and no leading zeros.
class Integer {
public:
  Integer(uint64_t number = 0)
      : limbs{uint32_t(number), uint32_t(number >> 32)} {
    trim();
  }

  bool isZero() const { return limbs.empty(); }
  int getLength() const {
    return limbs.empty()
               ? 0
               : 32 * int(limbs.size() - 1) + certify::getLength(limbs.back());
  }
  /// Computes this * factor + addend.
  void multiply(uint32_t factor, uint32_t addend = 0) {
    uint64_t carry = addend;
    for (uint32_t &limb : limbs) {
      carry += uint64_t(limb) * factor;
      limb = uint32_t(carry);
      carry >>= 32;
    }
    limbs.push_back(uint32_t(carry));
    trim();
  }
  void multiplyByPower(uint32_t base, int exponent) {
    for (int i = 0; i < exponent; ++i)
      multiply(base);
  }
  void shiftLeft(int count) {
    for (; count >= 31; count -= 31)
      multiply(uint32_t(1) << 31);
    multiply(uint32_t(1) << count);
  }
  void halve() {
    for (size_t i = 0; i < limbs.size(); ++i)
      limbs[i] =
          limbs[i] >> 1 | (i + 1 < limbs.size() ? limbs[i + 1] << 31 : 0);
    trim();
  }
  /// Divides by a small number and returns the remainder.
  uint32_t divide(uint32_t divisor) {
    uint64_t rest = 0;
    for (size_t i = limbs.size(); i-- > 0;) {
      rest = rest << 32 | limbs[i];
      limbs[i] = uint32_t(rest / divisor);
      rest %= divisor;
    }
    trim();
    return uint32_t(rest);
  }
  Integer operator+(const Integer &other) const {
    Integer sum = *this;
    sum.limbs.resize(std::max(limbs.size(), other.limbs.size()) + 1);
    uint64_t carry = 0;
    for (size_t i = 0; i < sum.limbs.size(); ++i) {
      carry += uint64_t(sum.limbs[i]) +
               (i < other.limbs.size() ? other.limbs[i] : 0);
      sum.limbs[i] = uint32_t(carry);
      carry >>= 32;
    }
    sum.trim();
    return sum;
  }
  /// `other` must not be larger.
  Integer operator-(const Integer &other) const {
    Integer difference = *this;
    int64_t borrow = 0;
    for (size_t i = 0; i < limbs.size(); ++i) {
      borrow += int64_t(limbs[i]) -
                (i < other.limbs.size() ? int64_t(other.limbs[i]) : 0);
      difference.limbs[i] = uint32_t(borrow);
      borrow >>= 32;
    }
    difference.trim();
    return difference;
  }
  /// Returns a negative, zero or positive number.
  int compare(const Integer &other) const {
    if (limbs.size() != other.limbs.size())
      return limbs.size() < other.limbs.size() ? -1 : 1;
    for (size_t i = limbs.size(); i-- > 0;)
      if (limbs[i] != other.limbs[i])
        return limbs[i] < other.limbs[i] ? -1 : 1;
    return 0;
  }
  std::string print() const {
    std::string digits;
    for (Integer rest = *this; !rest.isZero();)
      digits += char('0' + rest.divide(10));
    std::reverse(digits.begin(), digits.end());
    return digits;
  }

private:
  void trim() {
    while (!limbs.empty() && !limbs.back())
      limbs.pop_back();
  }
  std::vector<uint32_t> limbs;
};
} // namespace

//===----------------------------------------------------------------------===//
// Numbers to strings
//===----------------------------------------------------------------------===//

/// Prints digits * 10^power without an exponent.
static std::string printDecimal(std::string digits, int power) {
  while (digits.size() > 1 && digits.back() == '0') {
    digits.pop_back();
    ++power;
  }
  if (power >= 0)
    return digits.append(size_t(power), '0');
  int before = int(digits.size()) + power;
  if (before <= 0)
    return "0." + std::string(size_t(-before), '0') + digits;
  return digits.insert(size_t(before), ".");
}

/// Returns a magnitude in units of 2^unit.
static Integer getUnits(const Value &value, int unit) {
  Integer units(value.significand);
  units.shiftLeft(value.exponent - unit);
  return units;
}

static std::string printMagnitude(const Format &format, uint64_t magnitude) {
  Value value = decode(format, magnitude),
        below = decode(format, magnitude - 1);
  Value above = decode(format, magnitude + 1);
  int unit = std::min(value.exponent, below.exponent) - 1;
  // The number and the ends of its interval, doubled. Beyond the largest
  // number, the spacing continues.
  Integer number = getUnits(value, unit), low = getUnits(below, unit);
  Integer lowDistance = number - low, highDistance = lowDistance;
  bool isLast = above.kind != Value::Kind::Number || above.negative ||
                (magnitude + 1) > format.getMask();
  if (!isLast)
    highDistance = getUnits(above, unit) - number;
  number = number + number;
  // All four are multiplied by the same powers of 2 and 10: the number is
  // rest / divisor * 10^power.
  Integer rest = number, divisor(1);
  --unit;
  (unit < 0 ? divisor : rest).shiftLeft(std::abs(unit));
  if (unit > 0) {
    lowDistance.shiftLeft(unit);
    highDistance.shiftLeft(unit);
  }
  int power = 0;
  for (Integer next = divisor;; ++power) {
    next.multiply(10);
    if (rest.compare(next) < 0)
      break;
    divisor = next;
  }
  auto widen = [&] {
    for (Integer *each : {&rest, &lowDistance, &highDistance})
      each->multiply(10);
    --power;
  };
  while (rest.compare(divisor) < 0)
    widen();
  bool isClosed = !(magnitude & 1);
  auto isWithin = [&](const Integer &distance, const Integer &limit) {
    int order = distance.compare(limit);
    return order < 0 || (order == 0 && isClosed);
  };
  for (uint64_t digits = 0;; widen()) {
    digits *= 10;
    for (; rest.compare(divisor) >= 0; ++digits)
      rest = rest - divisor;
    Integer toAbove = divisor - rest;
    bool hasBelow = isWithin(rest, lowDistance);
    bool hasAbove = isWithin(toAbove, highDistance);
    if (hasBelow && hasAbove) {
      int order = rest.compare(toAbove);
      hasBelow = order < 0 || (order == 0 && digits % 2 == 0);
    }
    if (hasBelow || hasAbove)
      return printDecimal(std::to_string(digits + !hasBelow), power);
  }
}

std::string certify::toString(const Format &format, uint64_t encoding) {
  Value value = decode(format, encoding);
  std::string sign = value.negative ? "-" : "";
  if (value.isNaN())
    return "NaN";
  if (value.isInfinity())
    return sign + "INF";
  if (value.isZero() || !(format.isFloat() || format.kind == Kind::Scale))
    return sign + std::to_string(value.significand);
  if (format.isFloat())
    return sign + printMagnitude(format, encoding & format.getMask() &
                                             ~format.getSignBit());
  // All digits of a power of two.
  Integer digits(1);
  digits.multiplyByPower(value.exponent < 0 ? 5 : 2, std::abs(value.exponent));
  return printDecimal(digits.print(), std::min(value.exponent, 0));
}

//===----------------------------------------------------------------------===//
// Strings to numbers
//===----------------------------------------------------------------------===//

Value certify::parseNumber(std::string_view string, bool isTruncated) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  string.remove_prefix(
      std::min(string.find_first_not_of(kSpaces), string.size()));
  string = string.substr(0, string.find_last_not_of(kSpaces) + 1);
  bool negative = !string.empty() && string[0] == '-';
  if (negative || (!string.empty() && string[0] == '+'))
    string.remove_prefix(1);
  if (string.empty() || string[0] == 'N' || string[0] == 'n')
    return makeNaN(negative);
  if (string[0] == 'I' || string[0] == 'i')
    return makeInfinity(negative);
  Integer numerator;
  int64_t power = 0, length = 0;
  size_t i = 0;
  for (bool isFraction = false; i < string.size(); ++i) {
    if (string[i] == '.') {
      isFraction = true;
      continue;
    }
    if (string[i] < '0' || string[i] > '9')
      break;
    numerator.multiply(10, uint32_t(string[i] - '0'));
    length += !numerator.isZero();
    power -= isFraction;
  }
  if (i < string.size())
    power +=
        std::strtoll(std::string(string.substr(i + 1)).c_str(), nullptr, 10);
  if (numerator.isZero())
    return makeZero(negative);
  // Beyond the exponents of every type.
  if (std::abs(power + length) > 400)
    return {Value::Kind::Number, negative, 1, power > 0 ? 3000 : -3000};
  Integer denominator(1);
  (power < 0 ? denominator : numerator)
      .multiplyByPower(10, int(std::abs(power)));
  // The quotient has 66 or 67 bits.
  constexpr int kBits = 67;
  int shift = kBits - 1 + denominator.getLength() - numerator.getLength();
  (shift < 0 ? denominator : numerator).shiftLeft(std::abs(shift));
  Wide quotient = 0;
  denominator.shiftLeft(kBits);
  for (int bit = kBits; bit >= 0; --bit) {
    quotient <<= 1;
    if (numerator.compare(denominator) >= 0) {
      numerator = numerator - denominator;
      quotient |= 1;
    }
    denominator.halve();
  }
  int exponent = -shift;
  if (!isTruncated)
    return makeOdd(negative, quotient, exponent, !numerator.isZero());
  for (; quotient >> 64; ++exponent)
    quotient >>= 1;
  return {Value::Kind::Number, negative, uint64_t(quotient), exponent};
}
