//===- StepFunction.cpp - Encoding as a step function ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepFunction.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the bits of the smallest magnitude of `from` that rounds to a
/// greater encoding of `to` than `code`.
static unsigned getFirstAbove(FloatType from, const FloatFormat &to,
                              unsigned code) {
  int exponent = std::max<int>(code >> to.mantissaBits, 1) - to.bias;
  APFloat middle = to.getValue(code);
  middle.add(scalbn(APFloat(1.0), exponent - int(to.mantissaBits) - 1,
                    APFloat::rmNearestTiesToEven),
             APFloat::rmNearestTiesToEven);
  bool isBetween;
  middle.convert(from.getFloatSemantics(), APFloat::rmTowardZero, &isBetween);
  // Ties round to the even encoding.
  bool staysBelow = isBetween || code % 2 == 0;
  return unsigned(middle.bitcastToAPInt().getZExtValue()) + staysBelow;
}

simd::Steps::Steps(FloatType from, Type type, const CastSemantics &semantics)
    : infinity(FloatFormat(from).infinityCode) {
  FloatFormat to(type);
  // C3, C8. Overflow has the encoding after that of the maximum.
  bool saturate = semantics.saturate || !to.hasNaN;
  for (unsigned code = 0; code < to.maxCode + !saturate; ++code)
    starts.push_back(getFirstAbove(from, to, code));
  nanCode = to.hasNaN ? to.nanCode : to.signMask();
  // C4: infinity gives NaN.
  bool infinityIsNaN = to.isFNUZ && saturate && semantics.infinityIsNaN;
  infinityCode = infinityIsNaN ? nanCode : starts.size();
}
