//===- FuseAttention.cpp - Fuse attention into tiles of query rows --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/Contraction.h"
#include "../Common/LinalgUtils.h"
#include "TileCleanup.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/Support/Indices.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFUSEATTENTIONPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-fuse-attention"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

namespace {
/// The matmul of scores and values, and the ops that compute the scores.
struct Attention {
  GenericOp matmul;
  /// Loops of the matmul: the loops that only the scores have, with one row of
  /// scores per iteration, and the loops that the values have as well.
  SmallVector<unsigned> rowLoops = {}, batchLoops = {};
  /// The ops that are fused and computed for one tile of rows at a time,
  /// including the matmul of queries and keys.
  SetVector<Operation *> producers = {};
  /// Lower bounds of the number of scores in a row and in total.
  int64_t keys = 1, scores = 1;
};
} // namespace

static bool isContraction(GenericOp op) {
  return isReductionOnTensors(op) && op.getNumDpsInputs() >= 2;
}

/// Returns the ops that the scores are computed from and that have no other
/// users.
static SetVector<Operation *> collectProducers(GenericOp matmul,
                                               OpOperand &scores) {
  SetVector<Operation *> producers;
  SmallVector<Value> values = {scores.get()};
  while (!values.empty()) {
    auto op = values.pop_back_val().getDefiningOp<GenericOp>();
    if (!op || !op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
        op->getBlock() != matmul->getBlock() || !producers.insert(op))
      continue;
    llvm::append_range(values, op->getOperands());
  }
  // An op that is removed becomes another user of its operands.
  while (true) {
    SmallVector<Operation *> usedElsewhere;
    for (Operation *op : producers)
      if (llvm::any_of(op->getUses(), [&](OpOperand &use) {
            return !producers.contains(use.getOwner()) && &use != &scores;
          }))
        usedElsewhere.push_back(op);
    if (usedElsewhere.empty())
      return producers;
    producers.remove_if(
        [&](Operation *op) { return llvm::is_contained(usedElsewhere, op); });
  }
}

/// Whether tile-and-fuse visits few ops before CSE merges their copies. It
/// visits every use, so each op of a chain that is read twice doubles the
/// number of visits.
static bool isCheapToFuse(Attention &attention) {
  constexpr int64_t kMaxVisits = 256;
  llvm::SmallDenseMap<Operation *, int64_t> paths;
  int64_t total = 0;
  SmallVector<Operation *> ops(attention.producers.begin(),
                               attention.producers.end());
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *op : ops) {
    int64_t count = 0;
    for (OpOperand &use : op->getUses())
      count += use.getOwner() == attention.matmul.getOperation()
                   ? 1
                   : paths.lookup(use.getOwner());
    paths[op] = count;
    total += count;
    if (total > kMaxVisits)
      return false;
  }
  return true;
}

/// Whether the operand is a scale or a bias rather than values: it does not
/// vary along the reduction loops, which are dynamic.
static bool isScale(GenericOp op, OpOperand *operand) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  for (auto [loop, range, iterator] :
       llvm::enumerate(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction &&
        (!ShapedType::isDynamic(range) || map.isFunctionOfDim(loop)))
      return false;
  return true;
}

/// Matches a matmul of values and of scores that another contraction computes.
static std::optional<Attention> match(GenericOp op) {
  if (!isContraction(op))
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  if (llvm::is_contained(ranges, 0))
    return std::nullopt;
  for (OpOperand *scores : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(scores);
    if (!map.isProjectedPermutation())
      continue;
    Attention attention{op};
    for (AffineExpr index : map.getResults()) {
      unsigned loop = *getLoop(index);
      int64_t range = ShapedType::isDynamic(ranges[loop]) ? 1 : ranges[loop];
      bool isShared =
          llvm::any_of(getInputsAlong(op, loop), [&](OpOperand *other) {
            return other != scores && !isScale(op, other);
          });
      if (op.getIteratorTypesArray()[loop] == utils::IteratorType::reduction)
        attention.keys *= range;
      else
        (isShared ? attention.batchLoops : attention.rowLoops).push_back(loop);
      attention.scores *= range;
    }
    if (attention.rowLoops.empty())
      continue;
    attention.producers = collectProducers(op, *scores);
    if (llvm::any_of(attention.producers,
                     [](Operation *producer) {
                       return isContraction(cast<GenericOp>(producer));
                     }) &&
        isCheapToFuse(attention))
      return attention;
  }
  return std::nullopt;
}

/// Returns a lower bound of the number of elements of the keys and values of
/// one batch, which every tile of rows reads again.
static uint64_t countShared(Attention &attention) {
  auto multiply = [](uint64_t a, int64_t b) {
    return ShapedType::isDynamic(b)
               ? a
               : llvm::SaturatingMultiply(a, static_cast<uint64_t>(b));
  };
  // The loops of the values that the scores do not have.
  GenericOp matmul = attention.matmul;
  SmallVector<int64_t> ranges = matmul.getStaticLoopRanges();
  uint64_t width = 1;
  for (auto [loop, iterator] : llvm::enumerate(matmul.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::parallel &&
        !llvm::is_contained(attention.rowLoops, loop) &&
        !llvm::is_contained(attention.batchLoops, loop))
      width = multiply(width, ranges[loop]);
  uint64_t depth = 0;
  for (Operation *producer : attention.producers) {
    auto op = cast<GenericOp>(producer);
    if (!isContraction(op))
      continue;
    uint64_t operandDepth = 1;
    for (auto [range, iterator] :
         llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
      if (iterator == utils::IteratorType::reduction)
        operandDepth = multiply(operandDepth, range);
    depth = std::max(depth, operandDepth);
  }
  return llvm::SaturatingMultiply(static_cast<uint64_t>(attention.keys),
                                  llvm::SaturatingAdd(depth, width));
}

/// Whether the value is computed from constants by elementwise ops and by ops
/// that only move elements.
static bool isComputedFromConstants(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i != values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (!op)
      return false;
    if (op->hasTrait<OpTrait::ConstantLike>())
      continue;
    if (auto generic = dyn_cast<GenericOp>(op)) {
      if (generic.getNumDpsInputs() == 0)
        return false;
      ValueRange inputs = generic.getInputs();
      values.insert(inputs.begin(), inputs.end());
    } else if (isa<tensor::CastOp, tensor::CollapseShapeOp,
                   tensor::ExpandShapeOp, tensor::ExtractSliceOp>(op)) {
      values.insert(op->getOperand(0));
    } else {
      return false;
    }
  }
  return true;
}

/// Whether reading keys and values again for each tile of rows takes less time
/// than a matrix of all scores. Two consecutive matmuls, as in a feed-forward
/// block, have the structure of attention, but have many weights and few rows.
static bool isProfitableToTile(Attention &attention) {
  // The number of elements of keys and values that fit into a core's L2 cache.
  constexpr uint64_t kMaxSharedElements = 65536;
  uint64_t shared = countShared(attention);
  if (shared <= kMaxSharedElements)
    return true;
  SmallVector<int64_t> ranges = attention.matmul.getStaticLoopRanges();
  uint64_t scores = attention.keys;
  for (unsigned loop : attention.rowLoops) {
    // Constant matrices are weights, not keys and values.
    if (ShapedType::isDynamic(ranges[loop]))
      return llvm::none_of(attention.matmul.getDpsInputs(),
                           isComputedFromConstants);
    scores =
        llvm::SaturatingMultiply(scores, static_cast<uint64_t>(ranges[loop]));
  }
  return scores >= shared;
}

/// Returns the number of rows in a tile, or 0 if the op is not tiled.
static int64_t chooseRows(Attention &attention) {
  // The number of scores that fit into a core's L2 cache, in addition to keys
  // and values.
  constexpr int64_t kMaxScores = 32768;
  constexpr int64_t kMinRows = 16, kMaxRows = 64;
  SmallVector<int64_t> ranges = attention.matmul.getStaticLoopRanges();
  auto isDynamic = [&](unsigned loop) {
    return ShapedType::isDynamic(ranges[loop]);
  };
  int64_t rows = std::clamp(llvm::bit_floor(uint64_t(std::max<int64_t>(
                                kMaxScores / attention.keys, 1))),
                            uint64_t(kMinRows), uint64_t(kMaxRows));
  bool hasDynamicLength = llvm::any_of(attention.rowLoops, isDynamic);
  if (!hasDynamicLength && attention.scores <= kMaxScores) {
    LDBG() << "only " << attention.scores << " scores at "
           << attention.matmul.getLoc();
    return 0;
  }
  int64_t all = 1;
  for (unsigned loop : attention.rowLoops)
    all *= isDynamic(loop) ? rows : ranges[loop];
  if (!hasDynamicLength && all <= rows)
    return 0;
  if (isProfitableToTile(attention))
    return rows;
  LDBG() << "tiling is not worthwhile at " << attention.matmul.getLoc();
  return 0;
}

/// Whether `value` depends on the loop's induction variable.
static bool dependsOnLoop(Value value, scf::ForOp loop) {
  if (value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  return op && loop->isAncestor(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOnLoop(operand, loop);
         });
}

/// Whether the slice's offsets depend on every enclosing loop. Otherwise
/// several iterations share it, and it is computed once before the loops.
static bool dependsOnAllLoops(tensor::ExtractSliceOp slice,
                              Operation *outermost) {
  for (Operation *op = slice->getParentOp(); op != outermost;
       op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || llvm::none_of(slice.getOffsets(), [&](Value offset) {
          return dependsOnLoop(offset, loop);
        }))
      return false;
  }
  return true;
}

static LogicalResult fuse(RewriterBase &rewriter, Attention &attention,
                          int64_t rows) {
  GenericOp op = attention.matmul;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<OpFoldResult> sizes(op.getNumLoops(), rewriter.getIndexAttr(0));
  auto tileLoop = [&](unsigned loop, int64_t size) {
    // A single iteration needs no loop.
    if (ShapedType::isDynamic(ranges[loop]) || ranges[loop] > size)
      sizes[loop] = rewriter.getIndexAttr(size);
  };
  for (unsigned loop : attention.batchLoops)
    tileLoop(loop, 1);
  for (unsigned loop : ArrayRef(attention.rowLoops).drop_back())
    tileLoop(loop, 1);
  tileLoop(attention.rowLoops.back(), rows);
  Operation *outermost = op->getParentOp();
  return tileAndFuse(
      rewriter, op, scf::SCFTilingOptions().setTileSizes(sizes),
      [&](tensor::ExtractSliceOp slice, OpResult producer, bool) {
        return attention.producers.contains(producer.getOwner()) &&
               dependsOnAllLoops(slice, outermost);
      });
}

namespace {
struct FuseAttention final
    : quant_float::impl::QuantFloatFuseAttentionPassBase<FuseAttention> {
  void runOnOperation() override {
    SmallVector<GenericOp> ops = collectGenericOps(getOperation());
    IRRewriter rewriter(&getContext());
    bool changed = false;
    for (GenericOp op : ops) {
      std::optional<Attention> attention = match(op);
      int64_t rows = attention ? chooseRows(*attention) : 0;
      if (!rows)
        continue;
      LDBG() << "tiling the attention at " << op.getLoc() << " by " << rows
             << " rows";
      if (failed(fuse(rewriter, *attention, rows)))
        return signalPassFailure();
      ++numFused;
      changed = true;
    }
    if (!changed)
      return;
    // A value that is read twice is fused twice.
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    if (failed(cleanUpTiles(getOperation())))
      signalPassFailure();
  }
};
} // namespace
