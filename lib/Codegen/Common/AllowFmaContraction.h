//===- AllowFmaContraction.h - Allow fused multiply-adds --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_COMMON_ALLOWFMACONTRACTION_H
#define QUANT_FLOAT_LIB_CODEGEN_COMMON_ALLOWFMACONTRACTION_H

#include "mlir/IR/Operation.h"

namespace mlir::quant_float {

/// Allows contraction of multiplications and additions in `root` to fused
/// multiply-adds, except in elementwise ops.
void allowFmaContraction(Operation *root);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_COMMON_ALLOWFMACONTRACTION_H
