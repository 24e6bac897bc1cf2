//===- Passes.h - Conversion passes -----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CONVERSION_PASSES_H
#define QUANT_FLOAT_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
class TypeConverter;
} // namespace mlir

namespace mlir::quant_float {

/// How `convert-stablehlo-to-onnx` divides by constants and by values that are
/// broadcast.
enum class Division {
  /// Multiply by the reciprocal, as XLA does.
  XLA,
  /// Divide, as StableHLO's specification defines.
  Exact
};

#define GEN_PASS_DECL
#include "quant-float/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "quant-float/Conversion/Passes.h.inc"

/// Patterns that convert arith casts from and to narrow floats (scalars,
/// vectors and tensors) to `quant_float.cast`. Casts that are not legalizable
/// remain.
void populateLegalizeArithPatterns(RewritePatternSet &patterns);

/// Patterns that convert quant.qcast and quant.dcast with float8 storage to
/// quantize and dequantize, and quant.dcast of quantiles to table lookups.
void populateLegalizeQuantPatterns(RewritePatternSet &patterns);

/// Patterns that convert linalg.scaled_contract and block-scaled casts and
/// matmuls of tosa to dequantize and linalg.generic. Ops that are not
/// legalizable remain.
void populateLegalizeBlockScaledPatterns(RewritePatternSet &patterns);

/// Converts tensor types to their storage types. See ElementTypes.h.
void populateStorageTypeConversions(TypeConverter &converter);

/// Patterns that convert ops on ranked tensors to linalg.generic. `converter`
/// must have the conversions of populateStorageTypeConversions.
void populateQuantFloatToLinalgConversionPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CONVERSION_PASSES_H
