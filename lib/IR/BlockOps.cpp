//===- BlockOps.cpp - Verifiers and folders of ops on blocks --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementBits.h"
#include "Shapes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetVerifier.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Reference/BlockScale.h"
#include "quant-float/Reference/Stochastic.h"
#include "quant-float/Support/BinaryType.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using reference::Granularity;

// BlockScaleRules.def and BlockScaleRule have the same rows.
#define QUANT_FLOAT_BLOCK_SCALE_RULE(Rule, ...)                                \
  static_assert(static_cast<int>(BlockScaleRule::Rule) ==                      \
                static_cast<int>(reference::BlockScaleRule::Rule));
#include "quant-float/Reference/BlockScaleRules.def"

// ScaleLayouts.def and ScaleLayout have the same rows.
#define QUANT_FLOAT_SCALE_LAYOUT(Layout, ...)                                  \
  static_assert(static_cast<int>(ScaleLayout::Layout) ==                       \
                static_cast<int>(reference::ScaleLayout::Layout));
#include "quant-float/Reference/ScaleLayouts.def"

reference::ScaleLayout quant_float::getReferenceLayout(ScaleLayout layout) {
  return static_cast<reference::ScaleLayout>(layout);
}

reference::BlockScaleRule quant_float::getReferenceRule(BlockScaleRule rule) {
  return static_cast<reference::BlockScaleRule>(rule);
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

static bool isBlockInput(Type type) {
  return isa<Float32Type, Float16Type, BFloat16Type>(
      getElementTypeOrSelf(type));
}

static LogicalResult verifyInput(Operation *op, Type type, StringRef name) {
  if (isBlockInput(type))
    return success();
  return op->emitOpError()
         << name << " must have elements of f32, f16 or bf16, but got "
         << getElementTypeOrSelf(type);
}

/// The maximum number of elements of a block with given sizes. Dimensions whose
/// sizes are only known at run time are padded to whole blocks, so this bounds
/// the padding of each dimension.
static constexpr int64_t kMaxBlockElements = int64_t(1) << 24;

/// Verifies the block sizes, and that `scales` has one element for each block
/// (B1).
static LogicalResult verifyBlocks(Operation *op, ArrayRef<int64_t> block,
                                  Type inputType, Type scalesType,
                                  StringRef scalesName) {
  auto input = dyn_cast<RankedTensorType>(inputType);
  auto scales = dyn_cast<RankedTensorType>(scalesType);
  if (!input || !scales)
    return op->emitOpError() << "blocks require ranked tensors, but got "
                             << (input ? scalesType : inputType);
  if (int64_t(block.size()) != input.getRank())
    return op->emitOpError()
           << "block must have one size for each of the " << input.getRank()
           << " dimensions of the input, but has " << block.size();
  for (int64_t size : block)
    if (size < 1 && size != Granularity::kWholeDim)
      return op->emitOpError()
             << "block sizes must be at least 1, or -1 for the whole "
                "dimension, but got "
             << size;
  int64_t elements = 1;
  for (int64_t size : block)
    if (size != Granularity::kWholeDim)
      elements =
          llvm::SaturatingMultiply<uint64_t>(elements, size) > kMaxBlockElements
              ? kMaxBlockElements + 1
              : elements * size;
  if (elements > kMaxBlockElements)
    return op->emitOpError()
           << "a block must have at most " << kMaxBlockElements
           << " elements, apart from whole dimensions";
  SmallVector<int64_t> expected =
      Granularity::getBlocks(block).getParameterSizes(input.getShape());
  if (succeeded(verifyCompatibleShape(scales.getShape(), expected)))
    return success();
  return op->emitOpError() << scalesName
                           << " must have the shape of the blocks, "
                           << describeShape(RankedTensorType::get(
                                  expected, scales.getElementType()))
                           << ", but got " << describeShape(scales);
}

/// Verifies that the types are both ranked tensors, both vectors or both
/// scalars, with compatible shapes.
static LogicalResult verifySameShape(Operation *op, Type a, Type b,
                                     StringRef names) {
  for (Type type : {a, b})
    if (isa<ShapedType>(type) && !isa<RankedTensorType, VectorType>(type))
      return op->emitOpError()
             << "expected scalars, vectors or ranked tensors, but got " << type;
  bool isSameKind = isa<RankedTensorType>(a) ? isa<RankedTensorType>(b)
                    : isa<VectorType>(a)
                        ? isa<VectorType>(b)
                        : !isa<ShapedType>(a) && !isa<ShapedType>(b);
  if (isSameKind && haveCompatibleShapes(a, b))
    return success();
  return op->emitOpError() << names << " must have the same shape, but got "
                           << a << " and " << b;
}

/// Verifies that a value of the whole tensor is one f32: a tensor of one
/// element with tensors, a scalar with scalars and vectors.
static LogicalResult verifyTensorLevel(Operation *op, Value value,
                                       StringRef name, Type like) {
  if (!value)
    return success();
  Type type = value.getType();
  bool fits = type.isF32();
  if (isa<TensorType>(like)) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    fits = ranked && ranked.getElementType().isF32() &&
           Granularity().fits(ranked.getShape(), /*input=*/{}) &&
           ranked.hasStaticShape();
  }
  if (fits)
    return success();
  return op->emitOpError() << name
                           << " must be one f32, in a tensor if the "
                              "other operands are tensors, but got "
                           << type;
}

/// Verifies the operands of rules with two levels of an op on parts.
template <typename OpTy>
static LogicalResult verifyTensorLevels(OpTy op, Type like, bool isRequired) {
  if (failed(verifyTensorLevel(op, op.getTensorAmax(), "tensor_amax", like)) ||
      failed(verifyTensorLevel(op, op.getTensorScale(), "tensor_scale", like)))
    return failure();
  bool isTwoLevel = reference::isTwoLevel(getReferenceRule(op.getRule()));
  int count = bool(op.getTensorAmax()) + bool(op.getTensorScale());
  if (count > 1)
    return op->emitOpError()
           << "tensor_amax and tensor_scale exclude each other";
  if (count && !isTwoLevel)
    return op->emitOpError() << "rule " << stringifyBlockScaleRule(op.getRule())
                             << " has no scale of the tensor";
  if (!count && isTwoLevel && isRequired)
    return op->emitOpError() << "rule " << stringifyBlockScaleRule(op.getRule())
                             << " requires tensor_amax or tensor_scale";
  return success();
}

static LogicalResult verifyElement(Operation *op, Type element) {
  if (reference::isBlockElement(element))
    return success();
  InFlightDiagnostic diagnostic =
      op->emitOpError() << "elements must be f8E4M3FN, f8E5M2, f6E2M3FN, "
                           "f6E3M2FN, f4E2M1FN, i8 or i4, but got "
                        << element;
  noteBlockConversions(diagnostic, element);
  return diagnostic;
}

static LogicalResult verifyRule(Operation *op, BlockScaleRule rule,
                                Type element, Type scale) {
  if (failed(verifyElement(op, element)))
    return failure();
  if (reference::isSupported(getReferenceRule(rule), element, scale))
    return success();
  return op->emitOpError() << "rule " << stringifyBlockScaleRule(rule)
                           << " does not define scales of " << scale
                           << " for elements of " << element;
}

/// Verifies the operand of stochastic rounding (S4).
template <typename OpTy>
static LogicalResult verifyRandom(OpTy op, Type inputType) {
  std::optional<RoundMode> mode = op.getRoundMode();
  Value random = op.getRandom();
  if (mode && *mode != RoundMode::Stochastic)
    return op.emitOpError() << "round_mode must be stochastic, but got "
                            << stringifyRoundMode(*mode);
  if (mode.has_value() != bool(random))
    return op.emitOpError()
           << "round_mode stochastic requires random bits, and vice versa";
  if (!random)
    return success();
  if (!reference::isRandomBits(getElementTypeOrSelf(random)))
    return op.emitOpError() << "random bits must have elements of ui2, ui4, "
                               "ui8 or ui16, but got "
                            << getElementTypeOrSelf(random);
  return verifySameShape(op, inputType, random.getType(),
                         "input and random bits");
}

LogicalResult BlockAmaxOp::verify() {
  Type input = getInput().getType();
  if (failed(verifyInput(*this, input, "input")) ||
      failed(verifyBlocks(*this, getBlock(), input, getType(), "result")))
    return failure();
  if (getElementTypeOrSelf(input) == getElementTypeOrSelf(getType()))
    return success();
  return emitOpError() << "result must have the input's element type "
                       << getElementTypeOrSelf(input) << ", but got "
                       << getElementTypeOrSelf(getType());
}

LogicalResult TensorScaleOp::verify() {
  Type type = getType();
  if (getElementTypeOrSelf(type).isF32() && !isa<UnrankedTensorType>(type))
    return success();
  return emitOpError()
         << "operand must be an f32, or a vector or ranked tensor of f32, but "
            "got "
         << type;
}

LogicalResult BlockScaleOp::verify() {
  Type amax = getAmax().getType();
  if (failed(verifyInput(*this, amax, "amax")) ||
      failed(verifySameShape(*this, amax, getType(), "amax and result")) ||
      failed(verifyRule(*this, getRule(), getElement(),
                        getElementTypeOrSelf(getType()))))
    return failure();
  return verifyTensorLevels(*this, amax, /*isRequired=*/true);
}

LogicalResult BlockQuantizeElementsOp::verify() {
  Type input = getInput().getType(), scale = getScale().getType();
  if (failed(verifyInput(*this, input, "input")) ||
      failed(verifySameShape(*this, input, getType(), "input and result")) ||
      failed(verifyRule(*this, getRule(), getElementTypeOrSelf(getType()),
                        getElementTypeOrSelf(scale))) ||
      failed(verifyTensorLevels(*this, input, /*isRequired=*/true)) ||
      failed(verifyRandom(*this, input)))
    return failure();
  if (isa<TensorType>(input))
    return verifyBlocks(*this, getBlock(), input, scale, "scale");
  if (!getBlock().empty())
    return emitOpError() << "blocks require ranked tensors, but got " << input;
  return verifySameShape(*this, input, scale, "input and scale");
}

LogicalResult BlockQuantizeOp::verify() {
  Type input = getInput().getType();
  if (failed(verifyInput(*this, input, "input")) ||
      failed(verifyBlocks(*this, getBlock(), input, getScales().getType(),
                          "scales")) ||
      failed(verifySameShape(*this, input, getValues().getType(),
                             "input and values")) ||
      failed(verifyRule(*this, getRule(),
                        getElementTypeOrSelf(getValues().getType()),
                        getElementTypeOrSelf(getScales().getType()))) ||
      failed(verifyTensorLevels(*this, input, /*isRequired=*/false)) ||
      failed(verifyRandom(*this, input)))
    return failure();
  Value computed = getComputedTensorScale();
  bool isExpected =
      reference::isTwoLevel(getReferenceRule(getRule())) && !getTensorScale();
  if (bool(computed) == isExpected)
    return verifyTensorLevel(*this, computed, "the third result", input);
  if (computed)
    return emitOpError() << "a third result requires a rule with two levels "
                            "and no tensor_scale";
  return emitOpError() << "rule " << stringifyBlockScaleRule(getRule())
                       << " requires a third result, the scale of the tensor";
}

LogicalResult BlockDequantizeOp::verify() {
  Type input = getInput().getType(), scale = getScale().getType();
  if (failed(verifyElement(*this, getElementTypeOrSelf(input))))
    return failure();
  if (!reference::isBlockScale(getElementTypeOrSelf(scale)))
    return emitOpError() << "scales must be f8E8M0FNU, f32, f16, bf16, "
                            "f8E4M3FN or !quant_float.f8UE5M3, but got "
                         << getElementTypeOrSelf(scale);
  if (failed(verifyInput(*this, getType(), "result")) ||
      failed(verifySameShape(*this, input, getType(), "input and result")) ||
      failed(verifyTensorLevel(*this, getTensorScale(), "tensor_scale", input)))
    return failure();
  if (getOrder() && !getTensorScale())
    return emitOpError() << "order requires tensor_scale";
  if (isa<TensorType>(input))
    return verifyBlocks(*this, getBlock(), input, scale, "scale");
  if (!getBlock().empty())
    return emitOpError() << "blocks require ranked tensors, but got " << input;
  return verifySameShape(*this, input, scale, "input and scale");
}

template <typename OpTy> static reference::BlockConversion getConversion() {
  return std::is_same_v<OpTy, ConvertToBlockOp>
             ? reference::BlockConversion::ToBlock
             : reference::BlockConversion::FromBlock;
}

/// Verifies a block conversion of IEEE P3109 (I7).
template <typename OpTy> static LogicalResult verifyConversion(OpTy op) {
  Type input = op.getInput().getType(), scale = op.getScale().getType();
  Type result = op.getType();
  Type from = getElementTypeOrSelf(input), to = getElementTypeOrSelf(result);
  for (Type type : {from, getElementTypeOrSelf(scale)})
    if (!reference::isProjectable(type) || type.isF64())
      return op.emitOpError() << "input and scale must have elements of f32, "
                                 "f16, bf16 or a format of IEEE P3109, but got "
                              << type;
  StringRef formats = std::is_same_v<OpTy, ConvertToBlockOp>
                          ? "a format of IEEE P3109"
                          : "f64, f32, f16, bf16 or a format of IEEE P3109";
  if (!reference::isConvertedBlock(getConversion<OpTy>(), from,
                                   getElementTypeOrSelf(scale), to))
    return op.emitOpError()
           << "result must have elements of " << formats << ", but got " << to;
  Value random = op.getRandom();
  if (failed(verifyProjectionRandom(op, op.getProjection(), random)) ||
      failed(verifySameShape(op, input, result, "input and result")) ||
      (random && failed(verifySameShape(op, input, random.getType(),
                                        "input and random bits"))))
    return failure();
  if (isa<TensorType>(input))
    return verifyBlocks(op, op.getBlock(), input, scale, "scale");
  if (!op.getBlock().empty())
    return op.emitOpError()
           << "blocks require ranked tensors, but got " << input;
  return verifySameShape(op, input, scale, "input and scale");
}

LogicalResult ConvertToBlockOp::verify() { return verifyConversion(*this); }
LogicalResult ConvertFromBlockOp::verify() { return verifyConversion(*this); }

/// Returns the number of scales of a padded matrix, or a dynamic size; nullopt
/// if it overflows.
static std::optional<int64_t> getPaddedSize(ScaleLayout layout, int64_t rows,
                                            int64_t columns) {
  if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(columns))
    return ShapedType::kDynamic;
  auto alignment = reference::getAlignment(getReferenceLayout(layout));
  // Sums of sizes and alignments below this do not overflow.
  constexpr int64_t kLargest = int64_t(1) << 62;
  int64_t size;
  if (rows > kLargest || columns > kLargest ||
      llvm::MulOverflow<int64_t>(llvm::alignTo(rows, alignment.rows),
                                 llvm::alignTo(columns, alignment.columns),
                                 size))
    return std::nullopt;
  return size;
}

/// Verifies the types of rows of scales and of the same scales in a layout.
static LogicalResult verifyLayout(Operation *op, ScaleLayout layout,
                                  Type plainType, Type packedType) {
  auto plain = dyn_cast<RankedTensorType>(plainType);
  auto packed = dyn_cast<RankedTensorType>(packedType);
  if (!plain || !packed || plain.getRank() < 2 ||
      packed.getRank() != plain.getRank() - 1)
    return op->emitOpError()
           << "layouts require a ranked tensor of at least two dimensions and "
              "one with a dimension less, but got "
           << plainType << " and " << packedType;
  Type type = plain.getElementType();
  bool isF32 = layout == ScaleLayout::DeepGemmF32;
  bool isE8M0 = isa<Float8E8M0FNUType>(type);
  bool isSupported =
      isF32 ? type.isF32()
      : layout == ScaleLayout::DeepGemmE8M0
          ? isE8M0
          : reference::isBlockScale(type) &&
                !isa<Float32Type, Float16Type, BFloat16Type>(type);
  if (!isSupported || type != packed.getElementType())
    return op->emitOpError() << "layout " << stringifyScaleLayout(layout)
                             << " does not have scales of " << type << " and "
                             << packed.getElementType();
  std::optional<int64_t> size = getPaddedSize(
      layout, plain.getDimSize(plain.getRank() - 2), plain.getShape().back());
  if (!size)
    return op->emitOpError()
           << "the number of scales of " << plain << " in the layout overflows";
  SmallVector<int64_t> expected(plain.getShape().drop_back(2));
  expected.push_back(*size);
  if (succeeded(verifyCompatibleShape(packed.getShape(), expected)))
    return success();
  return op->emitOpError() << "scales in the layout must have "
                           << describeShape(
                                  RankedTensorType::get(expected, type))
                           << ", but got " << describeShape(packed);
}

LogicalResult PackScalesOp::verify() {
  return verifyLayout(*this, getLayout(), getInput().getType(), getType());
}

LogicalResult UnpackScalesOp::verify() {
  if (failed(verifyLayout(*this, getLayout(), getType(), getInput().getType())))
    return failure();
  if (!llvm::any_of(cast<RankedTensorType>(getType()).getShape().take_back(2),
                    ShapedType::isDynamic))
    return success();
  return emitOpError()
         << "the last two sizes of the result must be static, but "
            "got "
         << getType();
}

//===----------------------------------------------------------------------===//
// Folding
//===----------------------------------------------------------------------===//

namespace {
/// A constant operand: the bit patterns of its elements, or one for a splat.
class ConstantBits {
public:
  explicit ConstantBits(Attribute attribute)
      : bits(getElementBits(attribute)) {}
  explicit operator bool() const { return bits && !bits->empty(); }
  const APInt &operator[](size_t index) const {
    return (*bits)[bits->size() == 1 ? 0 : index];
  }

private:
  std::optional<SmallVector<APInt>> bits;
};
} // namespace

static APFloat getF32(const APInt &bits) {
  return APFloat(APFloat::IEEEsingle(), bits);
}

/// Returns the bits of f32, f16 or bf16 as f32.
static APFloat extend(Type type, const APInt &bits) {
  APFloat value(cast<FloatType>(type).getFloatSemantics(), bits);
  bool losesInfo;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value;
}

/// Returns the level of the tensor, or nullopt if it is not constant.
static std::optional<reference::TensorLevel>
getTensorLevel(Value amax, Attribute amaxAttr, Value scale,
               Attribute scaleAttr) {
  reference::TensorLevel level;
  if (amax) {
    ConstantBits bits(amaxAttr);
    if (!bits)
      return std::nullopt;
    level.amax = getF32(bits[0]);
  }
  if (scale) {
    ConstantBits bits(scaleAttr);
    if (!bits)
      return std::nullopt;
    level.scale = getF32(bits[0]);
  }
  return level;
}

static std::optional<int64_t> getFoldedCount(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  return shaped ? countFolded(shaped.getShape(), kFoldLimit) : 1;
}

/// Maps elements of an input to those of its scales.
static reference::ParameterElements getScaleIndices(Type input, Type scale,
                                                    ArrayRef<int64_t> block) {
  if (block.empty())
    return reference::ParameterElements(
        Granularity::getBroadcast(),
        getSizes(scale).value_or(SmallVector<int64_t>()),
        getSizes(input).value_or(SmallVector<int64_t>()));
  return reference::ParameterElements(Granularity::getBlocks(block),
                                      cast<ShapedType>(scale).getShape(),
                                      cast<ShapedType>(input).getShape());
}

OpFoldResult TensorScaleOp::fold(FoldAdaptor adaptor) {
  ConstantBits amax(adaptor.getTensorAmax());
  std::optional<int64_t> count = getFoldedCount(getType());
  if (!amax || !count)
    return {};
  SmallVector<APInt> result;
  for (int64_t i = 0; i < *count; ++i)
    result.push_back(
        reference::getTensorScale(getF32(amax[i])).bitcastToAPInt());
  return getConstantOfBits(getType(), result);
}

/// Returns the largest magnitude of each block of a constant, or the largest
/// finite one and NaN if there is none.
static SmallVector<APFloat>
getAmaxes(const ConstantBits &input, int64_t count, int64_t blocks, Type type,
          const reference::ParameterElements &indices, bool finite = false) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  SmallVector<APFloat> amaxes(blocks, finite ? APFloat::getQNaN(semantics)
                                             : APFloat::getZero(semantics));
  for (int64_t i = 0; i < count; ++i) {
    APFloat &amax = amaxes[indices[i]];
    APFloat magnitude = abs(APFloat(semantics, input[i]));
    if (!finite)
      amax = maximum(amax, magnitude);
    else if (magnitude.isFinite())
      amax = maximumnum(amax, magnitude);
  }
  return amaxes;
}

OpFoldResult BlockAmaxOp::fold(FoldAdaptor adaptor) {
  ConstantBits input(adaptor.getInput());
  std::optional<int64_t> count = getFoldedCount(getInput().getType());
  std::optional<int64_t> blocks = getFoldedCount(getType());
  if (!input || !count || !blocks)
    return {};
  SmallVector<APInt> result;
  for (const APFloat &amax :
       getAmaxes(input, *count, *blocks, getElementTypeOrSelf(getInput()),
                 getScaleIndices(getInput().getType(), getType(), getBlock()),
                 getFinite()))
    result.push_back(amax.bitcastToAPInt());
  return getConstantOfBits(getType(), result);
}

OpFoldResult BlockScaleOp::fold(FoldAdaptor adaptor) {
  ConstantBits amax(adaptor.getAmax());
  auto tensor = getTensorLevel(getTensorAmax(), adaptor.getTensorAmax(),
                               getTensorScale(), adaptor.getTensorScale());
  std::optional<int64_t> count = getFoldedCount(getType());
  if (!amax || !tensor || !count)
    return {};
  Type from = getElementTypeOrSelf(getAmax());
  SmallVector<APInt> result;
  for (int64_t i = 0; i < *count; ++i)
    result.push_back(reference::getBlockScale(
        getReferenceRule(getRule()), getElement(),
        getElementTypeOrSelf(getType()), extend(from, amax[i]), *tensor));
  return getConstantOfBits(getType(), result);
}

OpFoldResult BlockQuantizeElementsOp::fold(FoldAdaptor adaptor) {
  ConstantBits input(adaptor.getInput()), scale(adaptor.getScale());
  auto tensor = getTensorLevel(getTensorAmax(), adaptor.getTensorAmax(),
                               getTensorScale(), adaptor.getTensorScale());
  std::optional<ConstantBits> random;
  if (getRandom())
    random.emplace(adaptor.getRandom());
  std::optional<int64_t> count = getFoldedCount(getType());
  if (!input || !scale || !tensor || !count || (random && !*random))
    return {};
  auto indices =
      getScaleIndices(getInput().getType(), getScale().getType(), getBlock());
  SmallVector<APInt> result;
  for (int64_t i = 0; i < *count; ++i)
    result.push_back(reference::quantizeBlockElement(
        getReferenceRule(getRule()), getElementTypeOrSelf(getInput()),
        getElementTypeOrSelf(getScale()), getElementTypeOrSelf(getType()),
        input[i], scale[indices[i]], *tensor,
        random ? std::optional((*random)[i]) : std::nullopt));
  return getConstantOfBits(getType(), result);
}

OpFoldResult BlockDequantizeOp::fold(FoldAdaptor adaptor) {
  ConstantBits input(adaptor.getInput()), scale(adaptor.getScale());
  auto tensor =
      getTensorLevel({}, {}, getTensorScale(), adaptor.getTensorScale());
  std::optional<int64_t> count = getFoldedCount(getType());
  if (!input || !scale || !tensor || !count)
    return {};
  auto indices =
      getScaleIndices(getInput().getType(), getScale().getType(), getBlock());
  SmallVector<APInt> result;
  for (int64_t i = 0; i < *count; ++i)
    result.push_back(reference::dequantizeBlockElement(
        getElementTypeOrSelf(getInput()), getElementTypeOrSelf(getScale()),
        getElementTypeOrSelf(getType()), input[i], scale[indices[i]],
        tensor->scale, getOrder() == ScaleOrder::TensorFirst));
  return getConstantOfBits(getType(), result);
}

LogicalResult BlockQuantizeOp::fold(FoldAdaptor adaptor,
                                    SmallVectorImpl<OpFoldResult> &results) {
  ConstantBits input(adaptor.getInput());
  auto tensor = getTensorLevel(getTensorAmax(), adaptor.getTensorAmax(),
                               getTensorScale(), adaptor.getTensorScale());
  std::optional<ConstantBits> random;
  if (getRandom())
    random.emplace(adaptor.getRandom());
  Type x = getElementTypeOrSelf(getInput());
  Type scale = getElementTypeOrSelf(getScales());
  Type element = getElementTypeOrSelf(getValues());
  std::optional<int64_t> count = getFoldedCount(getInput().getType());
  std::optional<int64_t> blocks = getFoldedCount(getScales().getType());
  if (!input || !tensor || !count || !blocks || (random && !*random))
    return failure();

  reference::BlockScaleRule rule = getReferenceRule(getRule());
  reference::ParameterElements indices =
      getScaleIndices(getInput().getType(), getScales().getType(), getBlock());
  SmallVector<APFloat> amaxes;
  for (const APFloat &amax : getAmaxes(input, *count, *blocks, x, indices))
    amaxes.push_back(extend(x, amax.bitcastToAPInt()));
  if (getComputedTensorScale() && !tensor->amax) {
    tensor->amax = APFloat(APFloat::IEEEsingle());
    for (const APFloat &amax : amaxes)
      tensor->amax = maximum(*tensor->amax, amax);
  }
  SmallVector<APInt> scales, values;
  for (const APFloat &amax : amaxes)
    scales.push_back(
        reference::getBlockScale(rule, element, scale, amax, *tensor));
  for (int64_t i = 0; i < *count; ++i)
    values.push_back(reference::quantizeBlockElement(
        rule, x, scale, element, input[i], scales[indices[i]], *tensor,
        random ? std::optional((*random)[i]) : std::nullopt));
  // A type of the dialect has no constants.
  TypedAttr folded[] = {getConstantOfBits(getValues().getType(), values),
                        getConstantOfBits(getScales().getType(), scales)};
  if (!folded[0] || !folded[1])
    return failure();
  results.append({folded[0], folded[1]});
  if (getComputedTensorScale())
    results.push_back(getConstantOfBits(
        getComputedTensorScale().getType(),
        reference::getTensorScale(*tensor->amax).bitcastToAPInt()));
  return success();
}

/// Returns the bits of the results of a block conversion of constants. The
/// constants of types of the dialect have the storage type.
template <typename OpTy>
static std::optional<SmallVector<APInt>>
convertConstants(OpTy op, const ConstantBits &input, const ConstantBits &scale,
                 const ConstantBits &random) {
  std::optional<int64_t> count = getFoldedCount(op.getType());
  if (!input || !scale || !count || (op.getRandom() && !random))
    return std::nullopt;
  Type x = getElementTypeOrSelf(op.getInput());
  Type scaleType = getElementTypeOrSelf(op.getScale());
  auto indices = getScaleIndices(op.getInput().getType(),
                                 op.getScale().getType(), op.getBlock());
  SmallVector<APInt> result;
  for (int64_t i = 0; i < *count; ++i)
    result.push_back(reference::convertBlockElement(
        getConversion<OpTy>(), x, scaleType, getElementTypeOrSelf(op.getType()),
        input[i].zextOrTrunc(getNumberWidth(x)),
        scale[indices[i]].zextOrTrunc(getNumberWidth(scaleType)),
        getReferenceProjection(op.getProjection()),
        op.getRandom() ? std::optional(random[i]) : std::nullopt));
  return result;
}

namespace {
/// Folds block conversions of constants from and to formats of IEEE P3109,
/// whose constants are in their storage type:
///
///   convert_to_block(constant : f32, constant : f32) to
///   !quant_float.binary8p4se
///   -> storage_cast(constant : i8 to !quant_float.binary8p4se)
template <typename OpTy>
struct FoldStoredBlocks final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    auto getConstant = [](Value value) {
      Attribute attribute;
      if (value)
        if (auto storage = value.getDefiningOp<StorageCastOp>())
          value = storage.getInput();
      if (value)
        matchPattern(value, m_Constant(&attribute));
      return ConstantBits(attribute);
    };
    auto bits = convertConstants(op, getConstant(op.getInput()),
                                 getConstant(op.getScale()),
                                 getConstant(op.getRandom()));
    if (!bits)
      return failure();
    bool isStored = isa<BinaryType>(getElementTypeOrSelf(op.getType()));
    Type type = isStored ? getStorageType(op.getType()) : Type(op.getType());
    for (APInt &element : *bits)
      element = element.zextOrTrunc(getNumberWidth(getElementTypeOrSelf(type)));
    TypedAttr folded = getConstantOfBits(type, *bits);
    if (!folded)
      return failure();
    Value result = createConstant(rewriter, op.getLoc(), folded);
    if (isStored)
      result =
          StorageCastOp::create(rewriter, op.getLoc(), op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};
} // namespace

template <typename OpTy>
static OpFoldResult foldConversion(OpTy op,
                                   typename OpTy::FoldAdaptor adaptor) {
  auto bits = convertConstants(op, ConstantBits(adaptor.getInput()),
                               ConstantBits(adaptor.getScale()),
                               ConstantBits(adaptor.getRandom()));
  // A type of the dialect has no constants.
  return bits ? getConstantOfBits(op.getType(), *bits) : TypedAttr();
}

OpFoldResult ConvertToBlockOp::fold(FoldAdaptor adaptor) {
  return foldConversion(*this, adaptor);
}
OpFoldResult ConvertFromBlockOp::fold(FoldAdaptor adaptor) {
  return foldConversion(*this, adaptor);
}

void ConvertToBlockOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                   MLIRContext *context) {
  patterns.add<FoldStoredBlocks<ConvertToBlockOp>>(context);
}
void ConvertFromBlockOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<FoldStoredBlocks<ConvertFromBlockOp>>(context);
}

/// Returns the constant in the other arrangement. `plain` is the type of rows.
static OpFoldResult foldLayout(ScaleLayout layout, Attribute input,
                               RankedTensorType plain, Type result,
                               bool isPacking) {
  ConstantBits bits(input);
  std::optional<int64_t> count = getFoldedCount(result);
  if (!bits || !count || !plain.hasStaticShape())
    return {};
  auto alignment = reference::getAlignment(getReferenceLayout(layout));
  int64_t rows = plain.getDimSize(plain.getRank() - 2);
  int64_t columns = plain.getShape().back(), size = rows * columns;
  int64_t paddedRows = llvm::alignTo(rows, alignment.rows);
  int64_t paddedColumns = llvm::alignTo(columns, alignment.columns);
  SmallVector<APInt> values(*count, APInt::getZero(bits[0].getBitWidth()));
  for (int64_t i = 0, e = size ? plain.getNumElements() : 0; i != e; ++i) {
    int64_t offset = i / size * paddedRows * paddedColumns +
                     reference::getScaleOffset(getReferenceLayout(layout),
                                               paddedRows, paddedColumns,
                                               i % size / columns, i % columns);
    if (isPacking)
      values[offset] = bits[i];
    else
      values[i] = bits[offset];
  }
  return getConstantOfBits(result, values);
}

OpFoldResult PackScalesOp::fold(FoldAdaptor adaptor) {
  return foldLayout(getLayout(), adaptor.getInput(),
                    cast<RankedTensorType>(getInput().getType()), getType(),
                    /*isPacking=*/true);
}

OpFoldResult UnpackScalesOp::fold(FoldAdaptor adaptor) {
  // Padding is dropped, so packing again would not give the input.
  if (auto pack = getInput().getDefiningOp<PackScalesOp>();
      pack && pack.getLayout() == getLayout() &&
      pack.getInput().getType() == getType())
    return pack.getInput();
  return foldLayout(getLayout(), adaptor.getInput(),
                    cast<RankedTensorType>(getType()), getType(),
                    /*isPacking=*/false);
}
