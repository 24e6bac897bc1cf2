//===- ConversionPlan.h - Conversion plans ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_EMULATION_CONVERSIONPLAN_H
#define QUANT_FLOAT_EMULATION_CONVERSIONPLAN_H

#include "quant-float/Emulation/EmulationTarget.h"
#include "quant-float/IR/QuantFloatOps.h"

namespace mlir::quant_float {

struct ConversionRow;

/// The remarks of conversions.
constexpr StringLiteral kConversionRemarks = "quant-float-conversion";

/// What becomes of the conversion in an op of scalars or vectors.
struct ConversionPlan {
  /// The row of Conversions.def that is taken; null: arith ops.
  const ConversionRow *row = nullptr;
  /// Two casts, by way of f32, are made of it, each with a plan of its own.
  bool isSplit = false;
  /// What a cast gives is only cast back: an f32 is rounded where it is.
  bool isInPlace = false;
  /// Without a row: why none is looked for, or that there is none.
  StringRef reason;
  /// The better rows that could not be taken, best first.
  SmallVector<const ConversionRow *, 2> missed;
  /// What is converted.
  Type from, to;
  CastSemantics semantics;
  /// The type that has the shape.
  Type shape;

  /// "f32 to f8E4M3FN by vcvtph2hf8s", and what the missed rows need.
  std::string describe(const EmulationTarget &target) const;
};

/// The plan of a cast, or of the one that a quantization ends in, but for
/// isInPlace.
ConversionPlan planCast(CastOp op, const EmulationTarget &target);
ConversionPlan planQuantize(QuantizeElementsOp op,
                            const EmulationTarget &target);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EMULATION_CONVERSIONPLAN_H
