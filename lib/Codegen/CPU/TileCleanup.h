//===- TileCleanup.h - Cleanup after tiling ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_TILECLEANUP_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_TILECLEANUP_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::quant_float {

/// Tiles the op, fuses the producers of slices that `shouldFuse` accepts into
/// the loops, and replaces the op. The last argument of `shouldFuse` is whether
/// the slice is one of an init.
FailureOr<scf::SCFTileAndFuseResult>
tileAndFuse(RewriterBase &rewriter, linalg::GenericOp op,
            const scf::SCFTilingOptions &tilingOptions,
            llvm::function_ref<bool(tensor::ExtractSliceOp, OpResult, bool)>
                shouldFuse);

/// Propagates the static sizes of tiles to the types of the ops in `root`, and
/// replaces slices of tensor.empty by separate tensors, so that each tile's
/// results have their own buffer.
LogicalResult cleanUpTiles(Operation *root);

/// Corrects the slices of a tile's inputs. Upstream derives the size of a slice
/// from the indices of the first and the last iteration, which is too small for
/// indices that do not advance in equal steps, such as d mod 2. Dimensions with
/// such an index that do not depend on a tiled loop are not sliced.
void widenSlices(RewriterBase &rewriter, linalg::GenericOp tile,
                 llvm::function_ref<bool(unsigned)> isTiled);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_TILECLEANUP_H
