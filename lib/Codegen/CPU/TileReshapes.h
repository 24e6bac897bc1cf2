//===- TileReshapes.h - Reshapes of tiles -----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_TILERESHAPES_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_TILERESHAPES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::quant_float {

/// The offsets and sizes of a tile.
struct TileBounds {
  SmallVector<OpFoldResult> offsets, sizes;
};

/// Whether the op only changes the shape of a tensor.
bool isReshape(Operation *op);

/// Returns the dimensions of a group of a reshape whose static size is not 1.
SmallVector<int64_t> getLargeDims(RankedTensorType type,
                                  ArrayRef<int64_t> group);

/// Whether each dimension of the reshape's source is one dimension of the
/// result, apart from those of size 1, or a number of blocks of a static size.
bool keepsTiles(Operation *reshape);

/// Applies the reshape to a tile of its source.
Value reshapeTile(RewriterBase &rewriter, Operation *reshape, Value tile);

/// Returns the tile of the reshape's source for a tile of its result.
TileBounds getSourceTile(RewriterBase &rewriter, Operation *reshape,
                         const TileBounds &tile);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_TILERESHAPES_H
