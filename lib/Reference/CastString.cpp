//===- CastString.cpp - Casts from and to strings -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Reference/String.h"

#include "Casts.h"
#include "StorageUnits.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

/// Returns base^exponent as an integer of `width` bits, which must suffice.
static APInt getPower(unsigned width, uint64_t base, unsigned exponent) {
  APInt result(width, 1);
  for (unsigned i = 0; i < exponent; ++i)
    result *= base;
  return result;
}

//===----------------------------------------------------------------------===//
// Strings to elements
//===----------------------------------------------------------------------===//

namespace {
/// The number digits * 10^power. If `isCut`, nonzero digits were dropped after
/// these.
struct Decimal {
  std::string digits;
  int64_t power = 0;
  bool isNegative = false, isCut = false;
};
} // namespace

/// Parses a decimal number without surrounding whitespace.
static std::optional<Decimal> readDecimal(StringRef string) {
  Decimal decimal;
  decimal.isNegative = string.consume_front("-");
  if (!decimal.isNegative)
    string.consume_front("+");
  size_t e = string.find_first_of("eE");
  StringRef mantissa = string.take_front(e);
  if (e != StringRef::npos) {
    StringRef exponent = string.drop_front(e + 1);
    bool isNegative = exponent.consume_front("-");
    if (!isNegative)
      exponent.consume_front("+");
    if (exponent.empty() || !llvm::all_of(exponent, llvm::isDigit))
      return std::nullopt;
    // Such exponents overflow or underflow in every type.
    constexpr int64_t kMaxExponent = 1000000000000;
    int64_t number = 0;
    if (exponent.getAsInteger(10, number) || number > kMaxExponent)
      number = kMaxExponent;
    decimal.power = isNegative ? -number : number;
  }
  auto [integerDigits, fraction] = mantissa.split('.');
  if ((integerDigits + fraction).str().empty() ||
      !llvm::all_of(integerDigits, llvm::isDigit) ||
      !llvm::all_of(fraction, llvm::isDigit))
    return std::nullopt;
  decimal.digits = (integerDigits + fraction).str();
  decimal.power -= fraction.size();
  StringRef digits = StringRef(decimal.digits).ltrim('0');
  // More digits than the midpoint of any two neighboring elements has.
  constexpr size_t kMaxDigits = 1000;
  StringRef rest = digits.drop_front(std::min(kMaxDigits, digits.size()));
  decimal.power += rest.size();
  decimal.isCut = rest.find_first_not_of('0') != StringRef::npos;
  decimal.digits = digits.take_front(kMaxDigits).str();
  return decimal;
}

/// Returns the number rounded to odd: the lowest bit is set if the result is
/// inexact. Rounding the result to fewer bits then equals one rounding of the
/// exact number.
static APFloat getValue(const Decimal &decimal) {
  const llvm::fltSemantics &semantics = APFloat::IEEEquad();
  auto finish = [&](APFloat value) {
    if (decimal.isNegative)
      value.changeSign();
    return value;
  };
  if (decimal.digits.empty())
    return finish(APFloat::getZero(semantics));
  // Larger exponents are out of range of every element type.
  constexpr int64_t kMaxExponent = 400;
  int64_t exponent =
      decimal.power + static_cast<int64_t>(decimal.digits.size());
  if (std::abs(exponent) > kMaxExponent)
    return finish(scalbn(APFloat::getOne(semantics),
                         exponent > 0 ? 3000 : -3000,
                         APFloat::rmNearestTiesToEven));
  const unsigned precision = APFloat::semanticsPrecision(semantics);
  // The decimal digits of both the number and the power of ten, with 4 bits
  // each, and the bits for the shift.
  auto fractionDigits =
      static_cast<unsigned>(decimal.digits.size() + std::abs(decimal.power));
  unsigned width = llvm::alignTo(4 * fractionDigits + 2 * precision, 64);
  APInt number(width, decimal.digits, 10), divisor(width, 1);
  if (decimal.power >= 0)
    number *= getPower(width, 10, decimal.power);
  else
    divisor = getPower(width, 10, -decimal.power);
  int shift = int(precision) + int(divisor.getActiveBits()) -
              int(number.getActiveBits());
  if (shift > 0)
    number <<= unsigned(shift);
  else
    divisor <<= unsigned(-shift);
  APInt quotient, rest;
  APInt::udivrem(number, divisor, quotient, rest);
  bool isInexact = !rest.isZero() || decimal.isCut;
  // The quotient may have one bit more than `precision`.
  if (quotient.getActiveBits() > precision) {
    isInexact |= quotient[0];
    quotient.lshrInPlace(1);
    --shift;
  }
  if (isInexact)
    quotient.setBit(0);
  APFloat value(semantics);
  value.convertFromAPInt(quotient.trunc(precision + 1), /*IsSigned=*/false,
                         APFloat::rmTowardZero);
  return finish(scalbn(value, -shift, APFloat::rmTowardZero));
}

std::optional<APInt> reference::parseString(Type to, StringRef string,
                                            const CastOptions &options) {
  const llvm::fltSemantics &semantics = APFloat::IEEEquad();
  Format format = *getFormat(to);
  string = string.trim(" \t\n\v\f\r");
  std::string lower = string.lower();
  if (lower == "nan")
    return roundElement(format, APFloat::getQNaN(semantics), options);
  if (lower == "inf" || lower == "+inf" || lower == "-inf")
    return roundElement(format, APFloat::getInf(semantics, lower[0] == '-'),
                        options);
  std::optional<Decimal> decimal = readDecimal(string);
  if (!decimal)
    return std::nullopt;
  return roundElement(format, getValue(*decimal), options);
}

LogicalResult reference::parseBuffer(Type to, ArrayRef<StringRef> in,
                                     MutableArrayRef<char> out,
                                     const CastOptions &options,
                                     std::optional<size_t> &invalid) {
  invalid = std::nullopt;
  std::optional<Format> format = getFormat(to);
  if (!format || in.size() * getSlotSize(*format) != out.size())
    return failure();
  for (auto [index, string] : llvm::enumerate(in)) {
    std::optional<APInt> bits = parseString(to, string, options);
    if (!bits) {
      invalid = index;
      return success();
    }
    storeElement(*format, out, index, *bits);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Elements to strings
//===----------------------------------------------------------------------===//

namespace {
/// A fixed-point representation in which all values, and the midpoints of
/// neighboring values, are multiples of 2^unit. Products with the needed powers
/// of ten fit into `width` bits.
struct Scale {
  int unit;
  unsigned width;

  explicit Scale(const Format &format)
      : unit(format.width == 64 ? -1101 : -160),
        width(format.width == 64 ? 3456 : 640) {}
  APInt getPower(uint64_t base, unsigned exponent) const {
    return ::getPower(width, base, exponent);
  }
  APInt getUnits(const APFloat &value) const;
};
} // namespace

/// Returns a finite non-negative value in units of 2^unit.
APInt Scale::getUnits(const APFloat &value) const {
  APSInt units(width, /*isUnsigned=*/true);
  bool isExact;
  APFloat wide = value;
  bool losesInfo;
  wide.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &losesInfo);
  scalbn(wide, -unit, APFloat::rmNearestTiesToEven)
      .convertToInteger(units, APFloat::rmTowardZero, &isExact);
  return std::move(units);
}

/// Prints digits * 10^power without an exponent.
static std::string writeDecimal(StringRef digits, int power) {
  size_t size = digits.size();
  digits = digits.rtrim('0');
  power += int(size - digits.size());
  if (power >= 0)
    return digits.str() + std::string(power, '0');
  int before = int(digits.size()) + power;
  if (before <= 0)
    return "0." + std::string(-before, '0') + digits.str();
  return (digits.take_front(before) + "." + digits.drop_front(before)).str();
}

/// Prints all digits of a power of two, because the result of parsing any other
/// number depends on the rounding mode (C9).
static std::string writePowerOfTwo(int exponent) {
  constexpr unsigned kWidth = 320;
  APInt digits = exponent < 0 ? getPower(kWidth, 5, -exponent)
                              : getPower(kWidth, 2, exponent);
  return writeDecimal(llvm::toString(digits, 10, /*Signed=*/false),
                      std::min(exponent, 0));
}

/// Prints the shortest number between `low` and `high`, including these if
/// `isClosed`, and the nearest one to `value` of several.
static std::string writeShortest(const Scale &units, const APInt &low,
                                 const APInt &value, const APInt &high,
                                 bool isClosed) {
  auto isInside = [&](const APInt &number, const APInt &scale) {
    APInt min = low * scale, max = high * scale;
    return isClosed ? number.uge(min) && number.ule(max)
                    : number.ugt(min) && number.ult(max);
  };
  APInt one = APInt::getOneBitSet(units.width, -units.unit);
  // The position of the first nonzero digit.
  int first = (int(value.getActiveBits()) + units.unit) * 30103 / 100000 - 2;
  auto isBelow = [&](int digit) {
    return (value * units.getPower(10, std::max(-digit, 0)))
        .ult(one * units.getPower(10, std::max(digit, 0)));
  };
  while (!isBelow(first + 1))
    ++first;
  for (int digit = first;; --digit) {
    // Compare with the multiples of 10^place. All numbers are multiplied by
    // `scale`, which makes them integers.
    APInt scale = units.getPower(10, std::max(-digit, 0));
    APInt step = one * units.getPower(10, std::max(digit, 0));
    APInt exact = value * scale;
    APInt below = exact.udiv(step), above = below + 1;
    bool hasBelow = !below.isZero() && isInside(below * step, scale);
    bool hasAbove = isInside(above * step, scale);
    if (hasBelow && hasAbove) {
      APInt toBelow = exact - below * step, toAbove = above * step - exact;
      hasBelow = toBelow.ult(toAbove) || (toBelow == toAbove && !below[0]);
    }
    if (hasBelow || hasAbove)
      return writeDecimal(
          llvm::toString(hasBelow ? below : above, 10, /*Signed=*/false),
          digit);
  }
}

static std::string printFloat(const Format &format, const APInt &bits) {
  APFloat value = decode(format, bits);
  if (value.isNaN())
    return "NaN";
  std::string sign = value.isNegative() ? "-" : "";
  if (value.isInfinity())
    return sign + "INF";
  if (value.isZero())
    return sign + "0";
  if (format.kind == FormatKind::Scale)
    return writePowerOfTwo(ilogb(value));
  APInt magnitude = bits;
  if (!format.isUnsigned)
    magnitude.clearSignBit();
  Scale scale(format);
  APInt units = scale.getUnits(abs(value));
  APInt below = scale.getUnits(abs(decode(format, magnitude - 1)));
  // Above the maximum, the spacing continues unchanged.
  APInt above = units + (units - below);
  APInt next = magnitude + 1;
  if ((format.isUnsigned || !next.isSignBitSet()) &&
      !(format.kind == FormatKind::Narrow &&
        next.getZExtValue() > format.maxMagnitude))
    if (APFloat nextValue = decode(format, next); nextValue.isFinite())
      above = scale.getUnits(nextValue);
  return sign + writeShortest(scale, (units + below).lshr(1), units,
                              (units + above).lshr(1), !magnitude[0]);
}

std::string reference::printString(Type from, const APInt &bits) {
  Format format = *getFormat(from);
  if (format.kind == FormatKind::Integer || format.kind == FormatKind::Bool)
    return llvm::toString(bits, 10, format.isSigned);
  return printFloat(format, bits);
}

FailureOr<std::vector<std::string>> reference::printBuffer(Type from,
                                                           ArrayRef<char> in) {
  std::optional<Format> format = getFormat(from);
  if (!format || in.size() % getSlotSize(*format))
    return failure();
  std::vector<std::string> strings;
  for (size_t i = 0, e = in.size() / getSlotSize(*format); i < e; ++i)
    strings.push_back(printString(from, loadElement(*format, in, i)));
  return strings;
}
