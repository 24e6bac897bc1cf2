//===- ElementwiseLoops.h - Loops of elementwise ops ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_COMMON_ELEMENTWISELOOPS_H
#define QUANT_FLOAT_LIB_CODEGEN_COMMON_ELEMENTWISELOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::quant_float {

/// Loads inputs of which all iterations use the same element before the op, and
/// passes them to it as scalars. Returns the new op, or `op` if it has none.
linalg::GenericOp loadInvariantInputs(RewriterBase &rewriter,
                                      linalg::GenericOp op);

/// Collapses adjacent loops if all operands that use them have their dimensions
/// in the same order and contiguously. Returns the new op, or `op` if there are
/// none.
linalg::GenericOp collapseLoops(RewriterBase &rewriter, linalg::GenericOp op);

/// A load in an elementwise op's body that, along the inner loop, reads
/// contiguous elements of a row that does not depend on the loop, or one
/// element for the entire loop or for each block. A gather of rows has such
/// loads.
struct RowLoad {
  memref::LoadOp op;
  /// Whether the last index advances with the inner loop.
  bool isContiguous = false;
  /// The size of the blocks that share an element; 0 if there are no blocks.
  int64_t blockSize = 0;
};

/// The loop nest of an elementwise op. Its inner loop is along the last
/// dimension of the output that has more than one element. Tiles are built for
/// parts of the inner loop.
class ElementwiseLoopNest {
public:
  ElementwiseLoopNest(RewriterBase &rewriter, linalg::GenericOp op)
      : rewriter(rewriter), loc(op.getLoc()), op(op),
        ranges(op.getStaticLoopRanges()), indices(ranges.size()) {}

  /// Chooses the inner loop and its block size. Returns false if the indexing
  /// maps are not supported.
  bool analyze();

  unsigned getInner() const { return inner; }
  /// The number of elements along the inner loop that share the inputs that are
  /// indexed with a floordiv; 0 if there are no such inputs.
  int64_t getBlockSize() const { return blockSize; }
  ArrayRef<int64_t> getRanges() const { return ranges; }
  Value getExtent(unsigned loop);

  /// Sets the index of a loop other than the inner one for the tiles that are
  /// built next.
  void setIndex(unsigned loop, Value index) { indices[loop] = index; }
  /// Builds the op for `size` elements of the inner loop at the insertion
  /// point. If there are blocks, these elements must be in one block. Its
  /// operands are computed before `first`, if that is not null.
  linalg::GenericOp buildTile(OpFoldResult offset, OpFoldResult size,
                              Operation *first = nullptr);

  /// Whether buildTileOfBlocks() can be used.
  bool canJoinBlocks();
  /// Builds the op for `count` full blocks from `offset` on. Values of a block
  /// are computed before the op, which selects among them.
  linalg::GenericOp buildTileOfBlocks(OpFoldResult offset, int64_t count);

private:
  void collectBlockValues();
  void replaceIndices(linalg::GenericOp tile);
  SmallVector<Value> loadOperands(SmallVectorImpl<AffineMap> &maps,
                                  OpFoldResult size);
  Value makeIndex(AffineExpr index);
  Value makeView(Value buffer, ArrayRef<Value> at, unsigned dimension,
                 OpFoldResult size);
  /// Computes a loop-invariant value of the body before the inner loop.
  /// `arguments` are the values of the body's arguments.
  Value hoist(Value value, ValueRange arguments, IRMapping &hoisted);

  RewriterBase &rewriter;
  Location loc;
  linalg::GenericOp op;
  SmallVector<int64_t> ranges;
  unsigned inner = 0;
  int64_t blockSize = 0;
  SmallVector<RowLoad> rowLoads;
  /// The values of the body that are constant in a block and that values which
  /// vary in a block are computed from.
  SmallVector<Value> blockValues;
  /// Whether values that vary in a block are floats of at most 8 bits.
  bool hasByteFloats = false;
  /// The index of each loop at the insertion point.
  SmallVector<Value> indices;
};

/// Whether buildOuterLoops() is needed, because there is more than one loop,
/// an input has other indices than plain loop indices, or the body has
/// RowLoads.
bool needsOuterLoops(linalg::GenericOp op);

/// Builds loops around the inner loop, which is along the last dimension of the
/// output, and splits the inner loop into blocks that share a scale. Returns
/// one-dimensional ops, whose inputs that do not vary along the loop are
/// scalars. Returns none, and leaves the op unchanged, if the indexing maps are
/// not supported. Blocks of fewer than `vectorSize` elements are joined, if the
/// op allows it. If `rowsPerThread` is not 0, the outermost loop is parallel,
/// with `rowsPerThread` indices, or a multiple, per iteration.
SmallVector<linalg::GenericOp> buildOuterLoops(RewriterBase &rewriter,
                                               linalg::GenericOp op,
                                               int64_t vectorSize,
                                               int64_t rowsPerThread = 0);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_COMMON_ELEMENTWISELOOPS_H
