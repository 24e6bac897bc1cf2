//===- ReciprocalScale.h - Reciprocals of scales ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_RECIPROCALSCALE_H
#define QUANT_FLOAT_LIB_TRANSFORMS_RECIPROCALSCALE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include <string>

namespace mlir::quant_float {

/// The reciprocals to multiply by instead of dividing by a constant scale.
struct ReciprocalScale {
  /// The exact reciprocals, in the order of the scale's elements; a single one
  /// for a splat.
  SmallVector<APFloat> values;
  /// The reason if there are no exact reciprocals; empty otherwise.
  std::string error;
};

/// Returns the reciprocals of a scale if they are exact normal numbers of
/// `type`.
ReciprocalScale findReciprocals(Value scale, FloatType type);

/// Creates the constant of the reciprocals: a tensor if `isTensor`, else a
/// vector, or a scalar if `sizes` is empty.
Value createConstant(OpBuilder &builder, Location loc,
                     const ReciprocalScale &scale, FloatType type,
                     ArrayRef<int64_t> sizes, bool isTensor);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_RECIPROCALSCALE_H
