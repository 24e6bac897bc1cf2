//===- Conversion.h - Certified conversions ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written from the standards' tables and not from what the dialect accepts, so
// that a conversion that is missing there shows.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_CONVERSION_H
#define QUANT_FLOAT_CERTIFY_CONVERSION_H

#include "quant-float/Certify/Oracle.h"
#include <string>
#include <vector>

namespace mlir::quant_float::certify {

/// One operation between element types, with whatever decides its results.
struct Conversion {
  enum class Kind { Cast, Quantize, Dequantize, Qdq, FakeConvert };

  Kind kind = Kind::Cast;
  const Format *from, *to;
  /// Of casts; `saturate` also of quantizations.
  CastRules rules;
  /// Of fakeconverts; its negativeNaN is of no effect.
  FakeConvertRules fakeConvertRules;
  /// Of all others.
  const Format *scale = nullptr;
  /// Of quantizations and qdq: of the division.
  const Format *precision = nullptr;
  /// Of qdq and fakeconvert: what lies between.
  const Format *destination = nullptr;
  /// A zero point, or a shift.
  bool hasZeroPoint = false;

  /// The op's name in the dialect.
  const char *getOperation() const;
  /// A C identifier that says all of the above.
  std::string getName() const;
  /// The function of that name in MLIR, on vectors of any length; scale and
  /// zero point are scalars.
  std::string print() const;
  /// Whether overflow is as the attribute `saturate` says, and how numbers
  /// between two powers of two are rounded, as `round_mode` does.
  bool hasSaturate() const;
  bool hasRoundMode() const;
  /// The type of a zero point.
  const Format &getZeroPointFormat() const;
  /// The code that the oracle gives.
  uint64_t getExpected(uint64_t code, uint64_t scaleCode,
                       uint64_t zeroPoint) const;
  /// Whether a code is as good as the expected one: NaNs that arithmetic made
  /// have no sign or payload, and become either zero in formats without (D8).
  bool agrees(uint64_t code, uint64_t scaleCode, uint64_t zeroPoint,
              uint64_t expected, uint64_t made) const;
};

/// As the dialect has them.
const char *spell(ScaleRounding rounding);
const char *spell(FakeConvertMode mode);
const char *spell(Reciprocal reciprocal);

/// Every pair of element types, with every saturate and round_mode that the
/// result's type asks for; to FNUZ also by the rule of opsets 19 to 23 (C4).
std::vector<Conversion> listCasts();
/// Every quantization, dequantization and qdq of opset 28's types, with every
/// precision. Earlier opsets compute as one of these does (D2).
std::vector<Conversion> listQuantizations();
/// Every fakeconvert, in every mode with all of its attributes.
std::vector<Conversion> listFakeConverts();

/// All of them, in groups that are compiled at once: the same ones whichever
/// conversions are asked for, so that their code is the same.
std::vector<std::vector<Conversion>> listGroups();

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_CONVERSION_H
