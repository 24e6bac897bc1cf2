//===- FusedReductionBuilder.h - Kernels of fused reductions ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_GPU_FUSEDREDUCTIONBUILDER_H
#define QUANT_FLOAT_LIB_CODEGEN_GPU_FUSEDREDUCTIONBUILDER_H

#include "../Common/Conditionals.h"
#include "FusedReductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::quant_float {

/// Builds the kernel of fused reductions (see FusedReductionBuilder.cpp).
class FusedReductionBuilder {
public:
  FusedReductionBuilder(FusedReductions &fused, KernelLaunches &launches)
      : fused(fused), launches(launches),
        b(launches.loc, launches.rewriter.getContext()) {}

  void build();

private:
  using Member = FusedReductions::Member;
  using Reduction = FusedReductions::Reduction;
  /// The value of each slot, or one that all slots share. A scalar stands for a
  /// vector of equal elements.
  using Values = SmallVector<Value>;

  void collectBuffers();
  void begin();
  Value computeIsVectorized();
  void eraseOps();

  /// Returns the current values of an operand; loads them if there are none.
  Values read(OpOperand &operand);
  Values load(Value buffer);
  void store(Value buffer, const Values &values);
  /// Runs `body` for each lane of a slot that is a multiple of `step`, with the
  /// indices in the buffer and whether they are in bounds.
  void
  forEachLane(Value buffer, unsigned slot, int64_t step,
              llvm::function_ref<void(int64_t, ArrayRef<Value>, Value)> body);
  void evaluate(const Member &member);
  void reduce(const Member &member, Reduction kind);
  Value reduceInOrder(const Member &member, Value start);
  Value reduceThreads(Operation *combiner, Value value, int64_t threads);
  Value reduceLanes(Operation *combiner, Value value);
  Value reduceWarps(Operation *combiner, Value value);
  /// Computes the body for a slot, without the op that accumulates.
  void computeBody(const Member &member, unsigned slot, IRMapping &mapping);
  unsigned mapArguments(const Member &member, SmallVectorImpl<Values> &values);
  Value mask(const Member &member, unsigned slot, Value value, Value neutral);

  Value createLike(Operation *op, ValueRange operands);
  /// Creates an op of the body; on vectors if an operand is one.
  void clone(Operation *op, IRMapping &mapping);
  Value broadcast(Value value);
  Value zero(Type type);
  Type vectorOf(Type element) {
    return fused.width == 1 ? element : VectorType::get({fused.width}, element);
  }
  /// Allocates elements in workgroup memory.
  Value allocate(int64_t count, Type element);
  Value view(Value shared, int64_t count, Type element);
  void storeShared(Value value, Value tile, Value position);
  /// The number of elements of a tile.
  int64_t tileSize() const { return fused.chunks * fused.width; }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value lhs, Value rhs) {
    return b.createOrFold<arith::AddIOp>(lhs, rhs);
  }
  Value multiply(Value lhs, Value rhs) {
    return b.createOrFold<arith::MulIOp>(lhs, rhs);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, predicate, lhs, rhs);
  }
  Value isBelow(Value value, Value limit) {
    return compare(arith::CmpIPredicate::ult, value, limit);
  }
  /// Returns the conjunction of two conditions; null means true.
  Value createAnd(Value lhs, Value rhs) {
    return !lhs ? rhs : !rhs ? lhs : arith::AndIOp::create(b, lhs, rhs);
  }
  /// Returns the conjunction of `isValid` and whether the elements of a slot
  /// are below `extent` along a loop of the consumer.
  Value andIsBelow(Value isValid, unsigned slot, unsigned loop, Value extent);
  /// Returns the result of `body` if `condition` is null or true, else zero.
  Value emitIfOrZero(Value condition, Type type,
                     llvm::function_ref<Value()> body) {
    return emitIfElse(b, b.getLoc(), type, condition, body,
                      [&] { return zero(type); });
  }
  void emitIf(Value condition, llvm::function_ref<void()> body) {
    quant_float::emitIf(b, b.getLoc(), condition, body);
  }

  /// Whether the value varies between adjacent elements of a tile: whether a
  /// coordinate is the index in the last loop, or in its blocks.
  bool isVector(ArrayRef<Coordinate> coordinates) const {
    return llvm::any_of(coordinates, [&](const Coordinate &coordinate) {
      return (coordinate.kind == Coordinate::Loop ||
              coordinate.kind == Coordinate::InBlock) &&
             coordinate.loop == fused.getLast();
    });
  }
  /// Whether the value differs between the elements of a tile, or between those
  /// of a thread.
  bool variesInTile(ArrayRef<Coordinate> coordinates) const;
  bool variesBySlot(ArrayRef<Coordinate> coordinates) const;
  bool hasVectorAccess(Value buffer) const;
  Value getIndex(const Coordinate &coordinate, unsigned slot);
  SmallVector<Value> getIndices(Value buffer, unsigned slot);
  /// Whether a static size of a loop is a multiple of the tile's.
  bool isDivisible(unsigned loop) const {
    int64_t size = fused.sizes[loop];
    return !ShapedType::isDynamic(size) && size % fused.tile[loop] == 0;
  }
  /// Whether the chunk of a slot, or its row, is in bounds; null if it is known
  /// to be.
  Value getGuard(unsigned slot, bool isInRow = false);

  FusedReductions &fused;
  KernelLaunches &launches;
  ImplicitLocOpBuilder b;

  /// The buffers in global memory.
  llvm::SmallSetVector<Value, 8> loaded, stored;
  /// The sizes of the consumer's loops, and the first indices of the tile.
  SmallVector<Value> sizes, first;
  /// Whether the tile is in bounds; null if it is known to be.
  Value isInBounds;
  /// The index of the thread in the block and in its group, and of the group.
  Value threadInBlock, thread, group;
  /// Whether the kernel accesses entire vectors.
  Value isVectorized;
  struct Slot {
    Value chunk, row, column, isChunk;
    SmallVector<Value> indices;
  };
  SmallVector<Slot> slots;
  /// The current value of each buffer, and those that are zero out of bounds.
  DenseMap<Value, Values> current;
  llvm::SmallDenseSet<Value> zeroPadded;
  /// Tiles in workgroup memory, by the value of the first slot.
  DenseMap<Value, Value> sharedTiles;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_GPU_FUSEDREDUCTIONBUILDER_H
