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
class OpPassManager;
class RewritePatternSet;
} // namespace mlir

namespace mlir::quant_float {

/// How codes become others where float values are left out between them.
enum class RequantizationForm {
  /// Not: only where every code stays as it is.
  None,
  /// A table of all codes of up to 8 bits, a multiplication and a shift else.
  Table,
  /// A multiplication and a shift.
  MultiplyShift,
};

#define GEN_PASS_DECL
#include "quant-float/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "quant-float/Transforms/Passes.h.inc"

/// Runs `pipeline` where there are ops, or any of dialects, of these names.
std::unique_ptr<Pass> createQuantFloatIfPresentPass(ArrayRef<StringRef> ops,
                                                    OpPassManager pipeline);

/// qdq to quantize and dequantize.
void populateDecomposeQdqPatterns(RewritePatternSet &patterns);

/// fakeconvert to arith ops and casts, that of tensors in a linalg.generic.
void populateDecomposeFakeConvertPatterns(RewritePatternSet &patterns);

/// Pairs of quantize and dequantize with the same parameters to qdq.
void populateFuseQdqPatterns(RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TRANSFORMS_PASSES_H
