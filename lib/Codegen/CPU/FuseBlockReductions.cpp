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
#include "ReductionLoops.h"
#include "TileCleanup.h"
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
#include "mlir/Transforms/RegionUtils.h"
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
// Reshapes
//===----------------------------------------------------------------------===//

static bool isReshape(Operation *op) {
  return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
      op);
}

/// Returns the dimensions of a group of a reshape whose static size is not 1.
static SmallVector<int64_t> getLargeDims(RankedTensorType type,
                                         ArrayRef<int64_t> group) {
  return llvm::filter_to_vector(
      group, [&](int64_t dim) { return type.getDimSize(dim) != 1; });
}

/// Whether each dimension of the reshape's source is one dimension of the
/// result, apart from those of size 1, or a number of blocks of a static size.
static bool keepsTiles(Operation *reshape) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
    return llvm::all_of(
        expand.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
          auto dims = getLargeDims(expand.getResultType(), group);
          return dims.size() < 2 ||
                 (dims.size() == 2 &&
                  !expand.getResultType().isDynamicDim(dims.back()));
        });
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape))
    return llvm::all_of(
        collapse.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
          return getLargeDims(collapse.getSrcType(), group).size() < 2;
        });
  return true;
}

/// Applies the reshape to a tile of its source.
static Value reshapeTile(RewriterBase &rewriter, Operation *reshape,
                         Value tile) {
  Location loc = reshape->getLoc();
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape))
    return tensor::CollapseShapeOp::create(rewriter, loc, tile,
                                           collapse.getReassociationIndices());
  auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape);
  if (!expand)
    return tile;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, tile);
  RankedTensorType whole = expand.getResultType();
  SmallVector<OpFoldResult> expanded(whole.getRank(), rewriter.getIndexAttr(1));
  for (auto [size, group] :
       llvm::zip_equal(sizes, expand.getReassociationIndices())) {
    SmallVector<int64_t> dims = getLargeDims(whole, group);
    if (dims.empty())
      continue;
    if (dims.size() == 2) {
      int64_t block = whole.getDimSize(dims.back());
      expanded[dims.back()] = rewriter.getIndexAttr(block);
      size = affine::makeComposedFoldedAffineApply(
          rewriter, loc, rewriter.getAffineDimExpr(0).floorDiv(block), {size});
    }
    expanded[dims.front()] = size;
  }
  SmallVector<int64_t> shape;
  for (OpFoldResult size : expanded)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return tensor::ExpandShapeOp::create(rewriter, loc, whole.clone(shape), tile,
                                       expand.getReassociationIndices(),
                                       expanded);
}

namespace {
/// The offsets and sizes of a tile.
struct TileBounds {
  SmallVector<OpFoldResult> offsets, sizes;
};
} // namespace

/// Returns the tile of the reshape's source for a tile of its result.
static TileBounds getSourceTile(RewriterBase &rewriter, Operation *reshape,
                                const TileBounds &tile) {
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  TileBounds source;
  auto add = [&](OpFoldResult offset, OpFoldResult size) {
    source.offsets.push_back(offset);
    source.sizes.push_back(size);
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape)) {
    for (ArrayRef<int64_t> group : expand.getReassociationIndices()) {
      SmallVector<int64_t> dims = getLargeDims(expand.getResultType(), group);
      if (dims.empty()) {
        add(zero, one);
        continue;
      }
      OpFoldResult offset = tile.offsets[dims.front()];
      OpFoldResult size = tile.sizes[dims.front()];
      if (dims.size() == 2) {
        AffineExpr scaled = rewriter.getAffineDimExpr(0) *
                            expand.getResultType().getDimSize(dims.back());
        offset = affine::makeComposedFoldedAffineApply(
            rewriter, expand.getLoc(), scaled, {offset});
        size = affine::makeComposedFoldedAffineApply(rewriter, expand.getLoc(),
                                                     scaled, {size});
      }
      add(offset, size);
    }
    return source;
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape)) {
    for (auto [index, group] :
         llvm::enumerate(collapse.getReassociationIndices()))
      for (int64_t dim : group) {
        bool isLarge = collapse.getSrcType().getDimSize(dim) != 1;
        add(isLarge ? tile.offsets[index] : zero,
            isLarge ? tile.sizes[index] : one);
      }
    return source;
  }
  return tile;
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

//===----------------------------------------------------------------------===//
// Reductions of the same tensor
//===----------------------------------------------------------------------===//

/// Whether the ops read the same tensors in the same order, each element once,
/// and have results of the same shape.
static bool areSiblings(GenericOp one, GenericOp other) {
  unsigned numInputs = one.getNumDpsInputs();
  SmallVector<AffineMap> maps = one.getIndexingMapsArray();
  SmallVector<AffineMap> otherMaps = other.getIndexingMapsArray();
  auto isResult = [&](AffineMap map) { return map == maps.back(); };
  return numInputs == other.getNumDpsInputs() &&
         one.getDpsInputs() == other.getDpsInputs() &&
         one.getIteratorTypesArray() == other.getIteratorTypesArray() &&
         ArrayRef(maps).take_front(numInputs) ==
             ArrayRef(otherMaps).take_front(numInputs) &&
         llvm::all_of(ArrayRef(maps).drop_front(numInputs), isResult) &&
         llvm::all_of(ArrayRef(otherMaps).drop_front(numInputs), isResult) &&
         cast<RankedTensorType>(one.getResultTypes()[0]).getShape() ==
             cast<RankedTensorType>(other.getResultTypes()[0]).getShape();
}

/// Merges two reductions of the same tensors, which are then read once.
static void merge(RewriterBase &rewriter, GenericOp one, GenericOp other) {
  rewriter.setInsertionPoint(one);
  SmallVector<Value> inits(one.getDpsInits());
  llvm::append_range(inits, other.getDpsInits());
  SmallVector<AffineMap> maps = one.getIndexingMapsArray();
  maps.append(other.getNumDpsInits(), maps.back());
  unsigned numInputs = one.getNumDpsInputs(), numInits = one.getNumDpsInits();
  auto merged = GenericOp::create(
      rewriter, one.getLoc(), ValueRange(inits).getTypes(), one.getDpsInputs(),
      inits, maps, one.getIteratorTypesArray(),
      [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        SmallVector<Value> results;
        auto copy = [&](GenericOp op, unsigned firstInit) {
          IRMapping mapping;
          mapping.map(op.getBody()->getArguments().take_front(numInputs),
                      arguments.take_front(numInputs));
          mapping.map(op.getBody()->getArguments().drop_front(numInputs),
                      arguments.slice(firstInit, op.getNumDpsInits()));
          for (Operation &nested : op.getBody()->without_terminator())
            builder.clone(nested, mapping);
          for (Value value : op.getBody()->getTerminator()->getOperands())
            results.push_back(mapping.lookupOrDefault(value));
        };
        copy(one, numInputs);
        copy(other, numInputs + numInits);
        linalg::YieldOp::create(builder, loc, results);
      });
  rewriter.replaceOp(one, merged->getResults().take_front(numInits));
  rewriter.replaceOp(other, merged->getResults().drop_front(numInits));
}

/// Merges the reductions of each tensor. Returns their number.
static unsigned mergeSiblings(RewriterBase &rewriter, Operation *root) {
  SmallVector<GenericOp> reductions;
  root->walk([&](GenericOp op) {
    if (op.hasPureTensorSemantics() && op.getNumReductionLoops() != 0 &&
        op.getNumDpsInputs() != 0 && !op.hasIndexSemantics() &&
        !op->hasAttr(kReductionScheduleAttrName) &&
        llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
          return op.getMatchingIndexingMap(input).isPermutation();
        }))
      reductions.push_back(op);
  });
  unsigned count = 0;
  for (size_t i = 0; i + 1 < reductions.size(); ++i) {
    GenericOp &one = reductions[i];
    for (size_t j = i + 1; one && j < reductions.size(); ++j) {
      GenericOp other = reductions[j];
      if (!other || one->getBlock() != other->getBlock() ||
          !areSiblings(one, other) ||
          failed(moveOperationDependencies(rewriter, other, one)))
        continue;
      merge(rewriter, one, other);
      reductions[j] = nullptr;
      ++count;
      break;
    }
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Reductions of the entire tensor
//===----------------------------------------------------------------------===//

/// Whether to compute the op twice rather than to write its result and to read
/// it again: if it is cheap, or if memory for the result would be allocated
/// anew, which takes longer than to compute an activation.
static bool isRepeated(GenericOp op) {
  constexpr size_t kMaxCheapOps = 4, kMaxOps = 64;
  constexpr int64_t kLargeElements = int64_t(1) << 20;
  if (op->getNumResults() != 1 || op.getNumDpsInputs() > 2 ||
      op.hasIndexSemantics() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      !llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
        AffineMap map = op.getMatchingIndexingMap(input);
        return map.isIdentity() || map.getNumResults() == 0;
      }))
    return false;
  auto type = cast<RankedTensorType>(op.getResultTypes()[0]);
  size_t numOps = op.getBody()->getOperations().size() - 1;
  if (type.hasStaticShape() && type.getNumElements() >= kLargeElements)
    return numOps <= kMaxOps;
  return numOps <= kMaxCheapOps &&
         llvm::all_of(op.getBody()->without_terminator(), [](Operation &op) {
           return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp,
                      arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
                      arith::ConstantOp, arith::ExtFOp>(op);
         });
}

static LogicalResult fuseProducer(RewriterBase &rewriter, OpOperand &operand) {
  auto producer = operand.get().getDefiningOp<GenericOp>();
  Operation *user = operand.getOwner();
  rewriter.setInsertionPoint(user);
  FailureOr<linalg::ElementwiseOpFusionResult> fused =
      linalg::fuseElementwiseOps(rewriter, &operand);
  if (failed(fused))
    return failure();
  for (auto [value, replacement] : fused->replacements)
    if (value.getDefiningOp() != producer)
      rewriter.replaceAllUsesWith(value, replacement);
  rewriter.eraseOp(user);
  return success();
}

/// Fuses a producer of the op both into the op and into the reductions of
/// the entire tensor that the op depends on, as those of DynamicQuantizeLinear.
/// The tensor between them is neither written nor read.
static LogicalResult repeatProducer(RewriterBase &rewriter, GenericOp op) {
  auto *operand = llvm::find_if(op->getOpOperands(), [&](OpOperand &operand) {
    auto producer = operand.get().getDefiningOp<GenericOp>();
    return producer && isElementwiseOnTensors(producer) &&
           isRepeated(producer) &&
           op.getMatchingIndexingMap(&operand).isIdentity();
  });
  if (operand == op->getOpOperands().end())
    return success();
  auto producer = operand->get().getDefiningOp<GenericOp>();
  SmallVector<OpOperand *> reads;
  SmallVector<tensor::CollapseShapeOp> reshapes;
  for (OpOperand &use : producer->getUses()) {
    if (&use == operand)
      continue;
    auto reshape = dyn_cast<tensor::CollapseShapeOp>(use.getOwner());
    if (!reshape || reshape.getResultType().getRank() != 1)
      return success();
    for (OpOperand &read : reshape->getUses()) {
      auto reduction = dyn_cast<GenericOp>(read.getOwner());
      if (!reduction || !reduction.hasPureTensorSemantics() ||
          reduction.getNumReductionLoops() != 1 ||
          reduction.getNumLoops() != 1 || getCombiners(reduction).empty())
        return success();
      reads.push_back(&read);
    }
    reshapes.push_back(reshape);
  }
  if (reads.empty())
    return success();
  for (OpOperand *read : reads) {
    // The producer on tensors of rank 1.
    auto reshape = read->get().getDefiningOp<tensor::CollapseShapeOp>();
    rewriter.setInsertionPoint(reshape);
    auto flatten = [&](Value value) -> Value {
      if (cast<RankedTensorType>(value.getType()).getRank() == 0)
        return value;
      return tensor::CollapseShapeOp::create(rewriter, reshape.getLoc(), value,
                                             reshape.getReassociationIndices());
    };
    SmallVector<Value> inputs = llvm::map_to_vector(
        producer.getDpsInputs(), [&](Value input) { return flatten(input); });
    Value init = flatten(producer.getDpsInits()[0]);
    SmallVector<AffineMap> maps;
    for (AffineMap map : producer.getIndexingMapsArray())
      maps.push_back(map.getNumResults() == 0
                         ? AffineMap::get(1, 0, op.getContext())
                         : rewriter.getMultiDimIdentityMap(1));
    auto flat = GenericOp::create(
        rewriter, producer.getLoc(), init.getType(), inputs, init, maps,
        SmallVector<utils::IteratorType>(1, utils::IteratorType::parallel));
    IRMapping mapping;
    producer.getRegion().cloneInto(&flat.getRegion(), mapping);
    rewriter.modifyOpInPlace(read->getOwner(),
                             [&] { read->set(flat.getResult(0)); });
    if (failed(fuseProducer(rewriter, *read)))
      return failure();
    rewriter.eraseOp(flat);
  }
  for (tensor::CollapseShapeOp reshape : reshapes)
    rewriter.eraseOp(reshape);
  if (failed(fuseProducer(rewriter, *operand)))
    return failure();
  if (producer->use_empty())
    rewriter.eraseOp(producer);
  return success();
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
