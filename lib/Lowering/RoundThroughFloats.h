//===- RoundThroughFloats.h - Narrow float round trips ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_ROUNDTHROUGHFLOATS_H
#define QUANT_FLOAT_LIB_LOWERING_ROUNDTHROUGHFLOATS_H

#include "CastExpander.h"

namespace mlir::quant_float {

/// Whether f32 can be rounded to the values of `type` without producing
/// encodings.
bool canRoundInPlace(Type type, bool saturate);
/// Rounds an f32 to the values of `type`, before that to f16 if `byHalf` is
/// set. Unless `keepsZeros` is set, a zero may lose its sign.
Value roundInPlace(VectorBuilder &lanes, const Intermediate &intermediate,
                   FloatType type, bool byHalf = false, bool keepsZeros = true);

/// Returns `result`, or the canonical quiet NaN with the sign of `source` if
/// the f32 `source` is NaN (C2).
Value withCanonicalNaNs(VectorBuilder &lanes, Value result, Value source);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_LOWERING_ROUNDTHROUGHFLOATS_H
