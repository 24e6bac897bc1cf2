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
static constexpr uint64_t minEncoding = 0x00;
static constexpr uint64_t maxEncoding = 0xFE;
static constexpr uint64_t nanEncoding = 0xFF;

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
  uint64_t encoding = bits.getZExtValue();
  if (encoding == nanEncoding)
    return APFloat::getQNaN(exact, /*Negative=*/false);
  return scaled(exact, 1.0, int(encoding) - bias);
}

/// Rounds to a scale (C9).
APInt reference::roundToScale(const APFloat &value,
                              const CastOptions &options) {
  const llvm::fltSemantics &semantics = value.getSemantics();
  auto result = [](uint64_t encoding) { return APInt(8, encoding); };
  if (value.isNaN())
    return result(nanEncoding);

  // The bounds apply to the value before rounding, in every mode. Zero and
  // negative values are below the minimum. Infinities are out of bounds.
  if (value < scaled(semantics, 1.0, -bias))
    return result(options.saturate ? minEncoding : nanEncoding);
  if (value > scaled(semantics, 1.0, bias))
    return result(options.saturate ? maxEncoding : nanEncoding);

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
  uint64_t encoding = exponent + bias;
  return result(next ? encoding + 1 : encoding);
}
