//===- ElementwiseLoops.h - Loops around elementwise ops --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_ELEMENTWISELOOPS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_ELEMENTWISELOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::quant_float {

/// Inputs that are one element for all loops are loaded before the op, which
/// takes them as scalars.
linalg::GenericOp loadInvariantInputs(RewriterBase &rewriter,
                                      linalg::GenericOp op);

/// One loop instead of several neighbours, where every operand that has them
/// has all of them in this order, contiguously.
linalg::GenericOp collapseLoops(RewriterBase &rewriter, linalg::GenericOp op);

/// Whether inputs are found by other than plain loop indices, or there is more
/// than one loop, so that buildLoopsAround is needed.
bool needsLoopsAround(linalg::GenericOp op);

/// Loops of one element each around the one that goes along the last dimension
/// of the output, and around that one loops over the blocks that share a scale.
/// Returns ops of the one loop that is left, whose inputs that do not change
/// along it are scalars; none, with the op as it was, where the maps are of
/// another kind. With `parallel`, the outermost loop is for threads.
SmallVector<linalg::GenericOp>
buildLoopsAround(RewriterBase &rewriter, linalg::GenericOp op, bool parallel);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_ELEMENTWISELOOPS_H
