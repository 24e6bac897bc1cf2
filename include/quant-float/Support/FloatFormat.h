//===- FloatFormat.h - Float format properties ------------------*- C++ -*-===//
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

/// The properties of a binary float format, from a row of FloatFormats.def or
/// from the parameters of a BinaryType. An encoding is the bit pattern of a
/// value.
///
/// Rounding to f8E8M0FNU, which has neither sign nor zero nor mantissa, follows
/// different rules (C9).
struct FloatFormat {
  /// `type` must satisfy isFloat.
  explicit FloatFormat(Type type);

  unsigned width;
  /// Whether the most significant bit is a sign.
  bool isSigned;
  unsigned mantissaBits;
  /// The exponents of the smallest and the largest normal value.
  int minExponent, maxExponent;
  int bias;
  bool hasInfinity, hasNaN;
  /// f8E4M3FNUZ and similar formats: the only NaN has the encoding of negative
  /// zero. Those of IEEE P3109 may have infinities.
  bool isFNUZ;
  /// A format of IEEE P3109 that is a BinaryType. Its NaN has no sign.
  bool isBinary;
  bool hasZero;
  /// The encoding of the largest finite value.
  uint64_t maxEncoding;
  /// The encoding of positive infinity, if the format has it.
  uint64_t infinityEncoding;
  /// The encoding of the canonical quiet NaN, without the sign bit except for
  /// FNUZ formats.
  uint64_t nanEncoding;
  /// The largest finite value, as f64.
  llvm::APFloat maxValue;

  /// Returns the mask of the sign bit; zero if there is no sign.
  uint64_t signMask() const {
    return isSigned ? uint64_t(1) << (width - 1) : 0;
  }
  uint64_t magnitudeMask() const {
    return ~uint64_t(0) >> (64 - width + (isSigned ? 1 : 0));
  }
  /// Returns the value of an encoding as f64. NaN is quiet and has the sign of
  /// its encoding; that of a BinaryType is positive.
  llvm::APFloat getValue(uint64_t encoding) const;
};

/// Returns whether `type` is one of the floats of FloatFormats.def or a
/// BinaryType. Those of this dialect are not FloatTypes, because LLVM has no
/// fltSemantics for them.
bool isFloat(Type type);
/// Returns whether `type` is such a float or an integer.
bool isNumber(Type type);
/// Returns the width of a number in bits.
unsigned getNumberWidth(Type type);
/// Returns whether `type` is f16, bf16, f32 or f64.
bool isStandardFloat(Type type);
/// Returns whether `type` is a float8 with a mantissa, for which zero points
/// have no effect (Q7, D3, D5).
bool isFloat8(Type type);
/// Returns whether `type` is a float without arithmetic on the targets: float8,
/// float6, float4 or f8E8M0FNU.
bool isNarrowFloat(Type type);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_FLOATFORMAT_H
