//===- SharedReads.h - Reductions that share reads --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_SHAREDREADS_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_SHAREDREADS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::quant_float {

/// Merges the reductions of each tensor. Returns their number.
unsigned mergeSiblings(RewriterBase &rewriter, Operation *root);

/// Fuses a producer of the op both into the op and into the reductions of
/// the entire tensor that the op depends on, as those of DynamicQuantizeLinear.
/// The tensor between them is neither written nor read.
LogicalResult repeatProducer(RewriterBase &rewriter, linalg::GenericOp op);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_SHAREDREADS_H
