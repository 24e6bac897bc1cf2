//===- CastSemantics.h - Semantics of casts ---------------------*- C++ -*-===//
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

/// The semantics of a cast besides its two types, resolved from the opset.
/// Fields that do not apply to the destination type have no effect.
struct CastSemantics {
  /// To float8 and f8E8M0FNU: overflow gives the largest value (C3, C9).
  bool saturate = true;
  /// To the FNUZ types: an infinity gives NaN even with `saturate` (C4).
  bool infinityIsNaN = false;
  /// To f8E8M0FNU (C9), or stochastic (S2).
  RoundMode roundMode = RoundMode::Up;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_CASTSEMANTICS_H
