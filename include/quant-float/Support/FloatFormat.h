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

/// What the lowerings need to know of a binary float format, derived from its
/// llvm::fltSemantics. A code is a value's bit pattern, a magnitude code one
/// without its sign bit.
///
/// f8E8M0FNU, which has neither sign nor zero nor mantissa, is no such format.
struct FloatFormat {
  explicit FloatFormat(FloatType type);

  unsigned width;
  unsigned mantissaBits;
  /// Exponents of the smallest and the largest normal value.
  int minExponent, maxExponent;
  int bias;
  bool hasInfinity, hasNaN;
  /// f8E4M3FNUZ and f8E5M2FNUZ: one NaN, where negative zero would be.
  bool isFNUZ;
  /// Magnitude code of the largest finite value.
  uint64_t maxCode;
  /// Magnitude code of infinity, where there is one.
  uint64_t infinityCode;
  /// Magnitude code of the canonical quiet NaN; FNUZ: the whole code.
  uint64_t nanCode;
  /// The largest finite value.
  llvm::APFloat maxValue;

  uint64_t signMask() const { return uint64_t(1) << (width - 1); }
  uint64_t magnitudeMask() const { return signMask() - 1; }
};

/// Whether `type` is one of f16, bf16, f32, f64.
bool isStandardFloat(Type type);
/// Whether `type` is one of the four float8 with a sign, which have no use for
/// a zero point (Q7, D3, D5).
bool isFloat8(Type type);
/// Whether `type` is a float that targets do not compute with: float8, float6,
/// float4, f8E8M0FNU.
bool isNarrowFloat(Type type);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_FLOATFORMAT_H
