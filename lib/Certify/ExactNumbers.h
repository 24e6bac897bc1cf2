//===- ExactNumbers.h - The arithmetic of the oracle ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products, quotients and sums of the oracle's numbers, rounded to odd (see
// Oracle.h).
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CERTIFY_EXACTNUMBERS_H
#define QUANT_FLOAT_LIB_CERTIFY_EXACTNUMBERS_H

#include "quant-float/Certify/Oracle.h"
#include <utility>

namespace mlir::quant_float::certify {

using Wide = unsigned __int128;

/// Returns the number of significant bits.
inline int getLength(uint64_t number) {
  return number ? 64 - __builtin_clzll(number) : 0;
}

inline Value makeNaN(bool negative) {
  return {Value::Kind::NaN, negative, 0, 0};
}
inline Value makeInfinity(bool negative) {
  return {Value::Kind::Infinity, negative, 0, 0};
}
inline Value makeZero(bool negative) {
  return {Value::Kind::Number, negative, 0, 0};
}
inline Value makeInteger(int64_t number) {
  uint64_t magnitude = number < 0 ? -uint64_t(number) : uint64_t(number);
  return {Value::Kind::Number, number < 0, magnitude, 0};
}

/// Rounds a number of up to 128 bits to odd. `more` specifies whether the exact
/// number has further nonzero bits below.
inline Value makeOdd(bool negative, Wide significand, int exponent,
                     bool more = false) {
  while (significand >> 64) {
    unsigned shift = getLength(uint64_t(significand >> 64));
    more |= (significand & ((Wide(1) << shift) - 1)) != 0;
    significand >>= shift;
    exponent += shift;
  }
  return {Value::Kind::Number, negative, uint64_t(significand) | more,
          exponent};
}

inline Value multiply(const Value &a, const Value &b) {
  bool negative = a.negative != b.negative;
  if (a.isNaN() || b.isNaN())
    return makeNaN(negative);
  if (a.isInfinity() || b.isInfinity())
    return a.isZero() || b.isZero() ? makeNaN(negative)
                                    : makeInfinity(negative);
  return makeOdd(negative, Wide(a.significand) * b.significand,
                 a.exponent + b.exponent);
}

inline Value divide(const Value &a, const Value &b) {
  bool negative = a.negative != b.negative;
  if (a.isNaN() || b.isNaN() || (a.isInfinity() && b.isInfinity()) ||
      (a.isZero() && b.isZero()))
    return makeNaN(negative);
  if (a.isInfinity() || b.isZero())
    return makeInfinity(negative);
  if (b.isInfinity() || a.isZero())
    return makeZero(negative);
  // Shift the numerator so that the quotient has at least 64 bits.
  unsigned shift = 128 - getLength(a.significand);
  Wide numerator = Wide(a.significand) << shift;
  return makeOdd(negative, numerator / b.significand,
                 a.exponent - int(shift) - b.exponent,
                 numerator % b.significand != 0);
}

inline Value add(Value a, Value b) {
  if (a.isNaN() || b.isNaN())
    return makeNaN(false);
  if (a.isInfinity() || b.isInfinity()) {
    if (a.isInfinity() && b.isInfinity() && a.negative != b.negative)
      return makeNaN(false);
    return makeInfinity(a.isInfinity() ? a.negative : b.negative);
  }
  // The sum of zeros is -0 only if both are. Numbers that cancel sum to +0.
  if (a.isZero() && b.isZero())
    return makeZero(a.negative && b.negative);
  if (a.isZero())
    return b;
  if (b.isZero())
    return a;
  // Normalize to 126 bits, which leaves room for the carry. The bits of the
  // smaller number below the larger one's are rounded to odd.
  auto widen = [](const Value &value, int &exponent) {
    Wide wide = Wide(value.significand) << 62;
    exponent = value.exponent - 62;
    unsigned shift = 64 - getLength(value.significand);
    exponent -= int(shift);
    return wide << shift;
  };
  int exponentA, exponentB;
  Wide wideA = widen(a, exponentA), wideB = widen(b, exponentB);
  if (exponentA < exponentB) {
    std::swap(wideA, wideB);
    std::swap(exponentA, exponentB);
    std::swap(a.negative, b.negative);
  }
  unsigned shift = unsigned(exponentA - exponentB);
  bool more = shift > 127 || (wideB & ((Wide(1) << shift) - 1)) != 0;
  wideB = (shift > 127 ? 0 : wideB >> shift) | Wide(more);
  if (a.negative == b.negative)
    return makeOdd(a.negative, wideA + wideB, exponentA);
  if (wideA == wideB)
    return makeZero(false);
  return wideA > wideB ? makeOdd(a.negative, wideA - wideB, exponentA)
                       : makeOdd(b.negative, wideB - wideA, exponentA);
}

inline Value negate(Value value) {
  value.negative = !value.negative;
  return value;
}

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_LIB_CERTIFY_EXACTNUMBERS_H
