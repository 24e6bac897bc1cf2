//===- CastByOpenVino.cpp - OpenVINO's conversions of one element ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The semantics of OpenVINO's Convert-1. This computes with exact values, while
// the lowerings operate on the bits of f32.
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

/// Rounds toward zero to 64 bits for 64-bit types and ui32, else to 32 bits.
/// Values that are out of range become the minimum. The result is the low bits.
static APInt truncate(const Format &to, const APFloat &value) {
  if (to.kind == FormatKind::Bool)
    return APInt(1, !value.isNaN() && !value.isZero());
  bool isWide = to.width == 64 || (to.width == 32 && !to.isSigned);
  unsigned width = isWide ? 64 : 32;
  APFloat rest = value;
  APInt offset = APInt::getZero(width);
  // For ui64, values from 2^63 on are converted relative to 2^63.
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

/// Rounds to the nearest power of two, ties to the even encoding. Values that
/// are not positive become the minimum, infinity becomes the maximum.
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
  int encoding = exponent + kBias;
  // Values below 2^-127 become 2^-127.
  if (encoding < 0)
    return APInt(8, 0);
  APFloat::cmpResult order = value.compare(middle);
  if (order == APFloat::cmpGreaterThan ||
      (order == APFloat::cmpEqual && encoding % 2 == 1))
    ++encoding;
  return APInt(8, std::min(encoding, kLargest));
}

static APInt roundToFloat4(const Format &to, const APFloat &value) {
  constexpr uint64_t kSign = 8, kLargest = 7;
  if (value.isNaN())
    return APInt(4, kLargest | (value.isNegative() ? kSign : 0));
  return roundToNarrow(to, value, CastOptions());
}

/// Rounds f32 to bf16: adds half a unit if the lowest bit that remains is 1,
/// and truncates.
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
  // OpenVINO converts f64 through f32, except to integers.
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
