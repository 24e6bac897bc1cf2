//===- ElementwiseLoops.h - Loops around elementwise ops --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_ELEMENTWISELOOPS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_ELEMENTWISELOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::quant_float {

/// Inputs that are one element for all loops are loaded before the op, which
/// takes them as scalars.
linalg::GenericOp loadInvariantInputs(RewriterBase &rewriter,
                                      linalg::GenericOp op);

/// One loop instead of several neighbours, where every operand that has them
/// has all of them in this order, contiguously.
linalg::GenericOp collapseLoops(RewriterBase &rewriter, linalg::GenericOp op);

/// A load in an elementwise op's body that reads, while the inner loop runs,
/// elements that are side by side, from a row that does not depend on it; or
/// one element for all of the loop, or for each of its blocks. A gather of rows
/// has such loads.
struct RowLoad {
  memref::LoadOp op;
  /// Whether the last index is that of the inner loop.
  bool isAlong = false;
  /// The size of blocks along it; 0 where there are none.
  int64_t blockSize = 0;
};

/// The loops of an elementwise op, one of which is along the last dimension of
/// the output that has more than one element, and what is done for some
/// elements of that one.
class ElementwiseLoopNest {
public:
  ElementwiseLoopNest(RewriterBase &rewriter, linalg::GenericOp op)
      : rewriter(rewriter), loc(op.getLoc()), op(op),
        ranges(op.getStaticLoopRanges()), indices(ranges.size()) {}

  /// Chooses the inner loop, and its block size; false where the maps are of
  /// another kind.
  bool analyze();

  unsigned getInner() const { return inner; }
  /// Elements along the inner loop that share the inputs found by a floordiv; 0
  /// where there are no such inputs.
  int64_t getBlockSize() const { return blockSize; }
  ArrayRef<int64_t> getRanges() const { return ranges; }
  Value getExtent(unsigned loop);

  /// Where the tiles that are built next are, of a loop other than the inner
  /// one.
  void setIndex(unsigned loop, Value index) { indices[loop] = index; }
  /// The op for `size` elements of the inner loop, at the insertion point;
  /// within one block, if there are blocks. What it needs is put in front of
  /// `first`, if that is given.
  linalg::GenericOp buildTile(OpFoldResult offset, OpFoldResult size,
                              Operation *first = nullptr);

private:
  Value makeIndex(AffineExpr index);
  Value makeView(Value buffer, ArrayRef<Value> at, unsigned dimension,
                 OpFoldResult size);
  /// Computes in front of the inner loop what does not change along it;
  /// `arguments` are what the body's arguments are there.
  Value hoist(Value value, ValueRange arguments, IRMapping &hoisted);

  RewriterBase &rewriter;
  Location loc;
  linalg::GenericOp op;
  SmallVector<int64_t> ranges;
  unsigned inner = 0;
  int64_t blockSize = 0;
  SmallVector<RowLoad> rowLoads;
  /// The index of each loop at the insertion point.
  SmallVector<Value> indices;
};

/// Whether inputs are found by other than plain loop indices, the body reads
/// from rows that it finds itself, or there is more than one loop, so that
/// buildLoopsAround is needed.
bool needsLoopsAround(linalg::GenericOp op);

/// Loops of one element each around the one that goes along the last dimension
/// of the output, and around that one loops over the blocks that share a scale.
/// Returns ops of the one loop that is left, whose inputs that do not change
/// along it are scalars; none, with the op as it was, where the maps are of
/// another kind. With `rowsOfThread`, threads share the outermost loop, so many
/// indices or a multiple at a time.
SmallVector<linalg::GenericOp> buildLoopsAround(RewriterBase &rewriter,
                                                linalg::GenericOp op,
                                                int64_t rowsOfThread = 0);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_ELEMENTWISELOOPS_H
