//===- CastByOpenVino.cpp - One element as OpenVINO converts it -----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What OpenVINO's Convert-1 gives, by exact values where the lowerings go by
// bits of f32.
//
//===----------------------------------------------------------------------===//

#include "Casts.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

/// Toward zero to 32 bits, or to 64 where the destination has them or is ui32;
/// what does not fit is the lowest number. Then the low bits.
static APInt truncate(const Format &to, const APFloat &value) {
  if (to.kind == FormatKind::Bool)
    return APInt(1, !value.isNaN() && !value.isZero());
  bool isWide = to.width == 64 || (to.width == 32 && !to.isSigned);
  unsigned width = isWide ? 64 : 32;
  APFloat rest = value;
  APInt offset = APInt::getZero(width);
  // From 2^63 on an unsigned number is that far above it.
  APFloat bound = scalbn(APFloat::getOne(value.getSemantics()), 63,
                         APFloat::rmNearestTiesToEven);
  if (to.width == 64 && !to.isSigned && !value.isNaN() && value >= bound) {
    rest.subtract(bound, APFloat::rmNearestTiesToEven);
    offset = APInt::getSignMask(width);
  }
  APSInt integer(width, /*isUnsigned=*/false);
  bool isExact = false;
  APFloat::opStatus status =
      rest.convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  APInt result = status & APFloat::opInvalidOp ? APInt::getSignedMinValue(width)
                                               : APInt(integer);
  return (result ^ offset).zextOrTrunc(to.width);
}

/// To nearest of the powers of two, ties to the even code; what is not above 0
/// is the least one, an infinity the largest.
static APInt roundToEvenScale(const APFloat &value) {
  constexpr int kBias = 127, kLargest = 254, kNaN = 255;
  if (value.isNegative() || value.isZero())
    return APInt(8, 0);
  if (value.isNaN())
    return APInt(8, kNaN);
  if (value.isInfinity())
    return APInt(8, kLargest);
  int exponent = ilogb(value);
  APFloat middle = scalbn(APFloat(value.getSemantics(), "1.5"), exponent,
                          APFloat::rmNearestTiesToEven);
  int code = exponent + kBias;
  // Below 2^-127 is 2^-127.
  if (code < 0)
    return APInt(8, 0);
  APFloat::cmpResult order = value.compare(middle);
  if (order == APFloat::cmpGreaterThan ||
      (order == APFloat::cmpEqual && code % 2 == 1))
    ++code;
  return APInt(8, std::min(code, kLargest));
}

static APInt roundToFloat4(const Format &to, const APFloat &value) {
  constexpr uint64_t kSign = 8, kLargest = 7;
  if (value.isNaN())
    return APInt(4, kLargest | (value.isNegative() ? kSign : 0));
  return roundToNarrow(to, value, CastOptions());
}

/// An f32 to bf16: half a unit is added where the last bit kept is 1; else the
/// rest is cut off.
static APInt roundToBFloat(const APInt &single) {
  uint32_t bits = single.getZExtValue();
  uint32_t half = bits >> 1 & 0x8000;
  return APInt(16, (bits + half) >> 16 & 0xFFFF);
}

static bool isInteger(const Format &format) {
  return format.kind == FormatKind::Integer || format.kind == FormatKind::Bool;
}

APInt reference::castByOpenVino(const Format &from, const Format &to,
                                const APInt &bits) {
  CastOptions options;
  options.saturate = false;
  if (isInteger(from) && isInteger(to))
    return castElement(from, to, bits, options);
  // What it has of f64 goes through f32, but to integers.
  if (from.kind == FormatKind::IEEE && from.width == 64 && !isInteger(to)) {
    Format single = ieee(32, APFloat::IEEEsingle());
    APInt rounded = castElement(from, single, bits, options);
    bool isSingle = to.kind == FormatKind::IEEE && to.width == 32;
    if (isSingle)
      return rounded;
    bool isBFloat = to.kind == FormatKind::IEEE && to.width == 16 &&
                    to.semantics == &APFloat::BFloat();
    return isBFloat ? roundToBFloat(rounded)
                    : castByOpenVino(single, to, rounded);
  }
  if (isInteger(to))
    return truncate(to, decode(from, bits));
  if (to.kind == FormatKind::Scale)
    return roundToEvenScale(decode(from, bits));
  if (to.kind == FormatKind::Narrow && to.width == 4)
    return roundToFloat4(to, decode(from, bits));
  if (to.kind == FormatKind::Narrow) {
    Format half = ieee(16, APFloat::IEEEhalf());
    return castElement(half, to, castElement(from, half, bits, options),
                       options);
  }
  bool isWideInteger = from.kind == FormatKind::Integer && from.width > 8;
  if (isWideInteger && to.semantics == &APFloat::BFloat())
    return roundToBFloat(
        castElement(from, ieee(32, APFloat::IEEEsingle()), bits, options));
  return castElement(from, to, bits, options);
}
