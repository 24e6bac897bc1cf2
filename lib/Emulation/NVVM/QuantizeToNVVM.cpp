//===- QuantizeToNVVM.cpp - Quotients to conversion instructions ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ExpandQuantize.h"
#include "Conversions.h"
#include "Pairs.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// An elementwise op on a matrix, as one on the vector of its elements.
template <typename OpTy>
struct VectorFlattening final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.isScalable() || type.getRank() == 1)
      return rewriter.notifyMatchFailure(op, "has one dimension or none");
    Location loc = op.getLoc();
    // Vectors of unsigned elements are for ops of ours alone.
    auto reshape = [&](Value value, ArrayRef<int64_t> shape) -> Value {
      Type element = getElementTypeOrSelf(value);
      Value storage = rewriter.createOrFold<StorageCastOp>(
          loc, getStorageType(value.getType()), value);
      Type storageElement = getElementTypeOrSelf(storage);
      if (auto broadcast = storage.getDefiningOp<vector::BroadcastOp>();
          broadcast && !isa<VectorType>(broadcast.getSource().getType()))
        storage = vector::BroadcastOp::create(
            rewriter, loc, VectorType::get(shape, storageElement),
            broadcast.getSource());
      else
        storage = rewriter.createOrFold<vector::ShapeCastOp>(
            loc, VectorType::get(shape, storageElement), storage);
      return rewriter.createOrFold<StorageCastOp>(
          loc, VectorType::get(shape, element), storage);
    };
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isa<VectorType>(operand.getType())
                             ? reshape(operand, type.getNumElements())
                             : operand);
    Operation *flat = rewriter.clone(*op);
    flat->setOperands(operands);
    flat->getResult(0).setType(
        VectorType::get(type.getNumElements(), type.getElementType()));
    rewriter.replaceOp(op, reshape(flat->getResult(0), type.getShape()));
    return success();
  }
};

struct QuantizeElementsOpByInstruction final
    : OpRewritePattern<QuantizeElementsOp> {
  QuantizeElementsOpByInstruction(MLIRContext *context, const NvidiaChip &chip)
      : OpRewritePattern(context, PatternBenefit(2)), chip(chip) {}

  LogicalResult matchAndRewrite(QuantizeElementsOp op,
                                PatternRewriter &rewriter) const override {
    CastPlan plan = planQuantize(op, chip);
    if (!plan.encode)
      return rewriter.notifyMatchFailure(op, plan.reason);
    Location loc = op.getLoc();
    TargetCpu cpu = getNvidiaCpu(chip);
    Value quotient = flatten(rewriter, loc, expandQuotient(rewriter, op, cpu));
    Lanes lanes(rewriter, loc, quotient, cpu);
    CastSemantics semantics;
    semantics.saturate = op.getSaturate();
    auto to = cast<FloatType>(getElementTypeOrSelf(op.getType()));
    // D8: NaN has no specified sign.
    Value result = encodeByInstruction(lanes, *plan.encode, Carrier{quotient},
                                       to, semantics, /*nanMatters=*/false);
    result = lanes.bitcast(result, getStorageElementType(to));
    result = unflatten(rewriter, loc, result, op.getType());
    rewriter.replaceOp(
        op, rewriter.createOrFold<StorageCastOp>(loc, op.getType(), result));
    return success();
  }

  NvidiaChip chip;
};
} // namespace

void quant_float::populateFlatteningPatterns(RewritePatternSet &patterns) {
  patterns.add<VectorFlattening<CastOp>, VectorFlattening<QuantizeElementsOp>>(
      patterns.getContext());
}

void quant_float::populateQuantizeToNVVMPatterns(const NvidiaChip &chip,
                                                 RewritePatternSet &patterns) {
  patterns.add<QuantizeElementsOpByInstruction>(patterns.getContext(), chip);
}
