//===- ReciprocalScale.h - Scales that are divided by -----------*- C++ -*-===//
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

/// What to multiply by instead of dividing by a constant scale.
struct ReciprocalScale {
  /// Exact, in the order of the scale's elements; a single one for a splat.
  SmallVector<APFloat> values;
  /// Why there are none.
  std::string error;
};

/// The reciprocals of a scale as normal numbers of `type`.
ReciprocalScale findReciprocals(Value scale, FloatType type);

/// The reciprocals as a constant: a tensor, or else a vector or, without sizes,
/// a scalar.
Value createConstant(OpBuilder &builder, Location loc,
                     const ReciprocalScale &scale, FloatType type,
                     ArrayRef<int64_t> sizes, bool isTensor);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_RECIPROCALSCALE_H
