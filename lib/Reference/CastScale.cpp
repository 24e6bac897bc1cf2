//===- CastScale.cpp - f8E8M0FNU: exact value and rounding ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// APFloat's own Float8E8M0FNU is not used: it has neither zero nor sign, and
// its rounding near them is not what C9 says. Powers of two are compared
// instead.
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

/// significand · 2^exponent.
static APFloat scaled(const llvm::fltSemantics &semantics, double significand,
                      int exponent) {
  APFloat value(significand);
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return scalbn(value, exponent, APFloat::rmNearestTiesToEven);
}

/// C10. The format has no sign, so its NaN is a positive one.
APFloat reference::decodeScale(const Format &from, const APInt &bits) {
  const llvm::fltSemantics &exact = getExactSemantics(from);
  uint64_t code = bits.getZExtValue();
  if (code == nanCode)
    return APFloat::getQNaN(exact, /*Negative=*/false);
  return scaled(exact, 1.0, int(code) - bias);
}

/// C9.
APInt reference::roundToScale(const APFloat &value,
                              const CastOptions &options) {
  const llvm::fltSemantics &semantics = value.getSemantics();
  auto result = [](uint64_t code) { return APInt(8, code); };
  if (value.isNaN())
    return result(nanCode);

  // The limits are tested on the value before it is rounded, in every mode;
  // zeros and negatives are below the smallest, infinities beyond the limits.
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
