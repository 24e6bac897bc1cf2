//===- QuantizeElement.cpp - One element of D1 to D5 ----------------------===//
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

/// ONNX's scales, and those of our own rules (F1).
static bool isScale(Type type) {
  std::optional<Format> format = getFormat(type);
  return isScaleFloat(type) ||
         (format &&
          (format->kind == FormatKind::Scale ||
           (format->kind == FormatKind::Narrow && format->width == 8)));
}

/// What values are stored as: 2- to 16-bit integers and narrow floats.
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

/// Wide enough for any difference of two codes, and for the sum of a zero point
/// and an integer of one bit less, which is far beyond any code's range.
static constexpr unsigned sumWidth = 48;

static APInt widen(const Format &format, const APInt &bits) {
  return format.isSigned ? bits.sext(sumWidth) : bits.zext(sumWidth);
}

APFloat reference::convertTo(const Format &precision, const Format &from,
                             const APInt &bits) {
  return APFloat(*precision.semantics,
                 roundToIEEE(precision, decode(from, bits)));
}

/// Q7: a float4 or float6 zero point enters the formula, a float8 one does not.
static bool addsZeroPoint(const Format &narrow) {
  return narrow.nonFinite == NonFinite::None;
}

/// D1. What does not fit, infinities included, comes back as the end of the
/// range on its side, and no zero point leads back from there.
static APInt roundToNearest(const APFloat &quotient) {
  APSInt nearest(sumWidth - 1, /*isUnsigned=*/false);
  bool isExact;
  quotient.convertToInteger(nearest, nearestEven, &isExact);
  return nearest.sext(sumWidth);
}

/// S5, and of what does not fit the same: the magnitude cut to k bits behind
/// the point, and the random bits added there.
static APInt roundByRandomBits(APFloat quotient, const APInt &random) {
  bool losesInfo, isExact;
  quotient.convert(APFloat::IEEEdouble(), nearestEven, &losesInfo);
  unsigned k = random.getBitWidth();
  APSInt units(sumWidth - 2 + k, /*isUnsigned=*/true);
  scalbn(abs(quotient), int(k), nearestEven)
      .convertToInteger(units, APFloat::rmTowardZero, &isExact);
  unsigned width = units.getBitWidth() + 1;
  APInt sum = units.zext(width) + random.zext(width);
  APInt magnitude = sum.lshr(k).trunc(sumWidth - 1).zext(sumWidth);
  return quotient.isNegative() ? -magnitude : magnitude;
}

/// Behind the division: an integer first, then the zero point.
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
  // D4: IEEE division, whatever the scale.
  APFloat quotient = convertTo(formats.precision, formats.x, x);
  quotient.divide(scale, nearestEven);

  const Format &y = formats.y;
  if (y.kind == FormatKind::Integer)
    return quantizeToInteger(y, quotient, zeroPoint, random);
  if (zeroPoint && addsZeroPoint(y))
    quotient.add(convertTo(formats.precision, y, *zeroPoint), nearestEven);
  // D3: the exception that C4 makes for infinities is Cast's alone.
  CastOptions options;
  options.saturate = saturate;
  APFloat value = decodeIEEE(formats.precision, quotient.bitcastToAPInt());
  return random ? roundToNarrowByRandomBits(y, value, *random, options)
                : roundToNarrow(y, value, options);
}

/// D5: x − zp, exact but for the one rounding to f32 that int32 may need.
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
// Elements by their types
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
