//===- TileContractions.cpp - Tile contractions and decode weights --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/LinalgUtils.h"
#include "../Common/WeightContraction.h"
#include "DotProductInstructions.h"
#include "TileCleanup.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/TransposeConstant.h"
#include "quant-float/Support/Indices.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATTILECONTRACTIONSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-tile-contractions"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

namespace {
/// A contraction whose operand `weights` is decoded in its tile loops, one
/// panel at a time.
struct Panels {
  GenericOp contraction;
  OpOperand *weights;
  /// The loop over output channels, which only the weights have, and a
  /// reduction loop, with their tile sizes.
  unsigned channel, reduction;
  int64_t channelTile, reductionTile;
  /// Loops that all operands share, such as heads, which get tile size 1.
  SmallVector<unsigned> batches = {};
};
} // namespace

/// Whether the op reads elements of at most 8 bits.
static bool readsQuantized(GenericOp op) {
  return llvm::any_of(op.getDpsInputs(), [](Value input) {
    Type type = getElementTypeOrSelf(input);
    return isa<RankedTensorType>(input.getType()) && type.isIntOrFloat() &&
           type.getIntOrFloatBitWidth() <= 8;
  });
}

/// Whether the value is a weight, or is computed from weights element by
/// element, as scales are whose factors are quantized.
static bool isWeightOrScale(Value value) {
  auto producer = value.getDefiningOp<GenericOp>();
  return producer ? isElementwiseOnTensors(producer) &&
                        llvm::all_of(producer.getDpsInputs(), isWeight)
                  : isWeight(value);
}

/// Returns the op that decodes the weights for `operand`, if it has no other
/// user; null otherwise.
static GenericOp getDecoder(OpOperand &operand) {
  auto producer = operand.get().getDefiningOp<GenericOp>();
  if (!producer || !isElementwiseOnTensors(producer) ||
      producer->getNumResults() != 1 || !producer->hasOneUse() ||
      !(cast<RankedTensorType>(operand.get().getType()).hasStaticShape() ||
        readsQuantized(producer)) ||
      !producer.getMatchingIndexingMap(producer.getDpsInitOperand(0))
           .isPermutation())
    return {};
  return llvm::all_of(producer.getDpsInputs(), isWeightOrScale) ? producer
                                                                : GenericOp();
}

/// Returns the least common multiple of the block sizes along `dim` in the
/// producer's maps. Tiles contain full blocks.
static int64_t getBlock(GenericOp producer, unsigned dim) {
  int64_t block = 1;
  for (AffineMap map : producer.getIndexingMapsArray())
    map.walkExprs([&](AffineExpr expression) {
      std::optional<BlockIndex> index = getBlockIndex(expression);
      if (index && index->position.isFunctionOfDim(dim))
        block = std::lcm(block, index->size);
    });
  return block;
}

/// Returns a tile size of about `target`, a multiple of `block`. Prefers
/// divisors of `extent`, and among these multiples of the vector size, so that
/// there is no remainder.
static int64_t chooseTile(int64_t extent, int64_t target, int64_t block) {
  target = std::max<int64_t>(target, 1);
  int64_t tile = llvm::divideCeil(target, block) * block;
  if (ShapedType::isDynamic(extent))
    return tile;
  if (extent <= target)
    return extent;
  for (int64_t multiple : {16, 8, 1})
    for (int64_t smaller = tile; 2 * smaller > tile; smaller -= block)
      if (extent % smaller == 0 && smaller % multiple == 0)
        return smaller;
  return std::min(tile, extent);
}

static bool haveEqualSteps(GenericOp op, unsigned loop) {
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return llvm::all_of(map.getResults(), [&](AffineExpr index) {
      return hasEqualSteps(index, loop);
    });
  });
}

/// Whether the operand is a weight that needs no decoding.
static bool isPlainWeights(OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  return type && type.hasStaticShape() && isWeight(operand.get());
}

/// Whether channels are innermost in the output, but not in the weights.
static bool isTransposed(GenericOp op, OpOperand *weights, unsigned channel) {
  AffineMap output = op.getIndexingMapsArray().back();
  AffineMap map = op.getMatchingIndexingMap(weights);
  return output.getNumResults() &&
         getLoop(output.getResults().back()) == channel &&
         getLoop(map.getResults().back()) != channel;
}

/// Returns the number of output elements per channel; dynamic sizes count as 1.
static int64_t countRows(GenericOp op, unsigned channel) {
  int64_t rows = 1;
  for (auto [loop, range, iterator] :
       llvm::enumerate(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (loop != channel && iterator == utils::IteratorType::parallel &&
        !ShapedType::isDynamic(range))
      rows *= range;
  return rows;
}

/// Whether tiling a reduction loop preserves the results. Results of integers
/// do not depend on the accumulation order. If no reduction loop surrounds the
/// tiled one, tiling does not change the order.
static bool canSplitReduction(GenericOp op, unsigned loop) {
  if (getElementTypeOrSelf(op.getResult(0)).isInteger())
    return true;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  return llvm::none_of(reductions, [&](unsigned outer) {
    return outer < loop && op.getStaticLoopRanges()[outer] != 1;
  });
}

/// Matches a contraction with an operand that is a weight: it is indexed by a
/// channel loop that no other operand has, and by a reduction loop. If several
/// operands match, chooses the one of at most 8 bits, else the larger one.
static std::optional<Panels> match(GenericOp op) {
  // The number of elements of a panel: as f32, a quarter of a typical L2
  // cache.
  constexpr int64_t kPanelElements = 16384;
  constexpr int64_t kChannels = 64;
  constexpr int64_t kRows = 32;
  std::optional<Contraction> contraction = Contraction::get(op);
  // There may be nothing to compute.
  if (!contraction || !op.hasPureTensorSemantics() ||
      op.getNumDpsInputs() < 2 || contraction->isEmpty())
    return std::nullopt;
  // Tiling the reduction would change the accumulation order.
  if (op->hasAttr(kReductionScheduleAttrName)) {
    LDBG() << "keeping the reduction schedule at " << op.getLoc();
    return std::nullopt;
  }
  ArrayRef<int64_t> ranges = contraction->ranges;
  AffineMap output = op.getIndexingMapsArray().back();
  std::optional<Panels> found;
  std::pair<bool, int64_t> best(false, 0);
  for (OpOperand *weights : op.getDpsInputOperands()) {
    GenericOp decoder = getDecoder(*weights);
    bool isPlain = !decoder && isPlainWeights(*weights);
    if (!decoder && !isPlain)
      continue;
    AffineMap map = op.getMatchingIndexingMap(weights);
    if (!llvm::all_of(map.getResults(), getLoop))
      continue;
    // A lower bound of the size. Caches of keys and values may grow.
    auto getLeast = [&](unsigned loop) {
      return ShapedType::isDynamic(ranges[loop]) ? 1 : ranges[loop];
    };
    std::optional<unsigned> channel, reduction;
    bool canTile = true;
    SmallVector<unsigned> batches;
    int64_t channelBlock = 1, reductionBlock = 1, total = 1, column = 1;
    AffineMap decoded =
        decoder ? decoder.getMatchingIndexingMap(decoder.getDpsInitOperand(0))
                : AffineMap::getMultiDimIdentityMap(map.getNumResults(),
                                                    op.getContext());
    for (auto [index, expression] : llvm::enumerate(map.getResults())) {
      std::optional<unsigned> loop = getLoop(expression);
      total *= getLeast(*loop);
      int64_t block =
          decoder ? getBlock(decoder, decoded.getDimPosition(index)) : 1;
      // The loop cannot be tiled if an index does not advance in equal steps.
      if (!haveEqualSteps(op, *loop)) {
        if (ShapedType::isDynamic(ranges[*loop])) {
          canTile = false;
          break;
        }
        block = ranges[*loop];
      }
      if (output.isFunctionOfDim(*loop)) {
        if (!channel && getInputsAlong(op, *loop).size() == 1) {
          channel = loop;
          channelBlock = block;
          continue;
        }
        if (contraction->op.hasOnlyProjectedPermutations()) {
          batches.push_back(*loop);
          continue;
        }
      } else if (!reduction || ShapedType::isDynamic(ranges[*loop]) ||
                 ranges[*loop] > ranges[*reduction]) {
        if (reduction)
          column *= getLeast(*reduction);
        reduction = loop;
        reductionBlock = block;
        continue;
      }
      column *= getLeast(*loop);
    }
    if (!channel || !reduction || !canTile)
      continue;
    // Packed weights are loaded as vectors along the output's rows; other
    // operands are loaded element by element.
    if (op->hasAttr(kPackedOperandsAttrName) &&
        getLoop(output.getResults().back()) != channel)
      continue;
    // Transposing weights is profitable only for many rows.
    if (isPlain && (!isTransposed(op, weights, *channel) ||
                    countRows(op, *channel) < kRows))
      continue;
    std::pair<bool, int64_t> size(decoder && readsQuantized(decoder), total);
    if (size <= best)
      continue;
    best = size;
    Panels &panels =
        found.emplace(Panels{op, weights, *channel, *reduction, 0, 0, batches});
    int64_t channels = ranges[*channel], depth = ranges[*reduction];
    panels.channelTile = chooseTile(channels, kChannels, channelBlock);
    // Contractions of packed operands are so fast that panels must fit into the
    // L1 cache.
    int64_t panel = op->hasAttr(kPackedOperandsAttrName) ? kPanelElements / 2
                                                         : kPanelElements;
    bool canSplit = canSplitReduction(op, *reduction);
    panels.reductionTile =
        canSplit
            ? chooseTile(depth,
                         panel /
                             std::max<int64_t>(panels.channelTile * column, 1),
                         reductionBlock)
            : depth;
    // Split small weights as well, so that the decoded weights never exist
    // entirely.
    if (panels.channelTile == channels && panels.reductionTile == depth) {
      if (canSplit && depth > reductionBlock)
        panels.reductionTile =
            chooseTile(depth, llvm::divideCeil(depth, 2), reductionBlock);
      else
        panels.channelTile =
            chooseTile(channels, llvm::divideCeil(channels, 2), channelBlock);
    }
  }
  return found;
}

/// Inserts a decoder that copies the elements, for weights that are only
/// transposed.
static void insertDecoder(RewriterBase &rewriter, Panels &panels) {
  Value weights = panels.weights->get();
  auto type = cast<RankedTensorType>(weights.getType());
  Location loc = panels.contraction.getLoc();
  rewriter.setInsertionPoint(panels.contraction);
  Value empty = tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                        type.getElementType());
  SmallVector<AffineMap> maps(2,
                              rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  auto decoder = GenericOp::create(
      rewriter, loc, type, weights, empty, maps, iterators,
      [](OpBuilder &builder, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(builder, loc, arguments.front());
      });
  rewriter.modifyOpInPlace(panels.contraction,
                           [&] { panels.weights->set(decoder->getResult(0)); });
}

/// Makes the decoder write panels with the channels innermost, (k, n) instead
/// of (n, k), so that the contraction loads vectors.
static void transposePanel(RewriterBase &rewriter, Panels &panels) {
  GenericOp op = panels.contraction;
  if (!isTransposed(op, panels.weights, panels.channel))
    return;
  AffineMap map = op.getMatchingIndexingMap(panels.weights);
  SmallVector<unsigned> order;
  unsigned position = 0;
  for (unsigned i = 0, e = map.getNumResults(); i < e; ++i)
    if (getLoop(map.getResult(i)) == panels.channel)
      position = i;
    else
      order.push_back(i);
  order.push_back(position);

  auto decoder = panels.weights->get().getDefiningOp<GenericOp>();
  Value init = decoder.getDpsInitOperand(0)->get();
  rewriter.setInsertionPoint(decoder);
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, decoder.getLoc(), init);
  SmallVector<OpFoldResult> permutedSizes = llvm::map_to_vector(
      order, [&](unsigned position) { return sizes[position]; });
  Value empty = tensor::EmptyOp::create(
      rewriter, decoder.getLoc(), permutedSizes, getElementTypeOrSelf(init));
  SmallVector<AffineMap> maps = decoder.getIndexingMapsArray();
  maps.back() = maps.back().getSubMap(order);
  auto transposed =
      GenericOp::create(rewriter, decoder.getLoc(), empty.getType(),
                        SmallVector<Value>(decoder.getDpsInputs()), empty, maps,
                        decoder.getIteratorTypesArray());
  transposed->setDiscardableAttrs(decoder->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(decoder.getRegion(), transposed.getRegion(),
                              transposed.getRegion().begin());
  SmallVector<AffineMap> users = op.getIndexingMapsArray();
  users[panels.weights->getOperandNumber()] = map.getSubMap(order);
  rewriter.modifyOpInPlace(op, [&] {
    panels.weights->set(transposed->getResult(0));
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(users));
  });
  rewriter.eraseOp(decoder);
}

/// Transposes weights of two dimensions at compile time, if they are a constant
/// without other users.
static bool transposeConstantWeights(RewriterBase &rewriter,
                                     const Panels &panels) {
  GenericOp op = panels.contraction;
  Value weights = panels.weights->get();
  AffineMap map = op.getMatchingIndexingMap(panels.weights);
  ElementsAttr elements;
  if (map.getNumResults() != 2 || !weights.hasOneUse() ||
      !matchPattern(weights, m_Constant(&elements)) ||
      !(elements = transposeConstant(elements)))
    return false;
  rewriter.setInsertionPoint(op);
  Value transposed =
      createConstant(rewriter, weights.getLoc(), cast<TypedAttr>(elements));
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[panels.weights->getOperandNumber()] = map.getSubMap({1, 0});
  rewriter.modifyOpInPlace(op, [&] {
    panels.weights->set(transposed);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
  rewriter.eraseOp(weights.getDefiningOp());
  return true;
}

/// Separates a decoder that transposes packed elements or elements with scales
/// of blocks into one that decodes in the order of memory, with vectors, and
/// one that transposes its results. Otherwise it would load single elements.
static void separateTranspose(RewriterBase &rewriter, Panels &panels) {
  auto decoder = panels.weights->get().getDefiningOp<GenericOp>();
  SmallVector<AffineMap> maps = decoder.getIndexingMapsArray();
  AffineMap output = maps.back(), memory;
  bool hasVectors = true;
  for (OpOperand *input : decoder.getDpsInputOperands()) {
    AffineMap map = decoder.getMatchingIndexingMap(input);
    if (map.isPermutation())
      memory = map;
    hasVectors &= !hasPackedElements(input->get()) &&
                  llvm::all_of(map.getResults(), llvm::IsaPred<AffineDimExpr>);
  }
  if (!memory || hasVectors || memory.getNumResults() == 0 ||
      memory.getResults().back() == output.getResults().back())
    return;
  Location loc = decoder.getLoc();
  rewriter.setInsertionPoint(decoder);
  Value init = decoder.getDpsInitOperand(0)->get();
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, init);
  SmallVector<OpFoldResult> permutedSizes;
  for (AffineExpr index : memory.getResults())
    permutedSizes.push_back(sizes[*output.getResultPosition(index)]);
  Value empty = tensor::EmptyOp::create(rewriter, loc, permutedSizes,
                                        getElementTypeOrSelf(init));
  maps.back() = memory;
  SmallVector<utils::IteratorType> loops = decoder.getIteratorTypesArray();
  auto inOrder = GenericOp::create(rewriter, loc, empty.getType(),
                                   SmallVector<Value>(decoder.getDpsInputs()),
                                   empty, maps, loops);
  inOrder->setDiscardableAttrs(decoder->getDiscardableAttrDictionary());
  rewriter.inlineRegionBefore(decoder.getRegion(), inOrder.getRegion(),
                              inOrder.getRegion().begin());
  rewriter.replaceOpWithNewOp<GenericOp>(
      decoder, init.getType(), inOrder->getResult(0), init,
      ArrayRef<AffineMap>{memory, output}, loops,
      [](OpBuilder &builder, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(builder, loc, arguments.front());
      });
}

/// Whether the op computes the weights: the decoder, or the one before it if
/// the decoder only transposes.
static bool isPartOfDecoder(Operation *producer, Value weights) {
  auto decoder = weights.getDefiningOp<GenericOp>();
  return producer == decoder ||
         (llvm::hasSingleElement(*decoder.getBody()) &&
          decoder.getNumDpsInputs() == 1 &&
          producer == decoder.getInputs()[0].getDefiningOp<GenericOp>());
}

/// Whether to distribute the panels of channels among threads. Waking threads
/// takes as long as some ten thousand multiplications.
static bool isWorthThreads(const Panels &panels) {
  constexpr int64_t kMinSteps = 1 << 19, kRows = 4;
  GenericOp op = panels.contraction;
  int64_t steps = 1;
  for (int64_t range : op.getStaticLoopRanges())
    steps = std::min(kMinSteps,
                     steps * std::min(kMinSteps, ShapedType::isDynamic(range)
                                                     ? kRows
                                                     : range));
  int64_t channels = op.getStaticLoopRanges()[panels.channel];
  return steps >= kMinSteps && !ShapedType::isDynamic(channels) &&
         channels > panels.channelTile && channels % panels.channelTile == 0 &&
         !op->getParentOfType<scf::ForallOp>();
}

/// Creates a parallel loop over panels of channels, and replaces the
/// contraction by the one in the loop.
static LogicalResult distribute(RewriterBase &rewriter, Panels &panels) {
  GenericOp op = panels.contraction;
  SmallVector<OpFoldResult> sizes(op.getNumLoops(), rewriter.getIndexAttr(0));
  sizes[panels.channel] = rewriter.getIndexAttr(panels.channelTile);
  scf::SCFTilingOptions options;
  options.setTileSizes(sizes);
  options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  unsigned weights = panels.weights->getOperandNumber();
  Value decoded = panels.weights->get();
  FailureOr<scf::SCFTileAndFuseResult> tiled = tileAndFuse(
      rewriter, op, options,
      [&](tensor::ExtractSliceOp, OpResult producer, bool isInit) {
        return !isInit && isPartOfDecoder(producer.getOwner(), decoded);
      });
  if (failed(tiled))
    return failure();
  panels.contraction = cast<GenericOp>(tiled->tiledAndFusedOps.front());
  panels.weights = &panels.contraction->getOpOperand(weights);
  widenSlices(rewriter, panels.contraction,
              [&](unsigned loop) { return loop == panels.channel; });
  return success();
}

/// Tiles the contraction by panels that are not distributed, and decodes the
/// weights in the loops.
static LogicalResult tile(RewriterBase &rewriter, const Panels &panels) {
  GenericOp op = panels.contraction;
  SmallVector<OpFoldResult> sizes(op.getNumLoops(), rewriter.getIndexAttr(0));
  if (panels.channelTile != op.getStaticLoopRanges()[panels.channel])
    sizes[panels.channel] = rewriter.getIndexAttr(panels.channelTile);
  // A loop that is not split may have indices with unequal steps.
  if (panels.reductionTile != op.getStaticLoopRanges()[panels.reduction])
    sizes[panels.reduction] = rewriter.getIndexAttr(panels.reductionTile);
  for (unsigned loop : panels.batches)
    sizes[loop] = rewriter.getIndexAttr(1);
  if (llvm::all_of(sizes, isZeroInteger))
    return success();
  Value decoded = panels.weights->get();
  FailureOr<scf::SCFTileAndFuseResult> tiled = tileAndFuse(
      rewriter, op, scf::SCFTilingOptions().setTileSizes(sizes),
      [&](tensor::ExtractSliceOp, OpResult producer, bool isInit) {
        return !isInit && isPartOfDecoder(producer.getOwner(), decoded);
      });
  if (failed(tiled))
    return failure();
  widenSlices(rewriter, cast<GenericOp>(tiled->tiledAndFusedOps.front()),
              [&](unsigned loop) { return !isZeroInteger(sizes[loop]); });
  // Peel the last panel, so that all others have a static size.
  for (LoopLikeOpInterface loop : llvm::reverse(tiled->loops)) {
    scf::ForOp rest;
    if (auto forOp = dyn_cast<scf::ForOp>(loop.getOperation()))
      (void)scf::peelForLoopAndSimplifyBounds(rewriter, forOp, rest);
  }
  return success();
}

namespace {
struct TileContractions final
    : quant_float::impl::QuantFloatTileContractionsPassBase<TileContractions> {
  using QuantFloatTileContractionsPassBase::QuantFloatTileContractionsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    bool changed = false;
    for (GenericOp op : collectGenericOps(getOperation())) {
      std::optional<Panels> panels = match(op);
      if (!panels)
        continue;
      LDBG() << "tiling the contraction at " << op.getLoc() << ": loop "
             << panels->channel << " by " << panels->channelTile << ", loop "
             << panels->reduction << " by " << panels->reductionTile;
      if (!getDecoder(*panels->weights)) {
        if (transposeConstantWeights(rewriter, *panels))
          continue;
        insertDecoder(rewriter, *panels);
      }
      transposePanel(rewriter, *panels);
      separateTranspose(rewriter, *panels);
      if (parallel && isWorthThreads(*panels) &&
          failed(distribute(rewriter, *panels)))
        return signalPassFailure();
      if (failed(tile(rewriter, *panels)))
        return signalPassFailure();
      ++numTiled;
      changed = true;
    }
    if (changed && failed(cleanUpTiles(getOperation())))
      signalPassFailure();
  }
};
} // namespace
