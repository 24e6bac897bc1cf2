//===- DecomposeQdq.cpp - qdq into quantize and dequantize ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplacementCounter.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATDECOMPOSEQDQPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-decompose-qdq"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
///   %y = qdq %x, %s, %z storage T
///   ->
///   %q = quantize %x, %s, %z : T
///   %y = dequantize %q, %s, %z
struct DecomposeQdq final : OpRewritePattern<QdqOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QdqOp op,
                                PatternRewriter &rewriter) const override {
    LDBG() << "decomposing " << op;
    auto quantize = QuantizeOp::create(
        rewriter, op.getLoc(),
        withElementType(op.getInput().getType(), op.getStorage()),
        op.getInput(), op.getScale(), op.getZeroPoint(), op.getOpsetAttr(),
        op.getDomainAttr(), op.getAxisAttr(), op.getBlockSizeAttr(),
        op.getIgnoredAttributesAttr(), op.getSaturateAttr(),
        op.getPrecisionAttr(), op.getRandom());
    rewriter.replaceOpWithNewOp<DequantizeOp>(
        op, op.getType(), quantize, op.getScale(), op.getZeroPoint(),
        op.getOpsetAttr(), op.getDomainAttr(), op.getAxisAttr(),
        op.getBlockSizeAttr(), /*ignored_attributes=*/ArrayAttr());
    return success();
  }
};

struct DecomposeQdqPass final
    : quant_float::impl::QuantFloatDecomposeQdqPassBase<DecomposeQdqPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateDecomposeQdqPatterns(patterns);
    // No pattern creates a qdq op or leaves a dead op, so one walk suffices.
    ReplacementCounter<QdqOp> counter(numDecomposed);
    walkAndApplyPatterns(getOperation(), std::move(patterns), &counter);
  }
};
} // namespace

void quant_float::populateDecomposeQdqPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeQdq>(patterns.getContext());
}
