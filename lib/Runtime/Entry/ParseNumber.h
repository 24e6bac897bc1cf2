/*===-- ParseNumber.h - Convert strings to numbers ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * A string is one exact number, which is rounded once, to the element. Rounding
 * only depends on the first 64 bits of the exact number and on a sticky bit:
 * whether nonzero bits follow.
 */
#ifndef QUANT_FLOAT_LIB_RUNTIME_ENTRY_PARSENUMBER_H
#define QUANT_FLOAT_LIB_RUNTIME_ENTRY_PARSENUMBER_H

#include "BigNumber.h"
#include "NumberFormat.h"
#include "PowersOfTen.h"

/* The attributes of a cast, as bits. */
enum {
  QF_CAST_SATURATES = 1,
  QF_CAST_INFINITY_IS_NAN = 2, /* for FNUZ types that saturate */
  QF_CAST_ROUNDS_DOWN = 4,     /* to f8E8M0FNU; rounds up without both flags */
  QF_CAST_ROUNDS_NEAREST = 8
};

/* The contents of a string. */
typedef struct Spelling {
  enum {
    QF_SPELLS_NOTHING,
    QF_SPELLS_NUMBER,
    QF_SPELLS_INF,
    QF_SPELLS_NAN
  } kind;
  int isNegative;
  /* The first 19 digits after leading zeros, times 10^power. */
  uint64_t digits;
  int64_t power;
  /* Whether nonzero digits follow. */
  int isCut;
  /* All digits from the first nonzero one on, possibly with a decimal point. */
  const char *first;
  const char *end;
} Spelling;

static int isBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static int isDigit(char c) { return c >= '0' && c <= '9'; }

static int isKeyword(const char *string, const char *end, const char *keyword) {
  for (; string != end && *keyword; ++string, ++keyword)
    if ((*string | 0x20) != *keyword)
      return 0;
  return string == end && !*keyword;
}

/* Parses the exponent after an 'e', and advances `*string` to its end. */
static int64_t readExponent(const char **string, const char *end,
                            int *isValid) {
  const int64_t max = 1000000000000000000;
  int isNegative = *string != end && **string == '-';
  if (*string != end && (**string == '-' || **string == '+'))
    ++*string;
  *isValid = *string != end && isDigit(**string);
  int64_t value = 0;
  for (; *string != end && isDigit(**string); ++*string)
    value = value >= max / 10 ? max : 10 * value + (**string - '0');
  return isNegative ? -value : value;
}

static Spelling spell(const char *string, int64_t size) {
  Spelling result = {QF_SPELLS_NOTHING, 0, 0, 0, 0, 0, 0};
  const char *end = string + size;
  while (string != end && isBlank(*string))
    ++string;
  while (string != end && isBlank(end[-1]))
    --end;
  int hasSign = string != end && (*string == '-' || *string == '+');
  result.isNegative = hasSign && *string == '-';
  string += hasSign;
  if (isKeyword(string, end, "inf")) {
    result.kind = QF_SPELLS_INF;
    return result;
  }
  if (isKeyword(string, end, "nan")) {
    result.kind = hasSign ? QF_SPELLS_NOTHING : QF_SPELLS_NAN;
    return result;
  }
  const int max = 19;
  int hasDigits = 0, hasPoint = 0, count = 0;
  int64_t power = 0;
  for (; string != end; ++string) {
    if (*string == '.' && !hasPoint) {
      hasPoint = 1;
      continue;
    }
    if (!isDigit(*string))
      break;
    hasDigits = 1;
    int digit = *string - '0';
    power -= hasPoint;
    if (!count && !digit)
      continue;
    if (!count)
      result.first = string;
    if (count++ < max) {
      result.digits = 10 * result.digits + (unsigned)digit;
    } else {
      count = max;
      ++power;
      result.isCut |= digit;
    }
  }
  result.end = string;
  int isValid = 1;
  if (hasDigits && string != end && (*string | 0x20) == 'e') {
    ++string;
    power += readExponent(&string, end, &isValid);
  }
  result.power = power;
  if (hasDigits && isValid && string == end)
    result.kind = QF_SPELLS_NUMBER;
  return result;
}

/* mantissa * 2^exponent. `more` is the sticky bit: whether the exact number is
 * larger by less than a unit. The top bit of the mantissa is set, unless the
 * number is 0. */
typedef struct Binary {
  uint64_t mantissa;
  int exponent;
  int more;
} Binary;

/* Returns high * 2^64 / divisor, and the remainder in `*rest`. `high` is less
 * than the divisor, whose top bit is set. Long division with two digits of 32
 * bits. */
static uint64_t divideHigh(uint64_t high, uint64_t divisor, uint64_t *rest) {
  uint64_t upper = divisor >> 32, result = 0;
  for (int i = 0; i < 2; ++i) {
    uint64_t digit = high / upper;
    /* The estimate is too large by at most 2. */
    UInt128 product = (UInt128)digit * divisor;
    UInt128 dividend = (UInt128)high << 32;
    while (product > dividend) {
      --digit;
      product -= divisor;
    }
    high = (uint64_t)(dividend - product);
    result = result << 32 | digit;
  }
  *rest = high;
  return result;
}

/* Returns digits / 10^power. 5^power is less than 2^64. */
static Binary divideBySmallPower(uint64_t digits, int power) {
  uint64_t divisor = 1;
  for (int i = 0; i < power; ++i)
    divisor *= 5;
  int shift = __builtin_clzll(divisor);
  int digitsShift = __builtin_clzll(digits);
  divisor <<= shift;
  digits <<= digitsShift;
  Binary result = {0, shift - digitsShift - power - 64, 0};
  uint64_t rest, odd = 0;
  if (digits >= divisor) {
    odd = digits & 1;
    digits >>= 1;
    ++result.exponent;
  }
  result.mantissa = divideHigh(digits, divisor, &rest);
  /* The bit that was shifted out is half a unit of `digits`: add it to the
   * remainder. */
  if (odd) {
    UInt128 more = (UInt128)rest + ((UInt128)1 << 63);
    if (more >= divisor) {
      ++result.mantissa;
      more -= divisor;
    }
    rest = more != 0;
  }
  result.more = rest != 0;
  return result;
}

/* Computes digits * 10^power. Returns 0 if 128 bits do not determine the first
 * 64. */
static int multiply(uint64_t digits, int power, Binary *result) {
  *result = (Binary){0, 0, 0};
  if (!digits)
    return 1;
  while (power < 0 && power > -28 && digits % 10 == 0) {
    digits /= 10;
    ++power;
  }
  if (power < 0 && power >= -27) {
    *result = divideBySmallPower(digits, -power);
    return 1;
  }
  Scaled product = multiplyScaled(digits, getPowerOfTen(power));
  uint64_t low = (uint64_t)product.mantissa;
  if (low + (unsigned)product.error < low)
    return 0;
  result->mantissa = (uint64_t)(product.mantissa >> 64);
  result->exponent = product.exponent + 64;
  result->more = low || product.error;
  return 1;
}

/* Computes the same with all digits, by exact long division. */
static Binary divideExactly(const Spelling *spelling, int64_t power) {
  /* No midpoint of two elements has more digits, so that later digits only
   * affect the sticky bit. */
  const int max = 800;
  BigNumber number, divisor;
  bigSet(&number, 0);
  bigSet(&divisor, 1);
  int count = 0, more = 0;
  for (const char *next = spelling->first; next != spelling->end; ++next) {
    if (*next == '.')
      continue;
    unsigned digit = (unsigned)(*next - '0');
    /* The parser has incremented the power for each digit after the
     * nineteenth. */
    ++count;
    if (count > 19 && count <= max)
      --power;
    if (count > max)
      more |= digit != 0;
    else if (number.count)
      bigMultiplyAdd(&number, 10, digit);
    else
      bigSet(&number, digit);
  }
  int small = (int)power;
  bigMultiplyByPowerOf5(small < 0 ? &divisor : &number,
                        small < 0 ? -small : small);
  Binary result = {0, small, more};
  /* Align the operands, so that the quotient has 64 bits. */
  int shift = bigCountBits(&divisor) - bigCountBits(&number);
  bigShiftLeft(shift > 0 ? &number : &divisor, shift > 0 ? shift : -shift);
  if (bigCompare(&number, &divisor) < 0) {
    bigShiftLeft(&number, 1);
    ++shift;
  }
  result.exponent -= shift + 63;
  for (int i = 0; i < 64; ++i) {
    result.mantissa <<= 1;
    if (bigCompare(&number, &divisor) >= 0) {
      bigSubtract(&number, &divisor);
      result.mantissa |= 1;
    }
    bigShiftLeft(&number, 1);
  }
  result.more |= number.count != 0;
  return result;
}

/* Stand for numbers that are larger than all elements, and for nonzero numbers
 * that are smaller than all elements. */
static const Binary hugeNumber = {(uint64_t)1 << 63, 1100, 1};
static const Binary tinyNumber = {(uint64_t)1 << 63, -1300, 1};

/* Returns the element for a magnitude above the largest one (C2, C3, C8). */
static uint64_t getOverflow(const NumberFormat *format, int isNegative,
                            int flags) {
  uint64_t sign = isNegative ? getSignBit(format) : 0;
  uint64_t first = getFirstNonFinite(format);
  int isNarrow = format->bits <= 8;
  if (format->specials == QF_SPECIALS_None ||
      (isNarrow && flags & QF_CAST_SATURATES))
    return sign | (first - 1);
  /* The encodings after that of the largest number are infinity or NaN. */
  return format->specials == QF_SPECIALS_NegativeZero ? getSignBit(format)
                                                      : sign | first;
}

/* Returns the element for a negative number in an unsigned format (F3). */
static uint64_t getNegative(const NumberFormat *format, int isZero, int flags) {
  return isZero || flags & QF_CAST_SATURATES ? 0 : getFirstNonFinite(format);
}

static uint64_t roundToFloat(const NumberFormat *format, int isNegative,
                             Binary number, int flags) {
  uint64_t sign = isNegative ? getSignBit(format) : 0;
  uint64_t magnitude = 0;
  if (number.mantissa) {
    int min = 1 - format->bias;
    int exponent = number.exponent + 63;
    int unit = (exponent < min ? min : exponent) - format->mantissaBits;
    int shift = unit - number.exponent;
    if (shift < 64) {
      uint64_t half = (uint64_t)1 << (shift - 1);
      uint64_t rest = number.mantissa & (2 * half - 1);
      magnitude = number.mantissa >> shift;
      magnitude +=
          rest > half || (rest == half && (number.more || (magnitude & 1)));
    } else if (shift == 64) {
      magnitude = number.mantissa > (uint64_t)1 << 63 || number.more;
    }
    if (exponent > min)
      magnitude += (uint64_t)(exponent - min) << format->mantissaBits;
  }
  if (isNegative && !format->isSigned)
    return getNegative(format, !magnitude, flags);
  if (magnitude >= getFirstNonFinite(format))
    return getOverflow(format, isNegative, flags);
  if (!magnitude && format->specials == QF_SPECIALS_NegativeZero)
    return 0;
  return sign | magnitude;
}

/* Rounds to f8E8M0FNU (C9). */
static uint64_t roundToScale(const NumberFormat *format, int isNegative,
                             Binary number, int flags) {
  const uint64_t first = (uint64_t)1 << 63;
  int exponent = number.exponent + 63;
  int isPower = number.mantissa == first && !number.more;
  int saturates = flags & QF_CAST_SATURATES;
  int max = 254 - format->bias;
  if (isNegative || !number.mantissa || exponent < -format->bias)
    return saturates ? 0 : 0xff;
  if (exponent > max || (exponent == max && !isPower))
    return saturates ? 0xfe : 0xff;
  int isNext = flags & QF_CAST_ROUNDS_NEAREST
                   ? number.mantissa >= first + first / 2
                   : !(flags & QF_CAST_ROUNDS_DOWN) && !isPower;
  int encoding = exponent + format->bias + isNext;
  return (uint64_t)encoding;
}

/* Converts to an integer (C11). */
static uint64_t truncate(const NumberFormat *format, int isNegative,
                         Binary number) {
  int exponent = number.exponent + 63;
  uint64_t magnitude = exponent < 0     ? 0
                       : exponent >= 64 ? UINT64_MAX
                                        : number.mantissa >> (63 - exponent);
  int isSigned = format->kind == QF_NUMBER_Signed;
  int isWide = format->bits == 64 || (format->bits == 32 && !isSigned);
  uint64_t max = (uint64_t)1 << (isWide ? 63 : 31);
  if (!isNegative)
    max = format->bits == 64 && !isSigned ? UINT64_MAX : max - 1;
  if (magnitude > max)
    magnitude = max;
  return isNegative ? 0 - magnitude : magnitude;
}

static uint64_t roundNumber(const NumberFormat *format, int isNegative,
                            Binary number, int flags) {
  if (format->kind == QF_NUMBER_Bool)
    return number.mantissa != 0;
  if (format->kind != QF_NUMBER_Float)
    return truncate(format, isNegative, number);
  return isScale(format) ? roundToScale(format, isNegative, number, flags)
                         : roundToFloat(format, isNegative, number, flags);
}

/* Returns the element for an infinity (C2, C4, C9, C11). */
static uint64_t getInfinity(const NumberFormat *format, int isNegative,
                            int flags) {
  const int nan = QF_CAST_SATURATES | QF_CAST_INFINITY_IS_NAN;
  if (format->specials == QF_SPECIALS_NegativeZero && (flags & nan) == nan)
    return getSignBit(format);
  if (format->kind == QF_NUMBER_Float && isNegative && !format->isSigned &&
      !isScale(format))
    return getNegative(format, 0, flags);
  if (format->kind == QF_NUMBER_Float && !isScale(format))
    return getOverflow(format, isNegative, flags);
  return roundNumber(format, isNegative, hugeNumber, flags);
}

/* Returns the element for NaN (C2, C5, C8, C9, C11, C13). */
static uint64_t getNaN(const NumberFormat *format) {
  if (format->kind != QF_NUMBER_Float)
    return format->kind == QF_NUMBER_Bool;
  uint64_t sign = getSignBit(format);
  if (isScale(format))
    return 0xff;
  switch (format->specials) {
  case QF_SPECIALS_Ieee:
    return getFirstNonFinite(format) | (uint64_t)1
                                           << (format->mantissaBits - 1);
  case QF_SPECIALS_AllOnes:
    return getFirstNonFinite(format);
  default:
    return sign;
  }
}

/* Beyond these powers of ten, nonzero digits overflow or round to zero in all
 * formats. */
enum { QF_MOST_POWER = 330, QF_LEAST_POWER = -370 };

static uint64_t roundSpelling(const NumberFormat *format,
                              const Spelling *spelling, int flags) {
  int isNegative = spelling->isNegative;
  if (!spelling->digits)
    return roundNumber(format, isNegative, (Binary){0, 0, 0}, flags);
  /* This holds for 1 digit as well as for 19. */
  if (spelling->power > QF_MOST_POWER)
    return roundNumber(format, isNegative, hugeNumber, flags);
  if (spelling->power < QF_LEAST_POWER)
    return roundNumber(format, isNegative, tinyNumber, flags);
  int power = (int)spelling->power;
  Binary low, high;
  if (multiply(spelling->digits, power, &low)) {
    uint64_t result = roundNumber(format, isNegative, low, flags);
    if (!spelling->isCut)
      return result;
    /* Rounding is monotonic: if `digits` and `digits + 1` round to the same
     * element, so does every number between them. */
    low.more = 1;
    result = roundNumber(format, isNegative, low, flags);
    if (multiply(spelling->digits + 1, power, &high) &&
        roundNumber(format, isNegative, high, flags) == result)
      return result;
  }
  return roundNumber(format, isNegative, divideExactly(spelling, power), flags);
}

/* Parses an element to its bits, integers sign-extended. Returns 0 if the
 * string is not a number. */
static int parseNumber(const NumberFormat *format, const char *string,
                       int64_t size, int flags, uint64_t *bits) {
  Spelling spelling = spell(string, size);
  switch (spelling.kind) {
  case QF_SPELLS_NOTHING:
    return 0;
  case QF_SPELLS_INF:
    *bits = getInfinity(format, spelling.isNegative, flags);
    break;
  case QF_SPELLS_NAN:
    *bits = getNaN(format);
    break;
  case QF_SPELLS_NUMBER:
    *bits = roundSpelling(format, &spelling, flags);
    break;
  }
  unsigned unused = 64 - (unsigned)format->bits;
  *bits = format->kind == QF_NUMBER_Signed
              ? (uint64_t)((int64_t)(*bits << unused) >> unused)
              : *bits << unused >> unused;
  return 1;
}

#endif
