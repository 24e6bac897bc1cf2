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
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpenVinoConvert.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Reference/Stochastic.h"
#include "quant-float/Reference/String.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Applies `fold` to the bit pattern of every element of a constant with
/// elements of type `from`. Null if `operand` is not such a constant or is too
/// large.
static Attribute foldElements(Attribute operand, Type resultType, Type from,
                              llvm::function_ref<APInt(const APInt &)> fold) {
  // The constant may have more static sizes than the operand's type.
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

/// Folds a stochastic cast of two constants (S2). Each has one element per
/// result element or is a splat.
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

/// Converts a constant of numbers to strings. Null if `operand` is not such a
/// constant or is too large.
static Attribute foldToStrings(Attribute operand, RankedTensorType type,
                               Type from) {
  auto typed = dyn_cast_or_null<TypedAttr>(operand);
  if (!typed || getElementTypeOrSelf(typed.getType()) != from ||
      !isa<ShapedType>(typed.getType()))
    return {};
  std::optional<SmallVector<APInt>> bits = getElementBits(operand);
  if (!bits)
    return {};
  SmallVector<std::string> strings;
  for (const APInt &element : *bits)
    strings.push_back(reference::printString(from, element));
  return DenseStringElementsAttr::get(
      type, SmallVector<StringRef>(strings.begin(), strings.end()));
}

/// Converts a constant of strings to numbers. Null if `operand` is not such a
/// constant, is too large, or contains a string that is not a number. The error
/// for such a string is reported at run time.
static Attribute foldFromStrings(Attribute operand, RankedTensorType type,
                                 const reference::CastOptions &options) {
  auto constant = dyn_cast_or_null<DenseStringElementsAttr>(operand);
  if (!constant ||
      (!constant.isSplat() && constant.getNumElements() > kFoldLimit))
    return {};
  SmallVector<APInt> bits;
  auto parse = [&](StringRef literal) {
    std::optional<APInt> element =
        reference::parseString(type.getElementType(), literal, options);
    if (element)
      bits.push_back(*element);
    return element.has_value();
  };
  if (!llvm::all_of(constant.getRawStringData(), parse))
    return {};
  return getConstantOfBits(type, bits);
}

/// Returns whether a cast from `type` to `type` is the identity. IEEE P3109's
/// Convert removes signs of zero and NaN, and SatFinite removes infinities.
static bool isIdentity(CastOp op, Type type) {
  ProjectionAttr projection = op.getProjectionAttr();
  if (!projection)
    return true;
  return isNarrowFloat(type) &&
         (!FloatFormat(type).hasInfinity ||
          projection.getSaturation() != P3109Saturation::SatFinite);
}

OpFoldResult CastOp::fold(FoldAdaptor adaptor) {
  Type from = getElementTypeOrSelf(getInput());
  Type to = getElementTypeOrSelf(getResult());
  // A cast to the same type is the identity, bit for bit (V7).
  if (getInput().getType() == getType() && isIdentity(*this, to))
    return getInput();

  // Casts from and to strings (C14).
  auto tensor = dyn_cast<RankedTensorType>(getType());
  bool isStatic = tensor && tensor.hasStaticShape();
  if (isa<StringType>(from) && reference::isSupported(to))
    return isStatic ? foldFromStrings(adaptor.getInput(), tensor,
                                      getReferenceOptions(*this))
                    : Attribute();
  if (isa<StringType>(to) && reference::isSupported(from))
    return isStatic ? foldToStrings(adaptor.getInput(), tensor, from)
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
    // The exponent range is no constraint: even the maximum of f16, 65504,
    // exceeds all integers that its 11 bits of precision represent exactly.
    return isStandardFloat(to) &&
           magnitudeBits <= APFloat::semanticsPrecision(
                                cast<FloatType>(to).getFloatSemantics());
  }
  if (toInteger || !isStandardFloat(to))
    return false;
  FloatFormat a(from), b(to);
  // Subnormals of `from` must be representable too, so compare the smallest
  // ones.
  return a.mantissaBits <= b.mantissaBits && a.maxExponent <= b.maxExponent &&
         a.minExponent - int(a.mantissaBits) >=
             b.minExponent - int(b.mantissaBits);
}

namespace {
///   cast(cast(x : A to B) : B to C) -> cast(x : A to C)
/// if B represents every value of A. A must differ from C, because a cast of a
/// type to itself is the identity, which preserves NaN payloads (V7).
struct ComposeExactCast final : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<CastOp>();
    if (!inner || inner.getRandom() || op.getRandom() ||
        !inner.hasOnnxRules() || !op.hasOnnxRules())
      return failure();
    Type from = getElementTypeOrSelf(inner.getInput());
    Type via = getElementTypeOrSelf(inner.getResult());
    Type to = getElementTypeOrSelf(op.getResult());
    const OpVersion *version = getOpVersion(getOpKind(op), op.getOpset());
    if (!isNumber(from) || from == to || !isNumber(via) ||
        !isExactCast(from, via) || !version ||
        !version->accepts(OpRole::First, from))
      return failure();
    // Out-of-range results of casts from integers and from floats differ (C11,
    // C12).
    if (isa<IntegerType>(from) != isa<IntegerType>(via) && isa<IntegerType>(to))
      return failure();
    if (failed(verifyCompatibleShape(inner.getInput().getType(), op.getType())))
      return failure();
    rewriter.modifyOpInPlace(
        op, [&] { op.getInputMutable().assign(inner.getInput()); });
    return success();
  }
};

///   cast(cast(x : ui8 to i8) : i8 to ui8) -> x
/// Casts between integers of the same width keep all bits (C12).
struct RemoveInverseCasts final : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<CastOp>();
    if (!inner || inner.getInput().getType() != op.getType() ||
        !inner.hasOnnxRules() || !op.hasOnnxRules())
      return failure();
    auto to = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getType()));
    auto via = dyn_cast<IntegerType>(getElementTypeOrSelf(op.getInput()));
    if (!to || !via || to.getWidth() != via.getWidth())
      return failure();
    rewriter.replaceOp(op, inner.getInput());
    return success();
  }
};

/// Folds casts of constants from and to formats of IEEE P3109, whose constants
/// are in their storage type:
///
///   cast(constant : f32 to !quant_float.binary8p4se)
///   -> storage_cast(constant : i8 to !quant_float.binary8p4se)
struct FoldStoredConstant final : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getInput());
    Type to = getElementTypeOrSelf(op.getResult());
    if (op.getMode() != CastMode::P3109 || op.getRandom() ||
        (!isa<BinaryType>(from) && !isa<BinaryType>(to)))
      return failure();
    Value source = op.getInput();
    if (isa<BinaryType>(from)) {
      auto storage = source.getDefiningOp<StorageCastOp>();
      if (!storage)
        return failure();
      source = storage.getInput();
    }
    Attribute constant;
    Type type =
        isa<BinaryType>(to) ? getStorageType(op.getType()) : op.getType();
    auto shaped = dyn_cast<ShapedType>(type);
    if (!matchPattern(source, m_Constant(&constant)) ||
        (shaped && !shaped.hasStaticShape()))
      return failure();
    reference::CastOptions options = getReferenceOptions(op);
    unsigned fromWidth = getNumberWidth(from);
    unsigned toWidth = getNumberWidth(getElementTypeOrSelf(type));
    Attribute folded = foldElements(
        constant, type, getElementTypeOrSelf(source), [&](const APInt &bits) {
          return reference::castElement(from, to, bits.zextOrTrunc(fromWidth),
                                        options)
              .zextOrTrunc(toWidth);
        });
    if (!folded)
      return failure();
    Value result =
        createConstant(rewriter, op.getLoc(), cast<TypedAttr>(folded));
    if (type != op.getType())
      result =
          StorageCastOp::create(rewriter, op.getLoc(), op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

///   cast(x : f32 to f8E4M3FN) mode openvino
///   -> cast(cast(x : f32 to f16) : f16 to f8E4M3FN) saturate false
struct WriteAsCastsOfOnnx final : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    Value value = op.getInput();
    Type from = getElementTypeOrSelf(value),
         to = getElementTypeOrSelf(op.getResult());
    // The ONNX casts infer their shape from the input, so the types must agree.
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
  patterns.add<ComposeExactCast, FoldStoredConstant, RemoveInverseCasts,
               WriteAsCastsOfOnnx>(context);
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
  // Storage values preserve all bits of the encoding, so canceling the pair is
  // exact in both directions.
  if (auto inner = getInput().getDefiningOp<StorageCastOp>())
    if (inner.getInput().getType() == getType())
      return inner.getInput();

  // Strings are stored as addresses, which constants cannot contain.
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

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "cst");
}
