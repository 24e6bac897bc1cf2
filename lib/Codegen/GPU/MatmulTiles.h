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
#include "quant-float/IR/QuantFloatAttributes.h"

namespace mlir::quant_float {

/// A row of MatmulTiles.def.
struct MatmulTile {
  LoweringStrategy strategy;
  int64_t rows, columns, partRows, partColumns;

  /// Returns the row with the sizes that #quant_float.lowering_config lists;
  /// null if the table has none.
  static const MatmulTile *find(LoweringStrategy strategy,
                                ArrayRef<int64_t> sizes);
  SmallVector<int64_t> getSizes() const {
    return {rows, columns, partRows, partColumns};
  }

  int64_t getShares() const {
    return rows / partRows * (columns / partColumns);
  }
  /// Returns the cost of the loads and multiplications of a thread block per
  /// index of K, in units of multiplications.
  int64_t getCost() const;
};

/// Chooses tiles for a matmul with accumulators of `accumulatorBytes` bytes:
/// one tile, or two if the best one depends on dynamic sizes. In that case the
/// first is for large sizes and the second is for small ones.
SmallVector<const MatmulTile *, 2> chooseTiles(const GpuMatmul &matmul,
                                               LoweringStrategy strategy,
                                               int64_t accumulatorBytes);

/// Emits host code that returns whether `first` costs less than `second`.
Value isCheaper(KernelLaunches &launches, const GpuMatmul &matmul,
                const MatmulTile &first, const MatmulTile &second);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_GPU_MATMULTILES_H
