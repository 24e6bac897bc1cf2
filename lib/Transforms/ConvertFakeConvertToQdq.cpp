//===- ConvertFakeConvertToQdq.cpp - fakeconvert to qdq of float8 ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReciprocalScale.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATCONVERTFAKECONVERTTOQDQPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-convert-fakeconvert-to-qdq"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct ConvertFakeConvertToQdqPass final
    : quant_float::impl::QuantFloatConvertFakeConvertToQdqPassBase<
          ConvertFakeConvertToQdqPass> {
  void runOnOperation() override;
};
} // namespace

/// Returns the axis of the input along which the scale varies. Nullopt if the
/// scale has one element or varies along several axes.
static std::optional<int64_t> findAxis(FakeConvertOp op, ShapedType scale) {
  auto input = cast<ShapedType>(op.getInput().getType());
  if (!input.hasRank())
    return std::nullopt;
  std::optional<int64_t> axis;
  for (const reference::ParameterIndex &index :
       reference::Granularity::getBroadcast().getIndices(scale.getShape(),
                                                         input.getShape())) {
    if (axis && index.dim)
      return std::nullopt;
    if (index.dim)
      axis = *index.dim;
  }
  return axis;
}

/// Converts the op. Returns an error message if this is not possible.
static std::string convert(RewriterBase &rewriter, FakeConvertOp op) {
  FakeConvertMode mode = op.getMode().value_or(FakeConvertMode::Exact);
  if (mode != FakeConvertMode::Exact)
    return "mode '" + stringifyFakeConvertMode(mode).str() +
           "' rounds differently";
  if (op.getShift())
    return "qdq has no shift, and a shift of 0 changes -0 to +0";
  auto type = cast<FloatType>(getElementTypeOrSelf(op.getInput()));
  ReciprocalScale scale = findReciprocals(op.getScale(), type);
  if (!scale.error.empty())
    return scale.error;
  auto shaped = dyn_cast<ShapedType>(op.getScale().getType());
  if (op.getType() != op.getInput().getType())
    return "only the scale determines its result sizes";
  IntegerAttr axisAttr;
  SmallVector<int64_t> sizes;
  if (shaped && shaped.getNumElements() != 1) {
    if (auto vector = dyn_cast<VectorType>(shaped))
      if (vector.isScalable())
        return "its scale is a scalable vector";
    std::optional<int64_t> axis = findAxis(op, shaped);
    if (!axis)
      return "its scale must vary along at most one known axis";
    axisAttr = rewriter.getI64IntegerAttr(*axis);
    sizes = {shaped.getNumElements()};
  }

  rewriter.setInsertionPoint(op);
  Value constant = createConstant(rewriter, op.getScale().getLoc(), scale, type,
                                  sizes, isa_and_nonnull<TensorType>(shaped));
  // Divide in f32, because a quotient in f16 would be rounded twice.
  int64_t opset =
      *getFirstOpset(OpKind::QuantizeLinear, OpAttribute::Precision);
  TypeAttr precision;
  if (type.isF16())
    precision = TypeAttr::get(rewriter.getF32Type());
  rewriter.replaceOpWithNewOp<QdqOp>(
      op, op.getType(), op.getInput(), constant, /*zero_point=*/Value(),
      rewriter.getI64IntegerAttr(opset), /*domain=*/StringAttr(), axisAttr,
      /*block_size=*/IntegerAttr(), /*ignored_attributes=*/ArrayAttr(),
      op.getDestinationAttr(), /*saturate=*/BoolAttr(), precision);
  return {};
}

void ConvertFakeConvertToQdqPass::runOnOperation() {
  SmallVector<FakeConvertOp> found;
  getOperation()->walk([&](FakeConvertOp op) { found.push_back(op); });
  IRRewriter rewriter(&getContext());
  for (FakeConvertOp op : found) {
    LDBG() << "converting " << op;
    std::string error = convert(rewriter, op);
    if (error.empty()) {
      ++numConverted;
      continue;
    }
    LDBG() << "not converted: " << error;
    op.emitRemark("not converted to qdq: ") << error;
  }
}
