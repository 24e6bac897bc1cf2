//===- FakeConvert.cpp - Reference semantics of fakeconvert ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Reference/FakeConvert.h"

#include "StorageUnits.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float::reference;
using llvm::APFloat;
using llvm::APInt;

static constexpr auto kNearest = APFloat::rmNearestTiesToEven;

bool quant_float::reference::canFakeConvert(Type type, Type destination) {
  return isa<Float32Type, Float16Type, BFloat16Type>(type) &&
         isa<Float8E4M3FNType, Float8E5M2Type>(destination);
}

FakeConvertSteps::FakeConvertSteps(Type type, Type destination,
                                   const FakeConvertOptions &options)
    : type(cast<FloatType>(type)), destination(cast<FloatType>(destination)),
      options(options) {}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

static APFloat roundTo(APFloat value, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  value.convert(semantics, kNearest, &losesInfo);
  return value;
}

static APFloat toSingle(APFloat value) {
  return roundTo(std::move(value), APFloat::IEEEsingle());
}

/// Rounds to f16 as OpenVINO's scalar conversion does: to nearest even, except
/// that a value below 2^-15 is doubled if rounding its significand to 11 bits
/// carries. f32 subnormals become zero, and NaN keeps the upper bits of its
/// payload.
static APFloat roundToHalf(APFloat value) {
  const llvm::fltSemantics &half = APFloat::IEEEhalf();
  if (value.isNaN()) {
    APInt payload = value.bitcastToAPInt().lshr(13).trunc(10);
    if (payload.isZero())
      payload = 1;
    APInt bits =
        APInt(16, value.isNegative() ? 0xFC00 : 0x7C00) | payload.zext(16);
    return APFloat(half, bits);
  }
  if (value.isDenormal())
    return APFloat::getZero(half, value.isNegative());
  constexpr int kMinExponent = -15;
  if (value.isFiniteNonZero() && ilogb(value) < kMinExponent) {
    // Scale the value by a power of two so that its significand is normal in
    // f16.
    int exponent = ilogb(value);
    APFloat significand = scalbn(value, -exponent, kNearest);
    if (ilogb(roundTo(significand, half)) > 0)
      value = scalbn(value, 1, kNearest);
  }
  return roundTo(value, half);
}

/// Rounds to bf16 as OpenVINO does: adds half a unit if the lowest bit that
/// remains is 1, and truncates.
static APFloat roundToBFloat16(APFloat value) {
  APInt bits = value.bitcastToAPInt();
  if (!value.isNaN() && bits[16])
    bits += 0x8000;
  return APFloat(APFloat::BFloat(), bits.lshr(16).trunc(16));
}

APFloat FakeConvertSteps::roundToType(APFloat value) const {
  if (options.mode != FakeConvertMode::OpenVINOReference)
    return roundTo(std::move(value), type.getFloatSemantics());
  if (type.isBF16())
    return roundToBFloat16(std::move(value));
  return type.isF16() ? roundToHalf(std::move(value)) : value;
}

bool FakeConvertSteps::isSubnormal(const APFloat &value) const {
  return roundTo(value, type.getFloatSemantics()).isDenormal();
}

//===----------------------------------------------------------------------===//
// To float8 and back
//===----------------------------------------------------------------------===//

APFloat FakeConvertSteps::getLargest() const {
  return toSingle(APFloat::getLargest(destination.getFloatSemantics()));
}

/// Rounds once and saturates (C3). NaN is preserved.
APFloat FakeConvertSteps::roundExact(APFloat value) const {
  if (value.isNaN())
    return value;
  APFloat rounded = roundTo(value, destination.getFloatSemantics());
  if (rounded.isFinite() && !rounded.isNaN())
    return toSingle(rounded);
  APFloat largest = getLargest();
  largest.copySign(value);
  return largest;
}

/// Rounds as OpenVINO's CPU plugin does: clamps, which turns NaN into the
/// minimum, then rounds to f16 and from f16 to float8.
APFloat FakeConvertSteps::roundByPlugin(APFloat value) const {
  APFloat largest = getLargest();
  if (value.isNaN() || value < -largest)
    value = -largest;
  else if (value > largest)
    value = largest;
  value = roundTo(value, APFloat::IEEEhalf());
  return toSingle(roundTo(value, destination.getFloatSemantics()));
}

APFloat FakeConvertSteps::roundByReference(APFloat value) const {
  APFloat half = roundToHalf(std::move(value));
  APFloat largest = getLargest();
  largest.copySign(half);
  if (isa<Float8E5M2Type>(destination)) {
    // f8E5M2 is the upper byte of f16.
    APInt bits = half.bitcastToAPInt();
    bits += 0x7F;
    if (half.bitcastToAPInt()[8])
      bits += 1;
    APFloat rounded(destination.getFloatSemantics(),
                    half.isNaN() ? half.bitcastToAPInt().lshr(8).trunc(8)
                                 : bits.lshr(8).trunc(8));
    return rounded.isInfinity() ? largest : toSingle(rounded);
  }
  APFloat single = toSingle(half);
  if (half.isNaN() || abs(single) > abs(largest))
    return largest;
  if (single.isZero() || ilogb(single) < -9)
    return APFloat::getZero(APFloat::IEEEsingle());
  // Round the significand to three mantissa bits whatever the exponent, then
  // truncate to a multiple of 2^-9, the smallest subnormal.
  int exponent = ilogb(single);
  APFloat significand = roundTo(scalbn(single, -exponent, kNearest),
                                destination.getFloatSemantics());
  APFloat rounded = scalbn(toSingle(significand), exponent, kNearest);
  APFloat steps = scalbn(rounded, 9, kNearest);
  steps.roundToIntegral(APFloat::rmTowardZero);
  return scalbn(steps, -9, kNearest);
}

//===----------------------------------------------------------------------===//
// The modes
//===----------------------------------------------------------------------===//

static APFloat multiply(APFloat a, const APFloat &b) {
  a.multiply(b, kNearest);
  return a;
}
static APFloat divide(APFloat a, const APFloat &b) {
  a.divide(b, kNearest);
  return a;
}
static APFloat add(APFloat a, const APFloat &b) {
  a.add(b, kNearest);
  return a;
}
static APFloat subtract(APFloat a, const APFloat &b) {
  a.subtract(b, kNearest);
  return a;
}

APFloat FakeConvertSteps::scale(const APFloat &x, const APFloat &factor,
                                const std::optional<APFloat> &shift) const {
  APFloat scaled = multiply(toSingle(x), toSingle(factor));
  if (options.mode == FakeConvertMode::OpenVINOReference) {
    // A missing shift is equivalent to a tensor of zeros.
    scaled = toSingle(roundToType(scaled));
    scaled = subtract(scaled, shift ? toSingle(*shift) : APFloat(0.0f));
    return toSingle(roundToType(scaled));
  }
  if (shift)
    scaled = subtract(scaled, toSingle(*shift));
  return options.mode == FakeConvertMode::OpenVINO
             ? toSingle(roundToType(scaled))
             : scaled;
}

APFloat FakeConvertSteps::round(const APFloat &scaled) const {
  switch (options.mode) {
  case FakeConvertMode::Exact:
    return roundExact(scaled);
  case FakeConvertMode::OpenVINO:
    return roundByPlugin(scaled);
  case FakeConvertMode::OpenVINOReference:
    return roundByReference(scaled);
  }
  return scaled;
}

APFloat FakeConvertSteps::getReciprocal(const APFloat &scale) const {
  APFloat reciprocal = divide(APFloat(1.0f), scale);
  switch (options.reciprocal) {
  case FakeConvertReciprocal::Single:
    return reciprocal;
  case FakeConvertReciprocal::Nearest:
    return toSingle(roundTo(reciprocal, type.getFloatSemantics()));
  case FakeConvertReciprocal::OpenVINO:
    return toSingle(roundToBFloat16(reciprocal));
  }
  return reciprocal;
}

APFloat FakeConvertSteps::unscale(const APFloat &rounded, const APFloat &factor,
                                  const std::optional<APFloat> &shift) const {
  APFloat result = rounded, scale = toSingle(factor);
  if (options.mode == FakeConvertMode::OpenVINOReference) {
    result = add(result, shift ? toSingle(*shift) : APFloat(0.0f));
    result = toSingle(roundToType(result));
  } else if (shift && !(options.neutralShift && shift->isZero())) {
    result = add(result, toSingle(*shift));
  }
  if (options.mode != FakeConvertMode::OpenVINO)
    return roundToType(divide(result, scale));
  result = multiply(result, getReciprocal(scale));
  if (options.positiveZero && result.isZero())
    result.clearSign();
  return roundToType(result);
}

APInt quant_float::reference::fakeConvertElement(
    Type type, Type destination, const APInt &bits, const APInt &scaleBits,
    std::optional<APInt> shiftBits, const FakeConvertOptions &options) {
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  std::optional<APFloat> shift;
  if (shiftBits)
    shift = APFloat(semantics, *shiftBits);
  APFloat scale(semantics, scaleBits);
  FakeConvertSteps steps(type, destination, options);
  APFloat scaled = steps.scale(APFloat(semantics, bits), scale, shift);
  APFloat result = steps.unscale(steps.round(scaled), scale, shift);
  // NaN results are quiet and have no payload (C2).
  if (result.isNaN())
    result = APFloat::getQNaN(semantics, result.isNegative());
  return result.bitcastToAPInt();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult quant_float::reference::fakeConvertBuffer(
    Type type, Type destination, ArrayRef<int64_t> sizes,
    ArrayRef<int64_t> scaleSizes, ArrayRef<char> in, ArrayRef<char> scales,
    std::optional<ArrayRef<char>> shifts, MutableArrayRef<char> out,
    const FakeConvertOptions &options) {
  Granularity granularity = Granularity::getBroadcast();
  if (!canFakeConvert(type, destination) ||
      !granularity.fits(scaleSizes, sizes))
    return failure();
  Format format = *getFormat(type);
  if (!holds(format, in, sizes) || !holds(format, out, sizes) ||
      !holds(format, scales, scaleSizes) ||
      (shifts && !holds(format, *shifts, scaleSizes)))
    return failure();
  ParameterElements elements(granularity, scaleSizes, sizes);
  size_t count = in.size() / getSlotSize(format);
  for (size_t i = 0; i < count; ++i) {
    uint64_t scale = elements[i];
    std::optional<APInt> shift;
    if (shifts)
      shift = loadElement(format, *shifts, scale);
    storeElement(
        format, out, i,
        fakeConvertElement(type, destination, loadElement(format, in, i),
                           loadElement(format, scales, scale), shift, options));
  }
  return success();
}
