//===- BlocksToLinalg.cpp - Ops on blocks to linalg ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlocksToLinalg.h"

#include "ElementwiseGeneric.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Lowering/ElementBodies.h"

using namespace mlir;
using namespace mlir::quant_float;
using reference::Granularity;

namespace {
/// Converts a block_amax to a reduction. Dimensions that are divided into
/// blocks become two dimensions. Partial blocks are padded with zeros, which do
/// not change the result:
///
/// %a = block_amax %x block [1, 32] : tensor<4x?xf32> to tensor<4x?xf32>
/// ->
/// %0 = tensor.pad %x : tensor<4x?xf32> to tensor<4x?xf32>
/// %1 = tensor.expand_shape %0 [[0], [1, 2]] : ... into tensor<4x?x32xf32>
/// %2 = linalg.generic ins(%1) outs(%zeros)
///        maps (d0, d1, d2) -> (d0, d1, d2), (d0, d1) {
///   ^bb0(%x: f32, %acc: i32):
///     <acc = umax(acc, bits of |x|)>
/// }
/// %a = linalg.generic ins(%2) { <i32 to f32> }
///
/// As integers, the bits of magnitudes are ordered, and NaN is the largest.
///
/// With `finite`, the reduction is of 1 + bits of |x| for finite x, and of 0
/// for other elements, also those of the padding. 0 is converted to NaN.
struct BlockAmaxConversion final : OpConversionPattern<BlockAmaxOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(BlockAmaxOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};

/// Converts an elementwise op on tensors. Scales have the indexing map of
/// their blocks, and values of the whole tensor a constant one.
template <typename OpTy>
struct BlockElementsConversion final : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};
} // namespace

static OpFoldResult divideUp(OpBuilder &builder, Location loc,
                             OpFoldResult size, int64_t divisor) {
  AffineExpr d0 = builder.getAffineDimExpr(0);
  return affine::makeComposedFoldedAffineApply(builder, loc,
                                               d0.ceilDiv(divisor), size);
}

/// Returns the sizes of a tensor. Those of a slice are the slice's, which may
/// be known multiples.
static SmallVector<OpFoldResult> getSizes(OpBuilder &builder, Location loc,
                                          Value tensor) {
  auto slice = tensor.getDefiningOp<tensor::ExtractSliceOp>();
  if (slice && slice.getDroppedDims().none())
    return slice.getMixedSizes();
  return tensor::getMixedSizes(builder, loc, tensor);
}

static bool isMultipleOf(OpFoldResult size, int64_t factor) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return *known % factor == 0;
  auto apply = cast<Value>(size).getDefiningOp<affine::AffineApplyOp>();
  return apply && apply.getAffineMap().getResult(0).isMultipleOf(factor);
}

LogicalResult BlockAmaxConversion::matchAndRewrite(
    BlockAmaxOp op, OpAdaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  Value input = adaptor.getInput();
  auto type = dyn_cast<RankedTensorType>(input.getType());
  if (!type)
    return failure();
  Type elementType = type.getElementType();
  // The type of the converted elements may be an integer.
  const llvm::fltSemantics &semantics =
      cast<FloatType>(getElementTypeOrSelf(op.getInput())).getFloatSemantics();
  SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, input);
  OpFoldResult zero = rewriter.getIndexAttr(0);

  // The sizes of the expanded input, and which of its dimensions are reduced.
  SmallVector<OpFoldResult> expanded, padding, blocks;
  SmallVector<bool> isReduced;
  SmallVector<ReassociationIndices> groups;
  bool isPadded = false;
  for (auto [size, blockSize] : llvm::zip_equal(sizes, op.getBlock())) {
    ReassociationIndices &group = groups.emplace_back();
    auto add = [&](OpFoldResult length, bool reduced) {
      group.push_back(expanded.size());
      expanded.push_back(length);
      isReduced.push_back(reduced);
    };
    padding.push_back(zero);
    std::optional<int64_t> known = getConstantIntValue(size);
    if (blockSize == 1) {
      add(size, false);
      blocks.push_back(size);
      continue;
    }
    if (blockSize == Granularity::kWholeDim ||
        (known && *known <= blockSize && *known != 0)) {
      blocks.push_back(rewriter.getIndexAttr(1));
      add(blocks.back(), false);
      add(size, true);
      continue;
    }
    OpFoldResult count = divideUp(rewriter, loc, size, blockSize);
    blocks.push_back(count);
    add(count, false);
    add(rewriter.getIndexAttr(blockSize), true);
    if (isMultipleOf(size, blockSize))
      continue;
    isPadded = true;
    AffineExpr d0 = rewriter.getAffineDimExpr(0);
    padding.back() = affine::makeComposedFoldedAffineApply(
        rewriter, loc, d0.ceilDiv(blockSize) * blockSize - d0, size);
  }
  auto getType = [&](ArrayRef<OpFoldResult> mixed, Type element) {
    return RankedTensorType::get(
        llvm::map_to_vector(mixed,
                            [](OpFoldResult size) {
                              return getConstantIntValue(size).value_or(
                                  ShapedType::kDynamic);
                            }),
        element);
  };
  if (isPadded) {
    SmallVector<OpFoldResult> low(sizes.size(), zero);
    TypedAttr ignored = rewriter.getZeroAttr(elementType);
    if (op.getFinite()) {
      APFloat nan = APFloat::getQNaN(semantics);
      ignored =
          isa<FloatType>(elementType)
              ? TypedAttr(rewriter.getFloatAttr(elementType, nan))
              : rewriter.getIntegerAttr(elementType, nan.bitcastToAPInt());
    }
    Value number = arith::ConstantOp::create(rewriter, loc, ignored);
    input = tensor::PadOp::create(rewriter, loc, Type(), input, low, padding,
                                  number);
  }
  if (expanded.size() != sizes.size()) {
    RankedTensorType expandedType = getType(expanded, elementType);
    // A size that is known after padding may not be known to tensor.pad.
    SmallVector<int64_t> collapsed;
    for (const ReassociationIndices &group : groups) {
      int64_t size = 1;
      for (int64_t index : group)
        size = ShapedType::isDynamic(size) || expandedType.isDynamicDim(index)
                   ? ShapedType::kDynamic
                   : size * expandedType.getDimSize(index);
      collapsed.push_back(size);
    }
    auto collapsedType = RankedTensorType::get(collapsed, elementType);
    if (input.getType() != collapsedType)
      input = tensor::CastOp::create(rewriter, loc, collapsedType, input);
    input = tensor::ExpandShapeOp::create(rewriter, loc, expandedType, input,
                                          groups, expanded);
  }

  unsigned width = elementType.getIntOrFloatBitWidth();
  Type bitsType = rewriter.getIntegerType(width);
  auto constant = [&](OpBuilder &b, Location loc, const APInt &value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(bitsType, value));
  };
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> results;
  SmallVector<utils::IteratorType> iterators;
  for (auto [loop, reduced] : llvm::enumerate(isReduced)) {
    iterators.push_back(reduced ? utils::IteratorType::reduction
                                : utils::IteratorType::parallel);
    if (!reduced)
      results.push_back(getAffineDimExpr(loop, context));
  }
  Value init = tensor::EmptyOp::create(rewriter, loc, blocks, bitsType);
  Value bitsZero = arith::ConstantOp::create(
      rewriter, loc, rewriter.getIntegerAttr(bitsType, 0));
  init = linalg::FillOp::create(rewriter, loc, bitsZero, init).getResult(0);
  SmallVector<AffineMap> maps{
      rewriter.getMultiDimIdentityMap(expanded.size()),
      AffineMap::get(expanded.size(), 0, results, context)};
  auto reduction = linalg::GenericOp::create(
      rewriter, loc, init.getType(), input, init, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value bits = arith::BitcastOp::create(b, loc, bitsType, args[0]);
        bits = arith::AndIOp::create(
            b, loc, bits, constant(b, loc, APInt::getSignedMaxValue(width)));
        if (op.getFinite()) {
          Value isFinite = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::ult, bits,
              constant(b, loc, APFloat::getInf(semantics).bitcastToAPInt()));
          Value next = arith::AddIOp::create(b, loc, bits,
                                             constant(b, loc, APInt(width, 1)));
          bits = arith::SelectOp::create(b, loc, isFinite, next,
                                         constant(b, loc, APInt(width, 0)));
        }
        bits = arith::MaxUIOp::create(b, loc, bits, args[1]);
        linalg::YieldOp::create(b, loc, bits);
      });
  Value amax = reduction.getResult(0);
  auto bitsResult = cast<RankedTensorType>(amax.getType());
  Value empty = tensor::EmptyOp::create(rewriter, loc, blocks, elementType);
  AffineMap identity = rewriter.getMultiDimIdentityMap(bitsResult.getRank());
  SmallVector<utils::IteratorType> parallel(bitsResult.getRank(),
                                            utils::IteratorType::parallel);
  amax =
      linalg::GenericOp::create(
          rewriter, loc, empty.getType(), amax, empty,
          ArrayRef<AffineMap>{identity, identity}, parallel,
          [&](OpBuilder &b, Location loc, ValueRange args) {
            Value bits = args[0];
            if (op.getFinite()) {
              Value hasNone =
                  arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, bits,
                                        constant(b, loc, APInt(width, 0)));
              Value previous = arith::SubIOp::create(
                  b, loc, bits, constant(b, loc, APInt(width, 1)));
              bits = arith::SelectOp::create(
                  b, loc, hasNone,
                  constant(b, loc,
                           APFloat::getQNaN(semantics).bitcastToAPInt()),
                  previous);
            }
            Value value = arith::BitcastOp::create(b, loc, elementType, bits);
            linalg::YieldOp::create(b, loc, value);
          })
          .getResult(0);
  Type converted = getTypeConverter()->convertType(op.getType());
  if (amax.getType() != converted)
    amax = tensor::CastOp::create(rewriter, loc, converted, amax);
  rewriter.replaceOp(op, amax);
  return success();
}

namespace {
/// Whether an operand has one element for each element, block or tensor.
enum class OperandKind { Element, Block, Tensor };
using Operands = SmallVector<std::pair<Value, OperandKind>>;
} // namespace

// Return the operands in their order; absent ones are null.

static Operands getOperands(TensorScaleOp op) {
  return {{op.getTensorAmax(), OperandKind::Element}};
}
static Operands getOperands(BlockScaleOp op) {
  return {{op.getAmax(), OperandKind::Element},
          {op.getTensorAmax(), OperandKind::Tensor},
          {op.getTensorScale(), OperandKind::Tensor}};
}
static Operands getOperands(BlockQuantizeElementsOp op) {
  return {{op.getInput(), OperandKind::Element},
          {op.getScale(), OperandKind::Block},
          {op.getTensorAmax(), OperandKind::Tensor},
          {op.getTensorScale(), OperandKind::Tensor},
          {op.getRandom(), OperandKind::Element}};
}
static Operands getOperands(BlockDequantizeOp op) {
  return {{op.getInput(), OperandKind::Element},
          {op.getScale(), OperandKind::Block},
          {op.getTensorScale(), OperandKind::Tensor}};
}

template <typename OpTy> static Operands getOperands(OpTy op) {
  return {{op.getInput(), OperandKind::Element},
          {op.getScale(), OperandKind::Block},
          {op.getRandom(), OperandKind::Element}};
}

/// Returns the blocks of the op's scales. Ops without blocks have elements that
/// are blocks.
static Granularity getBlocks(Operation *op) {
  if (auto quantize = dyn_cast<BlockQuantizeElementsOp>(op))
    return quantize.getGranularity();
  if (auto dequantize = dyn_cast<BlockDequantizeOp>(op))
    return dequantize.getGranularity();
  if (auto convert = dyn_cast<ConvertToBlockOp>(op))
    return convert.getGranularity();
  if (auto convert = dyn_cast<ConvertFromBlockOp>(op))
    return convert.getGranularity();
  return {};
}

static Value buildBody(TensorScaleOp op, OpBuilder &builder, Location loc,
                       ValueRange args) {
  return buildElementBody(builder, loc, op, args[0]);
}

/// Returns the element of an optional operand, which are in the order of
/// `args`.
static Value next(ValueRange &args, Value operand) {
  if (!operand)
    return {};
  Value element = args.front();
  args = args.drop_front();
  return element;
}

static Value buildBody(BlockScaleOp op, OpBuilder &builder, Location loc,
                       ValueRange args) {
  Value amax = next(args, op.getAmax());
  Value tensorAmax = next(args, op.getTensorAmax());
  Value tensorScale = next(args, op.getTensorScale());
  return buildElementBody(builder, loc, op, amax, {tensorAmax, tensorScale});
}

static Value buildBody(BlockQuantizeElementsOp op, OpBuilder &builder,
                       Location loc, ValueRange args) {
  Value input = next(args, op.getInput()), scale = next(args, op.getScale());
  Value tensorAmax = next(args, op.getTensorAmax());
  Value tensorScale = next(args, op.getTensorScale());
  return buildElementBody(builder, loc, op, input, scale,
                          {tensorAmax, tensorScale},
                          next(args, op.getRandom()));
}

static Value buildBody(BlockDequantizeOp op, OpBuilder &builder, Location loc,
                       ValueRange args) {
  Value input = next(args, op.getInput()), scale = next(args, op.getScale());
  return buildElementBody(builder, loc, op, input, scale,
                          next(args, op.getTensorScale()));
}

template <typename OpTy>
static Value buildBody(OpTy op, OpBuilder &builder, Location loc,
                       ValueRange args) {
  Value input = next(args, op.getInput()), scale = next(args, op.getScale());
  return buildElementBody(builder, loc, op, input, scale,
                          next(args, op.getRandom()));
}

template <typename OpTy>
LogicalResult BlockElementsConversion<OpTy>::matchAndRewrite(
    OpTy op, typename OpTy::Adaptor adaptor,
    ConversionPatternRewriter &rewriter) const {
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!type)
    return failure();
  SmallVector<ElementwiseInput> inputs;
  ValueRange values = adaptor.getOperands();
  for (auto [operand, kind] : getOperands(op)) {
    Value value = next(values, operand);
    if (!value)
      continue;
    auto operandType = cast<RankedTensorType>(operand.getType());
    AffineMap map = rewriter.getMultiDimIdentityMap(type.getRank());
    if (kind != OperandKind::Element)
      map =
          (kind == OperandKind::Block ? getBlocks(op) : Granularity())
              .getMap(op.getContext(), operandType.getShape(), type.getShape());
    inputs.push_back({value, map, operandType.getElementType()});
  }
  replaceByGeneric(rewriter, *this->getTypeConverter(), op, inputs,
                   [&](OpBuilder &builder, Location loc, ValueRange args) {
                     return buildBody(op, builder, loc, args);
                   });
  return success();
}

void quant_float::populateBlocksToLinalgPatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<BlockAmaxConversion, BlockElementsConversion<TensorScaleOp>,
               BlockElementsConversion<BlockScaleOp>,
               BlockElementsConversion<BlockQuantizeElementsOp>,
               BlockElementsConversion<BlockDequantizeOp>,
               BlockElementsConversion<ConvertToBlockOp>,
               BlockElementsConversion<ConvertFromBlockOp>>(
      converter, patterns.getContext());
}
