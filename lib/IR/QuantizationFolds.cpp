//===- QuantizationFolds.cpp - Folders of quantize and its kin ------------===//
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

/// Quantized constants stay as they are: values are larger, and the loops that
/// use them dequantize them on the way. Single values fold, and those with no
/// more than a few elements, which lower to less code as values.
static constexpr int64_t kDequantizeFoldLimit = 64;

//===----------------------------------------------------------------------===//
// Round trips that change nothing
//===----------------------------------------------------------------------===//

/// Whether every scale is a constant f32 from 2^-60 to 2^60 in magnitude: then
/// (d * s) / s, rounded to f32 twice, is within 2^-22 |d| of d for every
/// quantized value d, with no overflow and no subnormal on the way.
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

/// quantize(dequantize(q, s, z), s, z) -> q, for integers, moderate scales and
/// f32 in between: |d| < 2^17, so the quotient rounds to d, but not by random
/// bits.
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

/// qdq(qdq(x, s, z), s, z) -> qdq(x, s, z), for moderate scales and f32: the
/// quotient of a value of the grid rounds to that value again, but not by
/// random bits, whatever brought it there; a NaN stays one, and an infinity is
/// made of one only by ops that do not saturate.
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
  // With a zero point, float6 and float4 round (q + z): not on the grid.
  if (op.getZeroPoint() && isFloat(op.getStorage()))
    return {};
  return inner.getResult();
}

//===----------------------------------------------------------------------===//
// The ops
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
  // The result has the input's type.
  Type x = getElementTypeOrSelf(getInput());
  Type s = getElementTypeOrSelf(getScale());
  reference::QuantizeOptions options = getOptions(getSemantics());
  return foldWithParameters(
      *this, adaptor.getOperands(), getGranularity(), kFoldLimit,
      [&](const FoldedElement &element) {
        APInt code = reference::quantizeElement(
            x, s, getStorage(), element.input, element.scale, element.other,
            options, element.random);
        return reference::dequantizeElement(getStorage(), s, x, code,
                                            element.scale, element.other);
      },
      bool(getRandom()));
}
