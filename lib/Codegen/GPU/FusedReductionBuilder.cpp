//===- FusedReductionBuilder.cpp - Kernels of fused reductions ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group of threads computes a tile. Its elements are vectors ("chunks") of
// adjacent elements of a row; chunk number s * group size + thread is slot s of
// a thread:
//
//   load the slots of each input
//   for each op:
//     elementwise: compute each slot, or what all slots share
//     reduction: combine the elements of a slot, slots, and threads
//   store the slots of each result
//
// Threads exchange values by shuffles in a warp, and through workgroup memory
// between warps. Reductions whose order is fixed read the tile from workgroup
// memory, by one thread of each tile.
//
//===----------------------------------------------------------------------===//

#include "FusedReductionBuilder.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::LinalgOp;

//===----------------------------------------------------------------------===//
// Coordinates
//===----------------------------------------------------------------------===//

bool FusedReductionBuilder::variesInTile(
    ArrayRef<Coordinate> coordinates) const {
  return llvm::any_of(coordinates, [&](const Coordinate &coordinate) {
    if (coordinate.kind == Coordinate::Unit)
      return false;
    int64_t extent = fused.tile[coordinate.loop];
    return coordinate.kind == Coordinate::Block ? coordinate.size < extent
                                                : extent > 1;
  });
}

bool FusedReductionBuilder::variesBySlot(
    ArrayRef<Coordinate> coordinates) const {
  // A thread's columns are the same in all rows.
  SmallVector<Coordinate> varying(coordinates);
  llvm::erase_if(varying, [&](const Coordinate &coordinate) {
    return fused.isColumns() && coordinate.loop == fused.getLast();
  });
  return fused.slots > 1 && variesInTile(varying);
}

Value FusedReductionBuilder::getIndex(const Coordinate &coordinate,
                                      unsigned slot) {
  if (coordinate.kind == Coordinate::Unit)
    return index(0);
  Value position = slots[slot].indices[coordinate.loop];
  switch (coordinate.kind) {
  case Coordinate::Block:
    return arith::DivUIOp::create(b, position, index(coordinate.size));
  case Coordinate::InBlock:
    return arith::RemUIOp::create(b, position, index(coordinate.size));
  default:
    return position;
  }
}

SmallVector<Value> FusedReductionBuilder::getIndices(Value buffer,
                                                     unsigned slot) {
  return llvm::map_to_vector(
      fused.coordinates.lookup(buffer),
      [&](const Coordinate &coordinate) { return getIndex(coordinate, slot); });
}

Value FusedReductionBuilder::getGuard(unsigned slot, bool isInRow) {
  Value guard = createAnd(isInBounds, slots[slot].isChunk);
  for (unsigned loop = 0; loop < sizes.size(); ++loop)
    if (fused.tile[loop] > 1 && !isDivisible(loop) &&
        !(isInRow && loop == fused.getLast()))
      guard = createAnd(guard, isBelow(slots[slot].indices[loop], sizes[loop]));
  return guard;
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

void FusedReductionBuilder::collectBuffers() {
  llvm::SmallDenseSet<Value> written;
  for (const Member &member : llvm::reverse(fused.members)) {
    LinalgOp op = member.op;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<MemRefType>(operand.get().getType()) ||
          op.getMatchingBlockArgument(&operand).use_empty())
        continue;
      Value buffer = FusedReductions::getBufferOfView(operand.get());
      if (!written.contains(buffer))
        loaded.insert(buffer);
    }
    for (Value output : op.getDpsInits()) {
      if (member.domain)
        output = cast<memref::SubViewOp>(member.domain).getSource();
      Value buffer = FusedReductions::getBufferOfView(output);
      written.insert(buffer);
      if (!fused.isInternal(buffer))
        stored.insert(buffer);
    }
  }
}

void FusedReductionBuilder::begin() {
  Value total = index(1);
  SmallVector<Value> counts;
  Value output = fused.consumer.getDpsInits()[0];
  for (unsigned loop = 0; loop < fused.sizes.size(); ++loop) {
    sizes.push_back(ShapedType::isDynamic(fused.sizes[loop])
                        ? b.createOrFold<memref::DimOp>(output, index(loop))
                        : index(fused.sizes[loop]));
    Value tile = index(fused.tile[loop]);
    Value count = b.createOrFold<arith::CeilDivUIOp>(sizes[loop], tile);
    // There may be more blocks than those of the consumer's elements.
    for (Value buffer : stored)
      for (auto [dimension, coordinate] :
           llvm::enumerate(fused.coordinates.lookup(buffer)))
        if (coordinate.kind == Coordinate::Block && coordinate.loop == loop) {
          Value blocks =
              b.createOrFold<memref::DimOp>(buffer, index(dimension));
          Value elements = multiply(blocks, index(coordinate.size));
          count = b.createOrFold<arith::MaxUIOp>(
              count, b.createOrFold<arith::CeilDivUIOp>(elements, tile));
        }
    counts.push_back(count);
    total = multiply(total, count);
  }
  int64_t groups = fused.numThreads / fused.groupSize;
  Value blocks = b.createOrFold<arith::CeilDivUIOp>(total, index(groups));
  Value block = launches.beginBlocks(blocks, fused.numThreads);
  b.restoreInsertionPoint(launches.rewriter.saveInsertionPoint());
  threadInBlock = launches.launch.getThreadIds().x;
  Value groupThreads = index(fused.groupSize);
  thread = b.createOrFold<arith::RemUIOp>(threadInBlock, groupThreads);
  group = b.createOrFold<arith::DivUIOp>(threadInBlock, groupThreads);
  Value number = add(multiply(block, index(groups)), group);
  std::optional<int64_t> numTiles = getConstantIntValue(total);
  if (!numTiles || *numTiles == 0 || *numTiles % groups != 0)
    isInBounds = isBelow(number, total);
  launches.rewriter.restoreInsertionPoint(b.saveInsertionPoint());
  for (auto [position, extent] :
       llvm::zip_equal(launches.delinearize(number, counts), fused.tile))
    first.push_back(multiply(position, index(extent)));
  int64_t rowChunks = fused.tile.back() / fused.width;
  for (int64_t i = 0; i < fused.slots; ++i) {
    Slot slot;
    slot.chunk = add(thread, index(i * fused.groupSize));
    slot.row = b.createOrFold<arith::DivUIOp>(slot.chunk, index(rowChunks));
    slot.column =
        multiply(b.createOrFold<arith::RemUIOp>(slot.chunk, index(rowChunks)),
                 index(fused.width));
    if ((i + 1) * fused.groupSize > fused.chunks)
      slot.isChunk = isBelow(slot.chunk, index(fused.chunks));
    slot.indices = first;
    slot.indices.back() = add(first.back(), slot.column);
    if (fused.rowLoop)
      slot.indices[*fused.rowLoop] = add(first[*fused.rowLoop], slot.row);
    slots.push_back(slot);
  }
  isVectorized = computeIsVectorized();
}

void FusedReductionBuilder::eraseOps() {
  IRRewriter &rewriter = launches.rewriter;
  llvm::SmallSetVector<Value, 8> buffers;
  for (const Member &member : fused.members)
    for (Value operand : member.op->getOperands())
      if (isa<MemRefType>(operand.getType()))
        buffers.insert(getRoot(operand));
  // Buffers that the ops access are freed after the kernel.
  SmallVector<memref::DeallocOp> freed;
  for (Operation *op = fused.members.back().op; op != fused.consumer;
       op = op->getNextNode())
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op);
        dealloc && buffers.contains(getRoot(dealloc.getMemref())))
      freed.push_back(dealloc);
  for (memref::DeallocOp dealloc : freed)
    rewriter.moveOpAfter(dealloc, fused.consumer);
  for (Member &member : fused.members)
    rewriter.eraseOp(member.op);
  std::function<bool(Value)> isDead = [&](Value view) {
    return llvm::all_of(view.getUsers(), [&](Operation *user) {
      return isa<memref::DeallocOp>(user) ||
             (isa<ViewLikeOpInterface>(user) && user->getNumResults() == 1 &&
              isDead(user->getResult(0)));
    });
  };
  std::function<void(Value)> eraseUsers = [&](Value view) {
    for (Operation *user : llvm::make_early_inc_range(view.getUsers())) {
      for (Value result : user->getResults())
        eraseUsers(result);
      rewriter.eraseOp(user);
    }
  };
  for (Value buffer : buffers)
    if (auto alloc = buffer.getDefiningOp<memref::AllocOp>();
        alloc && isDead(buffer)) {
      eraseUsers(buffer);
      rewriter.eraseOp(alloc);
    }
}

void FusedReductionBuilder::build() {
  b.setInsertionPoint(fused.consumer);
  launches.rewriter.setInsertionPoint(fused.consumer);
  collectBuffers();
  begin();
  for (const Member &member : llvm::reverse(fused.members)) {
    Reduction kind;
    fused.classify(member, kind);
    if (kind == Reduction::None)
      evaluate(member);
    else
      reduce(member, kind);
  }
  for (Value buffer : stored)
    store(buffer, current[buffer]);
  launches.endLaunch();
  eraseOps();
}

void FusedReductions::build(KernelLaunches &launches) {
  launches.loc = consumer.getLoc();
  FusedReductionBuilder(*this, launches).build();
}
