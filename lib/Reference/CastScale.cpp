//===- CastScale.cpp - Casts of f8E8M0FNU ---------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This compares with powers of two and does not use APFloat's Float8E8M0FNU,
// which has neither zero nor sign and whose rounding near these differs from
// C9.
//
//===----------------------------------------------------------------------===//

#include "Casts.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APFloat;
using llvm::APInt;

static constexpr int bias = 127;
static constexpr uint64_t minCode = 0x00;
static constexpr uint64_t maxCode = 0xFE;
static constexpr uint64_t nanCode = 0xFF;

/// Returns significand * 2^exponent.
static APFloat scaled(const llvm::fltSemantics &semantics, double significand,
                      int exponent) {
  APFloat value(significand);
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return scalbn(value, exponent, APFloat::rmNearestTiesToEven);
}

/// Decodes a scale (C10). NaN is positive, because the format has no sign.
APFloat reference::decodeScale(const Format &from, const APInt &bits) {
  const llvm::fltSemantics &exact = getExactSemantics(from);
  uint64_t code = bits.getZExtValue();
  if (code == nanCode)
    return APFloat::getQNaN(exact, /*Negative=*/false);
  return scaled(exact, 1.0, int(code) - bias);
}

/// Rounds to a scale (C9).
APInt reference::roundToScale(const APFloat &value,
                              const CastOptions &options) {
  const llvm::fltSemantics &semantics = value.getSemantics();
  auto result = [](uint64_t code) { return APInt(8, code); };
  if (value.isNaN())
    return result(nanCode);

  // The bounds apply to the value before rounding, in every mode. Zero and
  // negative values are below the minimum. Infinities are out of bounds.
  if (value < scaled(semantics, 1.0, -bias))
    return result(options.saturate ? minCode : nanCode);
  if (value > scaled(semantics, 1.0, bias))
    return result(options.saturate ? maxCode : nanCode);

  int exponent = ilogb(value);
  bool next = false;
  switch (options.scaleRounding) {
  case ScaleRounding::Up:
    next = value > scaled(semantics, 1.0, exponent);
    break;
  case ScaleRounding::Down:
    break;
  case ScaleRounding::Nearest:
    next = value >= scaled(semantics, 1.5, exponent);
    break;
  }
  uint64_t code = exponent + bias;
  return result(next ? code + 1 : code);
}
