//===- Indices.h - Results of indexing maps ---------------------*- C++ -*-===//
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

/// Returns the loop of an index expression that is a single loop.
std::optional<unsigned> getLoop(AffineExpr index);

/// The index of a block, `position floordiv size`.
struct BlockIndex {
  AffineExpr position;
  int64_t size;
};
std::optional<BlockIndex> getBlockIndex(AffineExpr index);

/// Returns whether the index advances by the same amount in each iteration of
/// the loop, so that the indices of a tile of the loop are those of the loop at
/// an offset. This does not hold for the de-interleaved residues of an image,
/// where the first residue follows the last one.
bool hasEqualSteps(AffineExpr index, unsigned loop);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_INDICES_H
