//===- Passes.h - Passes of stages ------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_PIPELINES_PASSES_H
#define QUANT_FLOAT_PIPELINES_PASSES_H

#include "mlir/Pass/Pass.h"

namespace mlir::quant_float {

#define GEN_PASS_DECL
#include "quant-float/Pipelines/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "quant-float/Pipelines/Passes.h.inc"

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_PIPELINES_PASSES_H
