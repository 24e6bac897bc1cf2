//===- Passes.h - Code generation for all targets ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CODEGEN_COMMON_PASSES_H
#define QUANT_FLOAT_CODEGEN_COMMON_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::quant_float {

#define GEN_PASS_DECL
#include "quant-float/Codegen/Common/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "quant-float/Codegen/Common/Passes.h.inc"

/// Runs `pipeline` if the module has an op of one of these names, or of one of
/// these dialects.
std::unique_ptr<Pass> createQuantFloatIfPresentPass(ArrayRef<StringRef> ops,
                                                    OpPassManager pipeline);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_CODEGEN_COMMON_PASSES_H
