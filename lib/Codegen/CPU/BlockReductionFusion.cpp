//===- BlockReductionFusion.cpp - Match reductions of blocks --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the producers that are fused into the tile loops of an elementwise op,
// and the slice of their results that a tile reads.
//
//===----------------------------------------------------------------------===//

#include "BlockReductionFusion.h"
#include "../Common/LinalgUtils.h"
#include "TileReshapes.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/CodegenAttributes.h"
#include "quant-float/Support/Indices.h"
#include <numeric>

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

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

bool quant_float::isQuantization(GenericOp op) {
  return llvm::all_of(op->getResultTypes(), [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isIntOrFloat() && element.getIntOrFloatBitWidth() <= 8;
  });
}

/// Whether the op reduces tensors of which it reads each element once, unlike
/// contractions.
bool BlockReductionFusion::isFusibleReduction(GenericOp op) {
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
  if (kinds == FusibleProducers::Reductions)
    return llvm::all_of(op->getResultTypes(),
                        [](Type type) {
                          return getElementTypeOrSelf(type).isInteger();
                        }) &&
           llvm::any_of(op.getDpsInputs(), [&](Value input) {
             return llvm::any_of(consumer.getDpsInputs(), [&](Value own) {
               return getSource(own) == getSource(input);
             });
           });
  return kinds == FusibleProducers::RowReductions || !getCombiners(op).empty();
}

/// Collects the producers of the value. Returns whether it depends on a fused
/// reduction.
bool BlockReductionFusion::collect(Value value, unsigned depth) {
  // Scales are a few ops away from the reduction; networks are deep.
  constexpr unsigned kMaxDepth = 16;
  auto producer = getSource(value).getDefiningOp<GenericOp>();
  if (!producer || depth == kMaxDepth || !producer.hasPureTensorSemantics() ||
      producer->getBlock() != consumer->getBlock() ||
      unfused.contains(producer))
    return false;
  if (producers.contains(producer))
    return dependent.contains(producer);
  bool isReduction = producer.getNumReductionLoops() != 0;
  if (isReduction ? !isFusibleReduction(producer)
                  : !isElementwiseOnTensors(producer)) {
    unfused.insert(producer);
    return false;
  }
  bool isDependent = isReduction, isEpilogue = false;
  if (!isReduction || kinds != FusibleProducers::Reductions)
    for (OpOperand *input : producer.getDpsInputOperands()) {
      isDependent |= collect(input->get(), depth + 1);
      // Producers that are epilogues are fused into the loops of a contraction
      // instead.
      auto source = getSource(input->get()).getDefiningOp();
      isEpilogue |=
          source && source->getNumRegions() != 0 && source->hasOneUse() &&
          !producers.contains(source) &&
          producer.getMatchingIndexingMap(input).isPermutation() &&
          !(isa<GenericOp>(source) && isElementwise(cast<GenericOp>(source)));
    }
  if (!isDependent && (kinds == FusibleProducers::Reductions || isEpilogue)) {
    unfused.insert(producer);
    return false;
  }
  // The initialization of the accumulators.
  if (isReduction)
    for (Value init : producer.getDpsInits())
      if (auto fill = init.getDefiningOp<GenericOp>();
          fill && isElementwiseOnTensors(fill) && fill->hasOneUse())
        producers.insert(fill);
  hasReduction |= isReduction;
  hasRowReduction |= isReduction && getCombiners(producer).empty();
  if (isDependent)
    dependent.insert(producer);
  producers.insert(producer);
  return isDependent;
}

/// Removes producers that have users before the end of the loops.
void BlockReductionFusion::removeUnmovable() {
  llvm::SmallPtrSet<Operation *, 16> liveIn;
  SmallVector<Operation *> worklist{consumer};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    op->walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (Operation *source = operand.getDefiningOp();
            source && liveIn.insert(source).second)
          worklist.push_back(source);
    });
  }
  std::function<bool(Operation *)> canMove = [&](Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      if (isFused(user))
        return true;
      if (isReshape(user) && user->getBlock() == consumer->getBlock() &&
          liveIn.contains(user))
        return canMove(user);
      Operation *ancestor = consumer->getBlock()->findAncestorOpInBlock(*user);
      return ancestor && consumer->isBeforeInBlock(ancestor) &&
             !liveIn.contains(ancestor);
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

void BlockReductionFusion::setUntiled(Index index) {
  if (!index)
    return;
  for (unsigned loop = 0; loop < untiled.size(); ++loop)
    if (index.isFunctionOfDim(loop))
      untiled.set(loop);
}

BlockReductionFusion::Index BlockReductionFusion::merge(Index lhs, Index rhs) {
  if (lhs == rhs)
    return lhs;
  setUntiled(lhs);
  setUntiled(rhs);
  return nullptr;
}

/// Records that a tile reads the elements of the value at the indices.
void BlockReductionFusion::propagateToSource(Value value,
                                             SmallVector<Index> indices) {
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
          setUntiled(indices[dim]);
        index = nullptr;
      }
    } else if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
      for (auto [index, group] :
           llvm::zip_equal(indices, collapse.getReassociationIndices())) {
        SmallVector<int64_t> dims = getLargeDims(collapse.getSrcType(), group);
        if (dims.size() > 1)
          setUntiled(index);
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
  auto [entry, isNew] = slices.try_emplace(value, indices);
  if (!isNew)
    for (auto [own, index] : llvm::zip_equal(entry->second, indices))
      own = merge(own, index);
}

/// Records which slices of its operands the op reads in a tile.
void BlockReductionFusion::propagateToOperands(GenericOp op,
                                               ArrayRef<Index> loops) {
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
            setUntiled(loops[dim]);
      }
      indices.push_back(index);
    }
    propagateToSource(operand.get(), indices);
  }
  // A reduction is not repeated for several tiles.
  if (op.getNumReductionLoops() == 0)
    return;
  for (unsigned loop = 0; loop < untiled.size(); ++loop)
    if (llvm::none_of(loops, [&](Index index) {
          return index && index.isFunctionOfDim(loop);
        }))
      untiled.set(loop);
}

/// Finds the loops that are not tiled, the units of the others, and the slices
/// of the producers' results that a tile reads.
void BlockReductionFusion::analyze() {
  unsigned numLoops = consumer.getNumLoops();
  untiled.clear();
  untiled.resize(numLoops);
  units.assign(numLoops, 1);
  slices.clear();
  SmallVector<Index> own;
  for (unsigned loop = 0; loop < numLoops; ++loop)
    own.push_back(getAffineDimExpr(loop, consumer.getContext()));
  propagateToOperands(consumer, own);
  for (Operation *op : producers) {
    auto producer = cast<GenericOp>(op);
    SmallVector<Index> loops(producer.getNumLoops());
    llvm::SmallBitVector isKnown(producer.getNumLoops());
    for (OpResult result : op->getResults()) {
      auto slice = slices.find(result);
      if (slice == slices.end())
        continue;
      for (auto [expr, index] : llvm::zip_equal(
               producer.getIndexingMapMatchingResult(result).getResults(),
               slice->second)) {
        std::optional<unsigned> loop = getLoop(expr);
        if (!loop) {
          setUntiled(index);
          continue;
        }
        loops[*loop] = isKnown.test(*loop) ? merge(loops[*loop], index) : index;
        isKnown.set(*loop);
      }
    }
    propagateToOperands(producer, loops);
  }
}

/// Removes elementwise producers that would be repeated for several tiles, such
/// as those of weights. Returns whether there were any.
bool BlockReductionFusion::removeInvariant() {
  SmallVector<int64_t> ranges = consumer.getStaticLoopRanges();
  return producers.remove_if([&](Operation *op) {
    auto producer = cast<GenericOp>(op);
    if (dependent.contains(op) || producer.getNumDpsInputs() == 0)
      return false;
    return llvm::any_of(op->getResults(), [&](Value result) {
      auto slice = slices.find(result);
      if (slice == slices.end())
        return false;
      return llvm::any_of(
          llvm::seq<unsigned>(ranges.size()), [&](unsigned loop) {
            return ranges[loop] != 1 && !untiled.test(loop) &&
                   llvm::none_of(slice->second, [&](Index index) {
                     return index && index.isFunctionOfDim(loop);
                   });
          });
    });
  });
}

bool BlockReductionFusion::match() {
  if (!isElementwiseOnTensors(consumer) ||
      !llvm::all_of(
          consumer.getDpsInitsMutable(),
          [&](OpOperand &init) {
            return consumer.getMatchingIndexingMap(&init).isIdentity();
          }) ||
      (kinds != FusibleProducers::Reductions && !isQuantization(consumer)))
    return false;
  for (OpOperand *input : consumer.getDpsInputOperands())
    if (kinds != FusibleProducers::Reductions ||
        !consumer.getMatchingIndexingMap(input).isPermutation())
      collect(input->get());
  if (!hasReduction ||
      (kinds == FusibleProducers::RowReductions && !hasRowReduction))
    return false;
  removeUnmovable();
  SmallVector<Operation *> sorted = producers.takeVector();
  llvm::sort(sorted, [](Operation *lhs, Operation *rhs) {
    return rhs->isBeforeInBlock(lhs);
  });
  producers.insert_range(sorted);
  do {
    analyze();
  } while (removeInvariant());
  return llvm::any_of(producers, [&](Operation *op) {
    auto producer = cast<GenericOp>(op);
    return producer.getNumReductionLoops() != 0 &&
           (kinds != FusibleProducers::RowReductions ||
            getCombiners(producer).empty());
  });
}
