//===- Kernels.h - Lowering of other ops in GPU kernels ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_NVVM_KERNELS_H
#define QUANT_FLOAT_LIB_LOWERING_NVVM_KERNELS_H

#include "mlir/IR/PatternMatch.h"

// Upstream's pipeline for GPUs lowers fewer ops than that for CPUs.
namespace mlir::quant_float::nvvm {

/// Emits an error and fails if an op of the dialect in `root` has operands or
/// results that kernels do not support. LLVM aborts for scalable vectors.
LogicalResult verifyShapes(Operation *root);
/// Patterns that convert ops to PTX instructions for which upstream calls
/// libdevice.
void populateInstructionPatterns(RewritePatternSet &patterns);
/// Converts ops on vectors that upstream does not lower in kernels to ops on
/// vectors of rank 1. Inverse pairs of shape casts fold.
void lowerShapes(Operation *root);

} // namespace mlir::quant_float::nvvm

#endif // QUANT_FLOAT_LIB_LOWERING_NVVM_KERNELS_H
