//===- BlockScale.cpp - Scales and elements of blocks (B) -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Reference/BlockScale.h"

#include "Casts.h"
#include "Quantizes.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APFloat;
using llvm::APInt;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {
enum class Scales {
  PowerOfTwo,
  Float,
  E4M3,
  PowerOfTwoOrF32,
  PowerOfTwoOrE4M3
};
enum class Elements { Any, E4M3, E2M1 };
struct Rule {
  Scales scales;
  Elements elements;
  bool isTwoLevel;
};
} // namespace

static const Rule &getRule(BlockScaleRule rule) {
  static constexpr Rule rules[] = {
#define QUANT_FLOAT_BLOCK_SCALE_RULE(Name, Keyword, Of, With, TwoLevel)        \
  {Scales::Of, Elements::With, TwoLevel},
#include "quant-float/Reference/BlockScaleRules.def"
  };
  return rules[static_cast<size_t>(rule)];
}

bool reference::isTwoLevel(BlockScaleRule rule) {
  return getRule(rule).isTwoLevel;
}

bool reference::isBlockElement(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float6E2M3FNType,
             Float6E3M2FNType, Float4E2M1FNType>(type) ||
         type.isSignlessInteger(8) || type.isSignlessInteger(4);
}

static bool isPowerOfTwo(Type scale) { return isa<Float8E8M0FNUType>(scale); }

bool reference::isBlockScale(Type type) {
  return isPowerOfTwo(type) ||
         isa<Float32Type, Float16Type, BFloat16Type, Float8E4M3FNType>(type) ||
         type.getAbstractType().getName() == "quant_float.f8UE5M3";
}

bool reference::isSupported(BlockScaleRule rule, Type element, Type scale) {
  const auto &[scales, elements, twoLevel] = getRule(rule);
  bool isE4M3 = isa<Float8E4M3FNType>(element);
  bool isE2M1 = isa<Float4E2M1FNType>(element);
  if (!isBlockElement(element) || !isBlockScale(scale) ||
      (elements == Elements::E4M3 && !isE4M3) ||
      (elements == Elements::E2M1 && !isE2M1))
    return false;
  switch (scales) {
  case Scales::PowerOfTwo:
    return isPowerOfTwo(scale);
  case Scales::Float:
    return !isPowerOfTwo(scale);
  case Scales::E4M3:
    return isa<Float8E4M3FNType>(scale);
  case Scales::PowerOfTwoOrF32:
    return isPowerOfTwo(scale) || isa<Float32Type>(scale);
  case Scales::PowerOfTwoOrE4M3:
    return isPowerOfTwo(scale) || isa<Float8E4M3FNType>(scale);
  }
  llvm_unreachable("unknown types of scales");
}

//===----------------------------------------------------------------------===//
// Arithmetic in f32: the operators of APFloat round to nearest even
//===----------------------------------------------------------------------===//

static constexpr auto nearestEven = APFloat::rmNearestTiesToEven;
static const llvm::fltSemantics &f32 = APFloat::IEEEsingle();

static Format getF32() { return ieee(32, f32); }

static APFloat toF32(double value) {
  APFloat result(value);
  bool losesInfo;
  result.convert(f32, nearestEven, &losesInfo);
  return result;
}
static APFloat largestF32() { return APFloat::getLargest(f32); }

/// Rounds to a float type without a sign that matters. Finite values above the
/// largest value become this value.
static APInt roundSaturating(const Format &to, const APFloat &value) {
  if (to.kind == FormatKind::Narrow)
    return roundToNarrow(to, decodeIEEE(getF32(), value.bitcastToAPInt()),
                         CastOptions());
  APFloat rounded(*to.semantics, roundToIEEE(to, value));
  if (rounded.isInfinity() && !value.isInfinity())
    rounded = APFloat::getLargest(*to.semantics);
  return rounded.bitcastToAPInt();
}

static APFloat decodeToF32(const Format &from, const APInt &bits) {
  return convertTo(getF32(), from, bits);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// MXINT8 elements are multiples of 2^-6 (B7).
static constexpr int kMxIntFraction = 6;

static bool isMxInt8(Type element, Type scale) {
  return element.isSignlessInteger(8) && isPowerOfTwo(scale);
}

namespace {
/// The largest value of an element type, its exponent, and the number of bits
/// of mantissa of values with this exponent.
struct Largest {
  APFloat value;
  int exponent, mantissaBits;
};
} // namespace

static Largest getLargest(Type element, Type scale) {
  Format format = *getFormat(element);
  if (format.kind == FormatKind::Narrow) {
    APFloat value =
        decodeToF32(format, APInt(format.width, format.maxMagnitude));
    return {value, ilogb(value), int(format.mantissaBits)};
  }
  int shift = isMxInt8(element, scale) ? kMxIntFraction : 0;
  APFloat value = toF32((1 << (format.width - 1)) - 1);
  int mantissaBits = ilogb(value);
  value = scalbn(value, -shift, nearestEven);
  return {value, ilogb(value), mantissaBits};
}

//===----------------------------------------------------------------------===//
// Powers of two (B3)
//===----------------------------------------------------------------------===//

static constexpr int kScaleBias = 127;
static constexpr uint64_t kScaleNaN = 255;

/// Returns the encoding of 2^exponent, clamped to the range of the type.
static APInt encodePowerOfTwo(int exponent, int lowest = 0) {
  return APInt(8, std::clamp(exponent + kScaleBias, lowest, 254));
}

static APFloat widen(APFloat value) {
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), nearestEven, &losesInfo);
  return value;
}

/// Returns floor(log2(amax / largest)), or with `isCeil` its ceiling.
static int getQuotientExponent(const APFloat &amax, const Largest &largest,
                               bool isCeil) {
  int exponent = ilogb(amax) - largest.exponent;
  // Multiples of a power of two are exact in f64.
  auto scaled = [&](int k) {
    return scalbn(widen(largest.value), k, nearestEven);
  };
  if (isCeil)
    return widen(amax) > scaled(exponent) ? exponent + 1 : exponent;
  return widen(amax) < scaled(exponent) ? exponent - 1 : exponent;
}

static APInt getPowerOfTwo(BlockScaleRule rule, Type element, Type scale,
                           const APFloat &amax) {
  if (!amax.isFinite())
    return APInt(8, kScaleNaN);
  if (amax.isZero())
    return APInt(8, 0);
  Largest largest = getLargest(element, scale);
  int exponent = ilogb(amax);
  CastOptions rounding;
  switch (rule) {
  case BlockScaleRule::Floor:
  case BlockScaleRule::Ggml:
    break;
  case BlockScaleRule::Ceil:
    if (widen(amax) > scalbn(APFloat(1.0), exponent, nearestEven))
      ++exponent;
    break;
  case BlockScaleRule::Even: {
    // Half a unit in the last place of an element, in the binade of f32.
    int unit = std::max(exponent, -126) - largest.mantissaBits;
    APFloat sum = widen(amax);
    sum.add(scalbn(APFloat(0.5), unit, nearestEven), nearestEven);
    exponent = ilogb(sum);
    if (exponent > kScaleBias)
      return APInt(8, kScaleNaN);
    break;
  }
  case BlockScaleRule::RCeil:
    rounding.scaleRounding = ScaleRounding::Up;
    return roundToScale(widen(amax * (toF32(1) / largest.value)), rounding);
  case BlockScaleRule::Nearest:
    rounding.scaleRounding = ScaleRounding::Nearest;
    return roundToScale(widen(amax / largest.value), rounding);
  case BlockScaleRule::CeilExact:
    return encodePowerOfTwo(
        getQuotientExponent(amax, largest, /*isCeil=*/true));
  case BlockScaleRule::Tosa:
    if (isa<Float8E4M3FNType>(element))
      return encodePowerOfTwo(
          getQuotientExponent(amax, largest, /*isCeil=*/true));
    return encodePowerOfTwo(
        getQuotientExponent(amax, largest, /*isCeil=*/false) + 1);
  default:
    llvm_unreachable("not a rule for powers of two");
  }
  return encodePowerOfTwo(exponent - largest.exponent);
}

//===----------------------------------------------------------------------===//
// Rules of implementations (B4 to B6)
//===----------------------------------------------------------------------===//

/// Rounds to f8E4M3FN as ggml does: ties away from zero; 248 and above become
/// 448, and values below the smallest normal number that round to it become the
/// largest subnormal number.
static APInt roundByGgml(const APFloat &value) {
  if (value.isNaN() || value.isZero() || value.isNegative())
    return APInt(8, 0);
  if (value >= toF32(248))
    return APInt(8, 0x7E);
  bool isExact;
  llvm::APSInt magnitude(16, /*isUnsigned=*/true);
  int exponent = ilogb(value);
  if (exponent < -6) {
    APFloat units = scalbn(value, 9, nearestEven);
    units.add(toF32(0.5), nearestEven);
    units.convertToInteger(magnitude, APFloat::rmTowardZero, &isExact);
    return APInt(8, std::min<uint64_t>(magnitude.getZExtValue(), 7));
  }
  // Between 8 and 16 units of the mantissa.
  scalbn(value, 3 - exponent, nearestEven)
      .convertToInteger(magnitude, APFloat::rmNearestTiesToAway, &isExact);
  return APInt(8, uint64_t(exponent + 6) * 8 + magnitude.getZExtValue());
}

APFloat reference::getTensorScale(const APFloat &amax) {
  APFloat scale = abs(amax) / toF32(2688);
  return scale.isZero() ? toF32(1) : scale;
}

/// Returns the scale of the tensor that torchao and Model-Optimizer use.
static APFloat getTensorFactor(const TensorLevel &tensor) {
  if (!tensor.scale)
    return getTensorScale(*tensor.amax);
  return tensor.scale->isZero() ? toF32(1) : abs(*tensor.scale);
}

/// Returns the encoding scale of the tensor, the reciprocal of its scale, that
/// TransformerEngine and compressed-tensors use.
static APFloat getTensorReciprocal(BlockScaleRule rule,
                                   const TensorLevel &tensor) {
  bool isTE = rule == BlockScaleRule::TransformerEngine;
  APFloat origin = abs(tensor.scale ? *tensor.scale : *tensor.amax);
  if (origin.isZero())
    return toF32(1);
  APFloat result = tensor.scale ? toF32(1) / origin
                   : isTE       ? toF32(2688) / origin
                                : toF32(2688) * (toF32(1) / origin);
  if (isTE) {
    result = minimum(result, largestF32());
    if (result.isZero())
      return toF32(1);
  }
  return result;
}

/// Returns the quotient of amax and the largest value of the elements, from
/// 1e-4 on, that DeepGEMM derives its scales from.
static APFloat getDeepGemmScale(const APFloat &amax, const Largest &largest) {
  return maximum(amax, toF32(1e-4)) / largest.value;
}

APInt reference::getBlockScale(BlockScaleRule rule, Type element, Type scale,
                               const APFloat &signedAmax,
                               const TensorLevel &tensor) {
  // The sign of a magnitude is ignored (B2).
  APFloat amax = abs(signedAmax);
  Format format = *getFormat(scale);
  switch (rule) {
  default:
    return getPowerOfTwo(rule, element, scale, amax);
  case BlockScaleRule::Ggml:
    if (isPowerOfTwo(scale))
      return getPowerOfTwo(rule, element, scale, amax);
    return roundByGgml(amax / toF32(6));
  case BlockScaleRule::AbsMax: {
    APInt bits =
        roundSaturating(format, amax / getLargest(element, scale).value);
    if (decodeToF32(format, bits).isZero())
      return roundSaturating(format, toF32(1));
    return bits;
  }
  case BlockScaleRule::DeepGemm: {
    APFloat quotient = getDeepGemmScale(amax, getLargest(element, scale));
    if (!isPowerOfTwo(scale))
      return quotient.bitcastToAPInt();
    if (!quotient.isFinite())
      return APInt(8, kScaleNaN);
    int exponent = ilogb(quotient);
    if (widen(quotient) > scalbn(APFloat(1.0), exponent, nearestEven))
      ++exponent;
    return encodePowerOfTwo(exponent, /*lowest=*/1);
  }
  case BlockScaleRule::TransformerEngine: {
    APFloat factor = getTensorReciprocal(rule, tensor) * (toF32(1) / toF32(6));
    return roundSaturating(format, amax * factor);
  }
  case BlockScaleRule::CompressedTensors: {
    APFloat quotient = amax / toF32(6);
    APInt bits =
        roundSaturating(format, getTensorReciprocal(rule, tensor) * quotient);
    return bits == 0 ? roundSaturating(format, toF32(0.125)) : bits;
  }
  case BlockScaleRule::TorchAO: {
    APFloat quotient = (amax / toF32(6)) / getTensorFactor(tensor);
    return roundSaturating(
        format, minimum(maximum(quotient, toF32(0x1p-6)), toF32(448)));
  }
  case BlockScaleRule::ModelOptimizer: {
    APFloat quotient = amax / (toF32(6) * getTensorFactor(tensor));
    if (quotient.isZero())
      quotient = toF32(1);
    return roundSaturating(
        format, minimum(maximum(quotient, toF32(0x1p-9)), toF32(448)));
  }
  }
}

//===----------------------------------------------------------------------===//
// Quantization of elements (B7)
//===----------------------------------------------------------------------===//

/// Returns the element whose product with the scale is nearest, the smaller
/// magnitude of two that are equally near. Distances are rounded to f32.
static APInt quantizeByDistance(const APFloat &x, const APFloat &scale) {
  static constexpr double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  APFloat magnitude = abs(x);
  unsigned nearest = 0;
  std::optional<APFloat> smallest;
  for (auto [encoding, value] : llvm::enumerate(magnitudes)) {
    APFloat distance = toF32(value) * scale;
    distance.subtract(magnitude, nearestEven);
    distance.clearSign();
    if (!smallest || distance < *smallest) {
      smallest = distance;
      nearest = encoding;
    }
  }
  return APInt(4, nearest | (nearest && x.isNegative() ? 8 : 0));
}

BlockFactor reference::getBlockFactor(BlockScaleRule rule, Type scale,
                                      const APInt &scaleBits,
                                      const TensorLevel &tensor) {
  APFloat decoded = decodeToF32(*getFormat(scale), scaleBits);
  BlockFactor quotient{decoded, /*isDivisor=*/true};
  // The reciprocal is a power of two, so the quotient is rounded once.
  if (isPowerOfTwo(scale))
    return quotient;
  switch (rule) {
  default:
    return quotient;
  case BlockScaleRule::DeepGemm:
    return {toF32(1) / decoded, /*isDivisor=*/false};
  case BlockScaleRule::TransformerEngine: {
    APFloat reciprocal = toF32(1) / getTensorReciprocal(rule, tensor);
    return {minimum(toF32(1) / (decoded * reciprocal), largestF32()),
            /*isDivisor=*/false};
  }
  case BlockScaleRule::TorchAO:
    return {(toF32(1) / getTensorFactor(tensor)) / decoded,
            /*isDivisor=*/false};
  case BlockScaleRule::ModelOptimizer:
    return {decoded * getTensorFactor(tensor), /*isDivisor=*/true};
  case BlockScaleRule::CompressedTensors:
    return {decoded / getTensorReciprocal(rule, tensor), /*isDivisor=*/true};
  }
}

APInt reference::quantizeBlockElement(BlockScaleRule rule, Type x, Type scale,
                                      Type element, const APInt &xBits,
                                      const APInt &scaleBits,
                                      const TensorLevel &tensor,
                                      std::optional<APInt> random) {
  Format format = *getFormat(element);
  APFloat value = decodeToF32(*getFormat(x), xBits);
  auto [factor, isDivisor] = getBlockFactor(rule, scale, scaleBits, tensor);
  if (rule == BlockScaleRule::Ggml && !random) {
    if (factor.isNaN())
      return APInt(4, 0);
    return quantizeByDistance(value, factor);
  }
  APFloat quotient = isDivisor ? value / factor : value * factor;
  if (isMxInt8(element, scale))
    quotient = quotient * toF32(1 << kMxIntFraction);
  QuantizeFormats formats = {getF32(), getF32(), format, getF32()};
  APInt result = quantize(formats, quotient.bitcastToAPInt(), toF32(1),
                          /*zeroPoint=*/nullptr, /*saturate=*/true,
                          random ? &*random : nullptr);
  // The lowest integer is never used, so the range is symmetric.
  if (format.kind == FormatKind::Integer && result.isMinSignedValue())
    ++result;
  return result;
}

APInt reference::dequantizeBlockElement(Type element, Type scale, Type y,
                                        const APInt &bits,
                                        const APInt &scaleBits,
                                        std::optional<APFloat> tensorScale,
                                        bool tensorFirst) {
  APFloat value = decodeToF32(*getFormat(element), bits);
  if (isMxInt8(element, scale))
    value = scalbn(value, -kMxIntFraction, nearestEven);
  APFloat factor = decodeToF32(*getFormat(scale), scaleBits);
  if (tensorScale && tensorFirst)
    factor = factor * *tensorScale;
  value = value * factor;
  if (tensorScale && !tensorFirst)
    value = value * *tensorScale;
  return roundToIEEE(*getFormat(y), value);
}
