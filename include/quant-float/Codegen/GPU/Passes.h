//===- Passes.h - Code generation for GPUs ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CODEGEN_GPU_PASSES_H
#define QUANT_FLOAT_CODEGEN_GPU_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::quant_float {

#define GEN_PASS_DECL
#include "quant-float/Codegen/GPU/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "quant-float/Codegen/GPU/Passes.h.inc"

/// Populates patterns that pad float8 values instead of dequantized ones. A
/// zero may change its sign, or become NaN if its scale is not finite.
void populateCommutePadAndDequantizePatterns(RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CODEGEN_GPU_PASSES_H
