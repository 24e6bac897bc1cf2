//===- Flatten.cpp - Reshape vectors to rank 1 ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flatten.h"

#include "Patterns.h"
#include "Storage.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

Value quant_float::flatten(OpBuilder &builder, Location loc, Value value) {
  auto type = dyn_cast<VectorType>(value.getType());
  if (!type)
    return vector::FromElementsOp::create(
        builder, loc, VectorType::get(1, value.getType()), value);
  if (type.getRank() == 1)
    return value;
  return builder.createOrFold<vector::ShapeCastOp>(
      loc, VectorType::get(type.getNumElements(), type.getElementType()),
      value);
}

Value quant_float::unflatten(OpBuilder &builder, Location loc, Value value,
                             Type like) {
  auto type = dyn_cast<VectorType>(like);
  if (!type)
    return vector::ExtractOp::create(builder, loc, value, 0);
  if (type.getRank() == 1)
    return value;
  Type element = getElementTypeOrSelf(value);
  return vector::ShapeCastOp::create(
      builder, loc, VectorType::get(type.getShape(), element), value);
}

namespace {
/// Flattens an elementwise op on a vector of another rank than 1.
template <typename OpTy>
struct VectorFlattening final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || type.isScalable() || type.getRank() == 1)
      return rewriter.notifyMatchFailure(op, "the rank is at most 1");
    Location loc = op.getLoc();
    // Upstream's vector ops are applied to the storage type, because they do
    // not lower vectors of unsigned elements.
    auto reshape = [&](Value value, ArrayRef<int64_t> shape) -> Value {
      Type element = getElementTypeOrSelf(value);
      Value storage = toStorage(rewriter, loc, value);
      Type storageElement = getElementTypeOrSelf(storage);
      if (auto broadcast = storage.getDefiningOp<vector::BroadcastOp>();
          broadcast && !isa<VectorType>(broadcast.getSource().getType()))
        storage = vector::BroadcastOp::create(
            rewriter, loc, VectorType::get(shape, storageElement),
            broadcast.getSource());
      else
        storage = rewriter.createOrFold<vector::ShapeCastOp>(
            loc, VectorType::get(shape, storageElement), storage);
      return fromStorage(rewriter, loc, storage,
                         VectorType::get(shape, element));
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
} // namespace

void quant_float::populateFlatteningPatterns(RewritePatternSet &patterns) {
  patterns.add<VectorFlattening<CastOp>, VectorFlattening<QuantizeElementsOp>>(
      patterns.getContext());
}
