//===- ConvertBlockDequantize.cpp - block_dequantize to dequantize -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplacementCounter.h"
#include "RewriteUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATCONVERTBLOCKDEQUANTIZEPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-convert-block-dequantize"

using namespace mlir;
using namespace mlir::quant_float;
using reference::Granularity;

namespace {
/// The granularity of a dequantize.
struct Blocks {
  std::optional<int64_t> axis, blockSize;
};

/// See the description of the pass.
struct ConvertBlockDequantize final : OpRewritePattern<BlockDequantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BlockDequantizeOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

/// Returns the granularity with the same scales, or nullopt after writing the
/// reason.
static std::optional<Blocks> getBlocks(BlockDequantizeOp op,
                                       StringRef &reason) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  Blocks blocks;
  // The scale of a tensor has a rank of at most 1.
  if (type.getRank() == 0 ||
      op.getBlock() == ArrayRef<int64_t>{Granularity::kWholeDim})
    return blocks;
  for (auto [dim, size] : llvm::enumerate(op.getBlock())) {
    if (size == 1)
      continue;
    if (blocks.axis) {
      reason = "blocks have several dimensions";
      return std::nullopt;
    }
    blocks.axis = dim;
    blocks.blockSize =
        size == Granularity::kWholeDim ? type.getDimSize(dim) : size;
  }
  if (!blocks.axis)
    return Blocks{type.getRank() - 1, 1};
  if (ShapedType::isDynamic(*blocks.blockSize) || *blocks.blockSize == 0) {
    reason = "the size of blocks is not known";
    return std::nullopt;
  }
  return blocks;
}

static Value createDequantize(OpBuilder &builder, Location loc, Value input,
                              Value scale, Type to, const Blocks &blocks) {
  auto getAttr = [&](std::optional<int64_t> value) {
    return value ? builder.getI64IntegerAttr(*value) : IntegerAttr();
  };
  return DequantizeOp::create(
      builder, loc, cast<RankedTensorType>(input.getType()).clone(to), input,
      scale, /*zero_point=*/Value(), builder.getI64IntegerAttr(kNewestOpset),
      /*domain=*/StringAttr(), getAttr(blocks.axis), getAttr(blocks.blockSize),
      /*ignored_attributes=*/ArrayAttr());
}

LogicalResult
ConvertBlockDequantize::matchAndRewrite(BlockDequantizeOp op,
                                        PatternRewriter &rewriter) const {
  Type element = getElementTypeOrSelf(op.getInput());
  Type scaleType = getElementTypeOrSelf(op.getScale());
  StringRef reason;
  std::optional<Blocks> blocks;
  bool isE4M3 = isa<Float8E4M3FNType>(scaleType);
  if (!isa<RankedTensorType>(op.getInput().getType()))
    reason = "it is not on tensors";
  else if (element.isInteger(8) && isa<Float8E8M0FNUType>(scaleType))
    reason = "ONNX does not have MXINT8";
  else if (!isE4M3 &&
           !isa<Float8E8M0FNUType, Float32Type, Float16Type, BFloat16Type>(
               scaleType))
    reason = "ONNX does not have scales of this type";
  else if (op.getTensorScale() &&
           (!isE4M3 || op.getOrder() != ScaleOrder::TensorFirst))
    reason =
        "ONNX multiplies the scale of a block by that of the tensor first, "
        "as order tensor_first";
  else
    blocks = getBlocks(op, reason);
  if (!blocks) {
    LDBG() << "not converting " << op << ": " << reason;
    emitNodeRemark(op) << "not converted to dequantize: " << reason;
    return failure();
  }
  LDBG() << "converting " << op;
  Location loc = op.getLoc();
  Type f32 = rewriter.getF32Type();
  Value scale = op.getScale();
  if (isE4M3) {
    // A product with 1 is exact.
    Value tensorScale = op.getTensorScale();
    if (!tensorScale)
      tensorScale = createConstantOfBits(
          rewriter, loc, RankedTensorType::get({}, f32),
          APFloat(APFloat::IEEEsingle(), 1).bitcastToAPInt());
    scale = createDequantize(rewriter, loc, scale, tensorScale, f32, Blocks());
  }
  Value result = createDequantize(rewriter, loc, op.getInput(), scale,
                                  getElementTypeOrSelf(op.getType()), *blocks);
  // The op's result may have other static sizes (V8).
  if (result.getType() != op.getType())
    result.setType(op.getType());
  rewriter.replaceOp(op, result);
  return success();
}

namespace {
struct ConvertBlockDequantizePass final
    : quant_float::impl::QuantFloatConvertBlockDequantizePassBase<
          ConvertBlockDequantizePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ConvertBlockDequantize>(&getContext());
    ReplacementCounter<BlockDequantizeOp> counter(numConverted);
    walkAndApplyPatterns(getOperation(), std::move(patterns), &counter);
  }
};
} // namespace
