//===- FuseElementwise.cpp - Elementwise ops in one loop ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FuseGathers.h"
#include "WeightProduct.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/Indices.h"
#include "quant-float/Transforms/Passes.h"
#include <numeric>

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFUSEELEMENTWISEPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the consumer reads every element of the producer exactly once. A
/// producer inside a loop nest larger than its own, that of a contraction or a
/// broadcast, would be computed again and again.
static bool readsOnce(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  return producer && consumer && producer->hasOneUse() &&
         consumer.getMatchingIndexingMap(operand).isPermutation();
}

/// Whether the blocks of the fused op are those of one of the two, along every
/// loop: a loop goes over what divides all block sizes, and pieces of one or
/// two elements are worse than a buffer in between.
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
  // The smallest size of blocks along each loop, and what divides them all.
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

/// Whether the producer spreads packed elements, one shift each: that is never
/// worth a buffer for all of them.
static bool isUnpacking(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  return producer && producer.getNumDpsInputs() == 1 &&
         isPackedElementType(getElementTypeOrSelf(producer.getInputs()[0])) &&
         isa<arith::ExtUIOp>(producer.getBody()->front());
}

/// Whether the op adds up products, as convolutions do, and is no pooling.
static bool isSumOfProducts(linalg::GenericOp op) {
  Operation *sum = op.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum) &&
         llvm::any_of(sum->getOperands(), [](Value term) {
           return isa_and_nonnull<arith::MulFOp, arith::MulIOp>(
               term.getDefiningOp());
         });
}

/// Permutes elements, or makes wider ones of narrower ones, for a product of
/// matrices or a convolution alone.
static bool isOfProduct(OpOperand *operand) {
  auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
  auto consumer = dyn_cast<linalg::GenericOp>(operand->getOwner());
  if (!producer || !consumer || !producer->hasOneUse() ||
      producer.getNumParallelLoops() != producer.getNumLoops() ||
      consumer.getNumReductionLoops() == 0 ||
      consumer.getNumParallelLoops() < 2 ||
      (consumer.getNumReductionLoops() > 1 && !isSumOfProducts(consumer)))
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

/// Whether the producer is to be computed inside of the consumer.
static bool shouldFuse(OpOperand *operand) {
  return isUnpacking(operand) || (readsOnce(operand) && keepsBlocks(operand));
}

/// Upstream takes an init that a body does not read for one that is written
/// whole, here and when buffers are shared: what the others hold would be lost.
static bool keepsUnwritten(linalg::GenericOp op) {
  return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    return !op.payloadUsesValueFromOperand(&init) &&
           !init.get().getDefiningOp<tensor::EmptyOp>() &&
           !op.getMatchingIndexingMap(&init).isProjectedPermutation(
               /*allowZeroInResults=*/true);
  });
}

namespace {
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
      // What has no generic form stays; the lowering to loops knows it.
      (void)linalg::generalizeNamedOp(rewriter, op);
    }
    bool isPartial = false;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (!keepsUnwritten(op))
        return;
      op.emitOpError("has no lowering where it writes some elements of its "
                     "result and keeps the others unread");
      isPartial = true;
    });
    if (isPartial)
      return signalPassFailure();
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(
        patterns, [&](OpOperand *operand) {
          // A fused op would not have the order of its sums any more.
          return !operand->getOwner()->hasAttr(kSumOrderAttrName) &&
                 (shouldFuse(operand) || (products && isOfProduct(operand)));
        });
    linalg::populateEraseUnusedOperandsAndResultsPatterns(patterns);
    tensor::populateDecomposeTensorConcatPatterns(patterns);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
    // Fusion goes from producers to consumers, over and over with the default
    // bottom-up order.
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal(true);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    fuseGathers(rewriter, getOperation());
  }
};
} // namespace
