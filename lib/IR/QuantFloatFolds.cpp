//===- QuantFloatFolds.cpp - Folders and canonicalization -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementBits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpenVinoConvert.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Reference/Stochastic.h"
#include "quant-float/Reference/Text.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Applies `fold` to the bits of every element of a constant of `from`
/// elements; null where the constant is no such thing or too large.
static Attribute foldElements(Attribute operand, Type resultType, Type from,
                              llvm::function_ref<APInt(const APInt &)> fold) {
  // The constant may be more static than the operand's type.
  auto typed = dyn_cast_or_null<TypedAttr>(operand);
  if (!typed || getElementTypeOrSelf(typed.getType()) != from ||
      isa<ShapedType>(typed.getType()) != isa<ShapedType>(resultType))
    return {};
  std::optional<SmallVector<APInt>> bits = getElementBits(operand);
  if (!bits)
    return {};
  for (APInt &element : *bits)
    element = fold(element);
  return getConstantOfBits(resultType, *bits);
}

//===----------------------------------------------------------------------===//
// CastOp
//===----------------------------------------------------------------------===//

/// S2, where both operands are constant, one element or many each.
static Attribute foldByRandomBits(CastOp op, Attribute input, Attribute random,
                                  const reference::CastOptions &options) {
  Type from = getElementTypeOrSelf(op.getInput());
  Type to = getElementTypeOrSelf(op.getResult());
  std::optional<SmallVector<APInt>> numbers = getElementBits(input);
  std::optional<SmallVector<APInt>> bits = getElementBits(random);
  if (!numbers || !bits || numbers->empty() || bits->empty())
    return {};
  size_t count = std::max(numbers->size(), bits->size());
  auto getElement = [](const SmallVector<APInt> &elements, size_t index) {
    return elements[elements.size() == 1 ? 0 : index];
  };
  SmallVector<APInt> folded;
  for (size_t i = 0; i < count; ++i)
    folded.push_back(reference::castElementByRandomBits(
        from, to, getElement(*numbers, i), getElement(*bits, i), options));
  return getConstantOfBits(op.getType(), folded);
}

/// The strings of a constant of numbers; null where it is none or too large.
static Attribute foldToTexts(Attribute operand, RankedTensorType type,
                             Type from) {
  auto typed = dyn_cast_or_null<TypedAttr>(operand);
  if (!typed || getElementTypeOrSelf(typed.getType()) != from ||
      !isa<ShapedType>(typed.getType()))
    return {};
  std::optional<SmallVector<APInt>> bits = getElementBits(operand);
  if (!bits)
    return {};
  SmallVector<std::string> texts;
  for (const APInt &element : *bits)
    texts.push_back(reference::printText(from, element));
  return DenseStringElementsAttr::get(
      type, SmallVector<StringRef>(texts.begin(), texts.end()));
}

/// The numbers of a constant of strings; null where it is none or too large, or
/// one is no number: running it tells which.
static Attribute foldFromTexts(Attribute operand, RankedTensorType type,
                               const reference::CastOptions &options) {
  auto texts = dyn_cast_or_null<DenseStringElementsAttr>(operand);
  if (!texts || (!texts.isSplat() && texts.getNumElements() > kFoldLimit))
    return {};
  SmallVector<APInt> bits;
  auto parse = [&](StringRef text) {
    std::optional<APInt> element =
        reference::parseText(type.getElementType(), text, options);
    if (element)
      bits.push_back(*element);
    return element.has_value();
  };
  ArrayRef<StringRef> strings = texts.getRawStringData();
  if (!llvm::all_of(strings, parse))
    return {};
  return getConstantOfBits(type, bits);
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  // V7: the identity, bit for bit.
  if (getInput().getType() == getType())
    return getInput();

  Type from = getElementTypeOrSelf(getInput());
  Type to = getElementTypeOrSelf(getResult());
  // C14
  auto tensor = dyn_cast<RankedTensorType>(getType());
  bool isStatic = tensor && tensor.hasStaticShape();
  if (isa<StringType>(from) && reference::isSupported(to))
    return isStatic ? foldFromTexts(adaptor.getInput(), tensor,
                                    getReferenceOptions(*this))
                    : Attribute();
  if (isa<StringType>(to) && reference::isSupported(from))
    return isStatic ? foldToTexts(adaptor.getInput(), tensor, from)
                    : Attribute();
  if (!reference::isSupported(from) || !reference::isSupported(to))
    return {};
  reference::CastOptions options = getReferenceOptions(*this);
  if (getRandom())
    return foldByRandomBits(*this, adaptor.getInput(), adaptor.getRandom(),
                            options);
  return foldElements(adaptor.getInput(), getType(), from,
                      [&](const APInt &bits) {
                        return reference::castElement(from, to, bits, options);
                      });
}

bool quant_float::isExactCast(Type from, Type to) {
  auto toInteger = dyn_cast<IntegerType>(to);
  auto fromInteger = dyn_cast<IntegerType>(from);
  if (fromInteger) {
    bool isUnsigned = from.isUnsignedInteger() || from.isInteger(1);
    unsigned magnitudeBits = fromInteger.getWidth() - (isUnsigned ? 0 : 1);
    if (toInteger) {
      if (to.isInteger(1))
        return from == to;
      return to.isUnsignedInteger()
                 ? isUnsigned && magnitudeBits <= toInteger.getWidth()
                 : magnitudeBits < toInteger.getWidth();
    }
    // f16 ends at 65504, short of what 11 bits of precision would allow.
    return isStandardFloat(to) &&
           magnitudeBits <= APFloat::semanticsPrecision(
                                cast<FloatType>(to).getFloatSemantics());
  }
  if (toInteger || !isStandardFloat(to))
    return false;
  FloatFormat a(from), b(to);
  // Subnormals of `from` must be representable too: compare the smallest one.
  return a.mantissaBits <= b.mantissaBits && a.maxExponent <= b.maxExponent &&
         a.minExponent - int(a.mantissaBits) >=
             b.minExponent - int(b.mantissaBits);
}

namespace {
/// cast(cast(x : A to B) : B to C) -> cast(x : A to C), where B holds every
/// value of A. A cast from A straight to C could be the identity, which keeps
/// NaN payloads (V7), so A != C.
struct ComposeExactCast final : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<CastOp>();
    if (!inner || inner.getRandom() || op.getRandom() ||
        inner.getMode() == CastMode::OpenVINO ||
        op.getMode() == CastMode::OpenVINO)
      return failure();
    Type from = getElementTypeOrSelf(inner.getInput());
    Type via = getElementTypeOrSelf(inner.getResult());
    Type to = getElementTypeOrSelf(op.getResult());
    const OpVersion *version = getOpVersion(getOpKind(op), op.getOpset());
    if (!isNumber(from) || from == to || !isNumber(via) ||
        !isExactCast(from, via) || !version ||
        !version->accepts(OpRole::First, from))
      return failure();
    // The integers' way out of range differs from the floats' (C11, C12).
    if (isa<IntegerType>(from) != isa<IntegerType>(via) && isa<IntegerType>(to))
      return failure();
    if (failed(verifyCompatibleShape(inner.getInput().getType(), op.getType())))
      return failure();
    rewriter.modifyOpInPlace(
        op, [&] { op.getInputMutable().assign(inner.getInput()); });
    return success();
  }
};

/// cast(x : f32 to f8E4M3FN) mode openvino
/// -> cast(cast(x : f32 to f16) : f16 to f8E4M3FN) saturate false
struct WriteAsCastsOfOnnx final : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    Value value = op.getInput();
    Type from = getElementTypeOrSelf(value),
         to = getElementTypeOrSelf(op.getResult());
    // The casts have the input's shape.
    if (op.getMode() != CastMode::OpenVINO ||
        withElementType(value.getType(), to) != op.getType() ||
        getOpenVinoConversion(from, to) != OpenVinoConversion::Casts)
      return failure();
    for (Type step : getOpenVinoSteps(from, to))
      value = createOnnxCast(rewriter, op.getLoc(), value, step);
    rewriter.replaceOp(op, value);
    return success();
  }
};
} // namespace

void CastOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                         MLIRContext *context) {
  patterns.add<ComposeExactCast, WriteAsCastsOfOnnx>(context);
}

//===----------------------------------------------------------------------===//
// PhiloxOp
//===----------------------------------------------------------------------===//

OpFoldResult PhiloxOp::fold(FoldAdaptor adaptor) {
  auto type = dyn_cast<RankedTensorType>(getType());
  std::optional<SmallVector<APInt>> seed = getElementBits(adaptor.getSeed());
  std::optional<SmallVector<APInt>> offset =
      getElementBits(adaptor.getOffset());
  if (!type || !type.hasStaticShape() || !seed || !offset)
    return {};
  std::optional<int64_t> count = countFolded(type.getShape(), kFoldLimit);
  if (!count)
    return {};
  unsigned width = type.getElementTypeBitWidth();
  SmallVector<APInt> bits;
  for (int64_t i = 0; i < *count; ++i)
    bits.push_back(APInt(
        width, reference::philoxElement(width, seed->front().getZExtValue(),
                                        offset->front().getZExtValue(), i)));
  return getConstantOfBits(type, bits);
}

//===----------------------------------------------------------------------===//
// StorageCastOp, ConstantOp
//===----------------------------------------------------------------------===//

OpFoldResult StorageCastOp::fold(FoldAdaptor adaptor) {
  if (getInput().getType() == getType())
    return getInput();
  Type from = getElementTypeOrSelf(getInput());
  Type to = getElementTypeOrSelf(getResult());
  // A storage value holds a code and nothing else, so both orders are exact.
  if (auto inner = getInput().getDefiningOp<StorageCastOp>())
    if (inner.getInput().getType() == getType())
      return inner.getInput();

  // No constant is the address of a text.
  if (!isNumber(from) || !isNumber(to))
    return {};
  unsigned width = getNumberWidth(to);
  bool isSigned = from.isSignlessInteger() && !from.isInteger(1);
  return foldElements(
      adaptor.getInput(), getType(), from, [&](const APInt &bits) {
        return isSigned ? bits.sextOrTrunc(width) : bits.zextOrTrunc(width);
      });
}

OpFoldResult ConstantOp::fold(FoldAdaptor adaptor) { return getValue(); }
