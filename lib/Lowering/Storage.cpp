//===- Storage.cpp - Storage casts ----------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Storage.h"

#include "CastExpander.h"
#include "mlir/IR/PatternMatch.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

Value quant_float::toStorage(OpBuilder &builder, Location loc, Value value) {
  return builder.createOrFold<StorageCastOp>(
      loc, getStorageType(value.getType()), value);
}

Value quant_float::fromStorage(OpBuilder &builder, Location loc, Value storage,
                               Type type) {
  return builder.createOrFold<StorageCastOp>(loc, type, storage);
}

Value quant_float::dropUnusedBits(VectorBuilder &lanes, Value storage,
                                  Type element) {
  if (element.isInteger(1))
    return lanes.bitAnd(storage, 1);
  if (auto integer = dyn_cast<IntegerType>(element))
    return wrapInteger(lanes, storage, integer);
  unsigned width = getNumberWidth(element);
  return width < 8 ? lanes.bitAnd(storage, (1u << width) - 1) : storage;
}

namespace {
/// Expands the storage casts that remain at the boundary of the expanded ops.
/// Unsigned types and types of the dialect have no counterpart in arith. As in
/// MLIR's conversions between signless and other integers, these casts become
/// unrealized conversion casts.
struct StorageCastOpExpansion final : OpRewritePattern<StorageCastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(StorageCastOp op,
                                PatternRewriter &rewriter) const override {
    if (op.use_empty()) {
      rewriter.eraseOp(op);
      return success();
    }
    Value input = op.getInput();
    if (isa<TensorType>(input.getType()))
      return failure();
    if (auto inner = input.getDefiningOp<StorageCastOp>())
      if (inner.getInput().getType() == op.getType()) {
        rewriter.replaceOp(op, inner.getInput());
        return success();
      }
    Location loc = op.getLoc();
    static const LoweringTarget none;
    VectorBuilder lanes(rewriter, loc, input, none);
    Type from = getElementTypeOrSelf(input);
    Type to = getElementTypeOrSelf(op.getResult());
    // MLIR 23 does not fold broadcasts of unsigned constants.
    auto broadcast = input.getDefiningOp<vector::BroadcastOp>();
    if (broadcast && !isa<VectorType>(broadcast.getSourceType()) &&
        matchPattern(broadcast.getSource(), m_Constant())) {
      Value element =
          rewriter.createOrFold<StorageCastOp>(loc, to, broadcast.getSource());
      rewriter.replaceOpWithNewOp<vector::BroadcastOp>(op, op.getType(),
                                                       element);
      return success();
    }
    unsigned fromWidth = getNumberWidth(from);
    unsigned toWidth = getNumberWidth(to);
    auto toSignless = [&](Value value, unsigned width) -> Value {
      Type type = lanes.getType(rewriter.getIntegerType(width));
      if (value.getType() == type)
        return value;
      if (isa<FloatType>(getElementTypeOrSelf(value)))
        return lanes.bitcast(value, rewriter.getIntegerType(width));
      return UnrealizedConversionCastOp::create(rewriter, loc, type, value)
          .getResult(0);
    };
    Value result = toSignless(input, fromWidth);
    bool isSigned = from.isSignlessInteger() && fromWidth != 1;
    result = lanes.resize(result, toWidth, isSigned);
    if (isa<FloatType>(to))
      result = lanes.bitcast(result, to);
    else if (result.getType() != op.getType())
      result = UnrealizedConversionCastOp::create(rewriter, loc, op.getType(),
                                                  result)
                   .getResult(0);
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void quant_float::populateStorageCastPatterns(RewritePatternSet &patterns) {
  patterns.add<StorageCastOpExpansion>(patterns.getContext());
}
