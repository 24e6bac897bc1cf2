//===- ScaleLayoutsToLinalg.cpp - Layouts of scales to linalg ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layout splits the dimensions of a padded matrix and permutes the parts, as
// the rows of ScaleLayouts.def specify.
//
//===----------------------------------------------------------------------===//

#include "BlocksToLinalg.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// A row of ScaleLayouts.def.
struct Layout {
  int64_t alignment[2];
  /// The sizes of the inner parts of rows and columns.
  SmallVector<int64_t> parts[2];
  SmallVector<int64_t> order;
};

/// The steps of a conversion, on the storage type of the elements.
class LayoutBuilder {
public:
  LayoutBuilder(OpBuilder &builder, Location loc, ScaleLayout layout);

  Value pack(Value rows);
  Value unpack(Value packed, RankedTensorType result);

private:
  using Sizes = SmallVector<OpFoldResult>;

  OpFoldResult apply(AffineExpr expr, OpFoldResult operand) {
    return affine::makeComposedFoldedAffineApply(builder, loc, expr, operand);
  }
  /// Returns the type of a tensor with these sizes.
  static RankedTensorType getType(ArrayRef<OpFoldResult> sizes, Type element);
  /// Splits the last two of `sizes`, which are padded, to the parts. Returns
  /// the dimensions of the parts of each.
  Sizes split(ArrayRef<OpFoldResult> sizes,
              SmallVector<ReassociationIndices> &groups);
  /// Creates a tensor whose dimension i is dimension `order[i]` of `value`.
  Value permute(Value value, ArrayRef<OpFoldResult> sizes,
                ArrayRef<int64_t> order);
  /// Returns the order of the parts, after `batches` dimensions.
  SmallVector<int64_t> getOrder(int64_t batches) const;

  OpBuilder &builder;
  Location loc;
  const Layout &layout;
};
} // namespace

static const Layout &getLayout(ScaleLayout layout) {
#define QUANT_FLOAT_LIST(...)                                                  \
  {                                                                            \
    __VA_ARGS__                                                                \
  }
  static const Layout layouts[] = {
#define QUANT_FLOAT_SCALE_LAYOUT(Name, Keyword, RowAlignment, ColumnAlignment, \
                                 Rows, Columns, Order)                         \
  {{RowAlignment, ColumnAlignment},                                            \
   {QUANT_FLOAT_LIST Rows, QUANT_FLOAT_LIST Columns},                          \
   QUANT_FLOAT_LIST Order},
#include "quant-float/Reference/ScaleLayouts.def"
  };
#undef QUANT_FLOAT_LIST
  return layouts[static_cast<size_t>(layout)];
}

LayoutBuilder::LayoutBuilder(OpBuilder &builder, Location loc,
                             ScaleLayout layout)
    : builder(builder), loc(loc), layout(getLayout(layout)) {}

RankedTensorType LayoutBuilder::getType(ArrayRef<OpFoldResult> sizes,
                                        Type element) {
  return RankedTensorType::get(
      llvm::map_to_vector(sizes,
                          [](OpFoldResult size) {
                            return getConstantIntValue(size).value_or(
                                ShapedType::kDynamic);
                          }),
      element);
}

LayoutBuilder::Sizes
LayoutBuilder::split(ArrayRef<OpFoldResult> sizes,
                     SmallVector<ReassociationIndices> &groups) {
  Sizes result;
  size_t batches = sizes.size() - 2;
  for (auto [index, size] : llvm::enumerate(sizes)) {
    ReassociationIndices &group = groups.emplace_back();
    group.push_back(result.size());
    if (index < batches) {
      result.push_back(size);
      continue;
    }
    ArrayRef<int64_t> parts = layout.parts[index - batches];
    int64_t inner = 1;
    for (int64_t part : parts)
      inner *= part;
    result.push_back(apply(builder.getAffineDimExpr(0).floorDiv(inner), size));
    for (int64_t part : parts) {
      group.push_back(result.size());
      result.push_back(builder.getIndexAttr(part));
    }
  }
  return result;
}

SmallVector<int64_t> LayoutBuilder::getOrder(int64_t batches) const {
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, batches));
  for (int64_t dim : layout.order)
    order.push_back(batches + dim);
  return order;
}

Value LayoutBuilder::permute(Value value, ArrayRef<OpFoldResult> sizes,
                             ArrayRef<int64_t> order) {
  auto type = cast<RankedTensorType>(value.getType());
  Sizes permuted = llvm::map_to_vector(
      order, [&](int64_t dim) -> OpFoldResult { return sizes[dim]; });
  Value empty =
      tensor::EmptyOp::create(builder, loc, permuted, type.getElementType());
  // Loops are in the order of the result.
  SmallVector<AffineExpr> source(order.size());
  for (auto [loop, dim] : llvm::enumerate(order))
    source[dim] = builder.getAffineDimExpr(loop);
  AffineMap maps[] = {
      AffineMap::get(order.size(), 0, source, builder.getContext()),
      builder.getMultiDimIdentityMap(order.size())};
  SmallVector<utils::IteratorType> iterators(order.size(),
                                             utils::IteratorType::parallel);
  return linalg::GenericOp::create(
             builder, loc, empty.getType(), value, empty, maps, iterators,
             [](OpBuilder &nested, Location loc, ValueRange args) {
               linalg::YieldOp::create(nested, loc, args[0]);
             })
      .getResult(0);
}

Value LayoutBuilder::pack(Value rows) {
  auto type = cast<RankedTensorType>(rows.getType());
  Type element = type.getElementType();
  int64_t batches = type.getRank() - 2;
  Sizes sizes = tensor::getMixedSizes(builder, loc, rows);
  Sizes high(sizes.size(), builder.getIndexAttr(0)), low = high;
  for (int64_t i : {0, 1}) {
    AffineExpr d0 = builder.getAffineDimExpr(0);
    AffineExpr padded = d0.ceilDiv(layout.alignment[i]) * layout.alignment[i];
    high[batches + i] = apply(padded - d0, sizes[batches + i]);
    sizes[batches + i] = apply(padded, sizes[batches + i]);
  }
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
  Value padded = tensor::PadOp::create(builder, loc, getType(sizes, element),
                                       rows, low, high, zero);
  SmallVector<ReassociationIndices> groups;
  Sizes parts = split(sizes, groups);
  Value expanded = padded;
  if (parts.size() != sizes.size())
    expanded = tensor::ExpandShapeOp::create(
        builder, loc, getType(parts, element), padded, groups, parts);
  Value permuted = permute(expanded, parts, getOrder(batches));
  SmallVector<ReassociationIndices> collapsed;
  for (int64_t i = 0; i <= batches; ++i)
    collapsed.push_back({i});
  for (int64_t i = batches + 1, e = parts.size(); i < e; ++i)
    collapsed.back().push_back(i);
  return tensor::CollapseShapeOp::create(builder, loc, permuted, collapsed);
}

Value LayoutBuilder::unpack(Value packed, RankedTensorType result) {
  Type element = cast<RankedTensorType>(packed.getType()).getElementType();
  int64_t batches = result.getRank() - 2;
  Sizes sizes = tensor::getMixedSizes(builder, loc, packed);
  sizes.pop_back();
  Sizes offsets(result.getRank(), builder.getIndexAttr(0)),
      strides(result.getRank(), builder.getIndexAttr(1)), kept = sizes;
  int64_t size = 1;
  for (int64_t i : {0, 1}) {
    int64_t known = result.getDimSize(batches + i);
    int64_t padded = llvm::alignTo(known, layout.alignment[i]);
    kept.push_back(builder.getIndexAttr(known));
    sizes.push_back(builder.getIndexAttr(padded));
    size *= padded;
  }
  Sizes packedSizes(ArrayRef(sizes).take_front(batches));
  packedSizes.push_back(builder.getIndexAttr(size));
  RankedTensorType packedType = getType(packedSizes, element);
  if (packed.getType() != packedType)
    packed = tensor::CastOp::create(builder, loc, packedType, packed);

  SmallVector<ReassociationIndices> groups;
  Sizes parts = split(sizes, groups), permuted;
  SmallVector<int64_t> order = getOrder(batches), inverse(order.size());
  for (auto [index, dim] : llvm::enumerate(order)) {
    permuted.push_back(parts[dim]);
    inverse[dim] = index;
  }
  SmallVector<ReassociationIndices> expansion;
  for (int64_t i = 0; i <= batches; ++i)
    expansion.push_back({i});
  for (int64_t i = batches + 1, e = parts.size(); i < e; ++i)
    expansion.back().push_back(i);
  Value expanded = tensor::ExpandShapeOp::create(
      builder, loc, getType(permuted, element), packed, expansion, permuted);
  Value rows = permute(expanded, permuted, inverse);
  if (parts.size() != sizes.size())
    rows = tensor::CollapseShapeOp::create(builder, loc, rows, groups);
  return tensor::ExtractSliceOp::create(builder, loc, rows, offsets, kept,
                                        strides);
}

namespace {
/// Converts pack_scales and unpack_scales to tensor ops and a linalg.generic
/// that permutes:
///
/// %p = pack_scales %s layout tile_8x4 : tensor<6x5xi8> to tensor<64xi8>
/// ->
/// %0 = tensor.pad %s : tensor<6x5xi8> to tensor<8x8xi8>
/// %1 = tensor.expand_shape %0 [[0, 1], [2, 3]] into tensor<1x8x2x4xi8>
/// %2 = linalg.generic ins(%1) { <1x8x2x4 to 1x2x8x4> }
/// %p = tensor.collapse_shape %2 [[0, 1, 2, 3]] into tensor<64xi8>
template <typename OpTy>
struct ScaleLayoutConversion final : OpConversionPattern<OpTy> {
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LayoutBuilder layout(rewriter, op.getLoc(), op.getLayout());
    Value result;
    if constexpr (std::is_same_v<OpTy, PackScalesOp>)
      result = layout.pack(adaptor.getInput());
    else
      result = layout.unpack(adaptor.getInput(),
                             cast<RankedTensorType>(op.getType()));
    Type type = this->getTypeConverter()->convertType(op.getType());
    if (result.getType() != type)
      result = tensor::CastOp::create(rewriter, op.getLoc(), type, result);
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

void quant_float::populateScaleLayoutsToLinalgPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ScaleLayoutConversion<PackScalesOp>,
               ScaleLayoutConversion<UnpackScalesOp>>(converter,
                                                      patterns.getContext());
}
