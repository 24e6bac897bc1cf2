//===- RecoverDequantize.cpp - Recover dequantize from its steps ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// OpenVINO has no operator that dequantizes low-bit weights. Its models use
// these steps:
//
//   Convert(quantized values) to f16
//   Subtract Convert(zero points), Multiply by the scale
//   Reshape of [rows, groups, size] to [rows, columns]
//   Convert to f32
//
// They are equivalent to one dequantize, which is blocked if the Reshape merges
// two axes. The scale may itself be a dequantize, recovered from such steps, or
// a quotient.
//
//===----------------------------------------------------------------------===//

#include "RewriteUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/IR/Verifier.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/IR/TransposeConstant.h"
#include "quant-float/Reference/Cast.h"
#include "quant-float/Support/FloatFormat.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATRECOVERDEQUANTIZEPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-recover-dequantize"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
/// A constant, its type, and the element type after an optional Convert.
struct ConvertedConstant {
  Value constant;
  RankedTensorType type;
  Type convertedType;
};

/// The operands of a multiplication by a scale, and the op that produces the
/// final result.
struct Steps {
  Operation *last = nullptr;
  ConvertedConstant quantized, zeroPoints, scale;
  /// The scale if it is computed by other ops instead of a constant.
  Value computedScale;
  /// The type of the result of `last`.
  RankedTensorType type;
  /// One size per dimension of the quantized values.
  SmallVector<int64_t> shape, scaleShape;
  std::optional<int64_t> axis, blockSize;
};

struct RecoverDequantizePass final
    : quant_float::impl::QuantFloatRecoverDequantizePassBase<
          RecoverDequantizePass> {
  using QuantFloatRecoverDequantizePassBase::
      QuantFloatRecoverDequantizePassBase;
  void runOnOperation() override;
};
} // namespace

static NodeOp getLayer(Operation *op, NodeKind kind, unsigned inputs) {
  auto node = dyn_cast_or_null<NodeOp>(op);
  return node && getNodeKind(node) == kind &&
                 node.getInputs().size() == inputs && node->getNumResults() == 1
             ? node
             : NodeOp();
}

static std::optional<ConvertedConstant> getConvertedConstant(Value value) {
  NodeOp convert =
      getLayer(value.getDefiningOp(), NodeKind::OpenVinoConvert, 1);
  Value source = convert ? convert.getInputs()[0] : value;
  auto constant = source.getDefiningOp<AnyConstantOp>();
  auto type = dyn_cast<RankedTensorType>(source.getType());
  if (!constant || !type || !type.hasStaticShape() ||
      !isa<ElementsAttr>(constant.getValue()))
    return std::nullopt;
  return ConvertedConstant{source, type, getElementTypeOrSelf(value)};
}

/// Returns whether the type represents all quantized values and, if
/// `differences` is set, all differences of two quantized values.
static bool holdsAll(FloatType numbers, Type quantizedType, bool differences) {
  unsigned width = getNumberWidth(quantizedType);
  if (isa<IntegerType>(quantizedType))
    return width + differences <=
           APFloat::semanticsPrecision(numbers.getFloatSemantics());
  if (width > 8 || differences)
    return false;
  Type f64 = Float64Type::get(quantizedType.getContext());
  reference::CastOptions options;
  for (uint64_t encoding = 0; encoding < uint64_t(1) << width; ++encoding) {
    APInt bits(width, encoding);
    APInt number =
        reference::castElement(quantizedType, numbers, bits, options);
    if (!getFloatValue(quantizedType, bits).isNaN() &&
        reference::castElement(numbers, f64, number, options) !=
            reference::castElement(quantizedType, f64, bits, options))
      return false;
  }
  return true;
}

/// Returns the sizes with leading ones added up to the rank of `all`, or
/// nullopt if they do not broadcast to `all`.
static std::optional<SmallVector<int64_t>> alignSizes(ArrayRef<int64_t> sizes,
                                                      ArrayRef<int64_t> all) {
  if (sizes.size() > all.size())
    return std::nullopt;
  SmallVector<int64_t> aligned(all.size() - sizes.size(), 1);
  llvm::append_range(aligned, sizes);
  for (auto [one, other] : llvm::zip_equal(aligned, all))
    if (one != 1 && one != other)
      return std::nullopt;
  return aligned;
}

/// Determines the elements that share a scale. Along a blocked dimension, the
/// scale has size 1 and other dimensions do not.
static bool findGranularity(Steps &steps) {
  SmallVector<int64_t> many;
  for (auto [dim, size] : llvm::enumerate(steps.scaleShape))
    if (size != 1)
      many.push_back(dim);
  if (many.size() < 2 && !steps.blockSize) {
    steps.scaleShape.clear();
    if (!many.empty()) {
      steps.axis = many.front();
      steps.scaleShape.push_back(steps.shape[*steps.axis]);
    }
    return true;
  }
  if (steps.blockSize)
    return true;
  for (auto [dim, sizes] :
       llvm::enumerate(llvm::zip_equal(steps.scaleShape, steps.shape))) {
    auto [one, all] = sizes;
    if (one == all)
      continue;
    if (steps.axis)
      return false;
    steps.axis = dim;
    steps.blockSize = all;
  }
  return steps.blockSize.has_value();
}

/// Includes a following Reshape that merges two dimensions if the scale varies
/// along the first of them only.
static void addReshape(Steps &steps) {
  if (!steps.last->hasOneUse())
    return;
  NodeOp reshape =
      getLayer(*steps.last->user_begin(), NodeKind::OpenVinoReshape, 2);
  auto type = reshape
                  ? dyn_cast<RankedTensorType>(reshape.getResult(0).getType())
                  : RankedTensorType();
  if (!type || !type.hasStaticShape() ||
      reshape.getInputs()[0] != steps.last->getResult(0))
    return;
  ArrayRef<int64_t> shape = steps.shape;
  for (size_t dim = 0; dim + 1 < shape.size(); ++dim) {
    SmallVector<int64_t> merged(shape);
    merged[dim] *= merged[dim + 1];
    merged.erase(merged.begin() + dim + 1);
    // The scale varies along all dimensions except the merged one.
    SmallVector<int64_t> each(shape);
    each[dim + 1] = 1;
    if (shape[dim + 1] == 1 || steps.scaleShape != each ||
        type.getShape() != ArrayRef(merged))
      continue;
    steps.last = reshape;
    steps.type = type;
    steps.axis = dim;
    steps.blockSize = shape[dim + 1];
    steps.scaleShape.erase(steps.scaleShape.begin() + dim + 1);
    steps.shape = merged;
    return;
  }
}

/// Returns the dequantize or quotient that computes a scale, possibly through a
/// Reshape that adds dimensions; null for other values.
static Value getComputedScale(Value value) {
  if (NodeOp reshape =
          getLayer(value.getDefiningOp(), NodeKind::OpenVinoReshape, 2))
    value = reshape.getInputs()[0];
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<DequantizeOp>(op) ||
                 getLayer(op, NodeKind::OpenVinoDivide, 2)
             ? value
             : Value();
}

/// Matches the steps that end with `product`, where the scale is not input
/// `index`.
static std::optional<Steps> findSteps(NodeOp multiply, unsigned index) {
  Value numbers = multiply.getInputs()[index];
  Value scale = multiply.getInputs()[1 - index];
  NodeOp difference =
      getLayer(numbers.getDefiningOp(), NodeKind::OpenVinoSubtract, 2);
  std::optional<ConvertedConstant> quantized =
      getConvertedConstant(difference ? difference.getInputs()[0] : numbers);
  auto type = dyn_cast<RankedTensorType>(multiply.getResult(0).getType());
  auto number = type ? dyn_cast<FloatType>(type.getElementType()) : FloatType();
  auto scaleType = dyn_cast<RankedTensorType>(scale.getType());
  if (!quantized || !number || !isStandardFloat(number) || !scaleType ||
      quantized->convertedType != number ||
      scaleType.getElementType() != number ||
      quantized->type.getElementType() == number ||
      quantized->type.getShape() != type.getShape() ||
      !holdsAll(number, quantized->type.getElementType(), !!difference))
    return std::nullopt;
  Steps steps;
  steps.last = multiply;
  steps.quantized = *quantized;
  steps.type = type;
  steps.shape.assign(type.getShape().begin(), type.getShape().end());
  std::optional<SmallVector<int64_t>> aligned =
      alignSizes(scaleType.getShape(), steps.shape);
  if (!aligned)
    return std::nullopt;
  steps.scaleShape = *aligned;
  if (std::optional<ConvertedConstant> constant = getConvertedConstant(scale))
    steps.scale = *constant;
  else if (!(steps.computedScale = getComputedScale(scale)))
    return std::nullopt;
  if (!difference)
    return steps;
  // The zero point has one element, or the shape of the scale.
  std::optional<ConvertedConstant> points =
      getConvertedConstant(difference.getInputs()[1]);
  if (!points ||
      points->type.getElementType() != quantized->type.getElementType() ||
      (points->type.getNumElements() != 1 &&
       alignSizes(points->type.getShape(), steps.shape) != aligned))
    return std::nullopt;
  steps.zeroPoints = *points;
  return steps;
}

/// Creates the constant with another shape and an element type that represents
/// all elements. A splat is expanded.
static Value makeConstant(RewriterBase &rewriter, const ConvertedConstant &from,
                          ArrayRef<int64_t> shape, Type elementType) {
  auto type = RankedTensorType::get(shape, elementType);
  auto constant = from.constant.getDefiningOp<AnyConstantOp>();
  Type own = from.type.getElementType();
  if (own == elementType &&
      from.type.getNumElements() == type.getNumElements()) {
    if (ElementsAttr elements =
            reshapeConstant(cast<ElementsAttr>(constant.getValue()), shape))
      return createConstant(rewriter, constant.getLoc(),
                            cast<TypedAttr>(elements));
  }
  std::optional<SmallVector<APInt>> bits = getConstantElements(from.constant);
  if (!bits)
    return {};
  if (own != elementType)
    for (APInt &element : *bits)
      element = reference::castElement(own, elementType, element,
                                       reference::CastOptions());
  return createConstantOfBits(rewriter, constant.getLoc(), type, *bits);
}

/// If a quotient divides a low-bit scale, replaces the Convert of the scale by
/// a cast, which keeps the low-bit type.
static void castDividend(RewriterBase &rewriter, Value scale) {
  NodeOp quotient =
      getLayer(scale.getDefiningOp(), NodeKind::OpenVinoDivide, 2);
  NodeOp convert = quotient ? getLayer(quotient.getInputs()[0].getDefiningOp(),
                                       NodeKind::OpenVinoConvert, 1)
                            : NodeOp();
  if (!convert)
    return;
  Value input = convert.getInputs()[0];
  Type to = getElementTypeOrSelf(convert.getResult(0));
  auto number = dyn_cast<FloatType>(to);
  if (!number || !isFloat(getElementTypeOrSelf(input)) ||
      !holdsAll(number, getElementTypeOrSelf(input), /*differences=*/false))
    return;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(convert);
  Value cast =
      CastOp::create(rewriter, convert.getLoc(), input, to, kNewestOpset);
  rewriter.replaceOp(convert, cast);
}

static Value makeScale(RewriterBase &rewriter, const Steps &steps) {
  if (Value computed = steps.computedScale) {
    auto type = dyn_cast<RankedTensorType>(computed.getType());
    if (!type || type.getShape() != ArrayRef(steps.scaleShape))
      return {};
    castDividend(rewriter, computed);
    return computed;
  }
  // Use the stored type if it is narrower and f32 represents all its values.
  Type type = steps.scale.convertedType;
  Type own = steps.scale.type.getElementType();
  if (type.isF32() && isa<Float16Type, BFloat16Type, Float8E8M0FNUType>(own))
    type = own;
  return makeConstant(rewriter, steps.scale, steps.scaleShape, type);
}

static bool recover(RewriterBase &rewriter, NodeOp multiply, unsigned index) {
  std::optional<Steps> steps = findSteps(multiply, index);
  if (!steps)
    return false;
  addReshape(*steps);
  if (!findGranularity(*steps)) {
    LDBG() << "the scale is neither per axis nor blocked: " << multiply;
    return false;
  }
  // OpenVINO's CPU plugin computes products of f16 in f32, so include a Convert
  // to f32 that follows.
  Type number = steps->type.getElementType();
  Operation *last = steps->last;
  if (last->hasOneUse())
    if (NodeOp convert =
            getLayer(*last->user_begin(), NodeKind::OpenVinoConvert, 1);
        convert && !number.isF32() &&
        getElementTypeOrSelf(convert->getResult(0).getType()).isF32()) {
      last = convert;
      number = rewriter.getF32Type();
    }
  rewriter.setInsertionPoint(last);
  Type quantizedType = steps->quantized.type.getElementType();
  Value input =
      makeConstant(rewriter, steps->quantized, steps->shape, quantizedType);
  Value scale = makeScale(rewriter, *steps);
  Value zeroPoint;
  if (steps->zeroPoints.constant)
    zeroPoint = makeConstant(rewriter, steps->zeroPoints, steps->scaleShape,
                             quantizedType);
  if (!input || !scale || (steps->zeroPoints.constant && !zeroPoint))
    return false;
  OperationState state(steps->last->getLoc(), DequantizeOp::getOperationName());
  state.addOperands({input, scale});
  if (zeroPoint)
    state.addOperands(zeroPoint);
  state.addTypes(steps->type.clone(number));
  state.addAttribute("opset", rewriter.getI64IntegerAttr(kNewestOpset));
  if (steps->axis)
    state.addAttribute("axis", rewriter.getI64IntegerAttr(*steps->axis));
  if (steps->blockSize)
    state.addAttribute("block_size",
                       rewriter.getI64IntegerAttr(*steps->blockSize));
  Operation *made = rewriter.create(state);
  // No dequantize may exist for the types of quantized values and scales.
  bool isValid;
  {
    ScopedDiagnosticHandler silent(made->getContext(),
                                   [](Diagnostic &) { return success(); });
    isValid = succeeded(verify(made, /*verifyRecursively=*/false));
  }
  if (!isValid) {
    LDBG() << "no dequantize has these types: " << *made;
    eraseUnused(rewriter, made->getResult(0));
    return false;
  }
  LDBG() << "recovered " << *made;
  SmallVector<Value> operands(last->getOperands());
  rewriter.replaceOp(last, made->getResults());
  eraseUnused(rewriter, operands);
  return true;
}

void RecoverDequantizePass::runOnOperation() {
  IRRewriter rewriter(&getContext());
  SmallVector<NodeOp> multiplies;
  getOperation()->walk([&](NodeOp op) {
    if (getLayer(op, NodeKind::OpenVinoMultiply, 2))
      multiplies.push_back(op);
  });
  for (NodeOp op : multiplies)
    if (recover(rewriter, op, 0) || recover(rewriter, op, 1))
      ++numRecovered;
}
