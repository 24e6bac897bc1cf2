//===- ProductTiles.h - Tiles of products of matrices ---------- -*- C++
//-*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_PRODUCTTILES_H
#define QUANT_FLOAT_LIB_TRANSFORMS_PRODUCTTILES_H

#include "GpuProduct.h"

namespace mlir::quant_float {

/// Who has a share of a tile; with Lines the threads of one warp.
enum class TileKind { Warps, Threads, Lines };

/// A row of ProductTiles.def.
struct ProductTile {
  TileKind kind;
  int64_t rows, columns, shareRows, shareColumns;

  int64_t getShares() const {
    return rows / shareRows * (columns / shareColumns);
  }
  /// What a block reads and multiplies for each summand, in products.
  int64_t getWork() const;
};

/// The tiles for a product whose sums have so many bytes: one, or two where
/// open sizes decide; then the first is for more blocks than a chip runs at
/// once, the other for fewer.
SmallVector<const ProductTile *, 2>
chooseTiles(const GpuProduct &product, TileKind kind, int64_t sumBytes);

/// On the host, of two tiles whether the first is less work.
Value isLessWork(KernelLaunches &launches, const GpuProduct &product,
                 const ProductTile &first, const ProductTile &second);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_PRODUCTTILES_H
