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
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

/// Quantized constants stay as they are: values are larger, and the loops that
/// use them dequantize them on the way. Single values fold, and those with no
/// more than a few elements, which lower to less code as values.
static constexpr int64_t kDequantizeFoldLimit = 64;

namespace {
/// The constant operands of an op, and which of their elements belong together.
class ConstantOperands {
public:
  /// None where an operand is not constant or too large.
  static std::optional<ConstantOperands> get(QuantizationOpInterface op,
                                             ArrayRef<Attribute> operands,
                                             Type result,
                                             int64_t limit = kFoldLimit);

  /// The result's constant: `fold` of each input with its scale and zero point.
  using Fold = llvm::function_ref<APInt(const APInt &, const APInt &,
                                        std::optional<APInt>)>;
  Attribute fold(Type result, Fold fold) const;

private:
  /// The element of the scale for element `index` of the input.
  int64_t getScaleIndex(int64_t index) const;

  SmallVector<APInt> input, scale, zeroPoint;
  /// Elements of the result; 1 where all are alike.
  int64_t count = 1;
  /// Of the input: elements between neighbours along the axis, elements along
  /// it, and those of them that share a scale. All of them, per tensor.
  int64_t stride = 1, extent = 1, blockSize = 1;
  Granularity granularity = Granularity::PerTensor;
};
} // namespace

std::optional<ConstantOperands>
ConstantOperands::get(QuantizationOpInterface op, ArrayRef<Attribute> operands,
                      Type result, int64_t limit) {
  auto getBits = [](Attribute operand, Value value, SmallVector<APInt> &bits) {
    if (!value)
      return true;
    auto typed = dyn_cast_or_null<TypedAttr>(operand);
    if (!typed ||
        isa<ShapedType>(typed.getType()) != isa<ShapedType>(value.getType()))
      return false;
    std::optional<SmallVector<APInt>> found = getElementBits(operand);
    if (found)
      bits = std::move(*found);
    return found.has_value();
  };
  ConstantOperands constants;
  auto shaped = dyn_cast<ShapedType>(result);
  if ((shaped && !shaped.hasStaticShape()) ||
      !getBits(operands[0], op.getInputValue(), constants.input) ||
      !getBits(operands[1], op.getScaleValue(), constants.scale) ||
      !getBits(operands.size() > 2 ? operands[2] : Attribute(),
               op.getZeroPointValue(), constants.zeroPoint))
    return std::nullopt;
  constants.granularity = op.getGranularity();
  bool isSplat = constants.input.size() == 1 && constants.scale.size() == 1 &&
                 constants.zeroPoint.size() <= 1;
  if (!shaped || isSplat)
    return constants;
  std::optional<int64_t> count = countFolded(shaped.getShape(), limit);
  if (!count)
    return std::nullopt;
  constants.count = *count;
  if (constants.count == 0)
    return constants;
  if (std::optional<int64_t> axis = op.getAxisIndex()) {
    constants.extent = shaped.getDimSize(*axis);
    for (int64_t size : shaped.getShape().drop_front(*axis + 1))
      constants.stride *= size;
    constants.blockSize = op.getBlockSizeAttribute().value_or(1);
  }
  return constants;
}

int64_t ConstantOperands::getScaleIndex(int64_t index) const {
  if (granularity == Granularity::PerTensor)
    return 0;
  int64_t along = index / stride % extent / blockSize;
  if (granularity == Granularity::PerAxis)
    return along;
  int64_t blocks = llvm::divideCeil(extent, blockSize);
  return (index / stride / extent * blocks + along) * stride + index % stride;
}

Attribute ConstantOperands::fold(Type result, Fold fold) const {
  auto getElement = [](const SmallVector<APInt> &bits, int64_t index) {
    return bits.size() == 1 ? bits.front() : bits[index];
  };
  SmallVector<APInt> folded;
  for (int64_t i = 0; i < count; ++i) {
    int64_t scaleIndex = getScaleIndex(i);
    std::optional<APInt> zero;
    if (!zeroPoint.empty())
      zero = getElement(zeroPoint, scaleIndex);
    folded.push_back(
        fold(getElement(input, i), getElement(scale, scaleIndex), zero));
  }
  return getConstantOfBits(result, folded);
}

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
/// f32 in between: |d| < 2^17, so the quotient rounds to d.
static Value getRoundTrip(QuantizeOp op) {
  auto inner = op.getInput().getDefiningOp<DequantizeOp>();
  if (!inner || inner.getInput().getType() != op.getType() ||
      !isa<IntegerType>(op.getQuantizedElementType()) ||
      !getElementTypeOrSelf(op.getInput()).isF32() ||
      !op.getSemantics().precision.isF32() || !haveSameParameters(op, inner) ||
      !hasModerateScale(op))
    return {};
  return inner.getInput();
}

/// qdq(qdq(x, s, z), s, z) -> qdq(x, s, z), for moderate scales and f32: the
/// quotient of a value of the grid rounds to that value again; a NaN stays one,
/// and an infinity is made of one only by ops that do not saturate.
static Value getRoundTrip(QdqOp op) {
  auto inner = op.getInput().getDefiningOp<QdqOp>();
  if (!inner || inner.getType() != op.getType() ||
      inner.getStorage() != op.getStorage() ||
      inner.getSemantics().saturate != op.getSemantics().saturate ||
      !getElementTypeOrSelf(op.getInput()).isF32() ||
      !op.getSemantics().precision.isF32() ||
      !inner.getSemantics().precision.isF32() ||
      !haveSameParameters(op, inner) || !hasModerateScale(op))
    return {};
  // With a zero point, float6 and float4 round (q + z): not on the grid.
  if (op.getZeroPoint() && isa<FloatType>(op.getStorage()))
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

/// The op on constants; `fold` gets one element of each operand. Null where an
/// operand is not constant or too large.
template <typename OpT>
static OpFoldResult foldConstants(OpT op, ArrayRef<Attribute> operands,
                                  int64_t limit, ConstantOperands::Fold fold) {
  std::optional<ConstantOperands> constants =
      ConstantOperands::get(op, operands, op.getType(), limit);
  if (!constants)
    return {};
  return constants->fold(op.getType(), fold);
}

OpFoldResult QuantizeOp::fold(FoldAdaptor adaptor) {
  if (Value value = getRoundTrip(*this))
    return value;
  Type x = getElementTypeOrSelf(getInput());
  Type s = getElementTypeOrSelf(getScale());
  reference::QuantizeOptions options = getOptions(getSemantics());
  return foldConstants(
      *this, adaptor.getOperands(), kFoldLimit,
      [&](const APInt &value, const APInt &scale, std::optional<APInt> zero) {
        return reference::quantizeElement(x, s, getQuantizedElementType(),
                                          value, scale, zero, options);
      });
}

OpFoldResult DequantizeOp::fold(FoldAdaptor adaptor) {
  Type s = getElementTypeOrSelf(getScale());
  Type y = getElementTypeOrSelf(getResult());
  return foldConstants(
      *this, adaptor.getOperands(), kDequantizeFoldLimit,
      [&](const APInt &value, const APInt &scale, std::optional<APInt> zero) {
        return reference::dequantizeElement(getQuantizedElementType(), s, y,
                                            value, scale, zero);
      });
}

OpFoldResult QdqOp::fold(FoldAdaptor adaptor) {
  if (Value value = getRoundTrip(*this))
    return value;
  // The result has the input's type.
  Type x = getElementTypeOrSelf(getInput());
  Type s = getElementTypeOrSelf(getScale());
  reference::QuantizeOptions options = getOptions(getSemantics());
  return foldConstants(
      *this, adaptor.getOperands(), kFoldLimit,
      [&](const APInt &value, const APInt &scale, std::optional<APInt> zero) {
        APInt code = reference::quantizeElement(x, s, getStorage(), value,
                                                scale, zero, options);
        return reference::dequantizeElement(getStorage(), s, x, code, scale,
                                            zero);
      });
}
