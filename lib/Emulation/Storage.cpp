//===- Storage.cpp - Elements as registers hold them ----------------------===//
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

Value quant_float::dropUnusedBits(Lanes &lanes, Value storage, Type element) {
  if (element.isInteger(1))
    return lanes.bitAnd(storage, 1);
  if (auto integer = dyn_cast<IntegerType>(element))
    return wrapInteger(lanes, storage, integer);
  unsigned width = getNumberWidth(element);
  return width < 8 ? lanes.bitAnd(storage, (1u << width) - 1) : storage;
}

namespace {
/// A storage cast at the border of what was converted. Unsigned types and the
/// dialect's own have no counterpart in arith: they stay an unrealized cast, as
/// in MLIR's own conversions between signless and other integers.
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
    static const EmulationTarget none;
    Lanes lanes(rewriter, loc, input, none);
    Type from = getElementTypeOrSelf(input);
    Type to = getElementTypeOrSelf(op.getResult());
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
