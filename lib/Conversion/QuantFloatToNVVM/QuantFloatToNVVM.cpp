//===- QuantFloatToNVVM.cpp - The pass of GPU modules ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Emulation/NVVM/Conversions.h"
#include "../../Emulation/NVVM/Pairs.h"
#include "../../Emulation/RoundThroughFloats.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "quant-float/Conversion/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTQUANTFLOATTONVVMPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// What becomes of a cast, or of the quotient of a quantization.
static void emitRemark(Operation *op, StringRef name, Type from,
                       const CastPlan &plan) {
  bool isNative = plan.encode || plan.decode;
  std::string text;
  llvm::raw_string_ostream(text)
      << from << " to " << getElementTypeOrSelf(op->getResult(0).getType())
      << (isNative ? " by " : " expanded into arith: ") << plan.reason;
  auto options = remark::RemarkOpts::name(name).category("quant-float-nvvm");
  if (isNative)
    remark::passed(op->getLoc(), options) << text;
  else
    remark::missed(op->getLoc(), options) << text;
}

static void emitRemarks(Operation *root, const NvidiaChip &chip) {
  root->walk([&](Operation *op) {
    if (auto cast = dyn_cast<CastOp>(op))
      emitRemark(op, "cast", getElementTypeOrSelf(cast.getInput()),
                 planCast(cast, chip));
    else if (auto quantize = dyn_cast<QuantizeElementsOp>(op))
      emitRemark(op, "quantize", getElementTypeOrSelf(quantize.getInput()),
                 planQuantize(quantize, chip));
  });
}

/// Nobody looks at the codes of what has been rounded.
template <typename... OpTys> static void eraseUnused(Operation *root) {
  root->walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isa<OpTys...>(op) && op->use_empty())
      op->erase();
  });
}

/// Makes ops on vectors of one dimension of those that upstream's pipeline for
/// GPUs does not lower. Casts there and back fold.
static void lowerShapes(Operation *root) {
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
  // Whatever is left is for others to lower.
  (void)applyOpPatternsGreedily(ops, std::move(patterns), config);
}

namespace {
/// Upstream makes calls into libdevice of what are instructions of PTX.
template <typename OpTy, typename LLVMOpTy>
struct InstructionConversion final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    bool isFlat = !type || type.getRank() == 1;
    if (!LLVM::isCompatibleType(type ? type.getElementType() : op.getType()) ||
        (!isFlat && type.isScalable()))
      return rewriter.notifyMatchFailure(op, "a vector that LLVM has not");
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isFlat ? operand
                                : flatten(rewriter, op.getLoc(), operand));
    Value result = LLVMOpTy::create(rewriter, op.getLoc(),
                                    operands.front().getType(), operands);
    rewriter.replaceOp(
        op, isFlat ? result
                   : unflatten(rewriter, op.getLoc(), result, op.getType()));
    return success();
  }
};

/// Upstream's call into libdevice gives an approximation. Of f16 and bf16 the
/// root in f32 rounds to what the exact one does.
struct SqrtOpConversion final : OpRewritePattern<math::SqrtOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::SqrtOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (type && type.isScalable())
      return rewriter.notifyMatchFailure(op, "a vector that LLVM has not");
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
      value = arith::ExtFOp::create(builder, loc, wide, value);
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

struct ConvertQuantFloatToNVVM final
    : quant_float::impl::ConvertQuantFloatToNVVMPassBase<
          ConvertQuantFloatToNVVM> {
  using ConvertQuantFloatToNVVMPassBase::ConvertQuantFloatToNVVMPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> modules;
    getOperation()->walk([&](gpu::GPUModuleOp op) { modules.push_back(op); });
    if (modules.empty())
      modules.push_back(getOperation());
    for (Operation *op : modules) {
      FailureOr<NvidiaChip> target = resolveChip(op, chip, ptx);
      if (failed(target) || failed(verifyShapes(op)))
        return signalPassFailure();
      convert(op, *target);
    }
  }

private:
  void convert(Operation *op, const NvidiaChip &target);
};
} // namespace

void ConvertQuantFloatToNVVM::convert(Operation *op, const NvidiaChip &target) {
  MLIRContext *context = &getContext();
  TargetCpu cpu = getNvidiaCpu(target);
  RewritePatternSet bodies(context), shapes(context), splits(context),
      roundTrips(context), casts(context), storageCasts(context);
  populateQuantizeToElementsPatterns(bodies);
  populateFakeConvertToArithPatterns(bodies);
  populateOpenVinoCastToArithPatterns(bodies);
  populateFlatteningPatterns(shapes);
  populateSplitCastsForNVVMPatterns(target, splits);
  populateRoundThroughFloatsPatterns(cpu, roundTrips);
  populateQuantizeInPlacePatterns(cpu, roundTrips);
  populateQuantFloatToNVVMConversionPatterns(target, casts);
  populateQuantFloatToArithConversionPatterns(cpu, casts);
  populateStorageCastToArithPatterns(storageCasts);
  storageCasts.add<InstructionConversion<math::FmaOp, LLVM::FMAOp>,
                   InstructionConversion<arith::MinNumFOp, LLVM::MinNumOp>,
                   InstructionConversion<arith::MaxNumFOp, LLVM::MaxNumOp>,
                   InstructionConversion<arith::MinimumFOp, LLVM::MinimumOp>,
                   InstructionConversion<arith::MaximumFOp, LLVM::MaximumOp>,
                   SqrtOpConversion>(context);
  walkAndApplyPatterns(op, std::move(bodies));
  walkAndApplyPatterns(op, std::move(shapes));
  walkAndApplyPatterns(op, std::move(splits));
  emitRemarks(op, target);
  // Instructions there and back take less than rounding in place.
  if (!target.has(NvidiaFeature::Float8)) {
    walkAndApplyPatterns(op, std::move(roundTrips));
    eraseUnused<CastOp, QuantizeElementsOp>(op);
  }
  walkAndApplyPatterns(op, std::move(casts));
  walkAndApplyPatterns(op, std::move(storageCasts));
  // The unsigned borders that were left on both sides of nothing.
  eraseUnused<StorageCastOp>(op);
  lowerShapes(op);
}
