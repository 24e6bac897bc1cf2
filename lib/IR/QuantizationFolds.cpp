//===- QuantizationFolds.cpp - Folders of quantization ops ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementBits.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Reference/Quantize.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// The maximum number of elements of a result that dequantize folds. A result
/// counts as one element if the input, the scale and the zero point are splats.
/// Larger constants stay quantized: they need less
/// memory, and loops dequantize them when they read them. Small constants lower
/// to less code if they are folded.
static constexpr int64_t kDequantizeFoldLimit = 64;

//===----------------------------------------------------------------------===//
// Redundant round trips
//===----------------------------------------------------------------------===//

/// Returns whether every scale is a constant f32 with a magnitude from 2^-60 to
/// 2^60. Then (d * s) / s, rounded to f32 twice, is within 2^-22 |d| of d for
/// every quantized value d, and no intermediate result overflows or is
/// subnormal.
static bool hasModerateScale(QuantizationOpInterface op) {
  Attribute scale;
  if (!getElementTypeOrSelf(op.getScaleValue()).isF32() ||
      !matchPattern(op.getScaleValue(), m_Constant(&scale)))
    return false;
  std::optional<SmallVector<APInt>> bits = getElementBits(scale);
  return bits && llvm::all_of(*bits, [](const APInt &pattern) {
           APFloat value(APFloat::IEEEsingle(), pattern);
           if (!value.isFiniteNonZero())
             return false;
           int exponent = ilogb(value);
           return exponent >= -60 && exponent < 60;
         });
}

///   quantize(dequantize(q, s, z), s, z) -> q
/// for integers, moderate scales and f32. Because |d| < 2^17, the quotient
/// rounds to d. This does not hold for stochastic rounding.
static Value getRoundTrip(QuantizeOp op) {
  auto inner = op.getInput().getDefiningOp<DequantizeOp>();
  if (!inner || op.getRandom() || inner.getInput().getType() != op.getType() ||
      !isa<IntegerType>(op.getQuantizedElementType()) ||
      !getElementTypeOrSelf(op.getInput()).isF32() ||
      !op.getSemantics().precision.isF32() || !haveSameParameters(op, inner) ||
      !hasModerateScale(op))
    return {};
  return inner.getInput();
}

///   qdq(qdq(x, s, z), s, z) -> qdq(x, s, z)
/// for moderate scales and f32. The quotient of a dequantized value rounds to
/// the same quantized value, however the inner op rounded. The outer op must
/// not round stochastically. NaN stays NaN, and an infinity can only result
/// from an op that does not saturate.
static Value getRoundTrip(QdqOp op) {
  auto inner = op.getInput().getDefiningOp<QdqOp>();
  if (!inner || op.getRandom() || inner.getType() != op.getType() ||
      inner.getStorage() != op.getStorage() ||
      inner.getSemantics().saturate != op.getSemantics().saturate ||
      !getElementTypeOrSelf(op.getInput()).isF32() ||
      !op.getSemantics().precision.isF32() ||
      !inner.getSemantics().precision.isF32() ||
      !haveSameParameters(op, inner) || !hasModerateScale(op))
    return {};
  // With a zero point, float6 and float4 round (q + z), which may not be
  // representable.
  if (op.getZeroPoint() && isFloat(op.getStorage()))
    return {};
  return inner.getResult();
}

//===----------------------------------------------------------------------===//
// Folders
//===----------------------------------------------------------------------===//

static reference::QuantizeOptions getOptions(QuantizeSemantics semantics) {
  reference::QuantizeOptions options;
  options.saturate = semantics.saturate;
  options.precision = semantics.precision;
  return options;
}

OpFoldResult QuantizeOp::fold(FoldAdaptor adaptor) {
  if (Value value = getRoundTrip(*this))
    return value;
  Type x = getElementTypeOrSelf(getInput());
  Type s = getElementTypeOrSelf(getScale());
  reference::QuantizeOptions options = getOptions(getSemantics());
  return foldWithParameters(
      *this, adaptor.getOperands(), getGranularity(), kFoldLimit,
      [&](const FoldedElement &element) {
        return reference::quantizeElement(
            x, s, getQuantizedElementType(), element.input, element.scale,
            element.other, options, element.random);
      },
      bool(getRandom()));
}

OpFoldResult DequantizeOp::fold(FoldAdaptor adaptor) {
  Type s = getElementTypeOrSelf(getScale());
  Type y = getElementTypeOrSelf(getResult());
  return foldWithParameters(*this, adaptor.getOperands(), getGranularity(),
                            kDequantizeFoldLimit,
                            [&](const FoldedElement &element) {
                              return reference::dequantizeElement(
                                  getQuantizedElementType(), s, y,
                                  element.input, element.scale, element.other);
                            });
}

OpFoldResult QdqOp::fold(FoldAdaptor adaptor) {
  if (Value value = getRoundTrip(*this))
    return value;
  // The result's element type is that of the input.
  Type x = getElementTypeOrSelf(getInput());
  Type s = getElementTypeOrSelf(getScale());
  reference::QuantizeOptions options = getOptions(getSemantics());
  return foldWithParameters(
      *this, adaptor.getOperands(), getGranularity(), kFoldLimit,
      [&](const FoldedElement &element) {
        APInt quantized = reference::quantizeElement(
            x, s, getStorage(), element.input, element.scale, element.other,
            options, element.random);
        return reference::dequantizeElement(getStorage(), s, x, quantized,
                                            element.scale, element.other);
      },
      bool(getRandom()));
}
