//===- RoundThroughFloats.h - To narrow floats and back ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_ROUNDTHROUGHFLOATS_H
#define QUANT_FLOAT_LIB_EMULATION_ROUNDTHROUGHFLOATS_H

#include "CastExpander.h"

namespace mlir::quant_float {

/// Whether f32 can be rounded to what a cast to `type` keeps of it without
/// making codes.
bool canRoundInPlace(Type type, bool saturate);
/// An f32 rounded so, by way of f16 perhaps. Without `keepsZeros` a zero may
/// lose its sign.
Value roundInPlace(Lanes &lanes, const Carrier &carrier, FloatType type,
                   bool byHalf = false, bool keepsZeros = true);

/// `result`, but the canonical quiet NaN with its sign where the f32 `source`
/// is a NaN (C2).
Value withCanonicalNaNs(Lanes &lanes, Value result, Value source);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_EMULATION_ROUNDTHROUGHFLOATS_H
