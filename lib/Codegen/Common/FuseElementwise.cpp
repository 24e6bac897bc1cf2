//===- FuseElementwise.cpp - Fuse elementwise linalg ops ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollapseWeightDecoders.h"
#include "FuseGathers.h"
#include "LinalgUtils.h"
#include "WeightContraction.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/Indices.h"
#include "llvm/Support/DebugLog.h"
#include <numeric>

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFUSEELEMENTWISEPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-fuse-elementwise"

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the consumer reads every element of the producer exactly once. A
/// producer that is read in a larger loop nest, such as that of a contraction
/// or a broadcast, would be recomputed.
static bool readsOnce(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  return producer && consumer && producer->hasOneUse() &&
         consumer.getMatchingIndexingMap(operand).isPermutation();
}

/// Whether, along each loop, all block sizes of both ops are multiples of the
/// smallest one. The fused op is tiled by the greatest common divisor of the
/// block sizes, and tiles of one or two elements are slower than a buffer
/// between the two ops.
static bool keepsBlocks(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = cast<linalg::GenericOp>(operand->getOwner());
  AffineMap result =
      producer.getIndexingMapMatchingResult(cast<OpResult>(operand->get()));
  if (!result.isPermutation())
    return true;
  AffineMap loops = inversePermutation(result).compose(
      consumer.getMatchingIndexingMap(operand));
  SmallVector<AffineMap> maps = consumer.getIndexingMapsArray();
  for (AffineMap map : producer.getIndexingMapsArray())
    maps.push_back(map.compose(loops));
  // The minimum and the greatest common divisor of the block sizes along each
  // loop.
  llvm::SmallDenseMap<AffineExpr, std::pair<int64_t, int64_t>> sizes;
  for (AffineMap map : maps)
    for (AffineExpr index : map.getResults())
      if (std::optional<BlockIndex> block = getBlockIndex(index)) {
        auto &[smallest, divisor] =
            sizes.try_emplace(block->position, block->size, block->size)
                .first->second;
        smallest = std::min(smallest, block->size);
        divisor = std::gcd(divisor, block->size);
      }
  return llvm::all_of(sizes, [](const auto &entry) {
    return entry.second.first == entry.second.second;
  });
}

/// Whether the producer unpacks packed elements. This takes one shift for each,
/// and never justifies a buffer for all of them.
static bool isUnpacking(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  return producer && producer.getNumDpsInputs() == 1 &&
         isPackedElementType(getElementTypeOrSelf(producer.getInputs()[0])) &&
         isa<arith::ExtUIOp>(producer.getBody()->front());
}

/// Whether the producer permutes elements or converts them to a wider type, and
/// its only user is a matmul or a convolution.
static bool isContractionOperand(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer || !producer->hasOneUse() ||
      producer.getNumParallelLoops() != producer.getNumLoops() ||
      consumer.getNumReductionLoops() == 0 ||
      consumer.getNumParallelLoops() < 2 ||
      (consumer.getNumReductionLoops() > 1 &&
       !MultiplyAccumulate::get(consumer)))
    return false;
  Value yielded = producer.getBody()->getTerminator()->getOperand(0);
  if (isa<BlockArgument>(yielded))
    return true;
  auto getBits = [](Value value) {
    Type element = getElementTypeOrSelf(value);
    return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  };
  unsigned bits = getBits(operand->get());
  return llvm::any_of(producer.getDpsInputOperands(), [&](OpOperand *input) {
    unsigned inputBits = getBits(input->get());
    return producer.getMatchingIndexingMap(input).isPermutation() &&
           inputBits != 0 && inputBits < bits;
  });
}

/// Whether to fuse the producer into the consumer.
static bool shouldFuse(OpOperand *operand) {
  return isUnpacking(operand) || (readsOnce(operand) && keepsBlocks(operand));
}

/// Whether the op may leave elements of an init unwritten that it does not read
/// either. Upstream assumes that an init that the body does not read is
/// fully overwritten, in fusion and in bufferization, and would lose these
/// elements.
static bool mayLeaveUnwritten(linalg::GenericOp op) {
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return !op.payloadUsesValueFromOperand(&init) &&
           !init.get().getDefiningOp<tensor::EmptyOp>() &&
           !op.getMatchingIndexingMap(&init).isProjectedPermutation(
               /*allowZeroInResults=*/true);
  });
}

namespace {
/// The large ops that one round of fusion has made. Fusion clones the body of
/// the producer, so a chain of ops that grows by one op at a time takes
/// quadratic time. Large ops are fused in pairs instead, once in each round.
class LargeFusedOps final : public RewriterBase::Listener {
public:
  /// The smallest number of operations in the body of a large op.
  static constexpr size_t kMinSize = 256;

  void notifyOperationInserted(Operation *op,
                               OpBuilder::InsertPoint previous) override {
    if (isa<linalg::GenericOp>(op) && !previous.isSet())
      inserted.insert(op);
  }
  void notifyOperationErased(Operation *op) override { inserted.erase(op); }

  /// Whether the producer must wait for the next round.
  bool shouldDefer(Operation *producer) {
    bool isDeferred =
        inserted.contains(producer) &&
        llvm::hasNItemsOrMore(producer->getRegion(0).front(), kMinSize);
    hasDeferred |= isDeferred;
    return isDeferred;
  }

  /// Starts a round, and returns whether the last one has deferred an op.
  bool beginRound() {
    inserted.clear();
    return std::exchange(hasDeferred, false);
  }

private:
  DenseSet<Operation *> inserted;
  bool hasDeferred = false;
};

struct FuseElementwise final
    : quant_float::impl::QuantFloatFuseElementwisePassBase<FuseElementwise> {
  using QuantFloatFuseElementwisePassBase::QuantFloatFuseElementwisePassBase;

  void runOnOperation() override {
    MLIRContext *context = &getContext();
    IRRewriter rewriter(context);
    SmallVector<linalg::LinalgOp> named;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp>(op))
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      // Ops that cannot be generalized stay: the lowering to loops supports
      // them.
      (void)linalg::generalizeNamedOp(rewriter, op);
    }
    bool isPartial = false;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (!mayLeaveUnwritten(op))
        return;
      op.emitOpError("has no lowering: expected an op that reads its init or "
                     "overwrites all of its elements");
      isPartial = true;
    });
    if (isPartial)
      return signalPassFailure();
    LargeFusedOps fusedOps;
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [&](OpOperand *operand) {
          // A fused op would not keep the accumulation order of the schedule.
          bool isFused =
              !operand->getOwner()->hasAttr(kReductionScheduleAttrName) &&
              (shouldFuse(operand) ||
               (contractions && isContractionOperand(operand))) &&
              !fusedOps.shouldDefer(operand->get().getDefiningOp());
          LDBG() << (isFused ? "fusing " : "not fusing ")
                 << operand->get().getLoc() << " into "
                 << operand->getOwner()->getLoc();
          numFused += isFused;
          return isFused;
        });
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    populateCollapseWeightDecodersPatterns(patterns);
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    // Fusion proceeds from producers to consumers. It would take many
    // iterations with the default bottom-up order.
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    config.setListener(&fusedOps);
    FrozenRewritePatternSet frozen(std::move(patterns));
    do {
      if (failed(applyPatternsGreedily(getOperation(), frozen, config)))
        return signalPassFailure();
    } while (fusedOps.beginRound());
    numGathersFused += fuseGathers(rewriter, getOperation());
  }
};
} // namespace
