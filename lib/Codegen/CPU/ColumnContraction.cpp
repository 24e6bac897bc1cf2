//===- ColumnContraction.cpp - Contract channel-contiguous weights --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/WeightContractionLoops.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
class ColumnContraction final : public WeightContractionLoops {
public:
  using WeightContractionLoops::WeightContractionLoops;
  void emit() override;

private:
  int64_t getTile() const {
    if (terms)
      return lanes * terms->getCount();
    int64_t registers = 8;
    return lanes * std::max<int64_t>(registers / contraction.vectors, 1);
  }
  void emitBlocks(OpFoldResult first, int64_t columns);
  void emitTile(OpFoldResult first, int64_t columns, OpFoldResult from,
                int64_t depth, ValueRange inputSums);
  SmallVector<Value> decode(int64_t columns);
  /// Concatenates the channels of the vectors. If they are decoded by terms,
  /// interleaves them to channel order.
  Value merge(ValueRange vectors, int64_t columns);
  /// Emits a value of the body for `columns` channels at the current position.
  Value buildShared(Value value, int64_t columns);
};
} // namespace

void ColumnContraction::emit() {
  int64_t tile = getTile(), channels = contraction.getChannels();
  int64_t panel = parallel ? std::max<int64_t>(512 / tile, 1) * tile : channels;
  forEach(channels / panel, parallel, [&](OpFoldResult number) {
    emitBlocks(times(number, panel), panel);
  });
  if (int64_t rest = channels % panel)
    emitBlocks(b.getIndexAttr(channels - rest), rest);
}

/// Emits all blocks of K for a group of channels.
void ColumnContraction::emitBlocks(OpFoldResult first, int64_t columns) {
  auto emitBlock = [&](OpFoldResult from, int64_t depth) {
    // Corrections for the offset and the zero point need the sum of x over the
    // block, for each vector.
    SmallVector<Value> inputSums;
    if (needsInputSums())
      for (int64_t vector = 0; vector < contraction.vectors; ++vector) {
        auto loop =
            scf::ForOp::create(b, index(0), index(depth), index(1), number(0));
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        AffineExpr d0, d1;
        bindDims(b.getContext(), d0, d1);
        position[contraction.depth] = affine::makeComposedFoldedAffineApply(
            b, b.getLoc(), d0 + d1, {from, loop.getInductionVar()});
        scf::YieldOp::create(b, add(loop.getRegionIterArg(0), x(vector)));
        inputSums.push_back(loop.getResult(0));
      }
    int64_t tile = getTile();
    forEach(columns / tile, false, [&](OpFoldResult number) {
      AffineExpr d0, d1;
      bindDims(b.getContext(), d0, d1);
      emitTile(affine::makeComposedFoldedAffineApply(
                   b, b.getLoc(), d0 + d1 * tile, {first, number}),
               tile, from, depth, inputSums);
    });
    if (int64_t rest = columns % tile)
      emitTile(plus(first, columns - rest), rest, from, depth, inputSums);
  };
  int64_t block = order.terms, depth = contraction.getDepth();
  forEach(depth / block, false,
          [&](OpFoldResult number) { emitBlock(times(number, block), block); });
  if (int64_t rest = depth % block)
    emitBlock(b.getIndexAttr(depth - rest), rest);
}

SmallVector<Value> ColumnContraction::decode(int64_t columns) {
  if (terms)
    return terms->decode(b, loadPacked(columns));
  SmallVector<Value> results;
  OpFoldResult first = position[contraction.channel];
  int64_t together = getDecoded();
  for (int64_t from = 0; from < columns; from += together) {
    int64_t count = std::min(together, columns - from);
    position[contraction.channel] = plus(first, from);
    Value value = toFloat(buildShared(contraction.decoded, count));
    if (contraction.point)
      value = arith::SubFOp::create(
          b, value, toFloat(buildShared(contraction.point, count)));
    for (int64_t lane = 0; lane < count; lane += lanes)
      results.push_back(slice(value, lane, std::min(lanes, count - lane)));
  }
  position[contraction.channel] = first;
  return results;
}

Value ColumnContraction::buildShared(Value value, int64_t columns) {
  BodySlice slice(
      b, op,
      [&](OpOperand *operand) -> Value {
        bool varies = op.getMatchingIndexingMap(operand).isFunctionOfDim(
            contraction.channel);
        return varies ? load(operand, columns) : load(operand);
      },
      [&](unsigned loop) { return getIndex(loop); });
  return broadcast(slice.build(value), columns);
}

/// Element t of lane l is channel l * terms + t. Pairs of vectors that are half
/// of the terms apart are interleaved until one vector remains.
Value ColumnContraction::merge(ValueRange vectors, int64_t columns) {
  SmallVector<Value> interleaved(vectors);
  while (interleaved.size() > 1) {
    size_t half = interleaved.size() / 2;
    for (size_t i = 0; i < half; ++i)
      interleaved[i] = vector::InterleaveOp::create(b, interleaved[i],
                                                    interleaved[half + i]);
    interleaved.resize(half);
  }
  if (columns == getTile())
    return interleaved.front();
  return vector::ExtractStridedSliceOp::create(b, interleaved.front(), 0,
                                               columns, 1);
}

void ColumnContraction::emitTile(OpFoldResult first, int64_t columns,
                                 OpFoldResult from, int64_t depth,
                                 ValueRange inputSums) {
  OpOperand *init = op.getDpsInitOperand(0);
  int64_t each = terms ? terms->getCount() : llvm::divideCeil(columns, lanes);
  auto getCount = [&](int64_t number) {
    return terms ? lanes : std::min(lanes, columns - number * lanes);
  };
  SmallVector<Value> partial;
  for (int64_t vector = 0; vector < contraction.vectors; ++vector)
    for (int64_t i = 0; i < each; ++i)
      partial.push_back(splat(0, getCount(i)));
  auto loop = scf::ForOp::create(b, index(0), index(depth), index(1), partial);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    AffineExpr d0, d1;
    bindDims(b.getContext(), d0, d1);
    position[contraction.channel] = first;
    position[contraction.depth] = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), d0 + d1, {from, loop.getInductionVar()});
    for (int64_t byte = 0; byte < columns * contraction.bits / 8;
         byte += kLineBytes)
      prefetch((4 * kLineBytes + byte) * 8 / contraction.bits);
    SmallVector<Value> decoded = decode(columns);
    SmallVector<Value> next;
    for (int64_t vector = 0; vector < contraction.vectors; ++vector) {
      Value factor = x(vector);
      for (int64_t i = 0; i < each; ++i)
        next.push_back(accumulate(loop.getRegionIterArg(vector * each + i),
                                  decoded[i], broadcast(factor, getCount(i))));
    }
    scf::YieldOp::create(b, next);
  }
  ValueRange all = loop.getResults();
  position[contraction.depth] = from;
  auto finish = [&](Value accumulator, OpFoldResult columnIndex, int64_t count,
                    int64_t vector) {
    position[contraction.channel] = columnIndex;
    if (needsInputSums()) {
      Value point = contraction.point
                        ? toFloat(buildShared(contraction.point, count))
                        : Value();
      accumulator = accumulate(accumulator, getCorrection(point, count),
                               broadcast(inputSums[vector], count));
    }
    if (terms && contraction.values.unit != 1)
      accumulator =
          multiply(accumulator, splat(contraction.values.unit, count));
    if (contraction.scale)
      accumulator =
          multiply(toFloat(buildShared(contraction.scale, count)), accumulator);
    selectVector(vector);
    SmallVector<Value> indices = getIndices(init);
    Value before = load(init, count);
    vector::StoreOp::create(b, add(before, accumulator), init->get(), indices);
  };
  for (int64_t vector = 0; vector < contraction.vectors; ++vector) {
    SmallVector<Value> own(all.slice(vector * each, each));
    if (!terms) {
      for (int64_t i = 0; i < each; ++i)
        finish(own[i], plus(first, i * lanes), getCount(i), vector);
      continue;
    }
    for (int64_t i = 0; i < each; ++i)
      if (int exponent = terms->getExponent(i))
        own[i] = multiply(own[i], splat(std::ldexp(1.0, -exponent), lanes));
    finish(merge(own, columns), first, columns, vector);
  }
}

std::unique_ptr<WeightContractionLoops> quant_float::makeColumnContraction(
    const WeightContraction &contraction, const ReductionSchedule &order,
    const LoweringTarget &target, bool parallel) {
  return std::make_unique<ColumnContraction>(contraction, order, target,
                                             parallel);
}
