//===- LegalizeBlockScaled.cpp - Block-scaled ops of linalg and tosa ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops are matched by name, and attributes and types are read in printed form,
// because older versions of MLIR lack some of them, and because the tosa
// dialect need not be loaded.
//
//===----------------------------------------------------------------------===//

#include "ElementConversion.h"
#include "LegalityDiagnostics.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr StringLiteral kScaledContract = "linalg.scaled_contract";
static constexpr StringLiteral kCast = "tosa.cast";
static constexpr StringLiteral kConstant = "tosa.const";
static constexpr StringLiteral kCastFromBlocks = "tosa.cast_from_block_scaled";
static constexpr StringLiteral kCastToBlocks = "tosa.cast_to_block_scaled";
static constexpr StringLiteral kMatmulOfBlocks = "tosa.matmul_t_block_scaled";

static bool isNamed(Operation *op, StringRef name) {
  return op->getName().getStringRef() == name;
}

//===----------------------------------------------------------------------===//
// Common parts
//===----------------------------------------------------------------------===//

/// Whether dequantize accepts tensors of these elements.
static bool isBlockElement(Type type) {
  return isNarrowFloat(type) && !isa<Float8E8M0FNUType>(type) &&
         getOnnxDataType(type);
}

/// Whether the type is !tosa.mxint8.
static bool isMxInt8(Type type) {
  StringRef dialect = type.getDialect().getNamespace();
  if (auto opaque = dyn_cast<mlir::OpaqueType>(type))
    dialect = opaque.getDialectNamespace();
  return dialect == "tosa" && debugString(type) == "!tosa.mxint8";
}

static bool hasMxInt8(Operation *op) {
  auto isThat = [](Type type) { return isMxInt8(getElementTypeOrSelf(type)); };
  return llvm::any_of(op->getOperandTypes(), isThat) ||
         llvm::any_of(op->getResultTypes(), isThat);
}

/// Creates a dequantize of blocks of `blockSize` elements along `axis`, or of
/// the whole axis or tensor if they are not set. i8 requires blocks.
static Value createDequantize(OpBuilder &builder, Location loc, Value data,
                              Value scale, Type to, std::optional<int64_t> axis,
                              std::optional<int64_t> blockSize) {
  Type type = withElementType(data.getType(), to);
  if (getElementTypeOrSelf(data).isInteger()) {
    SmallVector<int64_t> block(cast<RankedTensorType>(type).getRank(), 1);
    block[*axis] = *blockSize;
    return BlockDequantizeOp::create(builder, loc, type, data, scale,
                                     /*tensor_scale=*/Value(), block,
                                     ScaleOrderAttr());
  }
  auto getAttr = [&](std::optional<int64_t> value) {
    return value ? builder.getI64IntegerAttr(*value) : IntegerAttr();
  };
  return DequantizeOp::create(
      builder, loc, type, data, scale, /*zero_point=*/Value(),
      builder.getI64IntegerAttr(kNewestOpset),
      /*domain=*/StringAttr(), getAttr(axis), getAttr(blockSize),
      /*ignored_attributes=*/ArrayAttr());
}

static Value castShape(OpBuilder &builder, Location loc, Value value,
                       Type type) {
  return value.getType() == type
             ? value
             : tensor::CastOp::create(builder, loc, type, value).getResult();
}

/// Creates the contraction of `lhs` and `rhs` with the accumulator `init`. The
/// maps are those of the three tensors. Loops that the last map lacks are
/// reductions.
static Value createContraction(OpBuilder &builder, Location loc, Value lhs,
                               Value rhs, Value init,
                               ArrayRef<AffineMap> maps) {
  SmallVector<utils::IteratorType> iterators(maps.back().getNumDims(),
                                             utils::IteratorType::reduction);
  for (AffineExpr expr : maps.back().getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] =
        utils::IteratorType::parallel;
  auto body = [](OpBuilder &nested, Location loc, ValueRange arguments) {
    Value product =
        arith::MulFOp::create(nested, loc, arguments[0], arguments[1]);
    Value sum = arith::AddFOp::create(nested, loc, arguments[2], product);
    linalg::YieldOp::create(nested, loc, sum);
  };
  return linalg::GenericOp::create(builder, loc, init.getType(),
                                   ValueRange{lhs, rhs}, init, maps, iterators,
                                   body)
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// linalg.scaled_contract
//===----------------------------------------------------------------------===//

namespace {
/// The operands of a linalg.scaled_contract.
struct ScaledContract {
  explicit ScaledContract(Operation *op)
      : lhs(op->getOperand(0)), lhsScale(op->getOperand(1)),
        rhs(op->getOperand(2)), rhsScale(op->getOperand(3)),
        init(op->getOperand(4)) {
    for (auto map : op->getAttrOfType<ArrayAttr>("indexing_maps")
                        .getAsValueRange<AffineMapAttr>())
      maps.push_back(map);
    isUnsigned =
        debugString(op->getAttr("cast")).find("unsigned") != std::string::npos;
  }

  Type getAccumulatorType() const { return getElementTypeOrSelf(init); }
  /// Collapses the reduction loops over the blocks and over the elements of
  /// blocks, if they are separate, to one loop.
  void collapseBlocks(OpBuilder &builder, Location loc);

  Value lhs, lhsScale, rhs, rhsScale, init;
  SmallVector<AffineMap> maps;
  /// Whether integers are unsigned.
  bool isUnsigned;
};
} // namespace

static std::string findScaledContractIllegality(Operation *op) {
  ScaledContract contract(op);
  for (Value value : {contract.lhs, contract.rhs, contract.init})
    if (!isa<RankedTensorType>(value.getType()))
      return "operands must be ranked tensors, but got " +
             debugString(value.getType());
  for (Value value : {contract.lhsScale, contract.rhsScale})
    if (isa<ShapedType>(value.getType()) &&
        !isa<RankedTensorType>(value.getType()))
      return "operands must be ranked tensors, but got " +
             debugString(value.getType());
  if (Type type = contract.getAccumulatorType(); !isStandardFloat(type))
    return "the result must have type f16, bf16, f32 or f64, but got " +
           debugString(type);
  for (Value value : op->getOperands()) {
    Type type = getElementTypeOrSelf(value);
    if (!type.isSignlessInteger() && !getDataType(type))
      return "no cast supports " + debugString(type);
  }
  return {};
}

/// Returns the index of the result `loop` of `map` if the result `next`
/// follows, or none.
static std::optional<unsigned> findAdjacent(AffineMap map, unsigned loop,
                                            unsigned next) {
  std::optional<unsigned> index =
      map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
  if (!index || *index + 1 == map.getNumResults() ||
      map.getDimPosition(*index + 1) != next)
    return std::nullopt;
  return index;
}

void ScaledContract::collapseBlocks(OpBuilder &builder, Location loc) {
  SmallVector<unsigned> reductions;
  for (unsigned loop = 0, end = maps.back().getNumDims(); loop < end; ++loop)
    if (!maps.back().isFunctionOfDim(loop))
      reductions.push_back(loop);
  for (unsigned index = 1; index < reductions.size(); ++index) {
    unsigned block = reductions[index - 1], element = reductions[index];
    std::optional<unsigned> lhsIndex = findAdjacent(maps[0], block, element);
    std::optional<unsigned> rhsIndex = findAdjacent(maps[2], block, element);
    if (!lhsIndex || !rhsIndex || maps[1].isFunctionOfDim(element) ||
        maps[3].isFunctionOfDim(element))
      continue;
    int64_t size =
        cast<RankedTensorType>(lhs.getType()).getDimSize(*lhsIndex + 1);
    if (ShapedType::isDynamic(size) || size == 0)
      continue;

    auto collapse = [&](Value value, unsigned first) -> Value {
      SmallVector<ReassociationIndices> groups;
      int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
      for (int64_t i = 0; i < rank; ++i)
        if (i == first + 1)
          groups.back().push_back(i);
        else
          groups.push_back({i});
      return tensor::CollapseShapeOp::create(builder, loc, value, groups);
    };
    lhs = collapse(lhs, *lhsIndex);
    rhs = collapse(rhs, *rhsIndex);
    for (auto [index, map] : llvm::enumerate(maps)) {
      bool isData = index == 0 || index == 2;
      SmallVector<AffineExpr> dimensions;
      for (unsigned loop = 0, end = map.getNumDims(); loop < end; ++loop)
        dimensions.push_back(builder.getAffineDimExpr(loop - (loop > element)));
      if (isData)
        map = map.dropResult(index == 0 ? *lhsIndex + 1 : *rhsIndex + 1);
      else
        dimensions[block] = dimensions[block].floorDiv(size);
      map = map.replaceDimsAndSymbols(dimensions, {}, map.getNumDims() - 1, 0);
    }
    return collapseBlocks(builder, loc);
  }
}

/// Returns the map of a scale in terms of the dimensions of its operand.
static AffineMap getScaleMap(AffineMap operand, AffineMap scale) {
  MLIRContext *context = scale.getContext();
  // The map uses only dimensions of the operand.
  SmallVector<AffineExpr> dimensions(scale.getNumDims(),
                                     getAffineConstantExpr(0, context));
  for (auto [index, expr] : llvm::enumerate(operand.getResults()))
    dimensions[cast<AffineDimExpr>(expr).getPosition()] =
        getAffineDimExpr(index, context);
  return scale.replaceDimsAndSymbols(dimensions, {}, operand.getNumResults(),
                                     0);
}

/// Creates a dequantize with the scale map `map`. Returns null if dequantize
/// has no such scales.
static Value tryDequantize(OpBuilder &builder, Location loc, Value data,
                           Value scale, AffineMap map) {
  auto type = cast<RankedTensorType>(data.getType());
  auto scaleType = dyn_cast<RankedTensorType>(scale.getType());
  // Another scale type may be more precise than the accumulator.
  if (!scaleType || !isBlockElement(type.getElementType()) ||
      !isa<Float8E8M0FNUType, Float32Type>(scaleType.getElementType()))
    return {};
  ArrayRef<AffineExpr> exprs = map.getResults();
  std::optional<int64_t> axis, blockSize;
  if (exprs.size() == 1 && isa<AffineDimExpr>(exprs.front())) {
    axis = cast<AffineDimExpr>(exprs.front()).getPosition();
  } else if (!exprs.empty()) {
    if (exprs.size() != static_cast<size_t>(type.getRank()))
      return {};
    for (auto [index, expr] : llvm::enumerate(exprs)) {
      if (expr == builder.getAffineDimExpr(index))
        continue;
      auto division = dyn_cast<AffineBinaryOpExpr>(expr);
      if (axis || !division || division.getKind() != AffineExprKind::FloorDiv ||
          division.getLHS() != builder.getAffineDimExpr(index))
        return {};
      axis = index;
      blockSize = cast<AffineConstantExpr>(division.getRHS()).getValue();
    }
    if (!axis)
      return {};
  }
  return createDequantize(builder, loc, data, scale, builder.getF32Type(), axis,
                          blockSize);
}

/// Promotes an operand and its scale to the type `to` and multiplies them.
static Value scaleOperand(OpBuilder &builder, Location loc, Value data,
                          Value scale, AffineMap map, Type to,
                          bool isUnsigned) {
  if (to.isF32())
    if (Value result = tryDequantize(builder, loc, data, scale, map))
      return result;
  auto promote = [&](OpBuilder &nested, Value value) -> Value {
    if (!value.getType().isInteger())
      return convertFloat(nested, loc, value, to);
    if (isUnsigned)
      return arith::UIToFPOp::create(nested, loc, to, value);
    return arith::SIToFPOp::create(nested, loc, to, value);
  };
  auto body = [&](OpBuilder &nested, Location loc, ValueRange arguments) {
    Value factor = promote(nested, arguments[0]);
    Value product = arith::MulFOp::create(nested, loc, factor,
                                          promote(nested, arguments[1]));
    linalg::YieldOp::create(nested, loc, product);
  };
  int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
  AffineMap identity = builder.getMultiDimIdentityMap(rank);
  Value empty = tensor::EmptyOp::create(
      builder, loc, tensor::getMixedSizes(builder, loc, data), to);
  return linalg::GenericOp::create(builder, loc, empty.getType(),
                                   ValueRange{data, scale}, empty,
                                   ArrayRef<AffineMap>{identity, map, identity},
                                   SmallVector<utils::IteratorType>(
                                       rank, utils::IteratorType::parallel),
                                   body)
      .getResult(0);
}

namespace {
/// Legalizes linalg.scaled_contract as its description specifies. Its body
/// rounds scales to powers of two instead, because it consists of
/// arith.scaling_extf.
struct LegalizeScaledContract final : RewritePattern {
  explicit LegalizeScaledContract(MLIRContext *context)
      : RewritePattern(kScaledContract, /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (std::string reason = findScaledContractIllegality(op); !reason.empty())
      return rewriter.notifyMatchFailure(op, reason);
    Location loc = op->getLoc();
    ScaledContract contract(op);
    contract.collapseBlocks(rewriter, loc);
    ArrayRef<AffineMap> maps = contract.maps;
    Type type = contract.getAccumulatorType();
    Value lhs =
        scaleOperand(rewriter, loc, contract.lhs, contract.lhsScale,
                     getScaleMap(maps[0], maps[1]), type, contract.isUnsigned);
    Value rhs =
        scaleOperand(rewriter, loc, contract.rhs, contract.rhsScale,
                     getScaleMap(maps[2], maps[3]), type, contract.isUnsigned);
    rewriter.replaceOp(op,
                       createContraction(rewriter, loc, lhs, rhs, contract.init,
                                         {maps[0], maps[2], maps[4]}));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// tosa
//===----------------------------------------------------------------------===//

static bool isBlockScaled(Type type) {
  return StringRef(debugString(getElementTypeOrSelf(type)))
      .starts_with("!tosa.block_scaled<");
}

static bool hasBlockScaledType(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isBlockScaled) ||
         llvm::any_of(op->getResultTypes(), isBlockScaled);
}

/// Returns the number in `#tosa.block_size<BLOCK_SIZE_32>`, or 0.
static int64_t getBlockSize(Operation *op) {
  std::string printed = debugString(op->getAttr("block_size"));
  StringRef digits = StringRef(printed).split("BLOCK_SIZE_").second;
  int64_t size = 0;
  return digits.consumeInteger(10, size) || size < 2 ? 0 : size;
}

/// Returns why a tensor of values and one of scales are not legalizable as
/// block-scaled tensor.
static std::string findBlocksIllegality(Value data, Value scale) {
  for (Value value : {data, scale})
    if (!isa<RankedTensorType>(value.getType()))
      return "operands must be ranked tensors, but got " +
             debugString(value.getType());
  if (Type type = getElementTypeOrSelf(data);
      !isBlockElement(type) && !isMxInt8(type) && !type.isSignlessInteger(8))
    return "the values must have a type of float8, float6 or float4, or "
           "!tosa.mxint8, but got " +
           debugString(type);
  if (Type type = getElementTypeOrSelf(scale); !isa<Float8E8M0FNUType>(type))
    return "the scales must have type f8E8M0FNU, but got " + debugString(type);
  return {};
}

namespace {
/// A tosa.const of a block-scaled type.
struct BlockScaledConstant {
  DenseElementsAttr data, scales;
  int64_t blockSize;
};
} // namespace

static StringRef takeUntil(StringRef &text, StringRef characters) {
  StringRef taken =
      text.take_until([&](char c) { return characters.contains(c); });
  text = text.drop_front(taken.size());
  return taken;
}

/// Reads a tosa.const with values of the type
///
/// !tosa.block_scaled<BLOCK_SHAPE_32:f8E8M0FNU:f4E2M1FN, {1.0, 2.0}>
static std::optional<BlockScaledConstant> readBlockScaledConstant(Value value) {
  Operation *op = value.getDefiningOp();
  auto values = op && isNamed(op, kConstant)
                    ? op->getAttrOfType<DenseElementsAttr>("values")
                    : DenseElementsAttr();
  auto type = values ? dyn_cast<RankedTensorType>(values.getType())
                     : RankedTensorType();
  if (!type || !type.getRank())
    return std::nullopt;
  MLIRContext *context = op->getContext();
  ScopedDiagnosticHandler silence(context,
                                  [](Diagnostic &) { return success(); });

  BlockScaledConstant constant;
  std::string printed = debugString(type.getElementType());
  StringRef text = printed;
  if (!text.consume_front("!tosa.block_scaled<BLOCK_SHAPE_") ||
      text.consumeInteger(10, constant.blockSize) || constant.blockSize < 2 ||
      !text.consume_front(":f8E8M0FNU:"))
    return std::nullopt;
  Type element = parseType(takeUntil(text, ",>"), context);
  int64_t size = type.getShape().back();
  if (!element || !isBlockElement(element) || size % constant.blockSize ||
      !text.consume_front(","))
    return std::nullopt;

  auto scaleType = Float8E8M0FNUType::get(context);
  SmallVector<Attribute> scales;
  text = text.ltrim();
  if (!text.consume_front("{"))
    return std::nullopt;
  do {
    StringRef number = takeUntil(text, ",}").trim();
    auto scale =
        dyn_cast_or_null<FloatAttr>(parseAttribute(number, context, scaleType));
    if (!scale)
      return std::nullopt;
    scales.push_back(scale);
  } while (text.consume_front(","));
  SmallVector<int64_t> sizes(type.getShape());
  sizes.back() = size / constant.blockSize;
  auto scalesType = RankedTensorType::get(sizes, scaleType);
  if (scalesType.getNumElements() != static_cast<int64_t>(scales.size()))
    return std::nullopt;
  constant.scales = DenseElementsAttr::get(scalesType, scales);

  SmallVector<Attribute> elements;
  for (Attribute attr : values.getValues<Attribute>()) {
    auto number = dyn_cast<FloatAttr>(attr);
    if (!number || number.getType() != element)
      return std::nullopt;
    elements.push_back(number);
  }
  constant.data = DenseElementsAttr::get(
      RankedTensorType::get(type.getShape(), element), elements);
  return constant;
}

/// Returns the reason for tosa.cast and tosa.cast_from_block_scaled.
static std::string findCastIllegality(Operation *op) {
  if (isNamed(op, kCast)) {
    if (!readBlockScaledConstant(op->getOperand(0)))
      return "the operand must be a tosa.const of float8, float6 or float4 "
             "whose type states its scales, because other tensors of "
             "!tosa.block_scaled have no specified layout";
  } else {
    if (std::string reason =
            findBlocksIllegality(op->getOperand(0), op->getOperand(1));
        !reason.empty())
      return reason;
    if (!getBlockSize(op))
      return "the op must have a block size";
  }
  Type type = getElementTypeOrSelf(op->getResult(0));
  if (!isStandardFloat(type) || type.isF64() ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return "the result must be a ranked tensor of f16, bf16 or f32, but got " +
           debugString(op->getResult(0).getType());
  return {};
}

static std::string findCastToBlocksIllegality(Operation *op) {
  if (std::string reason =
          findBlocksIllegality(op->getResult(0), op->getResult(1));
      !reason.empty())
    return reason;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!type || type.getRank() == 0 ||
      !isa<Float32Type, Float16Type, BFloat16Type>(type.getElementType()))
    return "the operand must be a ranked tensor of f16, bf16 or f32, but got " +
           debugString(op->getOperand(0).getType());
  if (Type element = getElementTypeOrSelf(op->getResult(0));
      !isMxInt8(element) &&
      !reference::isSupported(reference::BlockScaleRule::Tosa, element,
                              getElementTypeOrSelf(op->getResult(1))))
    return "block_quantize has no elements of type " + debugString(element);
  if (!getBlockSize(op))
    return "the op must have a block size";
  return {};
}

/// Whether the only matrix of `rhs` is that of all matrices of `lhs`; none if
/// this depends on dynamic sizes.
static std::optional<bool> isBroadcastMatrix(RankedTensorType lhs,
                                             RankedTensorType rhs) {
  // A size of 1 is the same with and without broadcast.
  if (rhs.getDimSize(0) == 1 || lhs.getDimSize(0) == 1)
    return rhs.getDimSize(0) == 1;
  if (rhs.isDynamicDim(0))
    return std::nullopt;
  return false;
}

static std::string findMatmulIllegality(Operation *op) {
  for (unsigned index : {0, 2})
    if (std::string reason = findBlocksIllegality(op->getOperand(index),
                                                  op->getOperand(index + 1));
        !reason.empty())
      return reason;
  if (!getBlockSize(op))
    return "the op must have a block size";
  auto lhs = cast<RankedTensorType>(op->getOperand(0).getType());
  auto rhs = cast<RankedTensorType>(op->getOperand(2).getType());
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!result || !result.getElementType().isF32())
    return "the result must be a ranked tensor of f32, but got " +
           debugString(op->getResult(0).getType());
  constexpr int64_t kRank = 3;
  if (lhs.getRank() != kRank || rhs.getRank() != kRank ||
      result.getRank() != kRank)
    return "matrices must have rank 3";
  if (!isBroadcastMatrix(lhs, rhs))
    return "the number of matrices of the second operand must be static";
  return {};
}

namespace {
/// %r = tosa.cast_from_block_scaled %x, %s {block_size = BLOCK_SIZE_32}
/// ->
/// %r = dequantize %x, %s axis 1 block_size 32
struct LegalizeCastFromBlocks final : RewritePattern {
  LegalizeCastFromBlocks(StringRef name, MLIRContext *context)
      : RewritePattern(name, /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    // Other casts of tosa are not for this pass.
    if (isNamed(op, kCast) && (op->getNumOperands() != 1 ||
                               !isBlockScaled(op->getOperand(0).getType())))
      return rewriter.notifyMatchFailure(op, "no block-scaled operand");
    std::optional<std::string> reason = getBlockScaledIllegalityReason(op);
    if (!reason || !reason->empty())
      return rewriter.notifyMatchFailure(op, reason.value_or(""));
    Location loc = op->getLoc();
    Value data, scales;
    int64_t blockSize;
    if (isNamed(op, kCast)) {
      BlockScaledConstant constant =
          *readBlockScaledConstant(op->getOperand(0));
      data = createConstant(rewriter, loc, constant.data);
      scales = createConstant(rewriter, loc, constant.scales);
      blockSize = constant.blockSize;
    } else {
      data = op->getOperand(0);
      scales = op->getOperand(1);
      blockSize = getBlockSize(op);
    }
    Type type = op->getResult(0).getType();
    Value result = createDequantize(
        rewriter, loc, data, scales, getElementTypeOrSelf(type),
        cast<RankedTensorType>(data.getType()).getRank() - 1, blockSize);
    rewriter.replaceOp(op, castShape(rewriter, loc, result, type));
    return success();
  }
};

/// %q, %s = tosa.cast_to_block_scaled %x {block_size = BLOCK_SIZE_32}
/// ->
/// %q, %s = block_quantize %x block [1, 32] rule tosa
struct LegalizeCastToBlocks final : RewritePattern {
  explicit LegalizeCastToBlocks(MLIRContext *context)
      : RewritePattern(kCastToBlocks, /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    std::optional<std::string> reason = getBlockScaledIllegalityReason(op);
    if (!reason || !reason->empty())
      return rewriter.notifyMatchFailure(op, reason.value_or(""));
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    SmallVector<int64_t> block(type.getRank(), 1);
    block.back() = getBlockSize(op);
    auto values = RankedTensorType::get(type.getShape(),
                                        getElementTypeOrSelf(op->getResult(0)));
    auto scales = RankedTensorType::get(
        reference::Granularity::getBlocks(block).getParameterSizes(
            type.getShape()),
        getElementTypeOrSelf(op->getResult(1)));
    auto quantize = BlockQuantizeOp::create(
        rewriter, op->getLoc(), values, scales,
        /*computed_tensor_scale=*/Type(), op->getOperand(0),
        /*tensor_amax=*/Value(), /*tensor_scale=*/Value(),
        /*random=*/Value(), rewriter.getDenseI64ArrayAttr(block),
        BlockScaleRuleAttr::get(rewriter.getContext(), BlockScaleRule::Tosa),
        RoundModeAttr());
    SmallVector<Value> results;
    for (auto [value, result] :
         llvm::zip_equal(quantize->getResults(), op->getResults())) {
      // An unregistered op may have any shapes.
      if (failed(verifyCompatibleShape(value.getType(), result.getType())))
        return rewriter.notifyMatchFailure(op, "incompatible shapes");
      results.push_back(
          castShape(rewriter, op->getLoc(), value, result.getType()));
    }
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// Legalizes the matmul of a lhs of N x H x C by a rhs of N x W x C or
/// 1 x W x C as the contraction of the dequantized operands.
struct LegalizeMatmulOfBlocks final : RewritePattern {
  explicit LegalizeMatmulOfBlocks(MLIRContext *context)
      : RewritePattern(kMatmulOfBlocks, /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    std::optional<std::string> reason = getBlockScaledIllegalityReason(op);
    if (!reason || !reason->empty())
      return rewriter.notifyMatchFailure(op, reason.value_or(""));
    Location loc = op->getLoc();
    Type f32 = rewriter.getF32Type();
    auto dequantize = [&](unsigned index) {
      return createDequantize(rewriter, loc, op->getOperand(index),
                              op->getOperand(index + 1), f32, /*axis=*/2,
                              getBlockSize(op));
    };
    Value lhs = dequantize(0), rhs = dequantize(2);
    bool isBroadcast =
        *isBroadcastMatrix(cast<RankedTensorType>(lhs.getType()),
                           cast<RankedTensorType>(rhs.getType()));

    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, lhs);
    sizes.back() = tensor::getMixedSize(rewriter, loc, rhs, 1);
    Value empty = tensor::EmptyOp::create(rewriter, loc, sizes, f32);
    Value zero = createConstant(rewriter, loc, rewriter.getFloatAttr(f32, 0.0));
    Value init =
        linalg::FillOp::create(rewriter, loc, zero, empty).getResult(0);
    AffineExpr n, h, w, c;
    bindDims(rewriter.getContext(), n, h, w, c);
    AffineExpr matrix = isBroadcast ? rewriter.getAffineConstantExpr(0) : n;
    auto makeMap = [&](ArrayRef<AffineExpr> exprs) {
      return AffineMap::get(4, 0, exprs, rewriter.getContext());
    };
    Value result = createContraction(
        rewriter, loc, lhs, rhs, init,
        {makeMap({n, h, c}), makeMap({matrix, w, c}), makeMap({n, h, w})});
    rewriter.replaceOp(
        op, castShape(rewriter, loc, result, op->getResult(0).getType()));
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

bool quant_float::isCastToBlockScaledType(Operation *op) {
  return isNamed(op, kCast) &&
         llvm::any_of(op->getResultTypes(), isBlockScaled);
}

/// Returns the reason as if !tosa.mxint8 were i8.
static std::optional<std::string> getIllegalityReason(Operation *op) {
  // Unregistered ops may have any operands.
  auto has = [&](unsigned numOperands) {
    return op->getNumOperands() == numOperands && op->getNumResults() == 1;
  };
  // Without a result if the operands are memrefs.
  if (isNamed(op, kScaledContract) && op->getNumOperands() == 5)
    return findScaledContractIllegality(op);
  if (op->getName().getDialectNamespace() != "tosa" ||
      isCastToBlockScaledType(op) || isNamed(op, kConstant))
    return std::nullopt;
  if (isNamed(op, kCastToBlocks) && op->getNumOperands() == 1 &&
      op->getNumResults() == 2)
    return findCastToBlocksIllegality(op);
  if (isNamed(op, kCastFromBlocks) && has(2))
    return findCastIllegality(op);
  if (isNamed(op, kMatmulOfBlocks) && has(4))
    return findMatmulIllegality(op);
  if (isNamed(op, kCast) && has(1) &&
      isBlockScaled(op->getOperand(0).getType()))
    return findCastIllegality(op);
  if (op->getName().getStringRef().ends_with("_block_scaled") ||
      hasBlockScaledType(op))
    return "this op on block-scaled tensors is not supported";
  return std::nullopt;
}

/// Returns why an op on !tosa.mxint8 does not accept i8 instead. Other ops,
/// such as tosa.reshape, accept every type.
static std::string findMxInt8Illegality(Operation *op) {
  return hasMxInt8(op) ? getIllegalityReason(op).value_or("") : "";
}

void quant_float::convertMxInt8(Operation *root) {
  bool hasType = false, isLegal = true;
  root->walk([&](Operation *op) {
    hasType |= hasMxInt8(op);
    isLegal &= findMxInt8Illegality(op).empty();
  });
  root->walk([&](Block *block) {
    for (Type type : block->getArgumentTypes())
      hasType |= isMxInt8(getElementTypeOrSelf(type));
  });
  // The ops that stay require the type.
  if (!hasType || !isLegal)
    return;
  Type integer = IntegerType::get(root->getContext(), 8);
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](Type type) -> std::optional<std::pair<Type, WalkResult>> {
        if (isMxInt8(type))
          return std::make_pair(integer, WalkResult::skip());
        if (isBlockScaled(type))
          return std::make_pair(type, WalkResult::skip());
        return std::nullopt;
      });
  replacer.addReplacement(
      [&](DenseElementsAttr attr) -> std::optional<Attribute> {
        if (!isMxInt8(attr.getElementType()))
          return std::nullopt;
        return DenseElementsAttr::getFromRawBuffer(
            attr.getType().clone(integer), attr.getRawData());
      });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}

std::optional<std::string>
quant_float::getBlockScaledIllegalityReason(Operation *op) {
  std::optional<std::string> reason = getIllegalityReason(op);
  if (reason && reason->empty() && hasMxInt8(op))
    return "the module has another op on !tosa.mxint8 that is not supported";
  return reason;
}

void quant_float::populateLegalizeBlockScaledPatterns(
    RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<LegalizeScaledContract, LegalizeMatmulOfBlocks,
               LegalizeCastToBlocks>(context);
  for (StringRef name : {kCast, kCastFromBlocks})
    patterns.add<LegalizeCastFromBlocks>(name, context);
}
