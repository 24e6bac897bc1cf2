//===- CastInteger.cpp - Casts of integers and bool -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

APFloat reference::decodeInteger(const Format &from, const APInt &bits) {
  APFloat value(getExactSemantics(from));
  value.convertFromAPInt(bits, from.isSigned, APFloat::rmNearestTiesToEven);
  return value;
}

/// Rounds toward zero and saturates to `width` bits. NaN becomes 0.
static APInt truncateSaturating(const APFloat &value, unsigned width,
                                bool isUnsigned) {
  if (value.isNaN())
    return APInt::getZero(width);
  APSInt result(width, isUnsigned);
  bool isExact;
  // convertToInteger saturates values that are out of range.
  value.convertToInteger(result, APFloat::rmTowardZero, &isExact);
  return std::move(result);
}

/// Rounds toward zero and saturates to 32 or 64 bits; the result is the low
/// bits (C11). All targets produce the same bits.
APInt reference::truncateToInteger(const Format &to, const APFloat &value) {
  if (to.width < 32 || (to.width == 32 && to.isSigned))
    return truncateSaturating(value, 32, /*isUnsigned=*/false)
        .zextOrTrunc(to.width);
  bool isUnsigned = to.width == 64 && !to.isSigned && !value.isNegative();
  return truncateSaturating(value, 64, isUnsigned).zextOrTrunc(to.width);
}

/// Truncates or extends an integer (C12). A bool is an unsigned integer of one
/// bit (C13).
APInt reference::resizeInteger(const Format &from, const Format &to,
                               const APInt &bits) {
  if (to.kind == FormatKind::Bool)
    return APInt(1, bits.isZero() ? 0 : 1);
  return from.isSigned ? bits.sextOrTrunc(to.width)
                       : bits.zextOrTrunc(to.width);
}

/// Converts to bool (C13). NaNs and subnormals are not zero.
APInt reference::testNonZero(const APFloat &value) {
  return APInt(1, value.isZero() ? 0 : 1);
}
