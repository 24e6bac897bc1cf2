//===- RowContraction.cpp - Contract K-contiguous weights -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "../Common/WeightContractionLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "quant-float/Support/Indices.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The number of channels in the unit of work of a thread.
static constexpr int64_t kChannelsPerThread = 64;
/// The prefetch distance of weights. Hardware prefetchers stop at the end of a
/// page, and a row of quantized values is at most about a page long.
static constexpr int64_t kPrefetchBytes = 16384;

void RowContraction::emit() {
  packX();
  int64_t rows = chooseRows(), channels = contraction.getChannels();
  int64_t group = parallel ? std::max(kChannelsPerThread, rows) : rows;
  forEach(channels / group, parallel, [&](OpFoldResult number) {
    OpFoldResult first = times(number, group);
    forEach(group / rows, false, [&](OpFoldResult inner) {
      AffineExpr d0, d1;
      bindDims(b.getContext(), d0, d1);
      emitRows(affine::makeComposedFoldedAffineApply(
                   b, b.getLoc(), d0 + d1 * rows, {first, inner}),
               rows);
    });
  });
  int64_t done = channels / group * group;
  forEach((channels - done) / rows, false, [&](OpFoldResult number) {
    emitRows(plus(times(number, rows), done), rows);
  });
  if (int64_t rest = channels % rows)
    emitRows(b.getIndexAttr(channels - rest), rest);
  freeX();
}

void RowContraction::startChunk(OpFoldResult first, int64_t rows,
                                OpFoldResult chunk, int64_t count) {
  start = times(chunk, order.getChunk());
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t byte = 0; byte < count * contraction.bits / 8;
         byte += kLineBytes) {
      position[contraction.channel] = plus(first, row);
      position[contraction.depth] = start;
      prefetch((kPrefetchBytes + byte) * 8 / contraction.bits);
    }
}

Value RowContraction::getBlockScale(int64_t part, int64_t count) {
  if (!contraction.scale || contraction.block == contraction.getDepth())
    return {};
  return buildShared(contraction.scale, part, count, b.getF32Type());
}

void RowContraction::emitRows(OpFoldResult first, int64_t rows) {
  SmallVector<Value> accumulators(rows * contraction.vectors * getParts(),
                                  splat(0, lanes));
  int64_t chunk = order.getChunk(), full = contraction.getDepth() / chunk;
  if (full) {
    auto loop =
        scf::ForOp::create(b, index(0), index(full), index(1), accumulators);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    scf::YieldOp::create(b, emitChunk(first, rows, loop.getInductionVar(),
                                      chunk, loop.getRegionIterArgs()));
    accumulators = loop.getResults();
  }
  if (int64_t rest = contraction.getDepth() % chunk)
    accumulators =
        emitChunk(first, rows, b.getIndexAttr(full), rest, accumulators);
  OpOperand *init = op.getDpsInitOperand(0);
  ValueRange all(accumulators);
  for (int64_t row = 0; row < rows; ++row) {
    position[contraction.channel] = plus(first, row);
    position[contraction.depth] = b.getIndexAttr(0);
    Value scale = getChannelScale();
    for (int64_t vector = 0; vector < contraction.vectors; ++vector) {
      selectVector(vector);
      Value acc = reduce(all.take_front(getParts()));
      all = all.drop_front(getParts());
      if (scale)
        acc = multiply(scale, acc);
      memref::StoreOp::create(b, add(load(init), acc), init->get(),
                              getIndices(init));
    }
  }
}

/// Adds the upper half of the vectors, and then of the lanes, to the lower half
/// until a scalar remains.
Value RowContraction::reduce(ValueRange parts) {
  SmallVector<Value> partials(parts);
  while (partials.size() > 1) {
    size_t half = partials.size() / 2;
    for (size_t i = 0; i < half; ++i)
      partials[i] = add(partials[i], partials[half + i]);
    partials.resize(half);
  }
  Value acc = partials.front();
  for (int64_t count = lanes / 2; count; count /= 2)
    acc = add(vector::ExtractStridedSliceOp::create(b, acc, 0, count, 1),
              vector::ExtractStridedSliceOp::create(b, acc, count, count, 1));
  return vector::ExtractOp::create(b, acc, 0);
}

Value RowContraction::buildShared(Value value, int64_t part, int64_t count,
                                  Type element) {
  int64_t first = order.consecutive ? part * lanes * order.terms : 0;
  // The number of consecutive elements that the lanes of the part cover. In the
  // strided order all lanes share one block.
  int64_t span = order.consecutive ? lanes * order.terms : 1;
  int64_t blocks = std::max<int64_t>(span / contraction.block, 1);
  auto at = [&](int64_t block) {
    int64_t offset = first + block * contraction.block;
    position[contraction.depth] = plus(start, offset < count ? offset : 0);
  };
  if (blocks == 1) {
    at(0);
    return broadcast(convert(buildScalar(value), element), lanes);
  }
  SmallVector<int64_t> blockOfLane;
  for (int64_t lane = 0; lane < lanes; ++lane)
    blockOfLane.push_back(lane * blocks / lanes);
  // The values of consecutive blocks are loaded as a vector if they are
  // contiguous in memory. All lanes share those of larger blocks.
  auto getBlockSize = [&](OpOperand *operand) {
    AffineMap map = op.getMatchingIndexingMap(operand);
    if (!map.isFunctionOfDim(contraction.depth))
      return span;
    std::optional<BlockIndex> index = getBlockIndex(map.getResults().back());
    for (AffineExpr outer : map.getResults().drop_back())
      if (outer.isFunctionOfDim(contraction.depth))
        index.reset();
    return index ? index->size : 0;
  };
  auto isSimple = [&](OpOperand *operand) {
    int64_t size = getBlockSize(operand);
    auto type = dyn_cast<MemRefType>(operand->get().getType());
    return (size && size % span == 0) ||
           (size == contraction.block && type && type.isLastDimUnitStride());
  };
  if (count >= first + span && !usesIndex(op, value) &&
      llvm::all_of(getSources(op, value), isSimple)) {
    at(0);
    BodySlice slice(
        b, op,
        [&](OpOperand *operand) -> Value {
          return getBlockSize(operand) % span == 0 ? load(operand)
                                                   : load(operand, blocks);
        },
        [&](unsigned loop) { return getIndex(loop); });
    Value each = broadcast(convert(slice.build(value), element), blocks);
    return vector::ShuffleOp::create(b, each, each, blockOfLane);
  }
  Value result;
  for (int64_t block = 0; block < blocks; ++block) {
    at(block);
    Value each = broadcast(convert(buildScalar(value), element), lanes);
    SmallVector<int64_t> mask;
    for (int64_t lane = 0; lane < lanes; ++lane)
      mask.push_back(blockOfLane[lane] == block ? lanes + lane : lane);
    result =
        result ? Value(vector::ShuffleOp::create(b, result, each, mask)) : each;
  }
  return result;
}
