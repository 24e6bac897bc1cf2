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
/// greater encoding of `to` than `encoding`.
static unsigned getFirstAbove(FloatType from, const FloatFormat &to,
                              unsigned encoding) {
  int exponent = std::max<int>(encoding >> to.mantissaBits, 1) - to.bias;
  APFloat middle = to.getValue(encoding);
  middle.add(scalbn(APFloat(1.0), exponent - int(to.mantissaBits) - 1,
                    APFloat::rmNearestTiesToEven),
             APFloat::rmNearestTiesToEven);
  bool isBetween;
  middle.convert(from.getFloatSemantics(), APFloat::rmTowardZero, &isBetween);
  // Ties round to the even encoding.
  bool staysBelow = isBetween || encoding % 2 == 0;
  return unsigned(middle.bitcastToAPInt().getZExtValue()) + staysBelow;
}

simd::Steps::Steps(FloatType from, Type type, const CastSemantics &semantics)
    : infinity(FloatFormat(from).infinityEncoding) {
  FloatFormat to(type);
  // C3, C8. Overflow has the encoding after that of the maximum.
  bool saturate = semantics.saturate || !to.hasNaN;
  for (unsigned encoding = 0; encoding < to.maxEncoding + !saturate; ++encoding)
    starts.push_back(getFirstAbove(from, to, encoding));
  nanEncoding = to.hasNaN ? to.nanEncoding : to.signMask();
  // C4: infinity gives NaN.
  bool infinityIsNaN = to.isFNUZ && saturate && semantics.infinityIsNaN;
  infinityEncoding = infinityIsNaN ? nanEncoding : starts.size();
}
