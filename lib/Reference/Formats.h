//===- Formats.h - Element formats of the Reference -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parameters of every element format. The lowerings derive theirs from
// llvm::fltSemantics; defining them here independently lets tests find errors
// in either definition.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_REFERENCE_FORMATS_H
#define QUANT_FLOAT_LIB_REFERENCE_FORMATS_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/APFloat.h"
#include <optional>

namespace mlir::quant_float::reference {

enum class FormatKind {
  /// f64, f32, f16 and bf16, which APFloat decodes and rounds.
  IEEE,
  /// float8, float6 and float4, with a sign, an exponent and a mantissa field.
  Narrow,
  /// f8E8M0FNU.
  Scale,
  Integer,
  Bool,
};

/// Which encodings of a narrow float are infinities or NaN.
enum class NonFinite {
  /// float4 and float6: none.
  None,
  /// f8E4M3FN, f8UE5M3: the magnitude above the maximum is NaN. There is no
  /// infinity.
  NaN,
  /// f8E5M2, f8E4M3, f8E3M4: the magnitude above the maximum is infinity, and
  /// larger ones are NaN.
  InfAndNaN,
  /// FNUZ: the encoding of -0 is the only NaN. There is no infinity.
  NegativeZero,
  /// Formats of IEEE P3109: as NegativeZero, and the magnitude above the
  /// maximum is infinity.
  NegativeZeroAndInf,
};

/// One element format. The magnitude of a narrow float is its encoding without
/// the sign bit. Magnitudes have the order of the numbers that they represent,
/// and consecutive ones differ by one unit in the last place. Decoding and
/// rounding use no other property.
struct Format {
  FormatKind kind;
  unsigned width;

  // Fields of IEEE formats.
  const llvm::fltSemantics *semantics = nullptr;

  // Fields of narrow formats.
  NonFinite nonFinite = NonFinite::None;
  unsigned mantissaBits = 0;
  int minNormalExponent = 0;
  uint64_t maxMagnitude = 0;
  /// The magnitude of the NaN that a cast produces (C5).
  uint64_t nanMagnitude = 0;
  uint64_t infMagnitude = 0;
  /// f8UE5M3: the magnitude uses all bits of the encoding.
  bool isUnsigned = false;

  // Fields of integers.
  bool isSigned = false;

  /// Returns the exponent of one unit in the last place of subnormals.
  int minUnitExponent() const { return minNormalExponent - int(mantissaBits); }
  uint64_t signMask() const {
    return isUnsigned ? 0 : uint64_t(1) << (width - 1);
  }
};

/// Returns the format of f64, f32, f16 or bf16.
Format ieee(unsigned width, const llvm::fltSemantics &semantics);

/// Returns the format of a supported element type, nullopt otherwise.
std::optional<Format> getFormat(Type elementType);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_LIB_REFERENCE_FORMATS_H
