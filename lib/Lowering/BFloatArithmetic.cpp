//===- BFloatArithmetic.cpp - Results of bf16 of arith and math -----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM rounds results of bf16 with x86's vcvtneps2bf16, which treats subnormals
// as zero, or else calls a function of the C runtime for each element. It also
// converts integers through f32, which rounds twice. These patterns compute in
// f32 and round with casts, which are exact.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

static bool isBFloat(Type type) {
  return !isa<TensorType>(type) && getElementTypeOrSelf(type).isBF16();
}

namespace {
/// Converts truncations to bf16, and those of f64 to f16, to casts.
struct TruncationToHalf final : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn());
    Type to = getElementTypeOrSelf(op.getType());
    std::optional<arith::RoundingMode> mode = op.getRoundingmode();
    if (isa<TensorType>(op.getType()) ||
        !((to.isBF16() && (from.isF32() || from.isF64())) ||
          (to.isF16() && from.isF64())) ||
        (mode && *mode != arith::RoundingMode::to_nearest_even))
      return failure();
    Value result = CastOp::create(rewriter, op.getLoc(), op.getIn(), to);
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Converts conversions of integers to bf16 to casts.
template <typename OpTy> struct IntegerToBFloat final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto from = cast<IntegerType>(getElementTypeOrSelf(op.getIn()));
    // f32 represents all integers of at most 16 bits.
    if (!isBFloat(op.getType()) ||
        (from.getWidth() != 32 && from.getWidth() != 64))
      return failure();
    Value input = op.getIn();
    if (std::is_same_v<OpTy, arith::UIToFPOp>)
      input = StorageCastOp::create(
          rewriter, op.getLoc(),
          withElementType(input.getType(),
                          rewriter.getIntegerType(from.getWidth(),
                                                  /*isSigned=*/false)),
          input);
    Value result = CastOp::create(rewriter, op.getLoc(), input,
                                  getElementTypeOrSelf(op.getType()));
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// Computes in f32 and rounds the result. For addition, subtraction,
/// multiplication, division and square root, this is equivalent to rounding
/// once.
struct WidenBFloatArithmetic final : RewritePattern {
  WidenBFloatArithmetic(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (!isa_and_present<arith::ArithDialect, math::MathDialect>(
            op->getDialect()) ||
        !op->hasTrait<OpTrait::Elementwise>() || op->getNumResults() != 1 ||
        op->getNumRegions() != 0 || !isBFloat(op->getResult(0).getType()))
      return failure();
    // The other ops move bits, or have separate patterns.
    if (isa<CastOpInterface, arith::SelectOp, arith::NegFOp, math::AbsFOp,
            math::CopySignOp>(op))
      return failure();
    Location loc = op->getLoc();
    Type f32 = rewriter.getF32Type();
    IRMapping mapping;
    for (Value operand : op->getOperands())
      if (isBFloat(operand.getType()) && !mapping.contains(operand)) {
        Value wide = arith::ExtFOp::create(
            rewriter, loc, withElementType(operand.getType(), f32), operand,
            arith::FastMathFlagsAttr());
        mapping.map(operand, wide);
      }
    Value wide = rewriter.clone(*op, mapping)->getResult(0);
    wide.setType(withElementType(wide.getType(), f32));
    Value result = CastOp::create(rewriter, loc, wide, rewriter.getBF16Type());
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void quant_float::populateBFloatArithmeticPatterns(
    RewritePatternSet &patterns) {
  patterns.add<TruncationToHalf, IntegerToBFloat<arith::SIToFPOp>,
               IntegerToBFloat<arith::UIToFPOp>, WidenBFloatArithmetic>(
      patterns.getContext());
}
