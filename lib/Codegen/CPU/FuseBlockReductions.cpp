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
#include "BlockValues.h"
#include "SharedReads.h"
#include "TileCleanup.h"
#include "TileReshapes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/CodegenAttributes.h"
#include "quant-float/Support/Indices.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
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
/// The number of elements of a tile of rows that are summed: as f32, 512 KiB,
/// which fit into the L2 cache of most servers.
static constexpr int64_t kMaxRowSumTile = 131072;
/// The maximum number of rows that are summed together, and of adjacent
/// elements of a transposed input in a tile: a vector, or a cache line.
static constexpr int64_t kLanes = 16;
/// The minimum number of elements in a row of a tile.
static constexpr int64_t kMinRow = 64;
/// The number of elements in a row of a tile if the length of rows is unknown.
static constexpr int64_t kUnknownRow = 1024;
/// The minimum number of elements for which several threads are faster than
/// one.
static constexpr int64_t kMinParallel = 262144;

/// Marks the consumer while its loops are peeled.
static constexpr llvm::StringLiteral kRestAttrName = "quant_float.rest";

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

//===----------------------------------------------------------------------===//
// Tiling
//===----------------------------------------------------------------------===//

namespace {
/// The ops whose producers are fused into the tile loops.
enum class Producers {
  /// Reductions whose result does not depend on the order, and what lies
  /// between them and the consumer.
  Reductions,
  /// Also elementwise ops that produce what the consumer reads.
  Elementwise,
  /// Also float additions along rows. A tile has several rows.
  RowSums,
};

/// An elementwise op and the producers that are fused into its tile loops.
class Fusion {
public:
  /// If `restBlocks` is not 0, the innermost loop has full blocks, but less
  /// than a tile, and is divided into tiles of so many blocks.
  Fusion(GenericOp consumer, Producers kinds, int64_t restBlocks = 0)
      : consumer(consumer), kinds(kinds), restBlocks(restBlocks) {}

  bool match();
  /// Chooses the tile size of each loop of the consumer; 0 for loops that are
  /// not tiled.
  bool chooseTiles(bool isParallel);
  FailureOr<SmallVector<LoopLikeOpInterface>> fuse(RewriterBase &rewriter);
  /// The consumer, of a tile after fuse().
  GenericOp getConsumer() { return consumer; }
  /// Whether the innermost loop has an unknown number of blocks.
  bool hasRest() const { return hasUnknownBlocks; }

private:
  /// The index of a tensor's dimension as an expression of the consumer's
  /// loops. Null if a tile reads the entire dimension.
  using Index = AffineExpr;

  bool isFusibleReduction(GenericOp op);
  bool hasFullBlocks();
  bool collect(Value value, unsigned depth = 0);
  void removeUnmovable();
  bool removeInvariant();
  void analyze();
  void visit(GenericOp op, ArrayRef<Index> loops);
  void alignToVectors();
  void visitSource(Value value, SmallVector<Index> indices);
  void readEntirely(Index index);
  Index merge(Index one, Index other);
  bool isFused(Operation *op) const {
    return op == consumer || producers.contains(op);
  }
  struct Use {
    tensor::ExtractSliceOp slice;
    /// The reshapes between the producer and the slice.
    SmallVector<Operation *> reshapes;
  };
  void collectUses(Value value, SmallVectorImpl<Operation *> &reshapes,
                   SmallVectorImpl<Use> &uses, Operation *loop);
  LogicalResult fuseProducer(RewriterBase &rewriter, GenericOp producer,
                             SmallVectorImpl<LoopLikeOpInterface> &loops);

  GenericOp consumer;
  Producers kinds;
  /// The fused ops: reductions, and elementwise ops of their results. After
  /// match() they are in the reverse order of the block.
  llvm::SetVector<Operation *> producers;
  /// The ops that are not fused.
  llvm::SmallPtrSet<Operation *, 8> others;
  /// The ops that depend on a fused reduction.
  llvm::SmallPtrSet<Operation *, 8> dependent;
  bool hasReduction = false, hasRowSum = false, isParallel = false;
  bool hasUnknownBlocks = false, isTransposed = false;
  int64_t restBlocks;
  /// For each fused op's results, the part that a tile reads.
  llvm::DenseMap<Value, SmallVector<Index>> parts;
  /// The consumer's loops that are not tiled.
  llvm::SmallBitVector entire;
  /// The least number of iterations that the tiles of each loop are multiples
  /// of.
  SmallVector<int64_t> units;
  SmallVector<int64_t> tiles;
};
} // namespace

static bool isQuantization(GenericOp op) {
  return llvm::all_of(op->getResultTypes(), [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isIntOrFloat() && element.getIntOrFloatBitWidth() <= 8;
  });
}

/// Whether the op reduces tensors of which it reads each element once, unlike
/// contractions.
bool Fusion::isFusibleReduction(GenericOp op) {
  if (op->hasAttr(kReductionScheduleAttrName) || op.hasIndexSemantics() ||
      !llvm::all_of(op.getDpsInputOperands(),
                    [&](OpOperand *input) {
                      return op.getMatchingIndexingMap(input).isPermutation();
                    }) ||
      !llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
        return op.getMatchingIndexingMap(&init).isProjectedPermutation() &&
               op.getMatchingIndexingMap(&init).getNumResults() > 0;
      }))
    return false;
  if (kinds == Producers::Reductions)
    return llvm::all_of(op->getResultTypes(),
                        [](Type type) {
                          return getElementTypeOrSelf(type).isInteger();
                        }) &&
           llvm::any_of(op.getDpsInputs(), [&](Value input) {
             return llvm::any_of(consumer.getDpsInputs(), [&](Value own) {
               return getSource(own) == getSource(input);
             });
           });
  return kinds == Producers::RowSums || !getCombiners(op).empty();
}

/// Collects the producers of the value. Returns whether it depends on a fused
/// reduction.
bool Fusion::collect(Value value, unsigned depth) {
  // Scales are a few ops away from the reduction; networks are deep.
  constexpr unsigned kMaxDepth = 16;
  auto producer = getSource(value).getDefiningOp<GenericOp>();
  if (!producer || depth == kMaxDepth || !producer.hasPureTensorSemantics() ||
      producer->getBlock() != consumer->getBlock() || others.contains(producer))
    return false;
  if (producers.contains(producer))
    return dependent.contains(producer);
  bool isReduction = producer.getNumReductionLoops() != 0;
  if (isReduction ? !isFusibleReduction(producer)
                  : !isElementwiseOnTensors(producer)) {
    others.insert(producer);
    return false;
  }
  bool isDependent = isReduction, isEpilogue = false;
  if (!isReduction || kinds != Producers::Reductions)
    for (OpOperand *input : producer.getDpsInputOperands()) {
      isDependent |= collect(input->get(), depth + 1);
      // Epilogues are fused into the loops of a contraction.
      auto source = getSource(input->get()).getDefiningOp();
      isEpilogue |=
          source && source->getNumRegions() != 0 && source->hasOneUse() &&
          !producers.contains(source) &&
          producer.getMatchingIndexingMap(input).isPermutation() &&
          !(isa<GenericOp>(source) && isElementwise(cast<GenericOp>(source)));
    }
  if (!isDependent && (kinds == Producers::Reductions || isEpilogue)) {
    others.insert(producer);
    return false;
  }
  // The initialization of the accumulators.
  if (isReduction)
    for (Value init : producer.getDpsInits())
      if (auto fill = init.getDefiningOp<GenericOp>();
          fill && isElementwiseOnTensors(fill) && fill->hasOneUse())
        producers.insert(fill);
  hasReduction |= isReduction;
  hasRowSum |= isReduction && getCombiners(producer).empty();
  if (isDependent)
    dependent.insert(producer);
  producers.insert(producer);
  return isDependent;
}

/// Removes producers that have users before the end of the loops.
void Fusion::removeUnmovable() {
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
  std::function<bool(Operation *)> canMove = [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      if (isFused(user))
        return true;
      if (isReshape(user) && user->getBlock() == consumer->getBlock() &&
          needed.contains(user))
        return canMove(user);
      Operation *ancestor = consumer->getBlock()->findAncestorOpInBlock(*user);
      return ancestor && consumer->isBeforeInBlock(ancestor) &&
             !needed.contains(ancestor);
    });
  };
  for (bool isChanged = true; isChanged;) {
    isChanged = false;
    for (Operation *op : llvm::to_vector(producers))
      if (!canMove(op)) {
        producers.remove(op);
        isChanged = true;
      }
  }
}

void Fusion::readEntirely(Index index) {
  if (!index)
    return;
  for (unsigned loop = 0; loop < entire.size(); ++loop)
    if (index.isFunctionOfDim(loop))
      entire.set(loop);
}

Fusion::Index Fusion::merge(Index one, Index other) {
  if (one == other)
    return one;
  readEntirely(one);
  readEntirely(other);
  return nullptr;
}

/// Records that a tile reads the elements of the value at the indices.
void Fusion::visitSource(Value value, SmallVector<Index> indices) {
  MLIRContext *context = consumer.getContext();
  auto getShape = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  while (Operation *op = value.getDefiningOp()) {
    if (!isReshape(op))
      break;
    Value source = op->getOperand(0);
    SmallVector<Index> outer(getShape(source).size(),
                             getAffineConstantExpr(0, context));
    if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
      for (auto [index, group] :
           llvm::zip_equal(outer, expand.getReassociationIndices())) {
        SmallVector<int64_t> dims = getLargeDims(expand.getResultType(), group);
        if (dims.empty())
          continue;
        Index first = indices[dims.front()], last = indices[dims.back()];
        index = first;
        if (dims.size() == 1 || (!first && !last))
          continue;
        std::optional<BlockIndex> block =
            first ? getBlockIndex(first) : std::nullopt;
        if (block && dims.size() == 2 && !last &&
            expand.getResultType().getDimSize(dims.back()) == block->size) {
          index = block->position;
          continue;
        }
        for (int64_t dim : dims)
          readEntirely(indices[dim]);
        index = nullptr;
      }
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      for (auto [index, group] :
           llvm::zip_equal(indices, collapse.getReassociationIndices())) {
        SmallVector<int64_t> dims = getLargeDims(collapse.getSrcType(), group);
        if (dims.size() > 1)
          readEntirely(index);
        for (int64_t dim : dims)
          outer[dim] = dims.size() == 1 ? index : nullptr;
      }
    } else {
      outer = indices;
    }
    value = source;
    indices = outer;
  }
  if (!producers.contains(value.getDefiningOp()))
    return;
  for (auto [index, size] : llvm::zip_equal(indices, getShape(value)))
    if (size == 1)
      index = getAffineConstantExpr(0, context);
  auto [entry, isNew] = parts.try_emplace(value, indices);
  if (!isNew)
    for (auto [own, index] : llvm::zip_equal(entry->second, indices))
      own = merge(own, index);
}

/// Records which parts of its operands the op reads in a tile.
void Fusion::visit(GenericOp op, ArrayRef<Index> loops) {
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<Index> indices;
    for (AffineExpr expr : op.getMatchingIndexingMap(&operand).getResults()) {
      Index index;
      std::optional<BlockIndex> block = getBlockIndex(expr);
      std::optional<unsigned> loop = getLoop(block ? block->position : expr);
      if (isa<AffineConstantExpr>(expr)) {
        index = expr;
      } else if (loop && !block) {
        index = loops[*loop];
      } else if (loop && loops[*loop] && getLoop(loops[*loop])) {
        int64_t &unit = units[*getLoop(loops[*loop])];
        unit = std::lcm(unit, block->size);
        index = loops[*loop].floorDiv(block->size);
      } else {
        for (unsigned dim = 0; dim < loops.size(); ++dim)
          if (expr.isFunctionOfDim(dim))
            readEntirely(loops[dim]);
      }
      indices.push_back(index);
    }
    visitSource(operand.get(), indices);
  }
  // A reduction is not repeated for several tiles.
  if (op.getNumReductionLoops() == 0)
    return;
  for (unsigned loop = 0; loop < entire.size(); ++loop)
    if (llvm::none_of(loops, [&](Index index) {
          return index && index.isFunctionOfDim(loop);
        }))
      entire.set(loop);
}

/// Finds the loops that are not tiled, the units of the others, and the parts
/// of the producers' results that a tile reads.
void Fusion::analyze() {
  unsigned numLoops = consumer.getNumLoops();
  entire.clear();
  entire.resize(numLoops);
  units.assign(numLoops, 1);
  parts.clear();
  SmallVector<Index> own;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    own.push_back(getAffineDimExpr(loop, consumer.getContext()));
  visit(consumer, own);
  for (Operation *op : producers) {
    auto producer = cast<GenericOp>(op);
    SmallVector<Index> loops(producer.getNumLoops());
    llvm::SmallBitVector isKnown(producer.getNumLoops());
    for (OpResult result : op->getResults()) {
      auto part = parts.find(result);
      if (part == parts.end())
        continue;
      for (auto [expr, index] : llvm::zip_equal(
               producer.getIndexingMapMatchingResult(result).getResults(),
               part->second)) {
        std::optional<unsigned> loop = getLoop(expr);
        if (!loop) {
          readEntirely(index);
          continue;
        }
        loops[*loop] = isKnown.test(*loop) ? merge(loops[*loop], index) : index;
        isKnown.set(*loop);
      }
    }
    visit(producer, loops);
  }
}

/// Removes elementwise producers that would be repeated for several tiles, such
/// as those of weights. Returns whether there were any.
bool Fusion::removeInvariant() {
  SmallVector<int64_t> ranges = consumer.getStaticLoopRanges();
  return producers.remove_if([&](Operation *op) {
    auto producer = cast<GenericOp>(op);
    if (dependent.contains(op) || producer.getNumDpsInputs() == 0)
      return false;
    return llvm::any_of(op->getResults(), [&](Value result) {
      auto part = parts.find(result);
      if (part == parts.end())
        return false;
      return llvm::any_of(
          llvm::seq<unsigned>(ranges.size()), [&](unsigned loop) {
            return ranges[loop] != 1 && !entire.test(loop) &&
                   llvm::none_of(part->second, [&](Index index) {
                     return index && index.isFunctionOfDim(loop);
                   });
          });
    });
  });
}

bool Fusion::match() {
  if (!isElementwiseOnTensors(consumer) ||
      !llvm::all_of(
          consumer.getDpsInitsMutable(),
          [&](OpOperand &init) {
            return consumer.getMatchingIndexingMap(&init).isIdentity();
          }) ||
      (kinds != Producers::Reductions && !isQuantization(consumer)))
    return false;
  for (OpOperand *input : consumer.getDpsInputOperands())
    if (kinds != Producers::Reductions ||
        !consumer.getMatchingIndexingMap(input).isPermutation())
      collect(input->get());
  if (!hasReduction || (kinds == Producers::RowSums && !hasRowSum))
    return false;
  removeUnmovable();
  SmallVector<Operation *> sorted = producers.takeVector();
  llvm::sort(sorted, [](Operation *one, Operation *other) {
    return other->isBeforeInBlock(one);
  });
  producers.insert_range(sorted);
  do {
    analyze();
  } while (removeInvariant());
  return llvm::any_of(producers, [&](Operation *op) {
    auto producer = cast<GenericOp>(op);
    return producer.getNumReductionLoops() != 0 &&
           (kinds != Producers::RowSums || getCombiners(producer).empty());
  });
}

/// Extends the units of tiles of several rows: to vectors across rows for row
/// sums, and to full cache lines of transposed inputs.
void Fusion::alignToVectors() {
  SmallVector<int64_t> ranges = consumer.getStaticLoopRanges();
  if (kinds == Producers::RowSums) {
    int64_t row = 1;
    for (auto [loop, range] : llvm::enumerate(ranges))
      row *= entire.test(loop) ? std::min(range, kMaxRowSumTile) : 1;
    for (unsigned loop = ranges.size(); loop-- > 0;)
      if (!entire.test(loop) && ranges[loop] != 1) {
        int64_t most = llvm::bit_floor<uint64_t>(kMaxRowSumTile / row);
        units[loop] *= std::clamp(most, int64_t(4), kLanes);
        return;
      }
    return;
  }
  for (Operation *op : producers) {
    auto producer = cast<GenericOp>(op);
    auto part = parts.find(op->getResult(0));
    if (producer.getNumReductionLoops() != 0 || part == parts.end())
      continue;
    for (OpOperand *input : producer.getDpsInputOperands()) {
      AffineMap map = producer.getMatchingIndexingMap(input);
      if (!map.isPermutation() || map.isIdentity())
        continue;
      Index contiguous = part->second[*getLoop(map.getResults().back())];
      std::optional<unsigned> loop =
          contiguous ? getLoop(contiguous) : std::nullopt;
      if (loop && *loop + 1 != ranges.size() && !entire.test(*loop)) {
        units[*loop] = std::lcm(units[*loop], kLanes);
        isTransposed = true;
      }
    }
  }
}

/// Whether the number of iterations of the innermost loop is a multiple of the
/// block size: the reduction of the consumer's input reads full blocks.
bool Fusion::hasFullBlocks() {
  if (kinds == Producers::Reductions || units.back() == 1)
    return false;
  if (restBlocks)
    return units.back() * restBlocks < kUnknownRow;
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

bool Fusion::chooseTiles(bool threads) {
  unsigned numLoops = consumer.getNumLoops();
  SmallVector<int64_t> ranges = consumer.getStaticLoopRanges();
  // Whether the innermost loop has a dynamic size and is not divided.
  bool isWholeRow = false;
  for (unsigned loop = 0; loop < numLoops; ++loop) {
    if (units[loop] > kMaxTile)
      return false;
    if (!entire.test(loop))
      continue;
    if (loop + 1 == numLoops && ShapedType::isDynamic(ranges[loop]) &&
        kinds == Producers::Reductions)
      isWholeRow = true;
    else
      units[loop] = ranges[loop];
  }
  if (llvm::is_contained(ranges, 0) ||
      llvm::any_of(units, ShapedType::isDynamic))
    return false;
  // Rows of a tile are full vectors. The blocks that remain in rows of unknown
  // length are tiles of their own.
  hasUnknownBlocks = !isWholeRow && ShapedType::isDynamic(ranges.back());
  if (hasUnknownBlocks && !hasFullBlocks())
    return false;
  if (restBlocks) {
    units.back() *= restBlocks;
  } else if (!isWholeRow) {
    int64_t row = hasUnknownBlocks ? kUnknownRow : kMinRow;
    units.back() = llvm::divideCeil(row, units.back()) * units.back();
  }
  alignToVectors();
  int64_t maxTile = kinds == Producers::RowSums ? kMaxRowSumTile : kMaxTile;
  int64_t elements = 1;
  for (auto [unit, range] : llvm::zip_equal(units, ranges)) {
    if (!ShapedType::isDynamic(range))
      unit = std::min(unit, range);
    if (unit > maxTile / elements)
      return false;
    elements *= unit;
  }
  // Long rows of a tile of several rows matter more than the L1 cache, but
  // lines of a transposed input that are far apart share few sets of a cache.
  int64_t limit = elements == units.back() || isTransposed ? kTile : kMaxTile;
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

/// Collects the slices of the value in the loop, also of its reshapes.
void Fusion::collectUses(Value value, SmallVectorImpl<Operation *> &reshapes,
                         SmallVectorImpl<Use> &uses, Operation *loop) {
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
LogicalResult
Fusion::fuseProducer(RewriterBase &rewriter, GenericOp producer,
                     SmallVectorImpl<LoopLikeOpInterface> &loops) {
  Operation *outermost = loops.front();
  SmallVector<std::pair<unsigned, Use>> uses;
  for (OpResult result : producer->getResults()) {
    SmallVector<Operation *> reshapes;
    SmallVector<Use> own;
    collectUses(result, reshapes, own, outermost);
    for (Use &use : own)
      uses.emplace_back(result.getResultNumber(), use);
  }
  if (uses.empty())
    return success();
  auto *first = llvm::min_element(uses, [](const auto &one, const auto &other) {
    return one.second.slice->isBeforeInBlock(other.second.slice);
  });
  unsigned number = first->first;
  tensor::ExtractSliceOp slice = first->second.slice;
  Value whole = producer->getResult(number);
  rewriter.setInsertionPoint(slice);
  TileBounds bounds{slice.getMixedOffsets(), slice.getMixedSizes()};
  for (Operation *reshape : llvm::reverse(first->second.reshapes))
    bounds = getSourceTile(rewriter, reshape, bounds);
  SmallVector<OpFoldResult> strides(bounds.offsets.size(),
                                    rewriter.getIndexAttr(1));
  auto tile = tensor::ExtractSliceOp::create(
      rewriter, slice.getLoc(), whole, bounds.offsets, bounds.sizes, strides);
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
  // Results that only ops after the loops read are results of the loops. For
  // other users the producer stays.
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
Fusion::fuse(RewriterBase &rewriter) {
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

namespace {
/// The ops that a rewriter erased.
struct ErasedOps final : RewriterBase::Listener {
  void notifyOperationErased(Operation *op) override { ops.insert(op); }

  llvm::SmallPtrSet<Operation *, 16> ops;
};

struct FuseBlockReductions final
    : quant_float::impl::QuantFloatFuseBlockReductionsPassBase<
          FuseBlockReductions> {
  using QuantFloatFuseBlockReductionsPassBase::
      QuantFloatFuseBlockReductionsPassBase;

  void runOnOperation() override;

private:
  /// Fuses producers into the op, if it has some of these.
  FailureOr<bool> fuse(RewriterBase &rewriter, GenericOp op, Producers kinds);
  LogicalResult divideBlocks(RewriterBase &rewriter, scf::ForOp loop,
                             GenericOp consumer, Producers kinds,
                             ArrayRef<int64_t> restBlocks);
  SmallVector<GenericOp> findElementwiseOps();
};
} // namespace

SmallVector<GenericOp> FuseBlockReductions::findElementwiseOps() {
  SmallVector<GenericOp> ops;
  getOperation()->walk([&](GenericOp op) {
    if (isElementwiseOnTensors(op))
      ops.push_back(op);
  });
  return ops;
}

/// Replaces the sizes of the tiles of a loop, min(step, end - position), by the
/// step. Upstream's peeling does not simplify sizes whose end is a number of
/// blocks.
static void setFullTiles(RewriterBase &rewriter, scf::ForOp loop) {
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  loop.walk([&](affine::AffineMinOp op) {
    auto operand = llvm::find(op.getOperands(), loop.getInductionVar());
    AffineMap map = op.getMap();
    if (!step || map.getNumResults() != 2 ||
        operand == op.getOperands().end() ||
        static_cast<unsigned>(operand - op.getOperands().begin()) >=
            map.getNumDims())
      return;
    AffineExpr position =
        rewriter.getAffineDimExpr(operand - op.getOperands().begin());
    auto isStep = [&](AffineExpr expr) {
      return expr == rewriter.getAffineConstantExpr(*step);
    };
    auto isDistance = [&](AffineExpr expr) {
      return simplifyAffineExpr(expr.replace(position, position + 1) - expr,
                                map.getNumDims(), map.getNumSymbols()) ==
             rewriter.getAffineConstantExpr(-1);
    };
    AffineExpr one = map.getResult(0), other = map.getResult(1);
    if ((isStep(one) && isDistance(other)) ||
        (isStep(other) && isDistance(one))) {
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, *step);
    }
  });
}

/// The numbers of blocks in the tiles after the last full tile of a row.
static constexpr int64_t kRestBlocks[] = {16, 1};

/// Gives the tiles of a loop over an unknown number of blocks a static size,
/// and divides the blocks after the last full tile into smaller tiles.
LogicalResult FuseBlockReductions::divideBlocks(RewriterBase &rewriter,
                                                scf::ForOp loop,
                                                GenericOp consumer,
                                                Producers kinds,
                                                ArrayRef<int64_t> restBlocks) {
  scf::ForOp rest;
  if (!restBlocks.empty()) {
    consumer->setAttr(kRestAttrName, rewriter.getUnitAttr());
    (void)scf::peelForLoopAndSimplifyBounds(rewriter, loop, rest);
    consumer->removeAttr(kRestAttrName);
    if (!rest)
      return success();
  }
  setFullTiles(rewriter, loop);
  GenericOp last;
  if (rest)
    rest.walk([&](GenericOp op) {
      if (op->removeAttr(kRestAttrName))
        last = op;
    });
  for (; last && !restBlocks.empty(); restBlocks = restBlocks.drop_front()) {
    Fusion fusion(last, kinds, restBlocks.front());
    if (!fusion.match() || !fusion.chooseTiles(/*threads=*/false))
      continue;
    FailureOr<SmallVector<LoopLikeOpInterface>> loops = fusion.fuse(rewriter);
    if (failed(loops))
      return failure();
    return divideBlocks(rewriter,
                        cast<scf::ForOp>(loops->back().getOperation()),
                        fusion.getConsumer(), kinds, restBlocks.drop_front());
  }
  return success();
}

FailureOr<bool> FuseBlockReductions::fuse(RewriterBase &rewriter, GenericOp op,
                                          Producers kinds) {
  Fusion fusion(op, kinds);
  bool threads = parallel && !op->getParentOfType<LoopLikeOpInterface>();
  if (!fusion.match() || !fusion.chooseTiles(threads))
    return false;
  LDBG() << "fusing reductions of blocks into " << op.getLoc();
  FailureOr<SmallVector<LoopLikeOpInterface>> loops = fusion.fuse(rewriter);
  if (failed(loops))
    return failure();
  // Peel the last tile, so that all others have a static size.
  for (LoopLikeOpInterface loop : llvm::reverse(*loops)) {
    auto forOp = dyn_cast<scf::ForOp>(loop.getOperation());
    scf::ForOp rest;
    if (forOp && loop == loops->back() && fusion.hasRest()) {
      if (failed(divideBlocks(rewriter, forOp, fusion.getConsumer(), kinds,
                              kRestBlocks)))
        return failure();
    } else if (forOp) {
      (void)scf::peelForLoopAndSimplifyBounds(rewriter, forOp, rest);
    }
  }
  ++numFused;
  return true;
}

void FuseBlockReductions::runOnOperation() {
  ErasedOps erased;
  IRRewriter rewriter(&getContext(), &erased);
  numMerged += mergeSiblings(rewriter, getOperation());
  for (GenericOp op : findElementwiseOps())
    if (!erased.ops.contains(op) && isQuantization(op) &&
        failed(repeatProducer(rewriter, op)))
      return signalPassFailure();
  erased.ops.clear();
  // Consumers before their producers, which may be fused into them.
  auto fuseAll = [&](ArrayRef<Producers> kinds, bool hoist) -> LogicalResult {
    bool isChanged = false;
    SmallVector<GenericOp> ops = findElementwiseOps();
    for (GenericOp op : llvm::reverse(ops)) {
      if (erased.ops.contains(op))
        continue;
      BlockValues values(op);
      if (hoist && values.find()) {
        LDBG() << "hoisting the values of blocks of " << op.getLoc();
        values.hoist(rewriter);
        ++numHoisted;
        isChanged = true;
      }
      for (Producers kind : kinds) {
        FailureOr<bool> isFused = fuse(rewriter, op, kind);
        if (failed(isFused))
          return failure();
        isChanged |= *isFused;
        if (*isFused)
          break;
      }
    }
    erased.ops.clear();
    return success(!isChanged || succeeded(cleanUpTiles(getOperation())));
  };
  // Tiles of several rows, which are divided again.
  if (failed(fuseAll({Producers::RowSums}, /*hoist=*/false)) ||
      failed(fuseAll({Producers::Elementwise, Producers::Reductions},
                     /*hoist=*/true)))
    signalPassFailure();
}
