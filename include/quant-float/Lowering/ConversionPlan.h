//===- ConversionPlan.h - Conversion plans ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LOWERING_CONVERSIONPLAN_H
#define QUANT_FLOAT_LOWERING_CONVERSIONPLAN_H

#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Lowering/LoweringTarget.h"

namespace mlir::quant_float {

struct ConversionRow;

/// The category of the remarks about conversions.
constexpr StringLiteral kConversionRemarks = "quant-float-conversion";

/// How a conversion of scalars or vectors is lowered.
struct ConversionPlan {
  /// The selected row of Conversions.def. Null if arith ops implement the
  /// conversion.
  const ConversionRow *row = nullptr;
  /// Whether the cast is split into two casts through f32, each with its own
  /// plan.
  bool isSplit = false;
  /// Whether the result of the cast is only cast back, so that the f32 is
  /// rounded in place without producing an encoding.
  bool isInPlace = false;
  /// If `row` is null: why no row is applicable.
  StringRef reason;
  /// The preferred rows that are not applicable, best first.
  SmallVector<const ConversionRow *, 2> missed;
  /// The element types and the semantics of the conversion.
  Type from, to;
  CastSemantics semantics;
  /// The scalar or vector type that determines the shape.
  Type shape;

  /// Returns a description such as "f32 to f8E4M3FN by vcvtph2hf8s", followed
  /// by the requirements of the missed rows.
  std::string describe(const LoweringTarget &target) const;
};

/// Return the plan of a cast, or of the conversion at the end of a
/// quantization. They do not set isInPlace.
ConversionPlan planCast(CastOp op, const LoweringTarget &target);
ConversionPlan planQuantize(QuantizeElementsOp op,
                            const LoweringTarget &target);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LOWERING_CONVERSIONPLAN_H
