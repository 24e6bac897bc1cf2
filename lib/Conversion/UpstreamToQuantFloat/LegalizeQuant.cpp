//===- LegalizeQuant.cpp - Legalize quant.qcast and dcast -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementConversion.h"
#include "LegalityDiagnostics.h"
#include "QuantTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;
using llvm::APFloat;

static constexpr StringLiteral kQuantize = "quant.qcast";
static constexpr StringLiteral kDequantize = "quant.dcast";
static constexpr StringLiteral kStorageCast = "quant.scast";

/// Returns why the shapes and element types of an op do not match its quantized
/// type; empty if they do.
static std::string findMismatch(const QuantType &type, Type expressed,
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

/// Returns the quantized type of a qcast or dcast if its storage is a float or
/// quantiles. Sets `error` if the op is not legalizable.
static std::optional<QuantType> readQuantType(Operation *op,
                                              std::string &error) {
  bool isQuantize = op->getName().getStringRef() == kQuantize;
  if ((!isQuantize && op->getName().getStringRef() != kDequantize) ||
      op->getNumOperands() != 1 || op->getNumResults() != 1)
    return std::nullopt;
  Type expressed = op->getOperand(0).getType();
  Type quantized = op->getResult(0).getType();
  if (!isQuantize)
    std::swap(expressed, quantized);
  std::optional<QuantType> type =
      parseQuantType(getElementTypeOrSelf(quantized), error);
  if (!type || !error.empty())
    return type;
  if (isQuantize && !type->quantiles.empty())
    error = "the quant dialect does not define the rounding to quantiles";
  else
    error = findMismatch(*type, expressed, quantized);
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
                         const QuantType &type, bool isTensor) {
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
  // The verifier of quant.scast accepts only integer storage.
  if (RegisteredOperationName::lookup(kStorageCast, builder.getContext()))
    return UnrealizedConversionCastOp::create(builder, loc, type, value)
        .getResult(0);
  OperationState state(loc, kStorageCast);
  state.addOperands(value);
  state.addTypes(type);
  return builder.create(state)->getResult(0);
}

/// Returns the operand of the storage cast that defines `quantized` if it has
/// the type `storage`, or null.
static Value findStorage(Value quantized, Type storage) {
  Operation *cast = quantized.getDefiningOp();
  if (!cast || !isQuantStorageCast(cast) ||
      cast->getOperand(0).getType() != storage)
    return {};
  return cast->getOperand(0);
}

//===----------------------------------------------------------------------===//
// Quantiles
//===----------------------------------------------------------------------===//

/// Dequantizes the index of a quantile as D5 specifies:
///
/// %q = tensor.extract %quantiles[%index]
/// %r = cast (mulf %q, %scale)
static Value dequantizeQuantile(OpBuilder &builder, Location loc, Value index,
                                Value quantiles, Value scale,
                                const QuantType &type) {
  unsigned width = type.storage.getIntOrFloatBitWidth();
  if (!index.getType().isSignlessInteger())
    index = StorageCastOp::create(
        builder, loc, getStorageElementType(index.getType()), index);
  if (unsigned stored = index.getType().getIntOrFloatBitWidth();
      stored > width) {
    // A byte of a tensor may have other bits set.
    Value mask = arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(index.getType(), (1u << width) - 1));
    index = arith::AndIOp::create(builder, loc, index, mask);
  }
  index =
      arith::IndexCastUIOp::create(builder, loc, builder.getIndexType(), index);
  Value quantile =
      tensor::ExtractOp::create(builder, loc, quantiles, ValueRange(index));
  Value product = arith::MulFOp::create(builder, loc, quantile, scale);
  return convertFloat(builder, loc, product, type.expressed);
}

/// Dequantizes indices of quantiles. Tensors become a linalg.generic.
static Value dequantizeQuantiles(OpBuilder &builder, Location loc,
                                 Value indices, const QuantType &type,
                                 Type resultType) {
  Type f32 = builder.getF32Type();
  auto makeTensor = [&](ArrayRef<int64_t> sizes, ArrayRef<APFloat> values) {
    return createConstant(
        builder, loc,
        DenseElementsAttr::get(RankedTensorType::get(sizes, f32), values));
  };
  SmallVector<APFloat> scales = type.scales;
  bool isInexact;
  for (APFloat &scale : scales)
    scale.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &isInexact);
  Value quantiles =
      makeTensor({static_cast<int64_t>(type.quantiles.size())}, type.quantiles);
  auto tensorType = dyn_cast<RankedTensorType>(resultType);
  if (!tensorType)
    return dequantizeQuantile(
        builder, loc, indices, quantiles,
        createConstant(builder, loc, builder.getFloatAttr(f32, scales.front())),
        type);

  int64_t rank = tensorType.getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  SmallVector<int64_t> sizes;
  AffineMap scaleMap = AffineMap::get(rank, 0, builder.getContext());
  if (type.axis) {
    sizes.push_back(scales.size());
    scaleMap = identity.getSubMap(static_cast<unsigned>(*type.axis));
  }
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, indices),
      type.expressed);
  auto generic = linalg::GenericOp::create(
      builder, loc, empty.getType(),
      ValueRange{indices, makeTensor(sizes, scales)}, empty,
      ArrayRef<AffineMap>{identity, scaleMap, identity},
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel),
      [&](OpBuilder &nested, Location loc, ValueRange arguments) {
        linalg::YieldOp::create(nested, loc,
                                dequantizeQuantile(nested, loc, arguments[0],
                                                   quantiles, arguments[1],
                                                   type));
      });
  Value result = generic.getResult(0);
  if (result.getType() != resultType)
    result = tensor::CastOp::create(builder, loc, resultType, result);
  return result;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

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
    std::optional<QuantType> type = readQuantType(op, error);
    if (!type || !error.empty())
      return rewriter.notifyMatchFailure(op, error);
    Location loc = op->getLoc();
    Value input = op->getOperand(0);
    Type resultType = op->getResult(0).getType();
    auto opset = rewriter.getI64IntegerAttr(kNewestOpset);
    IntegerAttr axis =
        type->axis ? rewriter.getI64IntegerAttr(*type->axis) : IntegerAttr();
    Value scale;
    if (type->quantiles.empty())
      scale = createScale(rewriter, loc, *type, isa<TensorType>(resultType));
    if (op->getName().getStringRef() == kQuantize) {
      Value quantized = QuantizeOp::create(
          rewriter, loc, withElementType(input.getType(), type->storage), input,
          scale, /*zero_point=*/Value(), opset, /*domain=*/StringAttr(), axis,
          /*block_size=*/IntegerAttr(), /*ignored_attributes=*/ArrayAttr(),
          /*saturate=*/BoolAttr(), /*precision=*/TypeAttr());
      rewriter.replaceOp(
          op, createStorageCast(rewriter, loc, resultType, quantized));
      return success();
    }
    Type quantizedType = withElementType(resultType, type->storage);
    Value quantized = findStorage(input, quantizedType);
    // Upstream's passes convert unsigned storage to signless integers.
    if (!quantized && !type->quantiles.empty())
      quantized = findStorage(
          input, withElementType(resultType,
                                 rewriter.getIntegerType(
                                     type->storage.getIntOrFloatBitWidth())));
    if (!quantized)
      quantized = createStorageCast(rewriter, loc, quantizedType, input);
    if (!type->quantiles.empty()) {
      rewriter.replaceOp(
          op, dequantizeQuantiles(rewriter, loc, quantized, *type, resultType));
      return success();
    }
    rewriter.replaceOpWithNewOp<DequantizeOp>(
        op, resultType, quantized, scale, /*zero_point=*/Value(), opset,
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
