//===- FusedReductionCombiners.cpp - Combine elements and threads ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedReductionBuilder.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::LinalgOp;

Value FusedReductionBuilder::reduceLanes(Operation *combiner, Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return value;
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
    lanes.push_back(vector::ExtractOp::create(b, value, lane));
  while (lanes.size() > 1) {
    size_t half = lanes.size() / 2;
    for (size_t i = 0; i < half; ++i)
      lanes[i] = createLike(combiner, {lanes[i], lanes[i + half]});
    lanes.truncate(half);
  }
  return lanes[0];
}

/// Combines the values of `threads` adjacent threads.
Value FusedReductionBuilder::reduceThreads(Operation *combiner, Value value,
                                           int64_t threads) {
  Type type = value.getType();
  Type bits = b.getIntegerType(type.getIntOrFloatBitWidth());
  Type i32 = b.getI32Type();
  for (int64_t offset = 1; offset < threads; offset *= 2) {
    Value packed = value;
    if (bits != type)
      packed = arith::BitcastOp::create(b, bits, packed);
    if (bits != i32)
      packed = arith::ExtUIOp::create(b, i32, packed);
    Value other = gpu::ShuffleOp::create(
                      b, packed, arith::ConstantIntOp::create(b, offset, 32),
                      arith::ConstantIntOp::create(b, kWarpSize, 32),
                      gpu::ShuffleMode::XOR)
                      .getShuffleResult();
    if (bits != i32)
      other = arith::TruncIOp::create(b, bits, other);
    if (bits != type)
      other = arith::BitcastOp::create(b, type, other);
    value = createLike(combiner, {value, other});
  }
  return value;
}

/// Combines the values of the warps of a tile.
Value FusedReductionBuilder::reduceWarps(Operation *combiner, Value value) {
  int64_t warps = fused.groupSize / kWarpSize;
  if (warps <= 1)
    return value;
  Value shared = allocate(fused.numThreads / kWarpSize, value.getType());
  Value lane = arith::RemUIOp::create(b, threadInBlock, index(kWarpSize));
  Value warp = arith::DivUIOp::create(b, threadInBlock, index(kWarpSize));
  emitIf(compare(arith::CmpIPredicate::eq, lane, index(0)),
         [&] { memref::StoreOp::create(b, value, shared, warp); });
  gpu::BarrierOp::create(b);
  Value from = arith::MulIOp::create(b, group, index(warps));
  Value result;
  for (int64_t i = 0; i < warps; ++i) {
    Value position = arith::AddIOp::create(b, from, index(i));
    Value next = memref::LoadOp::create(b, shared, position);
    result = result ? createLike(combiner, {result, next}) : next;
  }
  return result;
}

/// Replaces elements that are not part of the reduction by the neutral one.
Value FusedReductionBuilder::mask(const Member &member, unsigned slot,
                                  Value value, Value neutral) {
  LinalgOp op = member.op;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  Value isValid = slots[slot].isChunk;
  for (auto [loop, coordinate] : llvm::enumerate(member.loops)) {
    if (coordinate.kind != Coordinate::Loop ||
        op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel ||
        ranges[loop] == fused.tile[coordinate.loop])
      continue;
    isValid = andIsBelow(isValid, slot, coordinate.loop, index(ranges[loop]));
  }
  if (!isValid)
    return value;
  if (isa<VectorType>(isValid.getType()) || isa<VectorType>(value.getType())) {
    isValid = broadcast(isValid);
    value = broadcast(value);
    neutral = broadcast(neutral);
  }
  return arith::SelectOp::create(b, isValid, value, neutral);
}

Value FusedReductionBuilder::reduceInOrder(const Member &member, Value start) {
  LinalgOp op = member.op;
  // Copy operands that vary between elements to workgroup memory.
  SmallVector<Value> tiles, scalars;
  for (OpOperand *input : op.getDpsInputOperands()) {
    tiles.emplace_back();
    scalars.emplace_back();
    if (op.getMatchingBlockArgument(input).use_empty())
      continue;
    Values values = read(*input);
    Type type = getElementTypeOrSelf(values[0].getType());
    if (!isa<MemRefType>(input->get().getType()) ||
        !variesInTile(fused.coordinates.lookup(
            FusedReductions::getBufferOfView(input->get())))) {
      scalars.back() = values[0];
      continue;
    }
    Value &tile = sharedTiles[values[0]];
    if (!tile) {
      int64_t groups = fused.numThreads / fused.groupSize;
      tile = allocate(groups * tileSize(), type);
      Value from = multiply(group, index(tileSize()));
      for (unsigned slot = 0; slot < fused.slots; ++slot) {
        Value offset = multiply(slots[slot].chunk, index(fused.width));
        Value position = arith::AddIOp::create(b, from, offset);
        Value value = broadcast(values[values.size() == 1 ? 0 : slot]);
        emitIf(slots[slot].isChunk,
               [&] { storeShared(value, tile, position); });
      }
      gpu::BarrierOp::create(b);
    }
    tiles.back() = tile;
  }
  int64_t count = 1;
  for (auto [kind, range, coordinate] : llvm::zip_equal(
           op.getIteratorTypesArray(), op.getStaticLoopRanges(), member.loops))
    if (kind == utils::IteratorType::reduction)
      count *= range;
  Value result = allocate(fused.numThreads / fused.groupSize, start.getType());
  emitIf(compare(arith::CmpIPredicate::eq, thread, index(0)), [&] {
    Value from = multiply(group, index(tileSize()));
    Value to = arith::AddIOp::create(b, from, index(count));
    auto loop = scf::ForOp::create(b, from, to, index(1), ValueRange{start});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      IRMapping mapping;
      mapping.map(op.getBlock()->getArguments().back(),
                  loop.getRegionIterArg(0));
      for (auto [argument, tile, scalar] :
           llvm::zip(op.getBlock()->getArguments(), tiles, scalars)) {
        if (scalar)
          mapping.map(argument, scalar);
        else if (tile)
          mapping.map(argument,
                      memref::LoadOp::create(b, tile, loop.getInductionVar()));
      }
      for (Operation &bodyOp : op.getBlock()->without_terminator())
        b.clone(bodyOp, mapping);
      scf::YieldOp::create(b,
                           mapping.lookupOrDefault(
                               op.getBlock()->getTerminator()->getOperand(0)));
    }
    memref::StoreOp::create(b, loop.getResult(0), result, group);
  });
  gpu::BarrierOp::create(b);
  return memref::LoadOp::create(b, result, group);
}

void FusedReductionBuilder::reduce(const Member &member, Reduction kind) {
  LinalgOp op = member.op;
  OpOperand &output = *op.getDpsInitOperand(0);
  Values starts = read(output);
  Value buffer = FusedReductions::getBufferOfView(output.get());
  auto setResult = [&](Values values) {
    current[buffer] = std::move(values);
    zeroPadded.erase(buffer);
  };
  if (kind == Reduction::Ordered)
    return setResult({reduceInOrder(member, starts[0])});
  Operation *combiner = FusedReductions::getCombiner(op);
  Value accumulator = op.getBlock()->getArguments().back();
  unsigned elementOperand = combiner->getOperand(0) == accumulator;
  SmallVector<Values> arguments;
  mapArguments(member, arguments);
  Values values;
  bool isColumns = kind == Reduction::Columns;
  Value neutral;
  if (!isColumns)
    neutral = arith::ConstantOp::create(b, *arith::getNeutralElement(combiner));
  for (unsigned slot = 0; slot < fused.slots; ++slot) {
    IRMapping mapping;
    for (auto [argument, argumentValues] :
         llvm::zip_equal(op.getBlock()->getArguments(), arguments))
      if (!argumentValues.empty())
        mapping.map(argument,
                    argumentValues[argumentValues.size() == 1 ? 0 : slot]);
    computeBody(member, slot, mapping);
    Value value = mapping.lookupOrDefault(combiner->getOperand(elementOperand));
    if (kind == Reduction::Tile)
      value = mask(member, slot, value, neutral);
    values.push_back(isColumns ? value : broadcast(value));
  }
  if (isColumns) {
    Value result = broadcast(starts[0]);
    for (Value value : values) {
      Value operands[] = {result, result};
      operands[elementOperand] = value;
      result = createLike(combiner, operands);
    }
    return setResult({result});
  }
  if (kind == Reduction::Blocks) {
    SmallVector<unsigned> reduced;
    op.getReductionDims(reduced);
    int64_t size = fused.tile.back();
    for (unsigned loop : reduced)
      if (member.loops[loop].kind == Coordinate::InBlock)
        size = member.loops[loop].size;
    for (auto [slot, value] : llvm::enumerate(values)) {
      value = reduceThreads(combiner, reduceLanes(combiner, value),
                            size / fused.width);
      value =
          createLike(combiner, {value, starts[starts.size() == 1 ? 0 : slot]});
    }
    return setResult(values);
  }
  Value result = values[0];
  for (Value value : ArrayRef(values).drop_front())
    result = createLike(combiner, {result, value});
  result = reduceLanes(combiner, result);
  result =
      reduceThreads(combiner, result, std::min(kWarpSize, fused.groupSize));
  result = reduceWarps(combiner, result);
  setResult({createLike(combiner, {result, starts[0]})});
}
