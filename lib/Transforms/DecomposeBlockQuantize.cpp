//===- DecomposeBlockQuantize.cpp - block_quantize to its parts ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplacementCounter.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATDECOMPOSEBLOCKQUANTIZEPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-decompose-block-quantize"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the largest magnitude of the tensor from those of its blocks, as a
/// tensor<f32>.
static Value getTensorAmax(OpBuilder &builder, Location loc, Value amaxes) {
  auto type = cast<RankedTensorType>(amaxes.getType());
  int64_t rank = type.getRank();
  Type elementType = type.getElementType();
  Value amax = BlockAmaxOp::create(
      builder, loc,
      RankedTensorType::get(SmallVector<int64_t>(rank, 1), elementType), amaxes,
      SmallVector<int64_t>(rank, reference::Granularity::kWholeDim));
  if (rank != 0)
    amax = tensor::CollapseShapeOp::create(
        builder, loc, RankedTensorType::get({}, elementType), amax,
        ArrayRef<ReassociationIndices>());
  if (elementType.isF32())
    return amax;
  return CastOp::create(builder, loc, amax, builder.getF32Type());
}

/// Reshapes a tensor of one element, of rank 0 or 1.
static Value withRankOf(OpBuilder &builder, Location loc, Value value,
                        Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  if (value.getType() == type)
    return value;
  ArrayRef<ReassociationIndices> none;
  if (type.getRank() == 0)
    return tensor::CollapseShapeOp::create(builder, loc, type, value, none);
  return tensor::ExpandShapeOp::create(builder, loc, type, value, none);
}

namespace {
struct DecomposeBlockQuantize final : OpRewritePattern<BlockQuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BlockQuantizeOp op,
                                PatternRewriter &rewriter) const override {
    LDBG() << "decomposing " << op;
    Location loc = op.getLoc();
    Value input = op.getInput(), tensorAmax = op.getTensorAmax();
    auto scalesType = cast<RankedTensorType>(op.getScales().getType());
    Value amaxes = BlockAmaxOp::create(
        rewriter, loc, scalesType.clone(getElementTypeOrSelf(input.getType())),
        input, op.getBlock());
    Value computed = op.getComputedTensorScale();
    if (computed && !tensorAmax)
      tensorAmax = getTensorAmax(rewriter, loc, amaxes);
    Value scales = BlockScaleOp::create(
        rewriter, loc, scalesType, amaxes, tensorAmax, op.getTensorScale(),
        op.getRule(), getElementTypeOrSelf(op.getValues().getType()));
    Value values = BlockQuantizeElementsOp::create(
        rewriter, loc, op.getValues().getType(), input, scales, tensorAmax,
        op.getTensorScale(), op.getRandom(), op.getBlockAttr(),
        op.getRuleAttr(), op.getRoundModeAttr());
    SmallVector<Value> results{values, scales};
    if (computed) {
      Value scale = TensorScaleOp::create(rewriter, loc, tensorAmax);
      results.push_back(withRankOf(rewriter, loc, scale, computed));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct DecomposeBlockQuantizePass final
    : quant_float::impl::QuantFloatDecomposeBlockQuantizePassBase<
          DecomposeBlockQuantizePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateDecomposeBlockQuantizePatterns(patterns);
    ReplacementCounter<BlockQuantizeOp> counter(numDecomposed);
    walkAndApplyPatterns(getOperation(), std::move(patterns), &counter);
  }
};
} // namespace

void quant_float::populateDecomposeBlockQuantizePatterns(
    RewritePatternSet &patterns) {
  patterns.add<DecomposeBlockQuantize>(patterns.getContext());
}
