//===- Subnormals.h - Avoid slow subnormals ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_SUBNORMALS_H
#define QUANT_FLOAT_LIB_LOWERING_SUBNORMALS_H

#include "VectorBuilder.h"

namespace mlir::quant_float {

/// Replaces magnitudes below 2^exponent by zeros of the same sign, with integer
/// ops. For values that become zero later, before arithmetic that is slow for
/// subnormals.
inline Value flushBelow(VectorBuilder &lanes, Value value, int exponent) {
  if (lanes.getTarget().flushesSubnormals)
    return value;
  auto type = cast<FloatType>(getElementTypeOrSelf(value));
  uint64_t limit = scalbn(APFloat(type.getFloatSemantics(), 1), exponent,
                          APFloat::rmNearestTiesToEven)
                       .bitcastToAPInt()
                       .getZExtValue();
  Value bits = lanes.toBits(value);
  Value isLarge =
      lanes.compare(arith::CmpIPredicate::uge, lanes.shl(bits, 1), 2 * limit);
  Value zero =
      lanes.bitAnd(bits, uint64_t(1) << (VectorBuilder::getWidth(value) - 1));
  return lanes.bitcast(lanes.select(isLarge, bits, zero), type);
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_LOWERING_SUBNORMALS_H
