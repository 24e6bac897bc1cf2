//===- BlockScaleBody.cpp - Scales and elements of blocks -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Storage.h"
#include "VectorBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Lowering/ElementBodies.h"
#include "quant-float/Support/BinaryType.h"
#include "quant-float/Support/FloatFormat.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;

/// MXINT8 elements are multiples of 2^-6 (B7).
static constexpr int kMxIntFraction = 6;

static bool isPowerOfTwo(Type scale) { return isa<Float8E8M0FNUType>(scale); }

static bool isMxInt8(Type element, Type scale) {
  return element.isSignlessInteger(8) && isPowerOfTwo(scale);
}

/// Returns the largest magnitude of elements of blocks.
static double getLargest(Type element, Type scale) {
  if (auto integer = dyn_cast<IntegerType>(element)) {
    int largest = (1 << (integer.getWidth() - 1)) - 1;
    return isMxInt8(element, scale) ? std::ldexp(largest, -kMxIntFraction)
                                    : largest;
  }
  return FloatFormat(element).maxValue.convertToDouble();
}

//===----------------------------------------------------------------------===//
// Powers of two (B3)
//===----------------------------------------------------------------------===//

namespace {
/// A rule for powers of two as thresholds: the exponent of the scale is k if
/// amax is in the interval between threshold * 2^k and threshold * 2^(k+1).
/// `isInclusive` is whether the interval includes the former or the latter.
struct Thresholds {
  double threshold;
  bool isInclusive;
  /// The bound from which on amax is encoded as 1 or more. Quotients below
  /// 2^-126 are rounded to a multiple of 2^-149, so this may differ from
  /// threshold * 2^-126.
  double first;
  bool isFirstInclusive;
  /// The smallest amax, as the bits of an f32, that gives NaN.
  uint64_t nan;
};
} // namespace

static uint64_t getF32Bits(double value, bool isInclusive) {
  APFloat number(value);
  bool losesInfo;
  number.convert(APFloat::IEEEsingle(), APFloat::rmTowardPositive, &losesInfo);
  uint64_t bits = number.bitcastToAPInt().getZExtValue();
  return bits + (!isInclusive && !losesInfo);
}

/// Returns the smallest f32 whose product with 1 / largest, both rounded to
/// f32, is greater than `bound`. Rounding may move this by a few units in the
/// last place.
static double getRCeilBound(double largest, float bound) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  float reciprocal = 1.0f / float(largest);
  float result = bound * float(largest);
  for (int i = 0; i < 4; ++i)
    result = std::nextafter(result, 0.0f);
  while (!(result * reciprocal > bound))
    result = std::nextafter(result, infinity);
  return result;
}

static Thresholds getThresholds(BlockScaleRule rule, Type element, Type scale) {
  double largest = getLargest(element, scale);
  int exponent = std::ilogb(largest);
  constexpr uint64_t infinity = 0x7f800000;
  auto make = [&](double threshold, bool isInclusive) {
    return Thresholds{threshold, isInclusive, std::ldexp(threshold, -126),
                      isInclusive, infinity};
  };
  switch (rule) {
  case BlockScaleRule::Floor:
  case BlockScaleRule::Ggml:
    return make(std::ldexp(1, exponent), true);
  case BlockScaleRule::Ceil:
    return make(std::ldexp(0.5, exponent), false);
  case BlockScaleRule::Even: {
    int mantissaBits =
        isa<IntegerType>(element)
            ? exponent + (isMxInt8(element, scale) ? kMxIntFraction : 0)
            : int(FloatFormat(element).mantissaBits);
    double half = std::ldexp(0.5, -mantissaBits);
    Thresholds result = make(std::ldexp(1 - half / 2, exponent), true);
    // Half a unit is at least that of the binade of the smallest normal f32.
    if (exponent == 0)
      result.first = std::ldexp(1 - half, -126);
    result.nan = getF32Bits(std::ldexp(2 - half, 127), true);
    return result;
  }
  case BlockScaleRule::RCeil: {
    Thresholds result = make(getRCeilBound(largest, 0.5f), true);
    result.first = getRCeilBound(largest, 0x1p-127f);
    return result;
  }
  case BlockScaleRule::CeilExact:
    return make(largest / 2, false);
  case BlockScaleRule::Tosa:
    return make(largest / 2, !isa<Float8E4M3FNType>(element));
  case BlockScaleRule::Nearest: {
    Thresholds result = make(0.75 * largest, true);
    result.first -= std::ldexp(largest, -150);
    return result;
  }
  default:
    llvm_unreachable("not a rule for powers of two");
  }
}

/// Returns the encoding of a power of two from the bits of amax, a positive
/// f32:
///
///   n        = ((bits + carry) >> 23) - offset
///   encoding = bits < first ? 0 : bits >= nan ? 255 : clamp(n, 1, 254)
///
/// `carry` increments the exponent field if the mantissa reaches that of the
/// threshold.
static Value encodePowerOfTwo(VectorBuilder &b, Value bits,
                              const Thresholds &rule) {
  // The first f32 of a binade whose exponent is larger.
  uint64_t step = getF32Bits(rule.threshold, rule.isInclusive);
  uint64_t mantissa = step & 0x7fffff;
  uint64_t carry = mantissa ? 0x800000 - mantissa : 0;
  int64_t offset = int64_t((step + carry) >> 23) - 127;
  uint64_t first = getF32Bits(rule.first, rule.isFirstInclusive);
  auto encode = [&](uint64_t bits) {
    return int64_t((bits + carry) >> 23) - offset;
  };

  Value n = carry ? b.add(bits, carry) : bits;
  n = b.shrU(n, 23);
  if (offset)
    n = b.add(n, uint64_t(-offset));
  if (encode(first) >= 1 && encode(first - 1) <= 0) {
    n = b.make<arith::MaxSIOp>(n, b.integer(n, 0));
  } else {
    n = b.make<arith::MaxSIOp>(n, b.integer(n, 1));
    n = b.select(b.compare(arith::CmpIPredicate::ult, bits, first), 0, n);
  }
  if (encode(rule.nan - 1) > 254)
    n = b.make<arith::MinSIOp>(n, b.integer(n, 254));
  return b.select(b.compare(arith::CmpIPredicate::uge, bits, rule.nan), 255, n);
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

namespace {
/// Builds the computation of one element. All arithmetic is in f32.
class BlockBody {
public:
  BlockBody(OpBuilder &builder, Location loc, Value like, BlockScaleRule rule,
            Type element, Type scale, const TensorLevelOperands &tensor)
      : target(), b(builder, loc, like, target), rule(rule), element(element),
        scale(scale), tensor{spread(tensor.amax), spread(tensor.scale)} {}

  Value getScale(Value amax);
  Value quantize(Value x, Value scale, Value random);
  Value dequantize(Value values, Value scale, bool tensorFirst);
  Value getTensorScale(Value amax);
  Value cast(Value value, Type elementType);

private:
  Value spread(Value value) { return value ? b.spread(value) : value; }
  FloatType getF32() { return b.getBuilder().getF32Type(); }
  Value toF32(Value value) { return cast(value, getF32()); }
  Value number(double value) { return b.number(getF32(), APFloat(value)); }
  Value abs(Value x) {
    return b.bitcast(b.bitAnd(b.toBits(x), 0x7fffffff), getF32());
  }
  Value mul(Value x, Value y) { return b.make<arith::MulFOp>(x, y); }
  Value div(Value x, Value y) { return b.make<arith::DivFOp>(x, y); }
  Value replaceZero(Value value, Value by, Value ifResult);
  Value castSaturating(Value value);
  Value getDeepGemmQuotient(Value amax);
  Value roundByGgml(Value value);
  Value getTensorFactor();
  Value getTensorReciprocal();
  Value quantizeByDistance(Value x, Value decoded);
  Value divideByScale(Value x, Value scale);

  const LoweringTarget target;
  VectorBuilder b;
  BlockScaleRule rule;
  Type element, scale;
  TensorLevelOperands tensor;
};
} // namespace

Value BlockBody::cast(Value value, Type elementType) {
  if (getElementTypeOrSelf(value) == elementType)
    return value;
  OpBuilder &builder = b.getBuilder();
  // ONNX's ops do not have the types of the dialect.
  bool isOwn = !isa<FloatType, IntegerType>(elementType) ||
               !isa<FloatType, IntegerType>(getElementTypeOrSelf(value));
  CastModeAttr mode;
  if (isOwn)
    mode = CastModeAttr::get(builder.getContext(), CastMode::QuantFloat);
  return CastOp::create(
      builder, b.getLoc(), withElementType(value.getType(), elementType), value,
      /*random=*/Value(), builder.getI64IntegerAttr(isOwn ? 1 : kNewestOpset),
      UnitAttr(), BoolAttr(), RoundModeAttr(), mode, ProjectionAttr());
}

/// Returns `by` where `value` is zero, and `ifResult` elsewhere.
Value BlockBody::replaceZero(Value value, Value by, Value ifResult) {
  Value isZero = b.compare(arith::CmpFPredicate::OEQ, value, number(0));
  return b.select(isZero, by, ifResult);
}

/// Rounds to the type of scales. Finite values above the largest value become
/// this value.
Value BlockBody::castSaturating(Value value) {
  if (!scale.isF16() && !scale.isBF16())
    return cast(value, scale);
  auto type = llvm::cast<FloatType>(scale);
  Value largest =
      b.number(getF32(), APFloat::getLargest(type.getFloatSemantics()));
  Value isLarger = b.compare(arith::CmpFPredicate::OGT, value, largest);
  Value isFinite =
      b.compare(arith::CmpFPredicate::OLT, value,
                b.number(getF32(), APFloat::getInf(APFloat::IEEEsingle())));
  return cast(
      b.select(b.make<arith::AndIOp>(isLarger, isFinite), largest, value),
      scale);
}

Value BlockBody::getDeepGemmQuotient(Value amax) {
  return div(b.raise(amax, number(1e-4f)), number(getLargest(element, scale)));
}

/// Rounds to f8E4M3FN as ggml does: ties away from zero; 248 and above become
/// 448, and values below the smallest normal number that round to it become the
/// largest subnormal number. The argument is not negative; NaN becomes 0.
Value BlockBody::roundByGgml(Value value) {
  // Normal: half a unit in the last place carries into mantissa and exponent.
  Value bits = b.toBits(value);
  Value normal = b.shrU(b.add(bits, 1 << 19), 20);
  normal = b.add(normal, uint64_t(-(120 << 3)));
  // Subnormal: units of 2^-9.
  Value units = b.make<arith::AddFOp>(mul(value, number(512)), number(0.5));
  units = b.cap(units, number(7));
  Value subnormal = b.convert<arith::FPToSIOp>(
      b.select(b.isNaN(units), number(0), units), b.getInt(32));
  Value isNormal =
      b.compare(arith::CmpIPredicate::uge, bits, uint64_t(121) << 23);
  Value encoding = b.select(isNormal, normal, subnormal);
  Value isLargest = b.compare(arith::CmpFPredicate::OGE, value, number(248));
  encoding = b.select(isLargest, 0x7E, encoding);
  encoding = b.select(b.isNaN(value), 0, encoding);
  return b.bitcast(b.resize(encoding, 8), scale);
}

Value BlockBody::getTensorScale(Value amax) {
  Value quotient = div(abs(amax), number(2688));
  return replaceZero(quotient, number(1), quotient);
}

Value BlockBody::getTensorFactor() {
  if (tensor.scale)
    return replaceZero(tensor.scale, number(1), abs(tensor.scale));
  return getTensorScale(tensor.amax);
}

Value BlockBody::getTensorReciprocal() {
  bool isTE = rule == BlockScaleRule::TransformerEngine;
  Value origin = abs(tensor.scale ? tensor.scale : tensor.amax);
  Value result = tensor.scale ? div(number(1), origin)
                 : isTE       ? div(number(2688), origin)
                              : mul(number(2688), div(number(1), origin));
  if (isTE) {
    result = b.cap(
        result, b.number(getF32(), APFloat::getLargest(APFloat::IEEEsingle())));
    result = replaceZero(result, number(1), result);
  }
  return replaceZero(origin, number(1), result);
}

Value BlockBody::getScale(Value amax) {
  // The sign of a magnitude is ignored (B2).
  amax = abs(toF32(amax));
  auto usesPowerOfTwo = [&] {
    return rule < BlockScaleRule::AbsMax ||
           (rule == BlockScaleRule::Ggml && isPowerOfTwo(scale));
  };
  if (usesPowerOfTwo()) {
    Value encoding = encodePowerOfTwo(b, b.toBits(amax),
                                      getThresholds(rule, element, scale));
    return b.bitcast(b.resize(encoding, 8), scale);
  }
  switch (rule) {
  case BlockScaleRule::AbsMax: {
    Value result =
        castSaturating(div(amax, number(getLargest(element, scale))));
    Value decoded = toF32(result);
    // Rounding again does not change a scale.
    return castSaturating(replaceZero(decoded, number(1), decoded));
  }
  case BlockScaleRule::DeepGemm: {
    Value quotient = getDeepGemmQuotient(amax);
    if (!isPowerOfTwo(scale))
      return quotient;
    Value bits = b.toBits(quotient);
    Value encoding = b.shrU(b.add(bits, 0x7fffff), 23);
    encoding = b.make<arith::MaxSIOp>(encoding, b.integer(encoding, 1));
    encoding = b.make<arith::MinSIOp>(encoding, b.integer(encoding, 254));
    encoding = b.select(b.compare(arith::CmpIPredicate::uge,
                                  b.bitAnd(bits, 0x7fffffff), 0x7f800000),
                        255, encoding);
    return b.bitcast(b.resize(encoding, 8), scale);
  }
  case BlockScaleRule::Ggml:
    return roundByGgml(div(amax, number(6)));
  case BlockScaleRule::TransformerEngine:
    return castSaturating(
        mul(amax, mul(getTensorReciprocal(), number(1.0f / 6.0f))));
  case BlockScaleRule::CompressedTensors: {
    Value result =
        castSaturating(mul(getTensorReciprocal(), div(amax, number(6))));
    Value decoded = toF32(result);
    return castSaturating(replaceZero(decoded, number(0.125), decoded));
  }
  case BlockScaleRule::TorchAO: {
    Value quotient = div(div(amax, number(6)), getTensorFactor());
    return castSaturating(
        b.cap(b.raise(quotient, number(0x1p-6)), number(448)));
  }
  case BlockScaleRule::ModelOptimizer: {
    Value quotient = div(amax, mul(number(6), getTensorFactor()));
    quotient = replaceZero(quotient, number(1), quotient);
    return castSaturating(
        b.cap(b.raise(quotient, number(0x1p-9)), number(448)));
  }
  default:
    llvm_unreachable("a rule for powers of two");
  }
}

/// Returns the element whose product with the scale is nearest, the smaller
/// magnitude of two that are equally near. Distances are rounded to f32.
Value BlockBody::quantizeByDistance(Value x, Value decoded) {
  static constexpr double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  Value bits = b.toBits(x);
  Value magnitude = abs(x);
  Value encoding, smallest;
  for (auto [index, value] : llvm::enumerate(magnitudes)) {
    Value distance =
        b.make<arith::SubFOp>(mul(decoded, number(value)), magnitude);
    distance = abs(distance);
    if (!smallest) {
      smallest = distance;
      encoding = b.integer(bits, 0);
      continue;
    }
    Value isNearer = b.compare(arith::CmpFPredicate::OLT, distance, smallest);
    smallest = b.select(isNearer, distance, smallest);
    encoding = b.select(isNearer, index, encoding);
  }
  Value sign = b.bitAnd(b.shrU(bits, 28), 8);
  Value isZero = b.compare(arith::CmpIPredicate::eq, encoding, 0);
  encoding = b.select(isZero, encoding, b.make<arith::OrIOp>(encoding, sign));
  // Comparisons with NaN are false.
  encoding = b.select(b.isNaN(decoded), 0, encoding);
  return fromStorage(b.getBuilder(), b.getLoc(), b.resize(encoding, 8),
                     b.getType(element));
}

/// Returns x divided by the scale, as the rule computes it.
Value BlockBody::divideByScale(Value x, Value scaleValue) {
  if (isPowerOfTwo(scale)) {
    // The reciprocal is exact: consecutive encodings are consecutive powers of
    // two from 2^-127 to 2^127. The encoding 255, NaN, maps to itself.
    Value encoding = b.bitcast(scaleValue, b.getInt(8));
    encoding = b.make<arith::SubIOp>(b.integer(encoding, 254), encoding);
    return mul(x, toF32(b.bitcast(encoding, scale)));
  }
  Value decoded = toF32(scaleValue);
  switch (rule) {
  default:
    return div(x, decoded);
  case BlockScaleRule::DeepGemm:
    return mul(x, div(number(1), decoded));
  case BlockScaleRule::TransformerEngine: {
    Value reciprocal = div(number(1), getTensorReciprocal());
    Value factor = div(number(1), mul(decoded, reciprocal));
    return mul(
        x, b.cap(factor, b.number(getF32(),
                                  APFloat::getLargest(APFloat::IEEEsingle()))));
  }
  case BlockScaleRule::TorchAO:
    return mul(x, div(div(number(1), getTensorFactor()), decoded));
  case BlockScaleRule::ModelOptimizer:
    return div(x, mul(decoded, getTensorFactor()));
  case BlockScaleRule::CompressedTensors:
    return div(x, div(decoded, getTensorReciprocal()));
  }
}

Value BlockBody::quantize(Value x, Value scaleValue, Value random) {
  x = toF32(x);
  scaleValue = b.spread(scaleValue);
  if (rule == BlockScaleRule::Ggml && !random)
    return quantizeByDistance(x, toF32(scaleValue));
  Value quotient = divideByScale(x, scaleValue);
  if (isMxInt8(element, scale))
    quotient = mul(quotient, number(1 << kMxIntFraction));
  OpBuilder &builder = b.getBuilder();
  Value result = QuantizeElementsOp::create(
      builder, b.getLoc(), b.getType(element), quotient,
      arith::ConstantOp::create(builder, b.getLoc(),
                                builder.getF32FloatAttr(1.0)),
      /*zeroPoint=*/Value(), /*saturate=*/true, random);
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return result;
  // The lowest integer is never used, so the range is symmetric.
  Value storage = toStorage(builder, b.getLoc(), result);
  int64_t lowest = -((int64_t(1) << (integer.getWidth() - 1)) - 1);
  storage =
      b.make<arith::MaxSIOp>(storage, b.integer(storage, uint64_t(lowest)));
  return fromStorage(builder, b.getLoc(), storage, b.getType(element));
}

Value BlockBody::dequantize(Value values, Value scaleValue, bool tensorFirst) {
  Value value = toF32(values);
  if (isMxInt8(element, scale))
    value = mul(value, number(std::ldexp(1.0, -kMxIntFraction)));
  Value factor = toF32(b.spread(scaleValue));
  if (tensor.scale && tensorFirst)
    factor = mul(factor, tensor.scale);
  value = mul(value, factor);
  if (tensor.scale && !tensorFirst)
    value = mul(value, tensor.scale);
  return value;
}

Value quant_float::buildElementBody(OpBuilder &builder, Location loc,
                                    TensorScaleOp op, Value amax) {
  Type f32 = builder.getF32Type();
  return BlockBody(builder, loc, amax, BlockScaleRule::TorchAO, f32, f32, {})
      .getTensorScale(amax);
}

Value quant_float::buildElementBody(OpBuilder &builder, Location loc,
                                    BlockScaleOp op, Value amax,
                                    const TensorLevelOperands &tensor) {
  return BlockBody(builder, loc, amax, op.getRule(), op.getElement(),
                   getElementTypeOrSelf(op.getType()), tensor)
      .getScale(amax);
}

Value quant_float::buildElementBody(OpBuilder &builder, Location loc,
                                    BlockQuantizeElementsOp op, Value x,
                                    Value scale,
                                    const TensorLevelOperands &tensor,
                                    Value random) {
  return BlockBody(builder, loc, x, op.getRule(),
                   getElementTypeOrSelf(op.getType()),
                   getElementTypeOrSelf(op.getScale()), tensor)
      .quantize(x, scale, random);
}

Value quant_float::buildElementBody(OpBuilder &builder, Location loc,
                                    BlockDequantizeOp op, Value values,
                                    Value scale, Value tensorScale) {
  BlockBody body(builder, loc, values, BlockScaleRule::AbsMax,
                 getElementTypeOrSelf(op.getInput()),
                 getElementTypeOrSelf(op.getScale()), {{}, tensorScale});
  return body.cast(
      body.dequantize(values, scale, op.getOrder() == ScaleOrder::TensorFirst),
      getElementTypeOrSelf(op.getType()));
}

//===----------------------------------------------------------------------===//
// Block conversions of IEEE P3109 (I7)
//===----------------------------------------------------------------------===//

namespace {
/// Builds a block conversion in f64, which represents products exactly, and
/// quotients precisely enough to round them once (see the Reference).
class ConversionBody {
public:
  ConversionBody(OpBuilder &builder, Location loc, Value like)
      : target(), b(builder, loc, like, target) {}

  Value divide(Value x, Value scale);
  Value multiply(Value x, Value scale) {
    return b.make<arith::MulFOp>(widen(x), widen(b.spread(scale)));
  }
  Value project(Value value, Type to, ProjectionAttr projection, Value random);

private:
  FloatType getF64() { return b.getBuilder().getF64Type(); }
  Value number(double value) { return b.number(getF64(), APFloat(value)); }
  Value compare(arith::CmpFPredicate predicate, Value a, double number) {
    return b.compare(predicate, a, this->number(number));
  }
  Value getSign(Value value) {
    Value negative = b.select(compare(arith::CmpFPredicate::OLT, value, 0),
                              number(-1), value);
    return b.select(compare(arith::CmpFPredicate::OGT, value, 0), number(1),
                    negative);
  }
  Value widen(Value value);

  const LoweringTarget target;
  VectorBuilder b;
};
} // namespace

Value ConversionBody::project(Value value, Type to, ProjectionAttr projection,
                              Value random) {
  OpBuilder &builder = b.getBuilder();
  return CastOp::create(
      builder, b.getLoc(), withElementType(value.getType(), to), value, random,
      builder.getI64IntegerAttr(kOwnOpset), UnitAttr(), BoolAttr(),
      RoundModeAttr(), CastModeAttr::get(builder.getContext(), CastMode::P3109),
      projection);
}

/// Converts to f64 exactly.
Value ConversionBody::widen(Value value) {
  OpBuilder &builder = b.getBuilder();
  if (isa<BinaryType>(getElementTypeOrSelf(value)))
    value = project(value, builder.getF32Type(),
                    ProjectionAttr::get(builder.getContext(), P3109Draft::D1,
                                        P3109Rounding::NearestTiesToEven,
                                        P3109Saturation::SatNone),
                    /*random=*/Value());
  return CastOp::create(builder, b.getLoc(), value, getF64());
}

Value ConversionBody::divide(Value x, Value scale) {
  FloatFormat format(getElementTypeOrSelf(scale));
  x = widen(x);
  // A scale that is the same for all elements is inspected only once.
  bool isUniform = scale.getType() != b.getType(getElementTypeOrSelf(scale));
  ConversionBody scalar(b.getBuilder(), b.getLoc(), scale);
  ConversionBody &own = isUniform ? scalar : *this;
  Value divisor = own.widen(scale);
  Value isZero = own.compare(arith::CmpFPredicate::OEQ, divisor, 0);
  Value dividend = x;
  if (format.hasInfinity) {
    double infinity = std::numeric_limits<double>::infinity();
    Value isInfinite = own.b.make<arith::OrIOp>(
        own.compare(arith::CmpFPredicate::OEQ, divisor, infinity),
        own.compare(arith::CmpFPredicate::OEQ, divisor, -infinity));
    divisor = own.b.select(isInfinite, own.getSign(divisor), divisor);
    dividend = b.select(b.spread(isInfinite), getSign(x), dividend);
  }
  // NaN remains.
  divisor = own.b.select(isZero, own.number(1), divisor);
  Value isNumber = b.compare(arith::CmpFPredicate::ORD, x, x);
  dividend = b.select(b.make<arith::AndIOp>(b.spread(isZero), isNumber),
                      number(0), dividend);
  return b.make<arith::DivFOp>(dividend, b.spread(divisor));
}

Value quant_float::buildElementBody(OpBuilder &builder, Location loc,
                                    ConvertToBlockOp op, Value x, Value scale,
                                    Value random) {
  ConversionBody body(builder, loc, x);
  return body.project(body.divide(x, scale), getElementTypeOrSelf(op.getType()),
                      op.getProjection(), random);
}

Value quant_float::buildElementBody(OpBuilder &builder, Location loc,
                                    ConvertFromBlockOp op, Value values,
                                    Value scale, Value random) {
  ConversionBody body(builder, loc, values);
  return body.project(body.multiply(values, scale),
                      getElementTypeOrSelf(op.getType()), op.getProjection(),
                      random);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
/// Expands an op on scalars or vectors.
template <typename OpTy>
struct BlockOpExpansion final : OpRewritePattern<OpTy> {
  using OpRewritePattern<OpTy>::OpRewritePattern;

  LogicalResult matchAndRewrite(OpTy op,
                                PatternRewriter &rewriter) const override {
    if (isa<TensorType>(op->getResult(0).getType()))
      return rewriter.notifyMatchFailure(op, "not a scalar or vector");
    rewriter.replaceOp(op, expand(op, rewriter));
    return success();
  }

private:
  static Value expand(TensorScaleOp op, OpBuilder &builder) {
    return buildElementBody(builder, op.getLoc(), op, op.getTensorAmax());
  }
  static Value expand(BlockScaleOp op, OpBuilder &builder) {
    return buildElementBody(builder, op.getLoc(), op, op.getAmax(),
                            {op.getTensorAmax(), op.getTensorScale()});
  }
  static Value expand(BlockQuantizeElementsOp op, OpBuilder &builder) {
    return buildElementBody(
        builder, op.getLoc(), op, op.getInput(), op.getScale(),
        {op.getTensorAmax(), op.getTensorScale()}, op.getRandom());
  }
  static Value expand(BlockDequantizeOp op, OpBuilder &builder) {
    return buildElementBody(builder, op.getLoc(), op, op.getInput(),
                            op.getScale(), op.getTensorScale());
  }
  template <typename ConversionOp>
  static Value expand(ConversionOp op, OpBuilder &builder) {
    return buildElementBody(builder, op.getLoc(), op, op.getInput(),
                            op.getScale(), op.getRandom());
  }
};
} // namespace

void quant_float::populateBlockPatterns(RewritePatternSet &patterns) {
  patterns.add<BlockOpExpansion<TensorScaleOp>, BlockOpExpansion<BlockScaleOp>,
               BlockOpExpansion<BlockQuantizeElementsOp>,
               BlockOpExpansion<BlockDequantizeOp>,
               BlockOpExpansion<ConvertToBlockOp>,
               BlockOpExpansion<ConvertFromBlockOp>>(patterns.getContext());
}
