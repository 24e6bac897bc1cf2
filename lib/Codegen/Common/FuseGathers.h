//===- FuseGathers.h - Fuse producers into gathers --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_COMMON_FUSEGATHERS_H
#define QUANT_FLOAT_LIB_CODEGEN_COMMON_FUSEGATHERS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::quant_float {

/// Fuses elementwise ops into ops that extract a small part of their elements:
/// an embedding dequantizes only the rows that it reads, and no f32 copy of its
/// table exists. Replaces slices of elementwise ops by elementwise ops on
/// slices. Returns the number of ops that were fused.
unsigned fuseGathers(RewriterBase &rewriter, Operation *root);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_COMMON_FUSEGATHERS_H
