//===- Indices.h - The indices of indexing maps -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_INDICES_H
#define QUANT_FLOAT_SUPPORT_INDICES_H

#include "mlir/IR/AffineExpr.h"
#include <optional>

namespace mlir::quant_float {

/// The loop that an index is, if it is just one.
std::optional<unsigned> getLoop(AffineExpr index);

/// The index of a block: `position floordiv size`.
struct BlockIndex {
  AffineExpr position;
  int64_t size;
};
std::optional<BlockIndex> getBlockIndex(AffineExpr index);

/// Whether the index moves on by the same at each step of the loop, so that a
/// part of the loop has the indices of the whole, farther on. In phases of an
/// image, after the last of which the first comes again, it does not.
bool hasEqualSteps(AffineExpr index, unsigned loop);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_INDICES_H
