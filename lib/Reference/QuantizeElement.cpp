//===- QuantizeElement.cpp - Quantization of one element ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Casts.h"
#include "Quantizes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APFloat;
using llvm::APInt;
using llvm::APSInt;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static bool isScaleFloat(Type type) {
  return isa<Float32Type, Float16Type, BFloat16Type>(type);
}

static bool isInt32(Type type) { return type.isSignlessInteger(32); }

/// Returns whether the type is a scale type of ONNX or of F1.
static bool isScale(Type type) {
  std::optional<Format> format = getFormat(type);
  return isScaleFloat(type) ||
         (format &&
          (format->kind == FormatKind::Scale ||
           (format->kind == FormatKind::Narrow && format->width == 8)));
}

/// Returns whether quantized values can have the format: 2- to 16-bit integers
/// and narrow floats.
static bool isStorage(const Format &format) {
  return format.kind == FormatKind::Narrow ||
         (format.kind == FormatKind::Integer && format.width <= 16);
}

std::optional<QuantizeFormats>
reference::getQuantizeFormats(Type x, Type scale, Type y, Type precision) {
  if (!x || !scale || !y || !precision)
    return std::nullopt;
  std::optional<Format> storage = getFormat(y);
  if ((!isScaleFloat(x) && !isInt32(x)) ||
      (!isScale(scale) && !isInt32(scale)) || !storage ||
      !isStorage(*storage) ||
      (!isScaleFloat(precision) && !isa<Float64Type>(precision)))
    return std::nullopt;
  return QuantizeFormats{*getFormat(x), *getFormat(scale), *storage,
                         *getFormat(precision)};
}

std::optional<QuantizeFormats>
reference::getDequantizeFormats(Type x, Type scale, Type y) {
  if (!x || !scale || !y)
    return std::nullopt;
  std::optional<Format> storage = getFormat(x);
  if (!storage || (!isStorage(*storage) && !isInt32(x)) || !isScale(scale) ||
      !isScaleFloat(y))
    return std::nullopt;
  Type f32 = Float32Type::get(x.getContext());
  return QuantizeFormats{*storage, *getFormat(scale), *getFormat(y),
                         *getFormat(f32)};
}

bool reference::canQuantize(Type x, Type scale, Type y, Type precision) {
  return getQuantizeFormats(x, scale, y, precision).has_value();
}

bool reference::canDequantize(Type x, Type scale, Type y) {
  return getDequantizeFormats(x, scale, y).has_value();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

static constexpr auto nearestEven = APFloat::rmNearestTiesToEven;

/// Enough bits for any difference of two quantized values, and for the sum of a
/// zero point and an integer with one bit less. That integer exceeds the range
/// of all quantized types by far.
static constexpr unsigned kSumBits = 48;

static APInt widen(const Format &format, const APInt &bits) {
  return format.isSigned ? bits.sext(kSumBits) : bits.zext(kSumBits);
}

APFloat reference::convertTo(const Format &precision, const Format &from,
                             const APInt &bits) {
  return APFloat(*precision.semantics,
                 roundToIEEE(precision, decode(from, bits)));
}

/// Returns whether the zero point is added. This holds for float4 and float6,
/// but not for float8, whose zero point is zero (Q7).
static bool addsZeroPoint(const Format &narrow) {
  return narrow.nonFinite == NonFinite::None;
}

/// Rounds to nearest even (D1). Values that are out of range, including
/// infinities, become the minimum or maximum of the integer type. Adding a zero
/// point does not bring them back into the range of a quantized type.
static APInt roundToNearest(const APFloat &quotient) {
  APSInt nearest(kSumBits - 1, /*isUnsigned=*/false);
  bool isExact;
  quotient.convertToInteger(nearest, nearestEven, &isExact);
  return nearest.sext(kSumBits);
}

/// Rounds stochastically (S5): truncates the magnitude to k fractional bits,
/// adds the random bits and discards the fraction. Values that are out of range
/// are handled as in roundToNearest.
static APInt roundByRandomBits(APFloat quotient, const APInt &random) {
  bool losesInfo, isExact;
  quotient.convert(APFloat::IEEEdouble(), nearestEven, &losesInfo);
  unsigned k = random.getBitWidth();
  APSInt units(kSumBits - 2 + k, /*isUnsigned=*/true);
  scalbn(abs(quotient), int(k), nearestEven)
      .convertToInteger(units, APFloat::rmTowardZero, &isExact);
  unsigned width = units.getBitWidth() + 1;
  APInt sum = units.zext(width) + random.zext(width);
  APInt magnitude = sum.lshr(k).trunc(kSumBits - 1).zext(kSumBits);
  return quotient.isNegative() ? -magnitude : magnitude;
}

/// Rounds the quotient to an integer, then adds the zero point and saturates.
static APInt quantizeToInteger(const Format &y, const APFloat &quotient,
                               const APInt *zeroPoint, const APInt *random) {
  APInt origin = zeroPoint ? *zeroPoint : APInt::getZero(y.width);
  if (quotient.isNaN())
    return origin;
  APInt sum = (random ? roundByRandomBits(quotient, *random)
                      : roundToNearest(quotient)) +
              widen(y, origin);
  APInt lowest =
      y.isSigned ? APInt::getSignedMinValue(y.width) : APInt::getZero(y.width);
  APInt highest = y.isSigned ? APInt::getSignedMaxValue(y.width)
                             : APInt::getMaxValue(y.width);
  if (sum.slt(widen(y, lowest)))
    return lowest;
  if (sum.sgt(widen(y, highest)))
    return highest;
  return sum.trunc(y.width);
}

APInt reference::quantize(const QuantizeFormats &formats, const APInt &x,
                          const APFloat &scale, const APInt *zeroPoint,
                          bool saturate, const APInt *random) {
  // The division follows IEEE 754 for every scale, including 0 (D4).
  APFloat quotient = convertTo(formats.precision, formats.x, x);
  quotient.divide(scale, nearestEven);

  const Format &y = formats.y;
  if (y.kind == FormatKind::Integer)
    return quantizeToInteger(y, quotient, zeroPoint, random);
  if (zeroPoint && addsZeroPoint(y))
    quotient.add(convertTo(formats.precision, y, *zeroPoint), nearestEven);
  // Infinities overflow in every opset (D3): the exception of C4 only applies
  // to Cast.
  CastOptions options;
  options.saturate = saturate;
  APFloat value = decodeIEEE(formats.precision, quotient.bitcastToAPInt());
  return random ? roundToNarrowByRandomBits(y, value, *random, options)
                : roundToNarrow(y, value, options);
}

/// Subtracts the zero point (D5). This is exact except for the rounding to f32
/// that an i32 may need.
static APFloat subtractZeroPoint(const QuantizeFormats &formats, const APInt &x,
                                 const APInt *zeroPoint) {
  if (formats.x.kind == FormatKind::Integer) {
    APInt difference = widen(formats.x, x);
    if (zeroPoint)
      difference -= widen(formats.x, *zeroPoint);
    APFloat value(*formats.precision.semantics);
    value.convertFromAPInt(difference, /*IsSigned=*/true, nearestEven);
    return value;
  }
  APFloat value = convertTo(formats.precision, formats.x, x);
  if (zeroPoint && addsZeroPoint(formats.x))
    value.subtract(convertTo(formats.precision, formats.x, *zeroPoint),
                   nearestEven);
  return value;
}

APInt reference::dequantize(const QuantizeFormats &formats, const APInt &x,
                            const APFloat &scale, const APInt *zeroPoint) {
  APFloat product = subtractZeroPoint(formats, x, zeroPoint);
  product.multiply(scale, nearestEven);
  return roundToIEEE(formats.y, product);
}

//===----------------------------------------------------------------------===//
// Conversions by type
//===----------------------------------------------------------------------===//

APInt reference::quantizeElement(Type x, Type scale, Type y, const APInt &xBits,
                                 const APInt &scaleBits,
                                 std::optional<APInt> zeroPointBits,
                                 const QuantizeOptions &options,
                                 std::optional<APInt> random) {
  QuantizeFormats formats = *getQuantizeFormats(x, scale, y, options.precision);
  return quantize(formats, xBits,
                  convertTo(formats.precision, formats.scale, scaleBits),
                  zeroPointBits ? &*zeroPointBits : nullptr, options.saturate,
                  random ? &*random : nullptr);
}

APInt reference::dequantizeElement(Type x, Type scale, Type y,
                                   const APInt &xBits, const APInt &scaleBits,
                                   std::optional<APInt> zeroPointBits) {
  QuantizeFormats formats = *getDequantizeFormats(x, scale, y);
  return dequantize(formats, xBits,
                    convertTo(formats.precision, formats.scale, scaleBits),
                    zeroPointBits ? &*zeroPointBits : nullptr);
}
