//===- Formats.h - Element formats of the Reference -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The facts of every element format, written down here a second time: the
// lowerings derive theirs from llvm::fltSemantics, and two sources that agree
// are worth more than one.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_REFERENCE_FORMATS_H
#define QUANT_FLOAT_LIB_REFERENCE_FORMATS_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/APFloat.h"
#include <optional>

namespace mlir::quant_float::reference {

enum class FormatKind {
  /// f64 f32 f16 bf16: APFloat is trusted with decoding and rounding.
  IEEE,
  /// float8, float6, float4: sign, exponent and mantissa fields, see below.
  Narrow,
  /// f8E8M0FNU.
  Scale,
  Integer,
  Bool,
};

/// Which codes of a narrow float are no numbers.
enum class NonFinite {
  /// float4 and float6: every code is a number.
  None,
  /// f8E4M3FN, f8UE5M3: the magnitude above the largest is NaN; there is no
  /// infinity.
  NaN,
  /// f8E5M2, f8E4M3, f8E3M4: the magnitude above the largest is infinity, the
  /// rest NaN.
  InfAndNaN,
  /// FNUZ: the code of −0 is the only NaN; there is no infinity.
  NegativeZero,
};

/// One element format. A narrow float's magnitude is its code without the sign
/// bit; magnitudes are ordered as the numbers are, one unit of the last place
/// apart, which is all that decoding and rounding need.
struct Format {
  FormatKind kind;
  unsigned width;

  // IEEE.
  const llvm::fltSemantics *semantics = nullptr;

  // Narrow.
  NonFinite nonFinite = NonFinite::None;
  unsigned mantissaBits = 0;
  int minNormalExponent = 0;
  uint64_t maxMagnitude = 0;
  /// The magnitude of the NaN that a cast produces (C5).
  uint64_t nanMagnitude = 0;
  uint64_t infMagnitude = 0;
  /// f8UE5M3: the magnitude has all bits of the code.
  bool isUnsigned = false;

  // Integer.
  bool isSigned = false;

  /// The exponent of the last place of subnormals.
  int minUnitExponent() const { return minNormalExponent - int(mantissaBits); }
  uint64_t signMask() const {
    return isUnsigned ? 0 : uint64_t(1) << (width - 1);
  }
};

/// f64, f32, f16 or bf16.
Format ieee(unsigned width, const llvm::fltSemantics &semantics);

/// The format of a supported element type, else nothing.
std::optional<Format> getFormat(Type elementType);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_LIB_REFERENCE_FORMATS_H
