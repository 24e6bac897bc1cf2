//===- FusedReductionBuilder.h - Kernels of fused reductions ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_GPU_FUSEDREDUCTIONBUILDER_H
#define QUANT_FLOAT_LIB_CODEGEN_GPU_FUSEDREDUCTIONBUILDER_H

#include "FusedReductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::quant_float {

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
  Value computeIsVector();
  void eraseOps();

  Values read(OpOperand &operand);
  Values load(Value buffer);
  void store(Value buffer, const Values &values);
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
  Value share(int64_t count, Type element);
  Value view(Value shared, int64_t count, Type element);
  void storeShared(Value value, Value tile, Value position);
  /// The number of elements of a tile.
  int64_t tileSize() const { return fused.chunks * fused.width; }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value one, Value other) {
    return b.createOrFold<arith::AddIOp>(one, other);
  }
  Value multiply(Value one, Value other) {
    return b.createOrFold<arith::MulIOp>(one, other);
  }
  Value compare(arith::CmpIPredicate kind, Value left, Value right) {
    return arith::CmpIOp::create(b, kind, left, right);
  }
  Value below(Value left, Value right) {
    return compare(arith::CmpIPredicate::ult, left, right);
  }
  Value both(Value one, Value other) {
    return !one ? other : !other ? one : arith::AndIOp::create(b, one, other);
  }
  /// Adds to a condition that the elements of a slot are below `extent` along a
  /// loop of the consumer.
  Value bothBelow(Value isValid, unsigned slot, unsigned loop, Value extent);
  /// Creates `body` under a condition, which is null if it always holds, and
  /// zeros otherwise.
  Value ifElseZero(Value condition, Type type,
                   llvm::function_ref<Value()> body);
  void ifTrue(Value condition, llvm::function_ref<void()> body);

  /// Whether adjacent elements of a tile have different values: whether a
  /// coordinate is the index in the last loop, or in its blocks.
  bool isVector(ArrayRef<Coordinate> own) const {
    return llvm::any_of(own, [&](const Coordinate &each) {
      return (each.kind == Coordinate::Whole ||
              each.kind == Coordinate::Within) &&
             each.loop == fused.getLast();
    });
  }
  /// Whether the value differs between the elements of a tile, or between those
  /// of a thread.
  bool variesInTile(ArrayRef<Coordinate> own) const;
  bool variesBySlot(ArrayRef<Coordinate> own) const;
  bool hasVectorAccess(Value buffer) const;
  Value getIndex(const Coordinate &own, unsigned slot);
  SmallVector<Value> getIndices(Value buffer, unsigned slot);
  /// Whether a static size of a loop is a multiple of the tile's.
  bool isDivisible(unsigned loop) const {
    int64_t size = fused.sizes[loop];
    return !ShapedType::isDynamic(size) && size % fused.tile[loop] == 0;
  }
  /// Whether the chunk of a slot is in the tensor, and whether its row is.
  Value getGuard(unsigned slot, bool isOfRow = false);

  FusedReductions &fused;
  KernelLaunches &launches;
  ImplicitLocOpBuilder b;

  /// The buffers in global memory.
  llvm::SmallSetVector<Value, 8> loaded, stored;
  /// The sizes of the consumer's loops, and the tile's first index.
  SmallVector<Value> sizes, first;
  /// Whether there is such a tile; null if there is.
  Value isInside;
  /// The number of the thread in the block, and in its group; that of the
  /// group.
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
