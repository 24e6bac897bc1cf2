//===- FuseBlockReductions.cpp - Fuse reductions of blocks ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A quantization that computes its scales reads its input twice: to reduce each
// block, and to quantize its elements. This pass fuses the reduction into a
// loop over tiles of full blocks, so that the second read finds the elements in
// a cache:
//
//   for a tile of full blocks:
//     amax    = reduction of the tile's blocks
//     scale   = f(amax)
//     factor  = g(scale)             // the values of a block
//     results = h(elements, factor)
//
// The values that the elements of a block share are computed in a separate op
// on blocks, with vectors across blocks.
//
//===----------------------------------------------------------------------===//

#include "../Common/LinalgUtils.h"
#include "TileCleanup.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/Support/Indices.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"
#include <numeric>

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFUSEBLOCKREDUCTIONSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-fuse-block-reductions"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// The number of elements of a tile of rows: as f32, a quarter of the smallest
/// L1 data cache. The prefetch distance of non-temporal loops is as long, so
/// that they prefetch the next tile.
static constexpr int64_t kTile = 1024;
/// The number of elements of a tile of several rows: as f32, half of the
/// smallest L2 cache.
static constexpr int64_t kMaxTile = 32768;
/// The minimum number of elements in a row of a tile.
static constexpr int64_t kMinRow = 64;
/// The minimum number of elements for which several threads are faster than
/// one.
static constexpr int64_t kMinParallel = 262144;

static bool isElementwiseOnTensors(GenericOp op) {
  return op.hasPureTensorSemantics() && isElementwise(op);
}

/// Whether a dimension of the map is the index of a block.
static bool hasBlocks(AffineMap map) {
  return llvm::any_of(map.getResults(), [](AffineExpr index) {
    return getBlockIndex(index).has_value();
  });
}

/// Returns the value that the elements come from, through ops that only change
/// the shape.
static Value getSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
            op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

static bool isByteSized(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() % 8 == 0;
}

//===----------------------------------------------------------------------===//
// Values of blocks
//===----------------------------------------------------------------------===//

namespace {
/// The values in the body of an elementwise op that are computed from inputs
/// that are indexed by block.
class BlockValues {
public:
  explicit BlockValues(GenericOp op) : op(op) {}

  bool find();
  /// Moves the values to a new op on blocks, whose results the op reads.
  void hoist(RewriterBase &rewriter);

private:
  bool isInvariant(Value value) {
    return value.getParentBlock() != op.getBody() || invariant.contains(value);
  }

  GenericOp op;
  /// The indexing map of the inputs.
  AffineMap map;
  /// The input with the shape of the new op's loops.
  OpOperand *blocks = nullptr;
  llvm::SmallDenseSet<Value> invariant, shared;
  /// The values that the elements are computed with.
  llvm::SmallSetVector<Value, 4> results;
};
} // namespace

bool BlockValues::find() {
  // Scales that are given stay scalars: an op for them would write and read a
  // buffer of its own.
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap own = op.getMatchingIndexingMap(input);
    if (!blocks && hasBlocks(own) && input->get().getDefiningOp<GenericOp>()) {
      blocks = input;
      map = own;
    }
  }
  if (!blocks)
    return false;
  auto shape = cast<RankedTensorType>(blocks->get().getType()).getShape();
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap own = op.getMatchingIndexingMap(input);
    BlockArgument argument = op.getMatchingBlockArgument(input);
    if (own.isConstant())
      invariant.insert(argument);
    else if (own == map &&
             cast<RankedTensorType>(input->get().getType()).getShape() == shape)
      shared.insert(argument);
  }
  for (Operation &nested : *op.getBody()) {
    bool isPlain = nested.getNumRegions() == 0 && isPure(&nested) &&
                   !nested.hasTrait<OpTrait::IsTerminator>() &&
                   !isa<linalg::IndexOp>(nested);
    bool isShared = false, isKnown = isPlain;
    for (Value operand : nested.getOperands()) {
      isShared |= shared.contains(operand);
      isKnown &= shared.contains(operand) || isInvariant(operand);
    }
    if (isKnown)
      for (Value result : nested.getResults())
        (isShared ? shared : invariant).insert(result);
  }
  // An op on blocks stores its results, which has to cost less than to compute
  // them for each block.
  constexpr size_t kMaxResults = 2;
  for (Operation &nested : llvm::reverse(*op.getBody())) {
    if (nested.getNumResults() == 1 && shared.contains(nested.getResult(0)) &&
        !results.contains(nested.getResult(0)))
      continue;
    // Buffers have no elements of one bit.
    bool isStored = nested.getNumResults() == 1 &&
                    results.contains(nested.getResult(0)) &&
                    isByteSized(nested.getResult(0).getType());
    if (isStored)
      continue;
    for (Value result : nested.getResults())
      results.remove(result);
    for (Value operand : nested.getOperands())
      if (shared.contains(operand) && !isa<BlockArgument>(operand))
        results.insert(operand);
  }
  return !results.empty() && results.size() <= kMaxResults;
}

void BlockValues::hoist(RewriterBase &rewriter) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  int64_t rank = cast<RankedTensorType>(blocks->get().getType()).getRank();
  // Not those of the result, of which they would be a use.
  auto result = cast<OpResult>(blocks->get());
  auto producer = cast<GenericOp>(result.getOwner());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(
      rewriter, loc,
      producer.getDpsInitOperand(result.getResultNumber())->get());
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  SmallVector<Value> arguments;
  AffineMap identity = rewriter.getMultiDimIdentityMap(rank);
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    bool isShared = shared.contains(argument);
    if (!isShared && !invariant.contains(argument))
      continue;
    inputs.push_back(input->get());
    arguments.push_back(argument);
    AffineMap own = op.getMatchingIndexingMap(input);
    maps.push_back(
        isShared ? identity
                 : AffineMap::get(rank, 0, own.getResults(), op.getContext()));
  }
  for (Value result : results) {
    inits.push_back(
        tensor::EmptyOp::create(rewriter, loc, sizes, result.getType()));
    maps.push_back(identity);
  }
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  auto values = GenericOp::create(
      rewriter, loc, ValueRange(inits).getTypes(), inputs, inits, maps,
      iterators, [&](OpBuilder &builder, Location loc, ValueRange copies) {
        IRMapping mapping;
        mapping.map(arguments, copies.take_front(arguments.size()));
        for (Operation &nested : op.getBody()->without_terminator())
          if (llvm::any_of(nested.getResults(), [&](Value result) {
                return shared.contains(result) || invariant.contains(result);
              }))
            builder.clone(nested, mapping);
        linalg::YieldOp::create(builder, loc,
                                llvm::map_to_vector(results, [&](Value result) {
                                  return mapping.lookup(result);
                                }));
      });

  rewriter.modifyOpInPlace(op, [&] {
    Block *body = op.getBody();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    unsigned numInputs = op.getNumDpsInputs();
    op.getInputsMutable().append(values.getResults());
    maps.insert(maps.begin() + numInputs, results.size(), map);
    for (auto [index, result] : llvm::enumerate(results)) {
      Value argument = body->insertArgument(numInputs + index, result.getType(),
                                            result.getLoc());
      rewriter.replaceAllUsesWith(result, argument);
    }
    for (Operation &nested : llvm::make_early_inc_range(llvm::reverse(*body)))
      if (isOpTriviallyDead(&nested))
        rewriter.eraseOp(&nested);
    // Inputs that the body does not read would be fused as well.
    for (unsigned index = numInputs; index-- > 0;) {
      if (!body->getArgument(index).use_empty())
        continue;
      body->eraseArgument(index);
      op.getInputsMutable().erase(index);
      maps.erase(maps.begin() + index);
    }
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
}

//===----------------------------------------------------------------------===//
// Tiling
//===----------------------------------------------------------------------===//

namespace {
/// An elementwise op and the ops on blocks that are fused into its tile loops.
class Fusion {
public:
  explicit Fusion(GenericOp consumer) : consumer(consumer) {}

  bool match();
  /// Chooses the tile size of each loop of the consumer; 0 for loops that are
  /// not tiled.
  bool chooseTiles(bool isParallel);
  FailureOr<SmallVector<LoopLikeOpInterface>> fuse(RewriterBase &rewriter);

private:
  bool collect(Value value, unsigned depth = 0);
  bool canMove();
  bool isFused(Operation *op) const {
    return op == consumer || producers.contains(op);
  }

  GenericOp consumer;
  /// The fused ops: reductions, and elementwise ops of their results.
  llvm::SetVector<Operation *> producers;
  /// The ops that are not between the consumer and a reduction.
  llvm::SmallPtrSet<Operation *, 8> others;
  bool hasReduction = false, isParallel = false;
  SmallVector<int64_t> tiles;
};
} // namespace

/// Collects the ops between the value and reductions of what the consumer
/// reads. Returns whether there are any.
bool Fusion::collect(Value value, unsigned depth) {
  // Scales are a few ops away from the reduction; networks are deep.
  constexpr unsigned kMaxDepth = 8;
  auto producer = value.getDefiningOp<GenericOp>();
  if (!producer || depth == kMaxDepth || !producer.hasPureTensorSemantics() ||
      producer->getBlock() != consumer->getBlock() || others.contains(producer))
    return false;
  if (producers.contains(producer))
    return true;
  bool isCollected = false;
  if (producer.getNumReductionLoops() != 0) {
    // The order of float sums is kept by vectors across rows, of which a tile
    // may have one.
    bool isInteger = llvm::all_of(producer->getResultTypes(), [](Type type) {
      return getElementTypeOrSelf(type).isInteger();
    });
    isCollected =
        isInteger && llvm::any_of(producer.getDpsInputs(), [&](Value input) {
          return llvm::is_contained(consumer.getDpsInputs(), getSource(input));
        });
    hasReduction |= isCollected;
    // The initialization of the accumulators.
    for (Value init : producer.getDpsInits())
      if (auto fill = init.getDefiningOp<GenericOp>();
          isCollected && fill && isElementwiseOnTensors(fill) &&
          fill->hasOneUse())
        producers.insert(fill);
  } else if (isElementwiseOnTensors(producer)) {
    for (Value input : producer.getDpsInputs())
      isCollected |= collect(input, depth + 1);
  }
  if (isCollected)
    producers.insert(producer);
  else
    others.insert(producer);
  return isCollected;
}

/// Whether other users of the fused ops' results may follow the loops.
bool Fusion::canMove() {
  llvm::SmallPtrSet<Operation *, 16> needed;
  SmallVector<Operation *> worklist{consumer};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *source = operand.getDefiningOp();
            source && needed.insert(source).second)
          worklist.push_back(source);
    });
  }
  return llvm::all_of(producers, [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      if (isFused(user))
        return true;
      Operation *ancestor = consumer->getBlock()->findAncestorOpInBlock(*user);
      return ancestor && consumer->isBeforeInBlock(ancestor) &&
             !needed.contains(ancestor);
    });
  });
}

bool Fusion::match() {
  if (!isElementwiseOnTensors(consumer) ||
      !llvm::all_of(consumer.getDpsInitsMutable(), [&](OpOperand &init) {
        return consumer.getMatchingIndexingMap(&init).isIdentity();
      }))
    return false;
  for (OpOperand *input : consumer.getDpsInputOperands())
    if (!consumer.getMatchingIndexingMap(input).isPermutation())
      collect(input->get());
  return hasReduction && canMove();
}

bool Fusion::chooseTiles(bool threads) {
  unsigned numLoops = consumer.getNumLoops();
  SmallVector<int64_t> ranges = consumer.getStaticLoopRanges();
  // The least number of iterations that tiles are multiples of.
  SmallVector<int64_t> units(numLoops, 1);
  // Whether the innermost loop has a dynamic size and is not divided.
  bool isWholeRow = false;
  for (OpOperand *input : consumer.getDpsInputOperands()) {
    AffineMap map = consumer.getMatchingIndexingMap(input);
    for (AffineExpr index : map.getResults())
      if (std::optional<BlockIndex> block = getBlockIndex(index)) {
        std::optional<unsigned> loop = getLoop(block->position);
        if (!loop || block->size > kMaxTile)
          return false;
        units[*loop] = std::lcm(units[*loop], block->size);
      } else if (!isa<AffineDimExpr, AffineConstantExpr>(index)) {
        return false;
      }
    // A reduction of entire rows is not divided.
    if (producers.contains(input->get().getDefiningOp()))
      for (unsigned loop = 0; loop < numLoops; ++loop)
        if (!map.isFunctionOfDim(loop)) {
          if (loop + 1 == numLoops && ShapedType::isDynamic(ranges[loop]))
            isWholeRow = true;
          else
            units[loop] = ranges[loop];
        }
  }
  if (llvm::is_contained(ranges, 0) ||
      llvm::any_of(units, ShapedType::isDynamic))
    return false;
  // The remainders of rows of unknown length are tiles of dynamic size, which
  // take longer than another pass over the input.
  if (!isWholeRow && ShapedType::isDynamic(ranges.back()))
    return false;
  // Rows of a tile are full vectors.
  if (!isWholeRow)
    units.back() = llvm::divideCeil(kMinRow, units.back()) * units.back();
  int64_t elements = 1;
  for (auto [unit, range] : llvm::zip_equal(units, ranges)) {
    if (!ShapedType::isDynamic(range))
      unit = std::min(unit, range);
    if (unit > kMaxTile / elements)
      return false;
    elements *= unit;
  }
  // Long rows of a tile of several rows matter more than the L1 cache.
  int64_t limit = elements == units.back() ? kTile : kMaxTile;
  // Rows of unknown length may be longer than a tile.
  if (isWholeRow)
    limit = 0;
  tiles = units;
  bool isStatic = true, isTiled = false;
  int64_t total = 1;
  for (unsigned loop = numLoops; loop-- > 0;) {
    int64_t range = ranges[loop];
    if (isWholeRow && loop + 1 == numLoops) {
      isStatic = false;
      tiles[loop] = 0;
      continue;
    }
    if (ShapedType::isDynamic(range)) {
      isStatic = false;
      isTiled = true;
      continue;
    }
    total = std::min(total, kMinParallel) * std::min(range, kMinParallel);
    // The largest multiple of the unit that divides the loop and fits, or as
    // many units as fit if only a few do.
    int64_t most = std::max<int64_t>(limit / elements, 1);
    int64_t count =
        std::min<int64_t>(most, llvm::divideCeil(range, units[loop]));
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
  isParallel = threads && isStatic && total >= kMinParallel;
  // Whether there is enough work for several threads is not known.
  return isTiled && (!threads || isStatic);
}

FailureOr<SmallVector<LoopLikeOpInterface>>
Fusion::fuse(RewriterBase &rewriter) {
  // The results that other ops read.
  llvm::SmallPtrSet<Value, 4> yielded;
  for (Operation *op : producers)
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !isFused(user); }))
        yielded.insert(result);
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setTileSizes(
      getAsIndexOpFoldResult(rewriter.getContext(), tiles));
  if (isParallel)
    options.tilingOptions.setLoopType(
        scf::SCFTilingOptions::LoopType::ForallOp);
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult result,
          bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (!producers.contains(result.getOwner()))
          return std::nullopt;
        return scf::SCFTileAndFuseOptions::ControlFnResult{
            /*yieldProducerReplacement=*/yielded.contains(result)};
      });
  rewriter.setInsertionPoint(consumer);
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(consumer.getOperation()), options);
  if (failed(tiled))
    return failure();
  for (auto [value, replacement] : tiled->replacements)
    rewriter.replaceUsesWithIf(value, replacement, [&](OpOperand &use) {
      return !tiled->loops.front()->isProperAncestor(use.getOwner()) &&
             !isFused(use.getOwner());
    });
  return tiled->loops;
}

namespace {
struct FuseBlockReductions final
    : quant_float::impl::QuantFloatFuseBlockReductionsPassBase<
          FuseBlockReductions> {
  using QuantFloatFuseBlockReductionsPassBase::
      QuantFloatFuseBlockReductionsPassBase;

  void runOnOperation() override;
};
} // namespace

void FuseBlockReductions::runOnOperation() {
  IRRewriter rewriter(&getContext());
  SmallVector<GenericOp> ops;
  getOperation()->walk([&](GenericOp op) {
    if (isElementwiseOnTensors(op))
      ops.push_back(op);
  });
  bool isChanged = false;
  for (GenericOp op : ops) {
    BlockValues values(op);
    if (values.find()) {
      LDBG() << "hoisting the values of blocks of " << op.getLoc();
      values.hoist(rewriter);
      ++numHoisted;
      isChanged = true;
    }
    Fusion fusion(op);
    if (!fusion.match() || !fusion.chooseTiles(parallel))
      continue;
    LDBG() << "fusing reductions of blocks into " << op.getLoc();
    FailureOr<SmallVector<LoopLikeOpInterface>> loops = fusion.fuse(rewriter);
    if (failed(loops))
      return signalPassFailure();
    // Peel the last tile, so that all others have a static size.
    for (LoopLikeOpInterface loop : llvm::reverse(*loops)) {
      scf::ForOp rest;
      if (auto forOp = dyn_cast<scf::ForOp>(loop.getOperation()))
        (void)scf::peelForLoopAndSimplifyBounds(rewriter, forOp, rest);
    }
    ++numFused;
    isChanged = true;
  }
  if (isChanged && failed(cleanUpTiles(getOperation())))
    signalPassFailure();
}
