//===- LegalizeQuant.cpp - Legalize quant.qcast and dcast of float8 -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LegalityDiagnostics.h"
#include "QuantTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr StringLiteral kQuantize = "quant.qcast";
static constexpr StringLiteral kDequantize = "quant.dcast";
static constexpr StringLiteral kStorageCast = "quant.scast";

/// Returns why the shapes and element types of an op do not match its quantized
/// type; empty if they do.
static std::string findMisfit(const Float8QuantType &type, Type expressed,
                              Type quantized) {
  auto shaped = dyn_cast<RankedTensorType>(expressed);
  if (isa<ShapedType>(expressed) && !shaped)
    return "values must be scalars or ranked tensors";
  if (getElementTypeOrSelf(expressed) != type.expressed)
    return "the expressed type must be the tensor's element type " +
           debugString(getElementTypeOrSelf(expressed)) + ", but got " +
           debugString(type.expressed);
  auto other = dyn_cast<RankedTensorType>(quantized);
  if (bool(shaped) != bool(other) ||
      (shaped && shaped.getShape() != other.getShape()))
    return "input and result must have the same shape";
  int64_t count = type.scales.size();
  if (!type.axis && count != 1)
    return "expected one scale for the tensor, but got " +
           std::to_string(count);
  if (!type.axis)
    return {};
  if (!shaped || *type.axis < 0 || *type.axis >= shaped.getRank() ||
      shaped.getDimSize(*type.axis) != count)
    return "expected a scale for each element along axis " +
           std::to_string(*type.axis) + ", but got " + std::to_string(count);
  return {};
}

/// Returns the quantized type of a qcast or dcast if its storage is a float.
/// Sets `error` if the op is not legalizable.
static std::optional<Float8QuantType> readQuantType(Operation *op,
                                                    std::string &error) {
  bool isQuantize = op->getName().getStringRef() == kQuantize;
  if ((!isQuantize && op->getName().getStringRef() != kDequantize) ||
      op->getNumOperands() != 1 || op->getNumResults() != 1)
    return std::nullopt;
  Type expressed = op->getOperand(0).getType();
  Type quantized = op->getResult(0).getType();
  if (!isQuantize)
    std::swap(expressed, quantized);
  std::optional<Float8QuantType> type =
      readFloat8QuantType(getElementTypeOrSelf(quantized), error);
  if (type && error.empty())
    error = findMisfit(*type, expressed, quantized);
  return type;
}

std::optional<std::string>
quant_float::getQuantIllegalityReason(Operation *op) {
  std::string error;
  if (!readQuantType(op, error))
    return std::nullopt;
  return error;
}

/// Creates the scale as a scalar, a tensor of rank 0, or a tensor of rank 1 if
/// the type has an axis.
static Value createScale(OpBuilder &builder, Location loc,
                         const Float8QuantType &type, bool isTensor) {
  TypedAttr attr = builder.getFloatAttr(type.expressed, type.scales.front());
  if (isTensor) {
    SmallVector<int64_t> sizes;
    if (type.axis)
      sizes.push_back(type.scales.size());
    attr = DenseElementsAttr::get(RankedTensorType::get(sizes, type.expressed),
                                  type.scales);
  }
  return createConstant(builder, loc, attr);
}

static Value createStorageCast(OpBuilder &builder, Location loc, Type type,
                               Value value) {
  OperationState state(loc, kStorageCast);
  state.addOperands(value);
  state.addTypes(type);
  return builder.create(state)->getResult(0);
}

namespace {
/// Legalizes qcast, and dcast accordingly:
///
/// %q = qcast %x : tensor<4xf32> to tensor<4x!quant.uniform<f8E4M3FN:f32, 0.5>>
/// ->
/// %c = quantize %x, 0.5 : tensor<4xf32>, tensor<f32> to tensor<4xf8E4M3FN>
/// %q = scast %c : tensor<4xf8E4M3FN> to tensor<4x!quant.uniform<...>>
struct LegalizeQuantCast final : RewritePattern {
  LegalizeQuantCast(StringRef name, MLIRContext *context)
      : RewritePattern(name, /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    std::string error;
    std::optional<Float8QuantType> type = readQuantType(op, error);
    if (!type || !error.empty())
      return rewriter.notifyMatchFailure(op, error);
    Location loc = op->getLoc();
    Value input = op->getOperand(0);
    Type resultType = op->getResult(0).getType();
    Value scale =
        createScale(rewriter, loc, *type, isa<TensorType>(resultType));
    auto opset = rewriter.getI64IntegerAttr(kNewestOpset);
    IntegerAttr axis =
        type->axis ? rewriter.getI64IntegerAttr(*type->axis) : IntegerAttr();
    if (op->getName().getStringRef() == kQuantize) {
      Value codes = QuantizeOp::create(
          rewriter, loc, withElementType(input.getType(), type->storage), input,
          scale, /*zero_point=*/Value(), opset, /*domain=*/StringAttr(), axis,
          /*block_size=*/IntegerAttr(), /*ignored_attributes=*/ArrayAttr(),
          /*saturate=*/BoolAttr(), /*precision=*/TypeAttr());
      rewriter.replaceOp(op,
                         createStorageCast(rewriter, loc, resultType, codes));
      return success();
    }
    Type codesType = withElementType(resultType, type->storage);
    Operation *cast = input.getDefiningOp();
    Value codes = cast && isFloat8StorageCast(cast) &&
                          cast->getOperand(0).getType() == codesType
                      ? cast->getOperand(0)
                      : createStorageCast(rewriter, loc, codesType, input);
    rewriter.replaceOpWithNewOp<DequantizeOp>(
        op, resultType, codes, scale, /*zero_point=*/Value(), opset,
        /*domain=*/StringAttr(), axis, /*block_size=*/IntegerAttr(),
        /*ignored_attributes=*/ArrayAttr());
    return success();
  }
};
} // namespace

void quant_float::populateLegalizeQuantPatterns(RewritePatternSet &patterns) {
  for (StringRef name : {kQuantize, kDequantize})
    patterns.add<LegalizeQuantCast>(name, patterns.getContext());
}
