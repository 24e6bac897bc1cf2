//===- ElementwiseWidth.h - Vector sizes of elementwise ops -----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_GPU_ELEMENTWISEWIDTH_H
#define QUANT_FLOAT_LIB_CODEGEN_GPU_ELEMENTWISEWIDTH_H

#include "../Common/ElementwiseLoops.h"

namespace mlir::quant_float {

/// Returns the size of an element of the buffer in bytes, rounded up.
int64_t getElementBytes(Value buffer);
/// Returns the size in bytes of one access to `width` elements.
int64_t getAccessBytes(Value buffer, int64_t width);

/// Whether the elements of a vector in memory have the layout of those of a
/// buffer.
bool fillsSlots(MemRefType type);

/// Returns the number of consecutive elements of a packed type that fill entire
/// bytes, a power of two.
int64_t getElementsPerByte(Type packed);
/// Returns the number of consecutive elements that fill entire bytes of every
/// output, so that no two threads write the same byte. Returns nullopt if a
/// packed output is not written in row-major order.
std::optional<int64_t> getElementsOfBytes(linalg::LinalgOp op);

/// Returns the maximum number of elements of the innermost loop that a thread
/// accesses as vectors.
int64_t getMaxWidth(linalg::GenericOp op, const ElementwiseLoopNest &nest);
/// Returns getMaxWidth() after collapsing the loops of a copy of the op, or
/// nullopt if no elementwise kernel supports it.
std::optional<int64_t> getMaxWidth(RewriterBase &rewriter, linalg::LinalgOp op);

/// Collapses the loops of an op that may be elementwise. Returns null, and
/// leaves the op unchanged, if it is not.
linalg::GenericOp collapseElementwise(RewriterBase &rewriter,
                                      linalg::LinalgOp op);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_GPU_ELEMENTWISEWIDTH_H
