//===- TileCleanup.h - What tiling leaves behind ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_TILECLEANUP_H
#define QUANT_FLOAT_LIB_TRANSFORMS_TILECLEANUP_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::quant_float {

/// Puts static sizes of tiles into the types of the ops inside of `root`, and
/// gives what is computed in a tile a buffer of its own, not a part of one for
/// all tiles.
LogicalResult cleanUpTiles(Operation *root);

/// Upstream cuts what a tile reads behind the place of each loop's last step,
/// also where steps are unequal, so that others lead beyond. Dimensions that
/// stay in their place while tiles move on are given whole.
void widenSlices(RewriterBase &rewriter, linalg::GenericOp tile,
                 llvm::function_ref<bool(unsigned)> isTiled);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_TILECLEANUP_H
