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

/// The ops whose producers are fused into the tile loops.
enum class Producers {
  /// Reductions whose result does not depend on the order, and what lies
  /// between them and the consumer.
  Reductions,
  /// Also elementwise ops that produce what the consumer reads.
  Elementwise,
  /// Also float additions along rows. A tile has several rows.
  RowSums,
};

/// An elementwise op and the producers that are fused into its tile loops.
class BlockReductionFusion {
public:
  /// If `restBlocks` is not 0, the innermost loop has full blocks, but less
  /// than a tile, and is divided into tiles of so many blocks.
  BlockReductionFusion(linalg::GenericOp consumer, Producers kinds,
                       int64_t restBlocks = 0)
      : consumer(consumer), kinds(kinds), restBlocks(restBlocks) {}

  bool match();
  /// Chooses the tile size of each loop of the consumer; 0 for loops that are
  /// not tiled.
  bool chooseTiles(bool isParallel);
  FailureOr<SmallVector<LoopLikeOpInterface>> fuse(RewriterBase &rewriter);
  /// The consumer, of a tile after fuse().
  linalg::GenericOp getConsumer() { return consumer; }
  /// Whether the innermost loop has an unknown number of blocks.
  bool hasRest() const { return hasUnknownBlocks; }

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
  void visit(linalg::GenericOp op, ArrayRef<Index> loops);
  void alignToVectors();
  void visitSource(Value value, SmallVector<Index> indices);
  void readEntirely(Index index);
  Index merge(Index one, Index other);
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
  Producers kinds;
  /// The fused ops: reductions, and elementwise ops of their results. After
  /// match() they are in the reverse order of the block.
  llvm::SetVector<Operation *> producers;
  /// The ops that are not fused.
  llvm::SmallPtrSet<Operation *, 8> others;
  /// The ops that depend on a fused reduction.
  llvm::SmallPtrSet<Operation *, 8> dependent;
  bool hasReduction = false, hasRowSum = false, isParallel = false;
  bool hasUnknownBlocks = false, isTransposed = false;
  int64_t restBlocks;
  /// For each fused op's results, the part that a tile reads.
  llvm::DenseMap<Value, SmallVector<Index>> parts;
  /// The consumer's loops that are not tiled.
  llvm::SmallBitVector entire;
  /// The least number of iterations that the tiles of each loop are multiples
  /// of.
  SmallVector<int64_t> units;
  SmallVector<int64_t> tiles;
};

/// Whether all results have elements of at most 8 bits.
bool isQuantization(linalg::GenericOp op);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_CPU_BLOCKREDUCTIONFUSION_H
