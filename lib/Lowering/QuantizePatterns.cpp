//===- QuantizePatterns.cpp - Quantization to arith -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConversionRow.h"
#include "ExpandQuantize.h"
#include "Flatten.h"
#include "Patterns.h"
#include "RoundThroughFloats.h"
#include "Storage.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Lowering/ElementBodies.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the scalar that `value` is or that all of its elements are, or null.
static Value getUniform(OpBuilder &builder, Value value) {
  if (!isa<VectorType>(value.getType()))
    return value;
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    return getUniform(builder, broadcast.getSource());
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat()) {
    auto scalar = cast<TypedAttr>(constant.getSplatValue<Attribute>());
    return createConstant(builder, value.getLoc(), scalar);
  }
  if (auto cast = value.getDefiningOp<StorageCastOp>())
    if (Value scalar = getUniform(builder, cast.getInput()))
      return fromStorage(builder, cast.getLoc(), scalar,
                         getElementTypeOrSelf(value));
  return {};
}

/// Returns the extract from a group of groupScales that produces the scalar.
static vector::ExtractOp getGroup(Value scalar) {
  auto extract = scalar.getDefiningOp<vector::ExtractOp>();
  bool isGroup = extract && extract.getStaticPosition().size() == 1 &&
                 !extract.hasDynamicPosition() &&
                 extract.getSource().getDefiningOp<vector::FromElementsOp>();
  return isGroup ? extract : vector::ExtractOp();
}

/// Replaces uniform operands by the groups that contain them. Returns their
/// index.
static std::optional<int64_t> findGroup(Value &scale, Value &zeroPoint,
                                        bool isUniform) {
  vector::ExtractOp group = isUniform ? getGroup(scale) : vector::ExtractOp();
  if (!group)
    return std::nullopt;
  if (zeroPoint) {
    // Groups have storage types.
    Value storage = zeroPoint;
    if (auto cast = zeroPoint.getDefiningOp<StorageCastOp>())
      storage = cast.getInput();
    vector::ExtractOp other = getGroup(storage);
    if (!other)
      return std::nullopt;
    zeroPoint = other.getSource();
  }
  scale = group.getSource();
  return group.getStaticPosition().front();
}

/// Creates a vector of scalars before `first`. Returns null if their types
/// differ or if one of them is defined after `first`.
static Value makeGroup(OpBuilder &builder, Operation *first,
                       ArrayRef<Value> scalars) {
  for (Value scalar : scalars) {
    Operation *producer = scalar.getDefiningOp();
    if (scalar.getType() != scalars.front().getType() ||
        (producer && producer->getBlock() == first->getBlock() &&
         !producer->isBeforeInBlock(first)))
      return {};
  }
  builder.setInsertionPoint(first);
  return vector::FromElementsOp::create(
      builder, first->getLoc(),
      VectorType::get(scalars.size(), scalars.front().getType()), scalars);
}

/// Groups the operands of ops of one block.
static void groupOperands(ArrayRef<QuantizeElementsOp> ops) {
  OpBuilder builder(ops.front());
  SmallVector<Value> scales, zeroPoints;
  for (QuantizeElementsOp op : ops) {
    if (Value scale = getUniform(builder, op.getScale()))
      scales.push_back(scale);
    Value zeroPoint = op.getZeroPoint();
    if (zeroPoint)
      zeroPoint = getUniform(builder, zeroPoint);
    if (zeroPoint)
      zeroPoints.push_back(toStorage(builder, op.getLoc(), zeroPoint));
  }
  // Nothing is derived from a constant at run time: the reciprocal of a power
  // of two is exact.
  auto isConstant = [](Value scale) {
    return matchPattern(scale, m_Constant());
  };
  if (scales.size() != ops.size() || llvm::all_equal(scales) ||
      llvm::all_of(scales, isConstant) ||
      (!zeroPoints.empty() && zeroPoints.size() != ops.size()))
    return;
  Value scaleGroup = makeGroup(builder, ops.front(), scales), zeroPointGroup;
  if (!zeroPoints.empty())
    zeroPointGroup = makeGroup(builder, ops.front(), zeroPoints);
  if (!scaleGroup || (!zeroPoints.empty() && !zeroPointGroup))
    return;
  for (auto [index, one] : llvm::enumerate(ops)) {
    QuantizeElementsOp op = one;
    builder.setInsertionPoint(op);
    op.getScaleMutable().assign(vector::ExtractOp::create(
        builder, op.getLoc(), scaleGroup, int64_t(index)));
    if (!zeroPointGroup)
      continue;
    Value zeroPoint = vector::ExtractOp::create(builder, op.getLoc(),
                                                zeroPointGroup, int64_t(index));
    // The zero point is the first operand after the scale.
    op.getOthersMutable()[0].assign(fromStorage(
        builder, op.getLoc(), zeroPoint, getElementTypeOrSelf(op.getType())));
  }
}

void quant_float::groupScales(Operation *root) {
  llvm::MapVector<Block *, SmallVector<QuantizeElementsOp>> groups;
  root->walk([&](QuantizeElementsOp op) {
    if (isa<VectorType>(op.getType()) &&
        getElementTypeOrSelf(op.getInput()).isF32())
      groups[op->getBlock()].push_back(op);
  });
  for (const auto &group : groups)
    if (group.second.size() > 1)
      groupOperands(group.second);
}

namespace {
/// The operands of a quantize_elements, converted to the types in which the
/// expansion computes.
struct QuantizeExpansion {
  QuantizeExpansion(PatternRewriter &rewriter, QuantizeElementsOp op,
                    const LoweringTarget &target)
      : lanes(rewriter, op.getLoc(), op.getInput(), target) {
    Value scale = getUniform(rewriter, op.getScale());
    Value zeroPoint = op.getZeroPoint();
    if (zeroPoint && scale)
      zeroPoint = getUniform(rewriter, zeroPoint);
    // A separate division of the scale does not pay off for a single element.
    bool isUniform = isa<VectorType>(op.getType()) && scale &&
                     (zeroPoint || !op.getZeroPoint());
    if (!isUniform) {
      scale = lanes.spread(op.getScale());
      zeroPoint = op.getZeroPoint();
    }
    std::optional<int64_t> lane = findGroup(scale, zeroPoint, isUniform);
    uniform.emplace(rewriter, op.getLoc(), scale, target);

    auto precision = cast<FloatType>(getElementTypeOrSelf(op.getInput()));
    auto getStorage = [&](Value value) {
      return toStorage(rewriter, op.getLoc(), value);
    };
    operands = {precision,
                decodeFloat(lanes, getStorage(op.getInput()), precision).value,
                decodeFloat(*uniform, getStorage(scale), precision).value,
                zeroPoint ? getStorage(zeroPoint) : Value(),
                isUniform,
                lane};
    if (zeroPoint && !isUniform)
      operands.zeroPoint = lanes.spread(operands.zeroPoint);
    if (Value random = op.getRandom())
      operands.random = getRandomBits(lanes, random);
  }

  VectorBuilder lanes;
  std::optional<VectorBuilder> uniform;
  QuantizeOperands operands;
};
} // namespace

/// Quantizes by a conversion instruction. The sign of a NaN in the quotient is
/// unspecified (D8).
static Value quantizeByRow(QuantizeExpansion &expansion, QuantizeElementsOp op,
                           const ConversionPlan &plan) {
  VectorBuilder &lanes = expansion.lanes;
  Value quotient =
      flatten(lanes.getBuilder(), op.getLoc(),
              expandQuotient(lanes, *expansion.uniform, expansion.operands,
                             plan.to, plan.semantics));
  VectorBuilder flat = lanes.withShapeOf(quotient);
  Value quantized =
      convertByRow(flat, *plan.row, quotient,
                   getEncoding({quotient}, plan.to, plan.semantics,
                               /*nanMatters=*/false));
  return unflatten(lanes.getBuilder(), op.getLoc(), quantized, op.getType());
}

/// Quantizes by a multi-instruction sequence.
static Value quantizeBySequence(QuantizeExpansion &expansion,
                                const ConversionPlan &plan) {
  VectorBuilder &lanes = expansion.lanes;
  SequenceQuotient quotient = expandSequenceQuotient(
      lanes, *expansion.uniform, expansion.operands, plan.to, plan.semantics);
  Conversion conversion =
      getEncoding(quotient.intermediate, plan.to, plan.semantics,
                  /*nanMatters=*/false);
  conversion.dividend = quotient.dividend;
  conversion.zeroPoint = quotient.zeroPoint;
  return convertByRow(lanes, *plan.row, quotient.intermediate.value,
                      conversion);
}

namespace {
struct QuantizeElementsOpExpansion final
    : OpRewritePattern<QuantizeElementsOp> {
  QuantizeElementsOpExpansion(MLIRContext *context,
                              const LoweringTarget &target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(QuantizeElementsOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<TensorType>(op.getType()))
      return failure();
    ConversionPlan plan = planQuantize(op, target);
    emitPlanRemark(op, "quantize", plan, target);
    QuantizeExpansion expansion(rewriter, op, target);
    VectorBuilder &lanes = expansion.lanes;
    Value result;
    if (!plan.row)
      result = expandQuantize(lanes, *expansion.uniform, expansion.operands,
                              plan.to, plan.semantics.saturate);
    else if (plan.row->use == RowUse::Everything)
      result = quantizeByRow(expansion, op, plan);
    else
      result = quantizeBySequence(expansion, plan);
    result = lanes.bitcast(result, getStorageElementType(plan.to));
    rewriter.replaceOp(
        op, fromStorage(rewriter, op.getLoc(), result, op.getType()));
    return success();
  }

  const LoweringTarget &target;
};

/// Replaces a quantization that is cast back by rounding in place:
///
/// %q = quantize_elements %x, %s : f32, f32 to f8E4M3FN
/// %y = cast %q : f8E4M3FN to f32
struct QuantizeElementsOpRoundTrip final : OpRewritePattern<CastOp> {
  QuantizeElementsOpRoundTrip(MLIRContext *context,
                              const LoweringTarget &target)
      : OpRewritePattern(context), target(target) {}

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto quantize = op.getInput().getDefiningOp<QuantizeElementsOp>();
    Type type = getElementTypeOrSelf(op.getInput());
    if (!quantize || quantize.getRandom() || isa<TensorType>(op.getType()) ||
        !getElementTypeOrSelf(op.getType()).isF32() ||
        !canRoundInPlace(type, quantize.getSaturate()))
      return rewriter.notifyMatchFailure(
          op, "the values cannot be rounded in place");
    ConversionPlan plan = planEncoding(op.getType(), type, CastSemantics(),
                                       target, RowUse::Everything);
    if (plan.row)
      return rewriter.notifyMatchFailure(
          op, "the target's conversion instructions are faster");
    plan.from = getElementTypeOrSelf(quantize.getInput());
    plan.isInPlace = true;
    emitPlanRemark(op, "round trip", plan, target);
    QuantizeExpansion expansion(rewriter, quantize, target);
    VectorBuilder &lanes = expansion.lanes;
    Value result = expandQuantizeInPlace(
        lanes, *expansion.uniform, expansion.operands, cast<FloatType>(type));
    // The quotient is the result of arithmetic, so the bits of its NaN are
    // unspecified.
    if (!llvm::all_of(op->getUsers(), isArithmetic))
      result = withCanonicalNaNs(lanes, result, result);
    rewriter.replaceOp(op, result);
    return success();
  }

  const LoweringTarget &target;
};

/// Expands quantize, dequantize and qdq of a scalar or vector to ops on
/// elements.
struct QuantizationOpExpansion final
    : OpInterfaceRewritePattern<QuantizationOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(QuantizationOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (isa<TensorType>(op->getResult(0).getType()))
      return failure();
    auto spread = [&](Value parameter) {
      return broadcastParameter(rewriter, op.getLoc(), op.getGranularity(),
                                parameter, op.getInputValue().getType());
    };
    ElementOperands operands = getElementOperands(op, op->getOperands());
    operands.scale = spread(operands.scale);
    if (operands.zeroPoint)
      operands.zeroPoint = spread(operands.zeroPoint);
    rewriter.replaceOp(op,
                       buildElementBody(rewriter, op.getLoc(), op, operands));
    return success();
  }
};
} // namespace

void quant_float::populateQuantizationPatterns(RewritePatternSet &patterns) {
  patterns.add<QuantizationOpExpansion>(patterns.getContext());
}

void quant_float::populateQuantizeInPlacePatterns(const LoweringTarget &target,
                                                  RewritePatternSet &patterns) {
  patterns.add<QuantizeElementsOpRoundTrip>(patterns.getContext(), target);
}

void quant_float::populateQuantizeElementsPatterns(
    const LoweringTarget &target, RewritePatternSet &patterns) {
  patterns.add<QuantizeElementsOpExpansion>(patterns.getContext(), target);
}
