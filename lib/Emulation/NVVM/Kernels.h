//===- Kernels.h - What is special inside of kernels ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_NVVM_KERNELS_H
#define QUANT_FLOAT_LIB_EMULATION_NVVM_KERNELS_H

#include "mlir/IR/PatternMatch.h"

// Upstream's pipeline for GPUs lowers less than that for CPUs.
namespace mlir::quant_float::nvvm {

/// An error for ops inside `root` on what no kernel computes with: LLVM aborts
/// at vectors of unknown size.
LogicalResult verifyShapes(Operation *root);
/// Instructions of PTX of what upstream makes calls of.
void populateInstructionPatterns(RewritePatternSet &patterns);
/// Makes ops on vectors of one dimension of those that upstream does not lower.
/// Casts there and back fold.
void lowerShapes(Operation *root);

} // namespace mlir::quant_float::nvvm

#endif // QUANT_FLOAT_LIB_EMULATION_NVVM_KERNELS_H
