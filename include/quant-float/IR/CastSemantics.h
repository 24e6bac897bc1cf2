//===- CastSemantics.h - What a cast computes, versions resolved -*- C++
//-*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_CASTSEMANTICS_H
#define QUANT_FLOAT_IR_CASTSEMANTICS_H

#include "quant-float/IR/QuantFloatAttributes.h"

namespace mlir::quant_float {

/// What a cast computes beyond its two types, with no version left in it. Each
/// field is without effect where the destination does not ask for it.
struct CastSemantics {
  /// To float8 and f8E8M0FNU: overflow gives the largest value (C3, C9).
  bool saturate = true;
  /// To the FNUZ types, saturating: an infinity gives NaN all the same (C4).
  bool infinityIsNaN = false;
  /// To f8E8M0FNU (C9), or by random bits (S2).
  RoundMode roundMode = RoundMode::Up;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_CASTSEMANTICS_H
