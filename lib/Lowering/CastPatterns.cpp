//===- CastPatterns.cpp - Casts of scalars and vectors --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConversionRow.h"
#include "Flatten.h"
#include "Patterns.h"
#include "Storage.h"
#include "X86/Instructions.h"
#include "mlir/IR/PatternMatch.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

Conversion quant_float::getEncoding(const Intermediate &intermediate, Type to,
                                    const CastSemantics &semantics,
                                    bool nanMatters) {
  Conversion conversion{getElementTypeOrSelf(intermediate.value), to,
                        semantics};
  conversion.nans = intermediate.nans;
  conversion.significantBits = intermediate.significantBits;
  conversion.nanMatters = nanMatters;
  conversion.signBits = intermediate.signBits;
  conversion.isMagnitude = intermediate.isMagnitude;
  return conversion;
}

/// Casts by the row of the plan. `storage` is a vector of rank 1.
static Value castByRow(VectorBuilder &lanes, CastOp op, Value storage,
                       const ConversionPlan &plan) {
  const ConversionRow &row = *plan.row;
  if (!isNarrowFloat(plan.from) || !row.acceptsSource(plan.from)) {
    Intermediate intermediate =
        row.acceptsSource(plan.from)
            ? Intermediate{lanes.bitcast(storage, plan.from)}
            : convertToIntermediate(lanes, storage, plan.from, plan.to);
    bool nanMatters = !isArithmetic(op.getInput().getDefiningOp());
    return convertByRow(
        lanes, row, intermediate.value,
        getEncoding(intermediate, plan.to, plan.semantics, nanMatters));
  }
  Conversion conversion{plan.from, plan.to, plan.semantics};
  conversion.nanMatters =
      FloatFormat(plan.from).hasNaN && !isOnlyUsedByArithmetic(op.getResult());
  return convertByRow(lanes, row, lanes.bitcast(storage, lanes.getInt(8)),
                      conversion);
}

/// Rounds stochastically (S2).
static Value castByRandomBits(VectorBuilder &lanes, CastOp op, Value storage) {
  Value value =
      decodeFloat(lanes, storage, getElementTypeOrSelf(op.getInput())).value;
  return encodeStochastic(lanes, value, getRandomBits(lanes, op.getRandom()),
                          getElementTypeOrSelf(op.getType()),
                          op.getSemantics());
}

/// Converts by the rules of IEEE P3109.
static Value project(VectorBuilder &lanes, CastOp op, Value storage,
                     ProjectionAttr projection) {
  std::optional<RandomBits> random;
  if (op.getRandom())
    random = getRandomBits(lanes, op.getRandom());
  return expandProjection(lanes, storage, getElementTypeOrSelf(op.getInput()),
                          getElementTypeOrSelf(op.getType()), projection,
                          random);
}

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

namespace {
/// Splits a cast into two casts through f32, each with its own plan.
struct CastOpSplit final : OpRewritePattern<CastOp> {
  CastOpSplit(MLIRContext *context, const LoweringTarget &target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasOnnxRules() || !planCast(op, target).isSplit)
      return rewriter.notifyMatchFailure(op, "the cast needs at most one step");
    Value middle = CastOp::create(rewriter, op.getLoc(), op.getInput(),
                                  rewriter.getF32Type());
    rewriter.modifyOpInPlace(op, [&] { op.getInputMutable().assign(middle); });
    return success();
  }

  const LoweringTarget &target;
};

/// Expands a cast between storage types to instructions or arith ops.
struct CastOpExpansion final : OpRewritePattern<CastOp> {
  CastOpExpansion(MLIRContext *context, const LoweringTarget &target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    Value input = op.getInput();
    if (isa<TensorType>(input.getType()) || op.getMode() == CastMode::OpenVINO)
      return failure();
    ConversionPlan plan = planCast(op, target);
    if (!isNumber(plan.from) || !isNumber(plan.to))
      return rewriter.notifyMatchFailure(op, "strings have no lowering");
    emitPlanRemark(op, "cast", plan, target);
    Location loc = op.getLoc();
    Value storage = toStorage(rewriter, loc, input);
    bool isByRow = plan.row && plan.row->build;
    if (isByRow)
      storage = flatten(rewriter, loc, storage);
    VectorBuilder lanes(rewriter, loc, storage, target);
    Value result;
    if (isByRow)
      result = castByRow(lanes, op, storage, plan);
    else if (ProjectionAttr projection = op.getProjectionAttr())
      result = project(lanes, op, storage, projection);
    else if (op.getRandom() && plan.from != plan.to)
      result = castByRandomBits(lanes, op, storage);
    else if (isHalf(plan.from) && plan.to.isF32() &&
             isOnlyUsedByArithmetic(op.getResult()))
      result = decodeFloat(lanes, storage, plan.from).value;
    else
      result = expandCast(lanes, storage, plan.from, plan.to, plan.semantics);
    if (!result)
      return failure();
    // Results of 8 bits are encodings in i8.
    result = lanes.bitcast(result, getStorageElementType(plan.to));
    if (isByRow)
      result = unflatten(rewriter, loc, result, op.getType());
    rewriter.replaceOp(op, fromStorage(rewriter, loc, result, op.getType()));
    return success();
  }

  const LoweringTarget &target;
};
} // namespace

void quant_float::populateCastSplitPatterns(const LoweringTarget &target,
                                            RewritePatternSet &patterns) {
  patterns.add<CastOpSplit>(patterns.getContext(), target);
}

void quant_float::populateCastPatterns(const LoweringTarget &target,
                                       RewritePatternSet &patterns) {
  patterns.add<CastOpExpansion>(patterns.getContext(), target);
  if (target.has(ConversionFeature::Avx2))
    x86::populateDifferencePatterns(target, patterns);
}
