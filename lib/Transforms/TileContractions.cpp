//===- TileContractions.cpp - Weights decoded panel by panel --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IntegerDots.h"
#include "TileCleanup.h"
#include "WeightProduct.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Support/Indices.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATTILECONTRACTIONSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

namespace {
/// A contraction whose operand `weights` is decoded as it is used.
struct Panels {
  GenericOp contraction;
  OpOperand *weights;
  /// The loop that the weights alone have, output channels, and a reduction.
  unsigned channel, reduction;
  int64_t channelTile, reductionTile;
  /// Loops of products, such as heads, that share nothing: one at a time.
  SmallVector<unsigned> batches = {};
};
} // namespace

static bool isElementwise(GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumLoops() > 0 &&
         op.getNumParallelLoops() == op.getNumLoops() &&
         op->getNumResults() == 1;
}

/// Whether the values come from the model or the caller as they are: weights,
/// unlike what the network computes. Caches to which it adds count, too.
static bool isGiven(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (op->hasTrait<OpTrait::ConstantLike>())
      return true;
    if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
      if (isGiven(insert.getSource()))
        return true;
      value = insert.getDest();
      continue;
    }
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return true;
}

/// Whether the op reads elements of 8 bits or less.
static bool readsCodes(GenericOp op) {
  return llvm::any_of(op.getDpsInputs(), [](Value input) {
    Type type = getElementTypeOrSelf(input);
    return isa<RankedTensorType>(input.getType()) && type.isIntOrFloat() &&
           type.getIntOrFloatBitWidth() <= 8;
  });
}

/// The op that decodes weights into `operand`, which nothing else reads.
static GenericOp getDecoder(OpOperand &operand) {
  auto producer = operand.get().getDefiningOp<GenericOp>();
  if (!producer || !isElementwise(producer) || !producer->hasOneUse() ||
      !(cast<RankedTensorType>(operand.get().getType()).hasStaticShape() ||
        readsCodes(producer)) ||
      !producer.getMatchingIndexingMap(producer.getDpsInitOperand(0))
           .isPermutation())
    return {};
  return llvm::all_of(producer.getDpsInputs(), isGiven) ? producer
                                                        : GenericOp();
}

/// Sizes of blocks along `dim` in the producer's maps, so that tiles hold whole
/// blocks.
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

/// About `wanted` of `extent`, in whole blocks; a divisor where there is a
/// good one, best one that vectors divide, so that nothing is left at the end.
static int64_t chooseTile(int64_t extent, int64_t wanted, int64_t block) {
  wanted = std::max<int64_t>(wanted, 1);
  int64_t tile = llvm::divideCeil(wanted, block) * block;
  if (ShapedType::isDynamic(extent))
    return tile;
  if (extent <= wanted)
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

/// Weights that are read as they are.
static bool isPlainWeights(OpOperand &operand) {
  auto type = dyn_cast<RankedTensorType>(operand.get().getType());
  return type && type.hasStaticShape() && isGiven(operand.get());
}

/// Whether the output has the channels innermost, and the weights have not.
static bool isTransposed(GenericOp op, OpOperand *weights, unsigned channel) {
  AffineMap output = op.getIndexingMapsArray().back();
  AffineMap map = op.getMatchingIndexingMap(weights);
  return output.getNumResults() &&
         getLoop(output.getResults().back()) == channel &&
         getLoop(map.getResults().back()) != channel;
}

/// Elements of the output for each channel, as far as the types tell.
static int64_t countOtherRows(GenericOp op, unsigned channel) {
  int64_t rows = 1;
  for (auto [loop, range, iterator] :
       llvm::enumerate(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (loop != channel && iterator == utils::IteratorType::parallel &&
        !ShapedType::isDynamic(range))
      rows *= range;
  return rows;
}

/// The op reads weights through loops of its own, at least one for output
/// channels and one that is reduced. Of two such operands, codes or else the
/// larger one are the weights.
static std::optional<Panels> match(GenericOp op) {
  /// Elements of a panel: with f32, a quarter of a typical second-level cache.
  constexpr int64_t kPanel = 16384;
  constexpr int64_t kChannels = 64;
  constexpr int64_t kRows = 32;
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() < 2 ||
      op->getNumResults() != 1 || op.getNumReductionLoops() == 0)
    return std::nullopt;
  // Parts of them would be sums in another order.
  if (op->hasAttr(kSumOrderAttrName))
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  // Nothing to compute is nothing to tile.
  if (llvm::is_contained(ranges, 0))
    return std::nullopt;
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  bool isProduct = llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
    return map.isProjectedPermutation();
  });
  std::optional<Panels> found;
  std::pair<bool, int64_t> most(false, 0);
  for (OpOperand *weights : op.getDpsInputOperands()) {
    GenericOp decoder = getDecoder(*weights);
    bool isPlain = !decoder && isPlainWeights(*weights);
    if (!decoder && !isPlain)
      continue;
    AffineMap map = op.getMatchingIndexingMap(weights);
    auto isElsewhere = [&](unsigned loop) {
      return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *other) {
        return other != weights &&
               op.getMatchingIndexingMap(other).isFunctionOfDim(loop);
      });
    };
    if (!llvm::all_of(map.getResults(), getLoop))
      continue;
    // The least that a size can be; caches grow, and batches do not.
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
      // All of the loop is a block that is whole.
      if (!haveEqualSteps(op, *loop)) {
        if (ShapedType::isDynamic(ranges[*loop])) {
          canTile = false;
          break;
        }
        block = ranges[*loop];
      }
      if (iterators[*loop] == utils::IteratorType::parallel) {
        if (!channel && !isElsewhere(*loop)) {
          channel = loop;
          channelBlock = block;
          continue;
        }
        if (isProduct) {
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
    // Packed numbers are read along the output's rows by vectors, the others
    // one by one.
    if (op->hasAttr(kDotsAttrName) &&
        op.getIndexingMapsArray().back().getResults().back() !=
            getAffineDimExpr(*channel, op.getContext()))
      continue;
    // Turning weights around is worth it for many rows.
    if (isPlain && (!isTransposed(op, weights, *channel) ||
                    countOtherRows(op, *channel) < kRows))
      continue;
    std::pair<bool, int64_t> size(decoder && readsCodes(decoder), total);
    if (size <= most)
      continue;
    most = size;
    Panels &panels =
        found.emplace(Panels{op, weights, *channel, *reduction, 0, 0, batches});
    int64_t channels = ranges[*channel], depth = ranges[*reduction];
    panels.channelTile = chooseTile(channels, kChannels, channelBlock);
    // Products of packed numbers take so little time that panels have to come
    // from the first cache.
    int64_t panel = op->hasAttr(kDotsAttrName) ? kPanel / 2 : kPanel;
    panels.reductionTile = chooseTile(
        depth, panel / std::max<int64_t>(panels.channelTile * column, 1),
        reductionBlock);
    // Even small weights are never whole in memory.
    if (panels.channelTile == channels && panels.reductionTile == depth) {
      if (depth > reductionBlock)
        panels.reductionTile =
            chooseTile(depth, llvm::divideCeil(depth, 2), reductionBlock);
      else
        panels.channelTile =
            chooseTile(channels, llvm::divideCeil(channels, 2), channelBlock);
    }
  }
  return found;
}

/// A decoder that passes the elements on, for weights that only change places.
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

/// Lets the decoder write the loops of the contraction's output innermost, so
/// that the contraction reads vectors: (n, k) becomes (k, n).
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
  SmallVector<OpFoldResult> turned = llvm::map_to_vector(
      order, [&](unsigned position) { return sizes[position]; });
  Value empty = tensor::EmptyOp::create(rewriter, decoder.getLoc(), turned,
                                        getElementTypeOrSelf(init));
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

static LogicalResult tile(RewriterBase &rewriter, const Panels &panels) {
  GenericOp op = panels.contraction;
  SmallVector<OpFoldResult> sizes(op.getNumLoops(), rewriter.getIndexAttr(0));
  sizes[panels.channel] = rewriter.getIndexAttr(panels.channelTile);
  // A loop that is not cut may have unequal steps.
  if (panels.reductionTile != op.getStaticLoopRanges()[panels.reduction])
    sizes[panels.reduction] = rewriter.getIndexAttr(panels.reductionTile);
  for (unsigned loop : panels.batches)
    sizes[loop] = rewriter.getIndexAttr(1);
  Operation *decoder = panels.weights->get().getDefiningOp();
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setTileSizes(sizes);
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult producer, bool isDestination)
          -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (isDestination || producer.getOwner() != decoder)
          return std::nullopt;
        return scf::SCFTileAndFuseOptions::ControlFnResult{};
      });
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return failure();
  rewriter.replaceOp(op, tiled->replacements.lookup(op->getResult(0)));
  widenSlices(rewriter, cast<GenericOp>(tiled->tiledAndFusedOps.front()),
              [&](unsigned loop) { return !isZeroInteger(sizes[loop]); });
  // Panels of one size each, the last one apart.
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
  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    bool changed = false;
    for (GenericOp op : ops) {
      std::optional<Panels> panels = match(op);
      if (!panels)
        continue;
      if (!getDecoder(*panels->weights))
        insertDecoder(rewriter, *panels);
      transposePanel(rewriter, *panels);
      if (failed(tile(rewriter, *panels)))
        return signalPassFailure();
      changed = true;
    }
    if (changed && failed(cleanUpTiles(getOperation())))
      signalPassFailure();
  }
};
} // namespace
