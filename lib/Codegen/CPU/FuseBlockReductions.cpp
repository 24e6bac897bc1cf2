//===- FuseBlockReductions.cpp - Fuse reductions of blocks ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fuses block reductions into tile loops over full blocks, so that the second
// read of the input finds the elements in a cache. BlockReductionFusion.cpp
// matches the ops, and BlockReductionTiles.cpp tiles them.
//
//===----------------------------------------------------------------------===//

#include "../Common/LinalgUtils.h"
#include "BlockReductionFusion.h"
#include "BlockValues.h"
#include "SharedReads.h"
#include "TileCleanup.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFUSEBLOCKREDUCTIONSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-fuse-block-reductions"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Marks the consumer while its loops are peeled.
static constexpr llvm::StringLiteral kRemainderAttrName = "quant_float.rest";

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
  FailureOr<bool> fuse(RewriterBase &rewriter, GenericOp op,
                       FusibleProducers kinds);
  LogicalResult divideBlocks(RewriterBase &rewriter, scf::ForOp loop,
                             GenericOp consumer, FusibleProducers kinds,
                             ArrayRef<int64_t> remainderBlocks);
};
} // namespace

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
static constexpr int64_t kRemainderBlocks[] = {16, 1};

/// Gives the tiles of a loop over an unknown number of blocks a static size,
/// and divides the blocks after the last full tile into smaller tiles.
LogicalResult
FuseBlockReductions::divideBlocks(RewriterBase &rewriter, scf::ForOp loop,
                                  GenericOp consumer, FusibleProducers kinds,
                                  ArrayRef<int64_t> remainderBlocks) {
  scf::ForOp rest;
  if (!remainderBlocks.empty()) {
    consumer->setAttr(kRemainderAttrName, rewriter.getUnitAttr());
    (void)scf::peelForLoopAndSimplifyBounds(rewriter, loop, rest);
    consumer->removeAttr(kRemainderAttrName);
    if (!rest)
      return success();
  }
  setFullTiles(rewriter, loop);
  GenericOp last;
  if (rest)
    rest.walk([&](GenericOp op) {
      if (op->removeAttr(kRemainderAttrName))
        last = op;
    });
  for (; last && !remainderBlocks.empty();
       remainderBlocks = remainderBlocks.drop_front()) {
    BlockReductionFusion fusion(last, kinds, remainderBlocks.front());
    if (!fusion.match() || !fusion.chooseTiles(/*threads=*/false))
      continue;
    FailureOr<SmallVector<LoopLikeOpInterface>> loops = fusion.fuse(rewriter);
    if (failed(loops))
      return failure();
    return divideBlocks(
        rewriter, cast<scf::ForOp>(loops->back().getOperation()),
        fusion.getConsumer(), kinds, remainderBlocks.drop_front());
  }
  return success();
}

FailureOr<bool> FuseBlockReductions::fuse(RewriterBase &rewriter, GenericOp op,
                                          FusibleProducers kinds) {
  BlockReductionFusion fusion(op, kinds);
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
    if (forOp && loop == loops->back() && fusion.hasRemainder()) {
      if (failed(divideBlocks(rewriter, forOp, fusion.getConsumer(), kinds,
                              kRemainderBlocks)))
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
  for (GenericOp op : collectGenericOps(getOperation(), isElementwiseOnTensors))
    if (!erased.ops.contains(op) && isQuantization(op) &&
        failed(repeatProducer(rewriter, op)))
      return signalPassFailure();
  erased.ops.clear();
  // Consumers before their producers, which may be fused into them.
  auto fuseAll = [&](ArrayRef<FusibleProducers> kinds,
                     bool hoist) -> LogicalResult {
    bool isChanged = false;
    SmallVector<GenericOp> ops =
        collectGenericOps(getOperation(), isElementwiseOnTensors);
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
      for (FusibleProducers kind : kinds) {
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
  if (failed(fuseAll({FusibleProducers::RowReductions}, /*hoist=*/false)) ||
      failed(
          fuseAll({FusibleProducers::Elementwise, FusibleProducers::Reductions},
                  /*hoist=*/true)))
    signalPassFailure();
}
