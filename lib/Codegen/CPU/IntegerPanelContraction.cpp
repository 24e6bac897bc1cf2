//===- IntegerPanelContraction.cpp - Contract many integer vectors --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several vectors of channels form a panel. Its weights are unpacked once, to
// operands of dot-product instructions with a lane for each channel. All
// vectors of x then share the panel:
//
//   for panel of channels:
//     panel = operands of the weights, transposed
//     for tile of vectors:
//       for block of x:
//         sums[vector, channel] = -offset * (sum of x)
//         for group in block: sums += panel[group] . x[vector, group]
//         acc[vector, channel] += float(sums) * (scale of x * scale)
//       y[vector, channel] = acc
//
// A block of x is not larger than a block of the weights, so that `sums` are
// exact and one fused multiply-add for each block rounds.
//
//===----------------------------------------------------------------------===//

#include "DotProductInstructions.h"
#include "QuantizedActivations.h"
#include "TransposeInRegisters.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// The number of vectors of x that are multiplied together, and of registers of
/// channels in a panel.
struct PanelTile {
  int64_t vectors, parts;

  static PanelTile get(const WeightContraction &contraction,
                       const LoweringTarget &target, int64_t lanes) {
    // An element of the result takes two registers: one of integers and one of
    // floats. Two parts share each load of x.
    int64_t maxVectors = target.vectorRegisters >= 32 ? 6 : 3;
    int64_t parts = contraction.getChannels() > lanes ? 2 : 1;
    if (ShapedType::isDynamic(contraction.vectors))
      return {maxVectors, parts};
    // Tiles of a static number of vectors have similar sizes.
    int64_t tiles = llvm::divideCeil(contraction.vectors, maxVectors);
    maxVectors = llvm::divideCeil(contraction.vectors, tiles);
    return {maxVectors, parts};
  }
};

class IntegerPanelContraction final : public WeightContractionLoops {
public:
  IntegerPanelContraction(const WeightContraction &contraction,
                          const ReductionSchedule &order,
                          const LoweringTarget &target, bool parallel)
      : WeightContractionLoops(contraction, order, target, parallel),
        tile(PanelTile::get(contraction, target, lanes)),
        dots(this->contraction, target, lanes, order.xBits),
        activations(contraction, order, target, this->parallel, dots,
                    tile.vectors) {}

  void emit() override;

private:
  /// A block of x along K. By part: the scales of the block of the weights that
  /// it is in, what the sums of x are multiplied by if there is a zero point,
  /// and the minimums.
  struct Block {
    Value chunk;
    SmallVector<Value> scales, corrections, minimums;
  };

  void emitPanel(OpFoldResult first, int64_t columns);
  /// Unpacks the weights of channels from `first` on.
  void unpackWeights(OpFoldResult first, int64_t columns);
  /// Stores a value of the body that is the same for a block to a buffer, if
  /// there is one.
  void packShared(Value value, Value buffer, OpFoldResult first,
                  int64_t columns);
  /// Loads the lanes of all parts from packShared()'s buffer, if there is one.
  SmallVector<Value> loadShared(Value buffer, OpFoldResult block);
  /// Loads an element of a buffer of the activations, and replicates it.
  Value broadcastActivation(Value buffer, OpFoldResult vector, Value chunk);
  /// Replicates the x that belong to a group of the weights.
  Value broadcastX(OpFoldResult vector, Value chunk, unsigned number,
                   int64_t group);
  void emitTile(OpFoldResult firstVector, OpFoldResult first, int64_t columns);
  /// Prefetches a part of the next panel's weights: each tile prefetches the
  /// rows of a few channels.
  void prefetchPanel(OpFoldResult first, OpFoldResult firstVector, Value chunk);
  SmallVector<Value> emitBlock(OpFoldResult firstVector, const Block &block,
                               ValueRange accumulators);
  Block getBlock(Value chunk);
  /// Returns what the integer sum of a block starts with, or null for zero.
  Value getStart(OpFoldResult vector, const Block &block, int64_t part);
  /// Returns an accumulator plus the sum of a block.
  Value accumulateBlock(Value accumulator, Value sum, OpFoldResult vector,
                        const Block &block, int64_t part);
  /// Stores the results of a vector if it is not one that is added to fill the
  /// last tile.
  void storeVector(OpFoldResult vector, OpFoldResult first, int64_t columns,
                   ValueRange accumulators);
  /// Allocates a buffer for each task.
  Value allocate(ArrayRef<int64_t> sizes, Type element) {
    SmallVector<int64_t> shape{parallel ? kTasks : 1};
    shape.append(sizes.begin(), sizes.end());
    return memref::AllocOp::create(b, MemRefType::get(shape, element),
                                   b.getI64IntegerAttr(64));
  }
  bool hasBlocks() const { return contraction.block != contraction.getDepth(); }
  VectorType getFieldType() {
    return vectorOf(lanes * 32 / dots.getWidth(),
                    b.getIntegerType(dots.getWidth()));
  }
  /// A group consists of the weights in 32 bits.
  int64_t getGroupSize() const { return 32 / contraction.bits; }
  /// Returns the number of groups in a block of x.
  int64_t getGroups() const { return order.getChunk() / getGroupSize(); }
  int64_t getChunks() const {
    return llvm::divideCeil(contraction.getDepth(), order.getChunk());
  }
  /// Returns the number of chunks in buffers. Squares of groups are transposed,
  /// and the last one may have more groups than the last chunk.
  int64_t getPaddedChunks() const {
    return llvm::divideCeil(llvm::alignTo(getChunks() * getGroups(), lanes),
                            getGroups());
  }

  PanelTile tile;
  DotProductInstructions dots;
  QuantizedActivations activations;
  /// The fields of the current panel, indexed by task, chunk, field, group,
  /// part and position in a register.
  Value fields;

  /// Other buffers of the panel, as in Block, indexed by task, block and lane.
  Value scales, corrections, minimums;
  /// The number of the task that the code belongs to.
  Value task;
};
} // namespace

void IntegerPanelContraction::emit() {
  activations.emit();
  VectorType field = getFieldType();
  fields = allocate({getPaddedChunks(), dots.getFields(), getGroups(),
                     tile.parts, field.getNumElements()},
                    field.getElementType());
  auto allocateShared = [&](Value value, Type element) {
    int64_t blocks =
        llvm::divideCeil(contraction.getDepth(), contraction.block);
    return value ? allocate({blocks, tile.parts * lanes}, element) : Value();
  };
  scales = allocateShared(contraction.scale, b.getF32Type());
  corrections = allocateShared(contraction.point, b.getI32Type());
  minimums = allocateShared(contraction.minimum, b.getF32Type());
  int64_t channels = contraction.getChannels(), panel = tile.parts * lanes;
  forEachInTasks(b.getIndexAttr(channels / panel), parallel,
                 [&](OpFoldResult number, Value inTask) {
                   task = inTask;
                   emitPanel(times(number, panel), panel);
                 });
  if (int64_t rest = channels % panel) {
    task = index(0);
    emitPanel(b.getIndexAttr(channels - rest), rest);
  }
  for (Value buffer : {fields, scales, corrections, minimums})
    if (buffer)
      memref::DeallocOp::create(b, buffer);
  activations.free();
}

void IntegerPanelContraction::emitPanel(OpFoldResult first, int64_t columns) {
  unpackWeights(first, columns);
  packShared(contraction.scale, scales, first, columns);
  packShared(contraction.point, corrections, first, columns);
  packShared(contraction.minimum, minimums, first, columns);
  AffineExpr d0 = b.getAffineDimExpr(0);
  OpFoldResult tiles = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), d0.ceilDiv(tile.vectors), {getVectors()});
  forEach(tiles, false, [&](OpFoldResult number) {
    emitTile(times(number, tile.vectors), first, columns);
  });
}

void IntegerPanelContraction::unpackWeights(OpFoldResult first,
                                            int64_t columns) {
  int64_t groups = getChunks() * getGroups(), depth = contraction.getDepth();
  // Transpose squares of 32-bit groups.
  int64_t square = lanes * getGroupSize();
  auto emitSquares = [&](OpFoldResult number, int64_t count) {
    for (int64_t part = 0; part < tile.parts; ++part) {
      SmallVector<Value> rows;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        int64_t column = std::min(part * lanes + lane, columns - 1);
        position[contraction.channel] = plus(first, column);
        position[contraction.depth] = times(number, square);
        rows.push_back(
            count ? loadPacked(count)
                  : arith::ConstantOp::create(
                        b, b.getZeroAttr(vectorOf(lanes, b.getI32Type()))));
      }
      AffineExpr d0 = b.getAffineDimExpr(0);
      for (auto [lane, packed] :
           llvm::enumerate(transposeInRegisters(b, b.getLoc(), rows))) {
        AffineExpr group = d0 * lanes + lane;
        auto at = [&](AffineExpr expression) {
          return toValue(affine::makeComposedFoldedAffineApply(
              b, b.getLoc(), expression, {number}));
        };
        Value chunk = at(group.floorDiv(getGroups()));
        Value inChunk = at(group % getGroups());
        for (auto [i, value] : llvm::enumerate(dots.spread(b, packed)))
          vector::StoreOp::create(b, value, fields,
                                  ValueRange{task, chunk, index(i), inChunk,
                                             index(part), index(0)});
      }
    }
  };
  int64_t full = depth / square;
  forEach(full, false,
          [&](OpFoldResult number) { emitSquares(number, square); });
  for (int64_t number = full; number * lanes < groups; ++number)
    emitSquares(b.getIndexAttr(number),
                std::clamp<int64_t>(depth - number * square, 0, square));
}

void IntegerPanelContraction::packShared(Value value, Value buffer,
                                         OpFoldResult first, int64_t columns) {
  if (!buffer)
    return;
  auto type = cast<MemRefType>(buffer.getType());
  Type element = type.getElementType();
  int64_t blocks = type.getDimSize(1), width = type.getDimSize(2);
  // Lanes without a channel have the values of the last one.
  forEach(width, false, [&](OpFoldResult lane) {
    AffineExpr d0 = b.getAffineDimExpr(0), s0 = b.getAffineSymbolExpr(0);
    OpFoldResult column = lane;
    if (columns < width)
      column = affine::makeComposedFoldedAffineMin(
          b, b.getLoc(),
          AffineMap::get(1, 0, {d0, b.getAffineConstantExpr(columns - 1)},
                         b.getContext()),
          {lane});
    position[contraction.channel] = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), d0 + s0, {column, first});
    forEach(blocks, false, [&](OpFoldResult block) {
      position[contraction.depth] = times(block, contraction.block);
      Value number = convert(buildScalar(value), element);
      if (value == contraction.point)
        number = arith::SubIOp::create(
            b,
            arith::ConstantOp::create(b,
                                      b.getI32IntegerAttr(-dots.getOffset())),
            number);
      else if (value == contraction.minimum && !contraction.addsMinimum)
        number = arith::NegFOp::create(b, number);
      memref::StoreOp::create(b, number, buffer,
                              ValueRange{task, toValue(block), toValue(lane)});
    });
  });
}

SmallVector<Value> IntegerPanelContraction::loadShared(Value buffer,
                                                       OpFoldResult block) {
  SmallVector<Value> parts;
  if (!buffer)
    return parts;
  Type element = cast<MemRefType>(buffer.getType()).getElementType();
  for (int64_t part = 0; part < tile.parts; ++part)
    parts.push_back(vector::LoadOp::create(
        b, vectorOf(lanes, element), buffer,
        ValueRange{task, toValue(block), index(part * lanes)}));
  return parts;
}

Value IntegerPanelContraction::broadcastActivation(Value buffer,
                                                   OpFoldResult vector,
                                                   Value chunk) {
  return broadcast(memref::LoadOp::create(
                       b, buffer, ValueRange{toValue(vector), chunk, index(0)}),
                   lanes);
}

IntegerPanelContraction::Block IntegerPanelContraction::getBlock(Value chunk) {
  OpFoldResult number = b.getIndexAttr(0);
  if (hasBlocks())
    number = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(),
        b.getAffineDimExpr(0).floorDiv(contraction.block / order.getChunk()),
        {chunk});
  Block block{
      chunk, {}, loadShared(corrections, number), loadShared(minimums, number)};
  if (hasBlocks())
    block.scales = loadShared(scales, number);
  return block;
}

Value IntegerPanelContraction::getStart(OpFoldResult vector, const Block &block,
                                        int64_t part) {
  if (!activations.hasCorrection())
    return {};
  Value start = broadcastActivation(activations.inputSums, vector, block.chunk);
  if (!block.corrections.empty())
    start = arith::MulIOp::create(b, start, block.corrections[part]);
  return start;
}

Value IntegerPanelContraction::accumulateBlock(Value accumulator, Value sum,
                                               OpFoldResult vector,
                                               const Block &block,
                                               int64_t part) {
  Value factor = broadcastActivation(activations.scales, vector, block.chunk);
  if (!block.scales.empty())
    factor = multiply(factor, block.scales[part]);
  sum = arith::SIToFPOp::create(b, vectorOf(lanes, b.getF32Type()), sum);
  accumulator = accumulate(accumulator, sum, factor);
  if (!block.minimums.empty())
    accumulator = accumulate(
        accumulator, block.minimums[part],
        broadcastActivation(activations.scaledSums, vector, block.chunk));
  return accumulator;
}

void IntegerPanelContraction::storeVector(OpFoldResult vector,
                                          OpFoldResult first, int64_t columns,
                                          ValueRange accumulators) {
  OpOperand *init = op.getDpsInitOperand(0);
  AffineMap map = op.getMatchingIndexingMap(init);
  bool isContiguous =
      map.getResults().back() == b.getAffineDimExpr(contraction.channel);
  OpBuilder::InsertionGuard guard(b);
  OpFoldResult vectors = getVectors();
  std::optional<int64_t> count = getConstantIntValue(vectors);
  if (!count || *count % tile.vectors != 0) {
    Value isInBounds = arith::CmpIOp::create(b, arith::CmpIPredicate::ult,
                                             toValue(vector), toValue(vectors));
    auto branch = scf::IfOp::create(b, isInBounds, /*withElse=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  selectVector(vector);
  position[contraction.depth] = b.getIndexAttr(0);
  SmallVector<Value> channelScales;
  if (!hasBlocks())
    channelScales = loadShared(scales, b.getIndexAttr(0));
  for (auto [part, value] : llvm::enumerate(accumulators)) {
    int64_t from = part * lanes, count = std::min(lanes, columns - from);
    if (count <= 0)
      break;
    if (!channelScales.empty())
      value = multiply(channelScales[part], value);
    if (isContiguous) {
      position[contraction.channel] = plus(first, from);
      vector::StoreOp::create(b, add(load(init, count), slice(value, 0, count)),
                              init->get(), getIndices(init));
      continue;
    }
    for (int64_t lane = 0; lane < count; ++lane) {
      position[contraction.channel] = plus(first, from + lane);
      memref::StoreOp::create(
          b, add(load(init), vector::ExtractOp::create(b, value, lane)),
          init->get(), getIndices(init));
    }
  }
}

void IntegerPanelContraction::prefetchPanel(OpFoldResult first,
                                            OpFoldResult firstVector,
                                            Value chunk) {
  constexpr int64_t maxChannels = 4;
  int64_t channels = maxChannels;
  if (ShapedType::isStatic(contraction.vectors)) {
    int64_t tiles = llvm::divideCeil(contraction.vectors, tile.vectors);
    channels = std::min<int64_t>(channels,
                                 llvm::divideCeil(tile.parts * lanes, tiles));
  }
  AffineExpr d0, d1;
  bindDims(b.getContext(), d0, d1);
  position[contraction.depth] = times(chunk, order.getChunk());
  for (int64_t i = 0; i < channels; ++i) {
    position[contraction.channel] = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), d0 + d1.floorDiv(tile.vectors) * channels + i,
        {first, firstVector});
    prefetch(0);
  }
}

void IntegerPanelContraction::emitTile(OpFoldResult firstVector,
                                       OpFoldResult first, int64_t columns) {
  SmallVector<Value> zeros(tile.vectors * tile.parts, splat(0, lanes));
  auto loop =
      scf::ForOp::create(b, index(0), index(getChunks()), index(1), zeros);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    prefetchPanel(plus(first, columns), firstVector, loop.getInductionVar());
    scf::YieldOp::create(b, emitBlock(firstVector,
                                      getBlock(loop.getInductionVar()),
                                      loop.getRegionIterArgs()));
  }
  for (int64_t i = 0; i < tile.vectors; ++i)
    storeVector(plus(firstVector, i), first, columns,
                loop.getResults().slice(i * tile.parts, tile.parts));
}

Value IntegerPanelContraction::broadcastX(OpFoldResult vector, Value chunk,
                                          unsigned number, int64_t group) {
  VectorType field = getFieldType();
  int64_t count = 32 / dots.getWidth();
  Value packed = vector::LoadOp::create(
      b, vectorOf(count, field.getElementType()), activations.packed,
      ValueRange{toValue(vector), chunk, index(number), index(group * count)});
  packed = vector::BitCastOp::create(b, vectorOf(1, b.getI32Type()), packed);
  return vector::BitCastOp::create(
      b, field, broadcast(vector::ExtractOp::create(b, packed, 0), lanes));
}

SmallVector<Value> IntegerPanelContraction::emitBlock(OpFoldResult firstVector,
                                                      const Block &block,
                                                      ValueRange accumulators) {
  SmallVector<Value> sums;
  for (int64_t i = 0; i < tile.vectors; ++i)
    for (int64_t part = 0; part < tile.parts; ++part) {
      Value start = getStart(plus(firstVector, i), block, part);
      sums.push_back(
          start ? start
                : arith::ConstantOp::create(
                      b, b.getZeroAttr(vectorOf(lanes, b.getI32Type()))));
    }

  int64_t each = std::clamp<int64_t>(dots.getMaxFields() / dots.getFields(), 1,
                                     getGroups());
  for (int64_t from = 0; from < getGroups(); from += each) {
    int64_t to = std::min(from + each, getGroups());
    SmallVector<SmallVector<Value>> weights(tile.parts);
    for (int64_t group = from; group < to; ++group)
      for (unsigned number = 0; number < dots.getFields(); ++number)
        for (int64_t part = 0; part < tile.parts; ++part)
          weights[part].push_back(vector::LoadOp::create(
              b, getFieldType(), fields,
              ValueRange{task, block.chunk, index(number), index(group),
                         index(part), index(0)}));
    for (int64_t i = 0; i < tile.vectors; ++i) {
      SmallVector<Value> x;
      for (int64_t group = from; group < to; ++group)
        for (unsigned number = 0; number < dots.getFields(); ++number)
          x.push_back(
              broadcastX(plus(firstVector, i), block.chunk, number, group));
      for (int64_t part = 0; part < tile.parts; ++part) {
        Value &sum = sums[i * tile.parts + part];
        sum = dots.add(b, sum, weights[part], x);
      }
    }
  }

  SmallVector<Value> results;
  for (int64_t i = 0; i < tile.vectors; ++i)
    for (int64_t part = 0; part < tile.parts; ++part) {
      int64_t number = i * tile.parts + part;
      results.push_back(accumulateBlock(accumulators[number], sums[number],
                                        plus(firstVector, i), block, part));
    }
  return results;
}

std::unique_ptr<WeightContractionLoops>
quant_float::makeIntegerPanelContraction(const WeightContraction &contraction,
                                         const ReductionSchedule &order,
                                         const LoweringTarget &target,
                                         bool parallel) {
  return std::make_unique<IntegerPanelContraction>(contraction, order, target,
                                                   parallel);
}
