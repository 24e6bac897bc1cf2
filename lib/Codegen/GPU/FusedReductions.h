//===- FusedReductions.h - Reductions fused with their users ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_GPU_FUSEDREDUCTIONS_H
#define QUANT_FLOAT_LIB_CODEGEN_GPU_FUSEDREDUCTIONS_H

#include "../Common/BufferAccesses.h"
#include "KernelLaunches.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir::quant_float {

/// The position in the consumer's iteration space that the index of a loop, or
/// of a dimension of a buffer, stands for.
struct Coordinate {
  enum Kind {
    /// The only index, 0.
    Unit,
    /// The index of `loop` of the consumer.
    Loop,
    /// The index of a block of `size` indices of that loop.
    Block,
    /// The index in such a block.
    InBlock
  };
  Kind kind = Unit;
  unsigned loop = 0;
  int64_t size = 0;

  bool operator==(const Coordinate &other) const {
    return kind == other.kind && loop == other.loop && size == other.size;
  }
};

class FusedReductions;

/// Ops that will be part of fused kernels.
class FusedOps {
public:
  void add(const FusedReductions &kernel);
  bool contains(Operation *op) const { return ops.contains(op); }
  /// Whether the op accesses a buffer that only its kernel uses, so that the
  /// access will disappear.
  bool isInternal(Operation *op, Value buffer) const {
    return internalAccesses.contains({op, buffer});
  }

private:
  llvm::SmallPtrSet<Operation *, 16> ops;
  llvm::DenseSet<std::pair<Operation *, Value>> internalAccesses;
};

/// Consecutive ops on memrefs that end in an elementwise op, the consumer, and
/// reduce rows or blocks of its iteration space. One kernel computes all of
/// them: a group of threads keeps a tile of the iteration space, which contains
/// entire rows or blocks, in registers.
class FusedReductions {
public:
  /// Matches as many ops as possible before the consumer. Returns nullopt if
  /// there is no reduction among them. `reassociate` allows other orders of
  /// floating-point reductions. Does not add ops with a lowering config.
  /// `fusedOps` will be part of other kernels, which are built before.
  static std::optional<FusedReductions>
  match(linalg::LinalgOp consumer, bool reassociate, const FusedOps &fusedOps);

  /// Returns the extents of the tile, one for each loop of the consumer.
  ArrayRef<int64_t> getTile() const { return tile; }

  /// The fused ops, in program order.
  SmallVector<linalg::LinalgOp> getOps() const;
  /// Builds the kernel at the consumer, and erases the ops and the buffers that
  /// only they use.
  void build(KernelLaunches &launches);

  /// Returns the buffer that has coordinates: the source of casts and reshapes.
  static Value getBufferOfView(Value view);

private:
  friend class FusedReductionBuilder;
  friend class FusedOps;

  /// How a reduction combines the elements.
  enum class Reduction { None, Columns, Blocks, Tile, Ordered };
  struct Member {
    linalg::LinalgOp op;
    SmallVector<Coordinate> loops;
    /// The view of the start of a padded buffer that the op writes; or null.
    Operation *domain = nullptr;
  };
  using Coordinates = SmallVector<Coordinate>;

  FusedReductions(linalg::LinalgOp consumer, bool reassociate,
                  const FusedOps &fusedOps);

  /// Adds the op before the others. Returns false if this is not possible.
  bool add(linalg::LinalgOp op);
  bool tryToAdd(linalg::LinalgOp op);
  bool setCoordinates(Value view, ArrayRef<Coordinate> coordinates);
  std::optional<Coordinates> getCoordinates(Value view);
  /// Chooses the tile for the members. Returns false if it does not fit.
  bool chooseTile();
  bool chooseColumnTile();
  bool chooseRowTile(int64_t unit);
  /// Returns false if no kernel supports the member.
  bool classify(const Member &member, Reduction &kind) const;
  bool haveEqualSizes();
  /// Whether no two threads write to the same byte of a packed result.
  bool writesEntireBytes();
  /// Whether the values that the members write to the buffer are only read by
  /// members, and those of other ops only by others.
  bool isInternal(Value buffer) const;

  unsigned getLast() const { return sizes.size() - 1; }
  /// Returns the op that combines the accumulator with an element; or null.
  static Operation *getCombiner(linalg::LinalgOp op);
  bool isColumns() const { return groupSize == 1 && rowLoop; }

  linalg::LinalgOp consumer;
  bool reassociate;
  const FusedOps &fusedOps;
  /// The static sizes of the consumer's loops.
  SmallVector<int64_t> sizes;
  /// In reverse program order.
  SmallVector<Member> members;
  /// Of the buffers, without views.
  DenseMap<Value, Coordinates> coordinates;
  /// The accesses of the ops between the members. These ops remain before the
  /// kernel.
  BufferAccesses between;
  /// The allocations that both they and the members access.
  llvm::SmallDenseSet<Value> shared;

  /// The extents of the tile.
  SmallVector<int64_t> tile;
  /// The loop other than the last one with several indices in a tile.
  std::optional<unsigned> rowLoop;
  /// The number of adjacent elements that a thread accesses at once, the number
  /// of these vectors in a tile and of each thread, and the number of threads
  /// of a tile, a power of two.
  int64_t width = 1, chunks = 1, slots = 1, groupSize = 1;
  int64_t numThreads = 0;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_GPU_FUSEDREDUCTIONS_H
