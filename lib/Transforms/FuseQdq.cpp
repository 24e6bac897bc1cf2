//===- FuseQdq.cpp - quantize and dequantize into qdq ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QdqPair.h"
#include "ReplacementCounter.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFUSEQDQPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-fuse-qdq"

using namespace mlir;
using namespace mlir::quant_float;

QuantizeOp quant_float::findQuantizeOfPair(DequantizeOp op) {
  auto quantize = op.getInput().getDefiningOp<QuantizeOp>();
  bool isPair = quantize && quantize->hasOneUse() &&
                quantize.getInput().getType() == op.getType() &&
                quantize.getOpset() == op.getOpset() &&
                quantize.getDomain() == op.getDomain() &&
                haveSameParameters(quantize, op);
  return isPair ? quantize : QuantizeOp();
}

namespace {
///   %q = quantize %x, %s, %z : T
///   %y = dequantize %q, %s, %z
///   ->
///   %y = qdq %x, %s, %z storage T
struct FuseQdq final : OpRewritePattern<DequantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DequantizeOp op,
                                PatternRewriter &rewriter) const override {
    QuantizeOp quantize = findQuantizeOfPair(op);
    if (!quantize)
      return rewriter.notifyMatchFailure(op, "no quantize that forms a pair");
    LDBG() << "fusing " << quantize << " into " << op;
    rewriter.replaceOpWithNewOp<QdqOp>(
        op, op.getType(), quantize.getInput(), quantize.getScale(),
        quantize.getZeroPoint(), quantize.getOpsetAttr(),
        quantize.getDomainAttr(), quantize.getAxisAttr(),
        quantize.getBlockSizeAttr(), quantize.getIgnoredAttributesAttr(),
        TypeAttr::get(quantize.getQuantizedElementType()),
        quantize.getSaturateAttr(), quantize.getPrecisionAttr(),
        quantize.getRandom());
    return success();
  }
};

struct FuseQdqPass final
    : quant_float::impl::QuantFloatFuseQdqPassBase<FuseQdqPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateFuseQdqPatterns(patterns);
    // The greedy driver erases the quantize ops, which become dead. Other ops
    // stay as they are.
    GreedyRewriteConfig config;
    config.enableFolding(false);
    ReplacementCounter<DequantizeOp> counter(numFused);
    config.setListener(&counter);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace

void quant_float::populateFuseQdqPatterns(RewritePatternSet &patterns) {
  patterns.add<FuseQdq>(patterns.getContext());
}
