//===- Kernels.cpp - Lowering of other ops in GPU kernels -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "../Flatten.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;

LogicalResult nvvm::verifyShapes(Operation *root) {
  auto verify = [](Operation *op) -> WalkResult {
    if (!isa<CastOp, QuantizeOp, DequantizeOp, QdqOp, FakeConvertOp,
             QuantizeElementsOp>(op))
      return WalkResult::advance();
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(),
                                              op->getResultTypes())) {
      auto vector = dyn_cast<VectorType>(type);
      bool hasFixedSize =
          vector ? !vector.isScalable() : !isa<ShapedType>(type);
      if (!hasFixedSize)
        return op->emitOpError("expected scalars or vectors of fixed size in "
                               "kernels, but got ")
               << type;
      if (!isNumber(getElementTypeOrSelf(type)))
        return op->emitOpError("expected numeric types in kernels, but got ")
               << type;
    }
    return WalkResult::advance();
  };
  return failure(root->walk(verify).wasInterrupted());
}

void nvvm::lowerShapes(Operation *root) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    auto broadcast = dyn_cast<vector::BroadcastOp>(op);
    if (isa<vector::ShapeCastOp, vector::ExtractStridedSliceOp>(op) ||
        (broadcast && (isa<VectorType>(broadcast.getSourceType()) ||
                       broadcast.getResultVectorType().getRank() > 1)))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  MLIRContext *context = root->getContext();
  RewritePatternSet patterns(context);
  vector::ShapeCastOp::getCanonicalizationPatterns(patterns, context);
  vector::populateVectorShapeCastLoweringPatterns(patterns);
  vector::populateVectorBroadcastLoweringPatterns(patterns);
  vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  // Other passes lower the ops that remain.
  (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
}

namespace {
/// Converts ops that are PTX instructions. Upstream would call libdevice.
template <typename OpTy, typename LLVMOpTy>
struct InstructionConversion final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    bool isFlat = !type || type.getRank() == 1;
    if (!LLVM::isCompatibleType(type ? type.getElementType() : op.getType()) ||
        (!isFlat && type.isScalable()))
      return rewriter.notifyMatchFailure(
          op, "LLVM does not support the vector type");
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isFlat ? operand
                                : flatten(rewriter, op.getLoc(), operand));
    OperationState state(op.getLoc(), LLVMOpTy::getOperationName(), operands,
                         operands.front().getType());
    Value result = rewriter.create(state)->getResult(0);
    rewriter.replaceOp(
        op, isFlat ? result
                   : unflatten(rewriter, op.getLoc(), result, op.getType()));
    return success();
  }
};

/// Converts to an intrinsic by name, because upstream converts the LLVM
/// dialect's op to a call of libdevice. (Which of two patterns upstream applies
/// to the op of math depends on the order of the dialects, which is that of
/// their addresses.)
template <typename OpTy>
struct IntrinsicConversion final : OpRewritePattern<OpTy> {
  IntrinsicConversion(MLIRContext *context, StringRef name)
      : OpRewritePattern<OpTy>(context), name(name) {}

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (type && (type.getRank() != 1 || type.isScalable()))
      return rewriter.notifyMatchFailure(
          op, "LLVM does not support the vector type");
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr(name), op->getOperands());
    return success();
  }

private:
  StringRef name;
};

/// Converts to correctly rounded square roots. Upstream's call of libdevice
/// computes an approximation. For f16 and bf16, rounding the root in f32 gives
/// the correctly rounded result.
struct SqrtOpConversion final : OpRewritePattern<math::SqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::SqrtOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (type && type.isScalable())
      return rewriter.notifyMatchFailure(
          op, "LLVM does not support the vector type");
    Location loc = op.getLoc();
    if (!type) {
      rewriter.replaceOp(op, getRoot(rewriter, loc, op.getOperand()));
      return success();
    }
    Value flat = flatten(rewriter, loc, op.getOperand());
    SmallVector<Value> roots;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      roots.push_back(getRoot(
          rewriter, loc, vector::ExtractOp::create(rewriter, loc, flat, i)));
    Value result = vector::FromElementsOp::create(rewriter, loc, type, roots);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  static Value getRoot(OpBuilder &builder, Location loc, Value value) {
    Type type = value.getType();
    bool isDouble = type.isF64();
    Type wide = isDouble ? type : builder.getF32Type();
    if (type != wide)
      value = arith::ExtFOp::create(builder, loc, wide, value,
                                    arith::FastMathFlagsAttr());
    value = LLVM::CallIntrinsicOp::create(
                builder, loc, wide,
                builder.getStringAttr(isDouble ? "llvm.nvvm.sqrt.rn.d"
                                               : "llvm.nvvm.sqrt.rn.f"),
                value)
                .getResult(0);
    return type == wide ? value
                        : arith::TruncFOp::create(builder, loc, type, value);
  }
};
} // namespace

void nvvm::populateInstructionPatterns(RewritePatternSet &patterns) {
  patterns.add<InstructionConversion<math::FmaOp, LLVM::FMAOp>,
               InstructionConversion<arith::MinNumFOp, LLVM::MinNumOp>,
               InstructionConversion<arith::MaxNumFOp, LLVM::MaxNumOp>,
               InstructionConversion<arith::MinimumFOp, LLVM::MinimumOp>,
               InstructionConversion<arith::MaximumFOp, LLVM::MaximumOp>,
               SqrtOpConversion>(patterns.getContext());
  patterns.insert<IntrinsicConversion<math::AbsFOp>>(patterns.getContext(),
                                                     "llvm.fabs");
  patterns.insert<IntrinsicConversion<math::CeilOp>>(patterns.getContext(),
                                                     "llvm.ceil");
  patterns.insert<IntrinsicConversion<math::CopySignOp>>(patterns.getContext(),
                                                         "llvm.copysign");
  patterns.insert<IntrinsicConversion<math::FloorOp>>(patterns.getContext(),
                                                      "llvm.floor");
  patterns.insert<IntrinsicConversion<math::RoundEvenOp>>(patterns.getContext(),
                                                          "llvm.roundeven");
  patterns.insert<IntrinsicConversion<math::TruncOp>>(patterns.getContext(),
                                                      "llvm.trunc");
}
