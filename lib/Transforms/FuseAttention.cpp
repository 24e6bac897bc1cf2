//===- FuseAttention.cpp - Attention without a matrix of all scores -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

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
#include "quant-float/Support/Indices.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFUSEATTENTIONPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

namespace {
/// A product of scores and values, and what makes the scores.
struct Attention {
  GenericOp product;
  /// Of the product's loops: those that the scores alone have, one row of
  /// scores for each, and those that the values have, too.
  SmallVector<unsigned> rowLoops = {}, batchLoops = {};
  /// The ops whose rows are computed as they are needed, the product of queries
  /// and keys among them.
  SetVector<Operation *> producers = {};
  /// Scores in a row, and of all rows; the smallest they can be.
  int64_t keys = 1, scores = 1;
};
} // namespace

static bool isContraction(GenericOp op) {
  return op.hasPureTensorSemantics() && op.getNumDpsInputs() >= 2 &&
         op->getNumResults() == 1 && op.getNumReductionLoops() != 0;
}

/// The ops that `product` reads the scores from and that nothing else reads.
static SetVector<Operation *> collectProducers(GenericOp product,
                                               OpOperand &scores) {
  SetVector<Operation *> producers;
  SmallVector<Value> values = {scores.get()};
  while (!values.empty()) {
    auto op = values.pop_back_val().getDefiningOp<GenericOp>();
    if (!op || !op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
        op->getBlock() != product->getBlock() || !producers.insert(op))
      continue;
    llvm::append_range(values, op->getOperands());
  }
  // Leaving one out makes it a reader of others.
  while (true) {
    SmallVector<Operation *> readElsewhere;
    for (Operation *op : producers)
      if (llvm::any_of(op->getUses(), [&](OpOperand &use) {
            return !producers.contains(use.getOwner()) && &use != &scores;
          }))
        readElsewhere.push_back(op);
    if (readElsewhere.empty())
      return producers;
    producers.remove_if(
        [&](Operation *op) { return llvm::is_contained(readElsewhere, op); });
  }
}

/// How often fusion, which follows each use, meets an op before equal ones
/// become one: ops that are read twice, one behind the other, double it.
static bool isCheapToFollow(Attention &attention) {
  constexpr int64_t kMost = 256;
  llvm::SmallDenseMap<Operation *, int64_t> paths;
  int64_t total = 0;
  SmallVector<Operation *> ops(attention.producers.begin(),
                               attention.producers.end());
  llvm::sort(ops,
             [](Operation *a, Operation *b) { return b->isBeforeInBlock(a); });
  for (Operation *op : ops) {
    int64_t count = 0;
    for (OpOperand &use : op->getUses())
      count += use.getOwner() == attention.product.getOperation()
                   ? 1
                   : paths.lookup(use.getOwner());
    paths[op] = count;
    total += count;
    if (total > kMost)
      return false;
  }
  return true;
}

/// Whether the operand is the same for all scores of a row, of which a run
/// tells how many there are: no values, but a scale or a bias.
static bool isScale(GenericOp op, OpOperand *operand) {
  AffineMap map = op.getMatchingIndexingMap(operand);
  for (auto [loop, range, iterator] :
       llvm::enumerate(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::reduction &&
        (!ShapedType::isDynamic(range) || map.isFunctionOfDim(loop)))
      return false;
  return true;
}

/// The op is a product of scores, which come from another product along the
/// loop that it reduces, and of values.
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
          llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *other) {
            return other != scores && !isScale(op, other) &&
                   op.getMatchingIndexingMap(other).isFunctionOfDim(loop);
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
        isCheapToFollow(attention))
      return attention;
  }
  return std::nullopt;
}

/// Elements of the keys and the values of one batch, which every tile of rows
/// reads again; the fewest they can be.
static uint64_t countShared(Attention &attention) {
  auto multiply = [](uint64_t a, int64_t b) {
    return ShapedType::isDynamic(b)
               ? a
               : llvm::SaturatingMultiply(a, static_cast<uint64_t>(b));
  };
  // The loops of the values that the scores do not have.
  GenericOp product = attention.product;
  SmallVector<int64_t> ranges = product.getStaticLoopRanges();
  uint64_t width = 1;
  for (auto [loop, iterator] : llvm::enumerate(product.getIteratorTypesArray()))
    if (iterator == utils::IteratorType::parallel &&
        !llvm::is_contained(attention.rowLoops, loop) &&
        !llvm::is_contained(attention.batchLoops, loop))
      width = multiply(width, ranges[loop]);
  uint64_t depth = 0;
  for (Operation *producer : attention.producers) {
    auto op = cast<GenericOp>(producer);
    if (!isContraction(op))
      continue;
    uint64_t own = 1;
    for (auto [range, iterator] :
         llvm::zip_equal(op.getStaticLoopRanges(), op.getIteratorTypesArray()))
      if (iterator == utils::IteratorType::reduction)
        own = multiply(own, range);
    depth = std::max(depth, own);
  }
  return llvm::SaturatingMultiply(static_cast<uint64_t>(attention.keys),
                                  llvm::SaturatingAdd(depth, width));
}

/// Whether constants alone decide the value: it is one, or elementwise ops and
/// ops that move elements make it of them.
static bool isMadeOfConstants(Value value) {
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

/// Whether reading keys and values again for each of several tiles of rows
/// takes less than a matrix of all scores would. Two matmuls in a row, as in a
/// feed-forward block, look like attention, but have many weights and, for
/// each, few rows.
static bool isWorthTiling(Attention &attention) {
  /// Keys and values that one core's second-level cache keeps.
  constexpr uint64_t kShared = 65536;
  uint64_t shared = countShared(attention);
  if (shared <= kShared)
    return true;
  SmallVector<int64_t> ranges = attention.product.getStaticLoopRanges();
  uint64_t scores = attention.keys;
  for (unsigned loop : attention.rowLoops) {
    // Constant matrices are weights, not keys and values.
    if (ShapedType::isDynamic(ranges[loop]))
      return llvm::none_of(attention.product.getDpsInputs(), isMadeOfConstants);
    scores =
        llvm::SaturatingMultiply(scores, static_cast<uint64_t>(ranges[loop]));
  }
  return scores >= shared;
}

/// Rows of scores that are computed at a time; none if all are.
static int64_t chooseRows(Attention &attention) {
  /// Scores that one core's second-level cache keeps, beside keys and values.
  constexpr int64_t kScores = 32768;
  constexpr int64_t kFewest = 16, kMost = 64;
  SmallVector<int64_t> ranges = attention.product.getStaticLoopRanges();
  auto isDynamic = [&](unsigned loop) {
    return ShapedType::isDynamic(ranges[loop]);
  };
  int64_t rows = std::clamp(
      llvm::bit_floor(uint64_t(std::max<int64_t>(kScores / attention.keys, 1))),
      uint64_t(kFewest), uint64_t(kMost));
  bool isLong = llvm::any_of(attention.rowLoops, isDynamic);
  if (!isLong && attention.scores <= kScores)
    return 0;
  int64_t all = 1;
  for (unsigned loop : attention.rowLoops)
    all *= isDynamic(loop) ? rows : ranges[loop];
  if (!isLong && all <= rows)
    return 0;
  return isWorthTiling(attention) ? rows : 0;
}

/// Whether `value` is computed from what `loop` counts.
static bool isCountedBy(Value value, scf::ForOp loop) {
  if (value == loop.getInductionVar())
    return true;
  Operation *op = value.getDefiningOp();
  return op && loop->isAncestor(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return isCountedBy(operand, loop);
         });
}

/// Whether every loop around the slice takes another one: a slice that loops
/// share is computed once, before them.
static bool isOfEveryLoop(tensor::ExtractSliceOp slice, Operation *outermost) {
  for (Operation *op = slice->getParentOp(); op != outermost;
       op = op->getParentOp()) {
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || llvm::none_of(slice.getOffsets(), [&](Value offset) {
          return isCountedBy(offset, loop);
        }))
      return false;
  }
  return true;
}

static LogicalResult fuse(RewriterBase &rewriter, Attention &attention,
                          int64_t rows) {
  GenericOp op = attention.product;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<OpFoldResult> sizes(op.getNumLoops(), rewriter.getIndexAttr(0));
  auto tileLoop = [&](unsigned loop, int64_t size) {
    // One pass is no loop.
    if (ShapedType::isDynamic(ranges[loop]) || ranges[loop] > size)
      sizes[loop] = rewriter.getIndexAttr(size);
  };
  for (unsigned loop : attention.batchLoops)
    tileLoop(loop, 1);
  for (unsigned loop : ArrayRef(attention.rowLoops).drop_back())
    tileLoop(loop, 1);
  tileLoop(attention.rowLoops.back(), rows);
  Operation *outermost = op->getParentOp();
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setTileSizes(sizes);
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp slice, OpResult producer,
          bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (!attention.producers.contains(producer.getOwner()) ||
            !isOfEveryLoop(slice, outermost))
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
  return success();
}

namespace {
struct FuseAttention final
    : quant_float::impl::QuantFloatFuseAttentionPassBase<FuseAttention> {
  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    bool changed = false;
    for (GenericOp op : ops) {
      std::optional<Attention> attention = match(op);
      int64_t rows = attention ? chooseRows(*attention) : 0;
      if (!rows)
        continue;
      if (failed(fuse(rewriter, *attention, rows)))
        return signalPassFailure();
      changed = true;
    }
    if (!changed)
      return;
    // What is read twice was fused twice.
    DominanceInfo dominance(getOperation());
    eliminateCommonSubExpressions(rewriter, dominance, getOperation());
    if (failed(cleanUpTiles(getOperation())))
      signalPassFailure();
  }
};
} // namespace
