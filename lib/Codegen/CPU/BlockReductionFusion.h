//===- BlockReductionFusion.h - Fuse reductions of blocks -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_CPU_BLOCKREDUCTIONFUSION_H
#define QUANT_FLOAT_LIB_CODEGEN_CPU_BLOCKREDUCTIONFUSION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::quant_float {

/// The producers that are fused into the tile loops of an elementwise op.
enum class FusibleProducers {
  /// Reductions whose result does not depend on the order, and the ops between
  /// them and the consumer.
  Reductions,
  /// Also elementwise ops that produce operands of the consumer.
  Elementwise,
  /// Also float additions along rows. A tile has several rows.
  RowReductions,
};

/// An elementwise op and the producers that are fused into its tile loops.
class BlockReductionFusion {
public:
  /// If `remainderBlocks` is not 0, the innermost loop has full blocks, but
  /// less than a tile, and is divided into tiles of so many blocks.
  BlockReductionFusion(linalg::GenericOp consumer, FusibleProducers kinds,
                       int64_t remainderBlocks = 0)
      : consumer(consumer), kinds(kinds), remainderBlocks(remainderBlocks) {}

  /// Collects the producers to fuse. Returns false if there is no reduction
  /// among them.
  bool match();
  /// Chooses the tile size of each loop of the consumer; 0 for loops that are
  /// not tiled.
  bool chooseTiles(bool isParallel);
  /// Tiles the consumer and fuses the producers. Returns the loops.
  FailureOr<SmallVector<LoopLikeOpInterface>> fuse(RewriterBase &rewriter);
  /// The consumer, of a tile after fuse().
  linalg::GenericOp getConsumer() { return consumer; }
  /// Whether the innermost loop has an unknown number of blocks.
  bool hasRemainder() const { return hasDynamicBlocks; }

private:
  /// The index of a tensor's dimension as an expression of the consumer's
  /// loops. Null if a tile reads the entire dimension.
  using Index = AffineExpr;

  bool isFusibleReduction(linalg::GenericOp op);
  bool hasFullBlocks();
  bool collect(Value value, unsigned depth = 0);
  void removeUnmovable();
  bool removeInvariant();
  void analyze();
  void propagateToOperands(linalg::GenericOp op, ArrayRef<Index> loops);
  void alignToVectors();
  void propagateToSource(Value value, SmallVector<Index> indices);
  void setUntiled(Index index);
  Index merge(Index lhs, Index rhs);
  bool isFused(Operation *op) const {
    return op == consumer || producers.contains(op);
  }
  struct Use {
    tensor::ExtractSliceOp slice;
    /// The reshapes between the producer and the slice.
    SmallVector<Operation *> reshapes;
  };
  void collectUses(Value value, SmallVectorImpl<Operation *> &reshapes,
                   SmallVectorImpl<Use> &uses, Operation *loop);
  LogicalResult fuseProducer(RewriterBase &rewriter, linalg::GenericOp producer,
                             SmallVectorImpl<LoopLikeOpInterface> &loops);

  linalg::GenericOp consumer;
  FusibleProducers kinds;
  /// The fused ops: reductions, and elementwise ops of their results. After
  /// match() they are in the reverse order of the block.
  llvm::SetVector<Operation *> producers;
  /// The ops that are not fused.
  llvm::SmallPtrSet<Operation *, 8> unfused;
  /// The ops that depend on a fused reduction.
  llvm::SmallPtrSet<Operation *, 8> dependent;
  bool hasReduction = false, hasRowReduction = false, isParallel = false;
  bool hasDynamicBlocks = false, isTransposed = false;
  int64_t remainderBlocks;
  /// For each fused op's results, the slice that a tile reads.
  llvm::DenseMap<Value, SmallVector<Index>> slices;
  /// The consumer's loops that are not tiled.
  llvm::SmallBitVector untiled;
  /// The tile size of each loop is a multiple of this number.
  SmallVector<int64_t> units;
  SmallVector<int64_t> tiles;
};

/// Whether all results have elements of at most 8 bits.
bool isQuantization(linalg::GenericOp op);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_BLOCKREDUCTIONFUSION_H
