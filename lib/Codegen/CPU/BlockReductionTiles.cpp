//===- BlockReductionTiles.cpp - Tile fused reductions of blocks ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/LinalgUtils.h"
#include "BlockReductionFusion.h"
#include "TileReshapes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "quant-float/Support/Indices.h"
#include <numeric>

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// The number of elements of a tile of rows: as f32, a quarter of the smallest
/// L1 data cache. The prefetch distance of non-temporal loops is as long, so
/// that they prefetch the next tile.
static constexpr int64_t kRowTileSize = 1024;
/// The number of elements of a tile of several rows: as f32, half of the
/// smallest L2 cache.
static constexpr int64_t kMaxTileSize = 32768;
/// The number of elements of a tile of rows that are summed: as f32, 512 KiB,
/// which fit into the L2 cache of most servers.
static constexpr int64_t kMaxReductionTileSize = 131072;
/// The maximum number of rows that are summed together, and of adjacent
/// elements of a transposed input in a tile: a vector, or a cache line.
static constexpr int64_t kLanes = 16;
/// The minimum number of elements in a row of a tile.
static constexpr int64_t kMinRowSize = 64;
/// The number of elements in a row of a tile if the length of rows is unknown.
static constexpr int64_t kDynamicRowSize = 1024;
/// The minimum number of elements for which several threads are faster than
/// one.
static constexpr int64_t kMinParallelSize = 262144;

/// Extends the units of tiles of several rows: to vectors across rows for row
/// sums, and to full cache lines of transposed inputs.
void BlockReductionFusion::alignToVectors() {
  SmallVector<int64_t> ranges = consumer.getStaticLoopRanges();
  if (kinds == FusibleProducers::RowReductions) {
    int64_t row = 1;
    for (auto [loop, range] : llvm::enumerate(ranges))
      row *= untiled.test(loop) ? std::min(range, kMaxReductionTileSize) : 1;
    for (unsigned loop = ranges.size(); loop-- > 0;)
      if (!untiled.test(loop) && ranges[loop] != 1) {
        int64_t maxCount =
            llvm::bit_floor<uint64_t>(kMaxReductionTileSize / row);
        units[loop] *= std::clamp(maxCount, int64_t(4), kLanes);
        return;
      }
    return;
  }
  for (Operation *op : producers) {
    auto producer = cast<GenericOp>(op);
    auto slice = slices.find(op->getResult(0));
    if (producer.getNumReductionLoops() != 0 || slice == slices.end())
      continue;
    for (OpOperand *input : producer.getDpsInputOperands()) {
      AffineMap map = producer.getMatchingIndexingMap(input);
      if (!map.isPermutation() || map.isIdentity())
        continue;
      Index contiguous = slice->second[*getLoop(map.getResults().back())];
      std::optional<unsigned> loop =
          contiguous ? getLoop(contiguous) : std::nullopt;
      if (loop && *loop + 1 != ranges.size() && !untiled.test(*loop)) {
        units[*loop] = std::lcm(units[*loop], kLanes);
        isTransposed = true;
      }
    }
  }
}

/// Whether the number of iterations of the innermost loop is a multiple of the
/// block size: the reduction of the consumer's input reads full blocks.
bool BlockReductionFusion::hasFullBlocks() {
  if (kinds == FusibleProducers::Reductions || units.back() == 1)
    return false;
  if (remainderBlocks)
    return units.back() * remainderBlocks < kDynamicRowSize;
  return llvm::any_of(producers, [&](Operation *op) {
    auto producer = cast<GenericOp>(op);
    if (producer.getNumReductionLoops() == 0)
      return false;
    return llvm::any_of(producer.getDpsInputs(), [&](Value input) {
      auto expand = input.getDefiningOp<tensor::ExpandShapeOp>();
      if (!expand ||
          !llvm::is_contained(consumer.getDpsInputs(), expand.getSrc()))
        return false;
      RankedTensorType type = expand.getResultType();
      auto dims = getLargeDims(type, expand.getReassociationIndices().back());
      return dims.size() == 2 && type.getDimSize(dims.back()) == units.back();
    });
  });
}

bool BlockReductionFusion::chooseTiles(bool threads) {
  unsigned numLoops = consumer.getNumLoops();
  SmallVector<int64_t> ranges = consumer.getStaticLoopRanges();
  // Whether the innermost loop has a dynamic size and is not divided.
  bool hasDynamicRow = false;
  for (unsigned loop = 0; loop < numLoops; ++loop) {
    if (units[loop] > kMaxTileSize)
      return false;
    if (!untiled.test(loop))
      continue;
    if (loop + 1 == numLoops && ShapedType::isDynamic(ranges[loop]) &&
        kinds == FusibleProducers::Reductions)
      hasDynamicRow = true;
    else
      units[loop] = ranges[loop];
  }
  if (llvm::is_contained(ranges, 0) ||
      llvm::any_of(units, ShapedType::isDynamic))
    return false;
  // Rows of a tile are full vectors. In rows of unknown length, the remaining
  // blocks form separate tiles.
  hasDynamicBlocks = !hasDynamicRow && ShapedType::isDynamic(ranges.back());
  if (hasDynamicBlocks && !hasFullBlocks())
    return false;
  if (remainderBlocks) {
    units.back() *= remainderBlocks;
  } else if (!hasDynamicRow) {
    int64_t row = hasDynamicBlocks ? kDynamicRowSize : kMinRowSize;
    units.back() = llvm::divideCeil(row, units.back()) * units.back();
  }
  alignToVectors();
  int64_t maxTile = kinds == FusibleProducers::RowReductions
                        ? kMaxReductionTileSize
                        : kMaxTileSize;
  int64_t elements = 1;
  for (auto [unit, range] : llvm::zip_equal(units, ranges)) {
    if (!ShapedType::isDynamic(range))
      unit = std::min(unit, range);
    if (unit > maxTile / elements)
      return false;
    elements *= unit;
  }
  // For tiles of several rows, long rows are more important than a tile that
  // fits into the L1 cache. But distant lines of a transposed input map to few
  // sets of a cache.
  int64_t limit =
      elements == units.back() || isTransposed ? kRowTileSize : kMaxTileSize;
  // Rows of unknown length may be longer than a tile.
  if (hasDynamicRow)
    limit = 0;
  tiles = units;
  bool isStatic = true, isTiled = false;
  int64_t total = 1;
  for (unsigned loop = numLoops; loop-- > 0;) {
    int64_t range = ranges[loop];
    if (hasDynamicRow && loop + 1 == numLoops) {
      isStatic = false;
      tiles[loop] = 0;
      continue;
    }
    if (ShapedType::isDynamic(range)) {
      isStatic = false;
      isTiled = true;
      continue;
    }
    total =
        std::min(total, kMinParallelSize) * std::min(range, kMinParallelSize);
    // The largest multiple of the unit that divides the loop and fits, or as
    // many units as fit if only a few do.
    int64_t maxCount = std::max<int64_t>(limit / elements, 1);
    int64_t count =
        std::min<int64_t>(maxCount, llvm::divideCeil(range, units[loop]));
    for (int64_t smaller = count; 2 * smaller > count; --smaller)
      if (range % (smaller * units[loop]) == 0) {
        count = smaller;
        break;
      }
    tiles[loop] = std::min(count * units[loop], range);
    elements *= count;
    isTiled |= tiles[loop] < range;
  }
  for (auto [tile, range] : llvm::zip_equal(tiles, ranges))
    if (tile == range)
      tile = 0;
  isParallel = threads && isStatic && total >= kMinParallelSize;
  // Whether there is enough work for several threads is not known.
  return isTiled && (!threads || isStatic);
}

/// Collects the slices of the value in the loop, also of its reshapes.
void BlockReductionFusion::collectUses(Value value,
                                       SmallVectorImpl<Operation *> &reshapes,
                                       SmallVectorImpl<Use> &uses,
                                       Operation *loop) {
  for (Operation *user : value.getUsers()) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user)) {
      if (loop->isProperAncestor(slice) && slice.hasUnitStride())
        uses.push_back({slice, llvm::to_vector(reshapes)});
    } else if (isReshape(user) && !loop->isProperAncestor(user) &&
               keepsTiles(user)) {
      reshapes.push_back(user);
      collectUses(user->getResult(0), reshapes, uses, loop);
      reshapes.pop_back();
    }
  }
}

/// Erases the reshapes of the op's results that have no users.
static void eraseDeadReshapes(RewriterBase &rewriter, Operation *op) {
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    if (!isReshape(user))
      continue;
    eraseDeadReshapes(rewriter, user);
    if (user->use_empty())
      rewriter.eraseOp(user);
  }
}

/// Computes the tile of the producer's results in the loops. By analyze(), all
/// slices of the loops' body are the same tile.
LogicalResult BlockReductionFusion::fuseProducer(
    RewriterBase &rewriter, GenericOp producer,
    SmallVectorImpl<LoopLikeOpInterface> &loops) {
  Operation *outermost = loops.front();
  SmallVector<std::pair<unsigned, Use>> uses;
  for (OpResult result : producer->getResults()) {
    SmallVector<Operation *> reshapes;
    SmallVector<Use> resultUses;
    collectUses(result, reshapes, resultUses, outermost);
    for (Use &use : resultUses)
      uses.emplace_back(result.getResultNumber(), use);
  }
  if (uses.empty())
    return success();
  auto *first = llvm::min_element(uses, [](const auto &lhs, const auto &rhs) {
    return lhs.second.slice->isBeforeInBlock(rhs.second.slice);
  });
  unsigned number = first->first;
  tensor::ExtractSliceOp slice = first->second.slice;
  Value source = producer->getResult(number);
  rewriter.setInsertionPoint(slice);
  TileBounds bounds{slice.getMixedOffsets(), slice.getMixedSizes()};
  for (Operation *reshape : llvm::reverse(first->second.reshapes))
    bounds = getSourceTile(rewriter, reshape, bounds);
  SmallVector<OpFoldResult> strides(bounds.offsets.size(),
                                    rewriter.getIndexAttr(1));
  auto tile = tensor::ExtractSliceOp::create(
      rewriter, slice.getLoc(), source, bounds.offsets, bounds.sizes, strides);
  std::optional<scf::SCFFuseProducerOfSliceResult> fused =
      scf::tileAndFuseProducerOfSlice(rewriter, tile, loops);
  if (!fused || fused->tiledOps.size() != 1)
    return failure();
  Operation *tiled = fused->tiledOps.front();
  for (auto &[result, use] : uses) {
    Value value = tiled->getResult(result);
    rewriter.setInsertionPointAfter(tiled);
    for (Operation *reshape : use.reshapes)
      value = reshapeTile(rewriter, reshape, value);
    if (value.getType() != use.slice.getType())
      value = tensor::CastOp::create(rewriter, use.slice.getLoc(),
                                     use.slice.getType(), value);
    rewriter.replaceOp(use.slice, value);
  }
  eraseDeadReshapes(rewriter, producer);
  // The sizes of results that tiling reads are those of the inits.
  for (OpResult result : producer->getResults())
    for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
      if (auto dim = dyn_cast<tensor::DimOp>(user))
        rewriter.modifyOpInPlace(dim, [&] {
          dim.getSourceMutable().assign(
              producer.getDpsInits()[result.getResultNumber()]);
        });
  // Results that only ops after the loops read are results of the loops. The
  // producer remains for other users.
  auto follows = [&](Operation *user) {
    Operation *ancestor = producer->getBlock()->findAncestorOpInBlock(*user);
    return ancestor && loops.front()->isBeforeInBlock(ancestor);
  };
  SmallVector<Operation *> users = llvm::filter_to_vector(
      producer->getUsers(), [&](Operation *user) { return user != tile; });
  if (!users.empty() && llvm::all_of(users, follows)) {
    if (failed(scf::yieldReplacementForFusedProducer(rewriter, tile, *fused,
                                                     loops)))
      return failure();
    rewriter.replaceUsesWithIf(
        producer->getResults(),
        loops.front()->getResults().take_back(producer->getNumResults()),
        [&](OpOperand &use) { return follows(use.getOwner()); });
  }
  rewriter.eraseOp(tile);
  if (producer->use_empty())
    rewriter.eraseOp(producer);
  return success();
}

FailureOr<SmallVector<LoopLikeOpInterface>>
BlockReductionFusion::fuse(RewriterBase &rewriter) {
  scf::SCFTilingOptions options;
  options.setTileSizes(getAsIndexOpFoldResult(rewriter.getContext(), tiles));
  if (isParallel)
    options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
  rewriter.setInsertionPoint(consumer);
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(consumer.getOperation()), options);
  if (failed(tiled) || tiled->loops.empty())
    return failure();
  rewriter.replaceOp(consumer, tiled->replacements);
  consumer = cast<GenericOp>(tiled->tiledOps.front());
  for (Operation *producer : producers)
    if (failed(fuseProducer(rewriter, cast<GenericOp>(producer), tiled->loops)))
      return failure();
  return tiled->loops;
}
