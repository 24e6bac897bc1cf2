/*===-- PrintNumber.h - Convert numbers to strings ----------------*- C -*-===*\
|*                                                                            *|
|* Part of the quant-float project, under the Apache License v2.0 with LLVM   *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
/*
 * Prints the shortest decimal number that parses to the same element, without
 * an exponent. Of several shortest numbers, it is the nearest one.
 *
 * The numbers that parse to m * 2^e lie between the midpoints to its two
 * neighbors. Let 10^k be the largest power of ten that is not longer than this
 * interval. The interval contains a multiple of 10^k, and at most one multiple
 * of 10^(k + 1), which has fewer digits. If there is none, the result is the
 * nearest multiple of 10^k.
 */
#ifndef QUANT_FLOAT_LIB_RUNTIME_ENTRY_PRINTNUMBER_H
#define QUANT_FLOAT_LIB_RUNTIME_ENTRY_PRINTNUMBER_H

#include "BigNumber.h"
#include "NumberFormat.h"
#include "PowersOfTen.h"

/* The maximum length of a string: "-0.", 323 zeros and a digit, for f64. */
enum { QF_MAX_NUMBER_LENGTH = 336 };

/* Compares count * 10^k with number * 2^exponent. */
static int compareExactly(uint64_t count, int k, uint64_t number,
                          int exponent) {
  BigNumber left, right;
  bigSet(&left, count);
  bigSet(&right, number);
  bigMultiplyByPowerOf5(k < 0 ? &right : &left, k < 0 ? -k : k);
  int shift = exponent - k;
  bigShiftLeft(shift < 0 ? &left : &right, shift < 0 ? -shift : shift);
  return bigCompare(&left, &right);
}

/* number * 2^exponent / 10^k in fixed point, with 64 fraction bits. */
typedef struct Position {
  uint64_t number;
  int exponent;
  int k;
  UInt128 fixed; /* a lower bound */
  int error;     /* upper bound of its error, in units of 2^-64 */
  int isExact;
} Position;

static Position getPosition(uint64_t number, int exponent, int k,
                            Scaled scale) {
  Position position = {number, exponent, k, 0, 0, 1};
  Scaled product = multiplyScaled(number, scale);
  /* The quotient is less than 2^64, because the interval of numbers that parse
   * to the element is shorter than 10^(k + 1). */
  int shift = -64 - (product.exponent + exponent);
  position.fixed = shift >= 128 ? 0 : product.mantissa >> shift;
  position.isExact =
      !product.error &&
      (shift >= 128 ? !product.mantissa
                    : position.fixed << shift == product.mantissa);
  position.error = position.isExact ? 0 : 2 + product.error;
  return position;
}

/* Compares halves / 2 with the position. */
static int compareHalves(uint64_t halves, const Position *position) {
  UInt128 fixed = (UInt128)halves << 63;
  if (fixed < position->fixed)
    return -1;
  if (fixed > position->fixed + (unsigned)position->error)
    return 1;
  if (position->isExact)
    return 0;
  return compareExactly(halves, position->k, position->number,
                        position->exponent + 1);
}

/* The number digits * 10^power. */
typedef struct Decimal {
  uint64_t digits;
  int power;
} Decimal;

/* Returns the shortest decimal for mantissa * 2^exponent, which is not 0.
 * `isFirst` means that the next smaller number is nearer than the next larger
 * one. */
static Decimal getShortest(uint64_t mantissa, int exponent, int isFirst) {
  int k = (exponent * 1262611 - (isFirst ? 524031 : 0)) >> 22;
  Scaled scale = getPowerOfTen(-k);
  /* In quarters of the distance to the next larger number. */
  uint64_t quarters = 4 * mantissa;
  Position middle = getPosition(quarters, exponent - 2, k, scale);
  Position low =
      getPosition(quarters - (isFirst ? 1 : 2), exponent - 2, k, scale);
  Position high = getPosition(quarters + 2, exponent - 2, k, scale);
  /* A midpoint parses to its neighbor with the even mantissa. */
  int isEven = !(mantissa & 1);
  uint64_t integer = (uint64_t)(middle.fixed >> 64);
  /* The lower bound may be too small by 1. The comparison is exact. */
  if (compareHalves(2 * (integer + 1), &middle) <= 0)
    ++integer;
#define IS_INSIDE(count)                                                       \
  (compareHalves(2 * (count), &low) + isEven > 0 &&                            \
   compareHalves(2 * (count), &high) - isEven < 0)
  uint64_t ten = integer / 10 * 10;
  /* Only a number of two digits can have fewer of them: 10 is no shorter than
   * 9. */
  if (ten && IS_INSIDE(ten))
    return (Decimal){ten, k};
  if (ten && IS_INSIDE(ten + 10))
    return (Decimal){ten + 10, k};
  int isLowInside = IS_INSIDE(integer);
  int isHighInside = IS_INSIDE(integer + 1);
#undef IS_INSIDE
  if (isLowInside && isHighInside) {
    int side = compareHalves(2 * integer + 1, &middle);
    isLowInside = side > 0 || (!side && !(integer & 1));
  }
  return (Decimal){isLowInside ? integer : integer + 1, k};
}

static char *putZeros(char *out, int count) {
  for (int i = 0; i < count; ++i)
    *out++ = '0';
  return out;
}

/* Prints `count` digits, times 10^power. */
static char *putDecimal(char *out, const char *digits, int count, int power) {
  while (count > 1 && digits[count - 1] == '0') {
    --count;
    ++power;
  }
  int before = count + power;
  if (before <= 0) {
    *out++ = '0';
    *out++ = '.';
    out = putZeros(out, -before);
  }
  for (int i = 0; i < count; ++i) {
    if (i && i == before)
      *out++ = '.';
    *out++ = digits[i];
  }
  return putZeros(out, power);
}

static const char *getDigits(uint64_t number, char *end) {
  do {
    *--end = (char)('0' + number % 10);
    number /= 10;
  } while (number);
  return end;
}

static char *putInteger(char *out, uint64_t number) {
  char digits[20];
  char *end = digits + sizeof digits;
  for (const char *next = getDigits(number, end); next != end; ++next)
    *out++ = *next;
  return out;
}

/* Prints all digits of 2^exponent. Which other numbers parse to this power
 * depends on round_mode, so a shorter number could parse to another one. */
static char *putPowerOfTwo(char *out, int exponent) {
  BigNumber number;
  bigSet(&number, 1);
  if (exponent < 0)
    bigMultiplyByPowerOf5(&number, -exponent);
  else
    bigShiftLeft(&number, exponent);
  char digits[96];
  char *end = digits + sizeof digits, *next = end;
  while (number.count)
    *--next = (char)('0' + bigDivide(&number, 10));
  return putDecimal(out, next, (int)(end - next), exponent < 0 ? exponent : 0);
}

static char *putLiteral(char *out, const char *literal) {
  while (*literal)
    *out++ = *literal++;
  return out;
}

static char *putFloat(char *out, const NumberFormat *format, uint64_t bits) {
  uint64_t sign = bits & getSignBit(format);
  uint64_t magnitude = bits ^ sign;
  uint64_t firstNonFinite = getFirstNonFinite(format);
  int isMinusZero = sign && !magnitude;
  if (magnitude > firstNonFinite ||
      (magnitude == firstNonFinite && format->specials != QF_SPECIALS_Ieee) ||
      (isMinusZero && format->specials == QF_SPECIALS_NegativeZero))
    return putLiteral(out, "NaN");
  if (sign)
    *out++ = '-';
  if (magnitude == firstNonFinite)
    return putLiteral(out, "INF");
  uint64_t hidden = (uint64_t)1 << format->mantissaBits;
  uint64_t mantissa = magnitude & (hidden - 1);
  int field = (int)(magnitude >> format->mantissaBits);
  int isFirst = field > 1 && !mantissa;
  if (field)
    mantissa |= hidden;
  if (!mantissa)
    return putLiteral(out, "0");
  int exponent = (field ? field : 1) - format->bias - format->mantissaBits;
  Decimal decimal = getShortest(mantissa, exponent, isFirst);
  char digits[20];
  char *end = digits + sizeof digits;
  const char *first = getDigits(decimal.digits, end);
  return putDecimal(out, first, (int)(end - first), decimal.power);
}

/* Prints an element, which is in the low bits of `slot`, in at most
 * QF_MAX_NUMBER_LENGTH bytes. Returns the end of the string. */
static char *putNumberOf(char *out, const NumberFormat *format, uint64_t slot) {
  unsigned unused = 64 - (unsigned)format->bits;
  uint64_t bits = slot << unused >> unused;
  if (isScale(format)) {
    int encoding = (int)bits;
    return encoding == 0xff ? putLiteral(out, "NaN")
                            : putPowerOfTwo(out, encoding - format->bias);
  }
  if (format->kind == QF_NUMBER_Float)
    return putFloat(out, format, bits);
  if (format->kind == QF_NUMBER_Signed && bits & getSignBit(format)) {
    *out++ = '-';
    bits = (0 - bits) << unused >> unused;
  }
  return putInteger(out, bits);
}

#endif
