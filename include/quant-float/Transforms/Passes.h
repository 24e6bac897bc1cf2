//===- Passes.h - Transformation passes -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TRANSFORMS_PASSES_H
#define QUANT_FLOAT_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::quant_float {

/// How to convert quantized values if the floats between them are eliminated.
enum class RequantizationKind {
  /// No conversion: only eliminate if no quantized value changes.
  None,
  /// A table lookup for types of up to 8 bits, otherwise a multiplication and a
  /// shift.
  Table,
  /// A multiplication and a shift.
  MultiplyShift,
};

#define GEN_PASS_DECL
#include "quant-float/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "quant-float/Transforms/Passes.h.inc"

// The patterns that other pipelines combine. The other rewrites analyze entire
// functions.

/// Populates patterns that decompose qdq into quantize and dequantize.
void populateDecomposeQdqPatterns(RewritePatternSet &patterns);

/// Populates patterns that decompose block_quantize into block_amax,
/// block_scale and block_quantize_elements.
void populateDecomposeBlockQuantizePatterns(RewritePatternSet &patterns);

/// Populates patterns that decompose fakeconvert into arith ops and casts, in a
/// linalg.generic for tensors.
void populateDecomposeFakeConvertPatterns(RewritePatternSet &patterns);

/// Populates patterns that fuse pairs of quantize and dequantize with the same
/// parameters into qdq.
void populateFuseQdqPatterns(RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TRANSFORMS_PASSES_H
