//===- FloatFormat.h - Facts of a float format ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_FLOATFORMAT_H
#define QUANT_FLOAT_SUPPORT_FLOATFORMAT_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

namespace mlir::quant_float {

/// What the lowerings need to know of a binary float format; its facts are a
/// row of FloatFormats.def. A code is a value's bit pattern, a magnitude code
/// one without its sign bit.
///
/// f8E8M0FNU, which has neither sign nor zero nor mantissa, is rounded to in
/// another way (C9).
struct FloatFormat {
  /// Of a type that isFloat.
  explicit FloatFormat(Type type);

  unsigned width;
  /// Whether the top bit is a sign.
  bool isSigned;
  unsigned mantissaBits;
  /// Exponents of the smallest and the largest normal value.
  int minExponent, maxExponent;
  int bias;
  bool hasInfinity, hasNaN;
  /// f8E4M3FNUZ and its kin: one NaN, where negative zero would be.
  bool isFNUZ;
  bool hasZero;
  /// Magnitude code of the largest finite value.
  uint64_t maxCode;
  /// Magnitude code of infinity, where there is one.
  uint64_t infinityCode;
  /// Magnitude code of the canonical quiet NaN; FNUZ: the whole code.
  uint64_t nanCode;
  /// The largest finite value, an f64.
  llvm::APFloat maxValue;

  /// Zero where there is no sign.
  uint64_t signMask() const {
    return isSigned ? uint64_t(1) << (width - 1) : 0;
  }
  uint64_t magnitudeMask() const {
    return ~uint64_t(0) >> (64 - width + (isSigned ? 1 : 0));
  }
  /// What a code stands for, an f64. NaN is quiet and has the sign of its code.
  llvm::APFloat getValue(uint64_t code) const;
};

/// Whether `type` is one of the floats of FloatFormats.def. Not all are
/// FloatTypes: the dialect's own lack the semantics of LLVM that those have.
bool isFloat(Type type);
/// Whether `type` is such a float or an integer.
bool isNumber(Type type);
/// The bits of a number.
unsigned getNumberWidth(Type type);
/// Whether `type` is one of f16, bf16, f32, f64.
bool isStandardFloat(Type type);
/// Whether `type` is a float8 with a mantissa: those have no use for a zero
/// point (Q7, D3, D5).
bool isFloat8(Type type);
/// Whether `type` is a float that targets do not compute with: float8, float6,
/// float4, f8E8M0FNU.
bool isNarrowFloat(Type type);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_FLOATFORMAT_H
