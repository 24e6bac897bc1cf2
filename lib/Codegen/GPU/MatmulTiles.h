//===- MatmulTiles.h - Tile sizes of GPU matmuls ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_GPU_MATMULTILES_H
#define QUANT_FLOAT_LIB_CODEGEN_GPU_MATMULTILES_H

#include "GpuMatmul.h"

namespace mlir::quant_float {

/// The kind of kernel: tensor-core with a share per warp, with instructions of
/// a warp or of a warpgroup, SIMT with a share per thread, or skinny matmul
/// with a share per thread of one warp.
enum class TileKind { TensorCore, Warpgroup, Simt, Skinny };

/// A row of MatmulTiles.def.
struct MatmulTile {
  TileKind kind;
  int64_t rows, columns, shareRows, shareColumns;

  int64_t getShares() const {
    return rows / shareRows * (columns / shareColumns);
  }
  /// Returns the cost of the loads and multiplications of a thread block per
  /// index of K, in units of multiplications.
  int64_t getWork() const;
};

/// Chooses tiles for a matmul with accumulators of `accumulatorBytes` bytes:
/// one tile, or two if the best one depends on dynamic sizes. In that case the
/// first is for large sizes and the second is for small ones.
SmallVector<const MatmulTile *, 2>
chooseTiles(const GpuMatmul &matmul, TileKind kind, int64_t accumulatorBytes);

/// Emits host code that returns whether `first` costs less than `second`.
Value isLessWork(KernelLaunches &launches, const GpuMatmul &matmul,
                 const MatmulTile &first, const MatmulTile &second);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_GPU_MATMULTILES_H
