//===- DecodeFloat.cpp - Floats to f32 ------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CastExpander.h"

using namespace mlir;
using namespace mlir::quant_float;
using arith::CmpIPredicate;

// Properties of f32.
static constexpr unsigned kMantissaBits = 23;
static constexpr int kBias = 127;
static constexpr uint64_t kSignMask = 0x80000000;
static constexpr uint64_t kInfinity = 0x7F800000;
static constexpr uint64_t kQuietNaN = 0x7FC00000;

/// C10: the encoding is f32's exponent field. The smallest and the largest
/// encoding also set the first bit of the mantissa: 2^-127 is subnormal in f32,
/// and 0xFF is NaN.
static Intermediate decodeScale(VectorBuilder &lanes, Value encoding) {
  Value bits = lanes.shl(lanes.resize(encoding, 32), kMantissaBits);
  Value isEnd = lanes.compare(CmpIPredicate::ult, lanes.add(encoding, 1), 2);
  bits = lanes.select(isEnd, lanes.bitOr(bits, 0x00400000), bits);
  return {lanes.bitcast(bits, Float32Type::get(bits.getContext())),
          NaNs::Canonical, /*significantBits=*/1};
}

/// C7: shifts the magnitude to its position in f32 and corrects the bias.
///
/// A subnormal has no implicit leading one. Reading it as a normal number with
/// the exponent increased by one gives a value that is too large by
/// 2^minExponent. Subtracting this is exact and, unlike a multiplication of the
/// bits without bias, does not need a subnormal f32 operand.
static Intermediate decodeByBits(VectorBuilder &lanes, Value encoding,
                                 const FloatFormat &from) {
  auto f32 = Float32Type::get(encoding.getContext());
  Value magnitude = lanes.bitAnd(encoding, from.magnitudeMask());
  Value moved = lanes.shl(magnitude, kMantissaBits - from.mantissaBits);
  uint64_t rebias = uint64_t(kBias - from.bias) << kMantissaBits;
  Value normal = lanes.add(moved, rebias), subnormal;
  if (from.mantissaBits) {
    Value tooMuch = lanes.bitcast(
        lanes.add(moved, rebias + (uint64_t(1) << kMantissaBits)), f32);
    subnormal = lanes.toBits(lanes.make<arith::SubFOp>(
        tooMuch, lanes.powerOfTwo(f32, from.minExponent)));
  } else {
    // Only zero. The smallest power of two may be subnormal in f32.
    subnormal = lanes.integer(magnitude, 0);
    if (from.minExponent < 1 - kBias)
      normal = lanes.select(lanes.compare(CmpIPredicate::eq, magnitude, 1),
                            uint64_t(1) << (kMantissaBits - 1), normal);
  }
  Value bits = lanes.select(lanes.compare(CmpIPredicate::ult, magnitude,
                                          uint64_t(1) << from.mantissaBits),
                            subnormal, normal);
  if (from.hasInfinity)
    bits = lanes.select(
        lanes.compare(CmpIPredicate::eq, magnitude, from.infinityEncoding),
        kInfinity, bits);
  auto setSign = [&] {
    if (!from.isSigned)
      return;
    Value sign = lanes.bitAnd(lanes.shl(encoding, 32 - from.width), kSignMask);
    bits = lanes.make<arith::OrIOp>(bits, sign);
  };
  // The NaN of a BinaryType has no sign.
  if (from.isBinary)
    setSign();
  if (from.hasInfinity && !from.isFNUZ)
    bits = lanes.select(
        lanes.compare(CmpIPredicate::ugt, magnitude, from.infinityEncoding),
        kQuietNaN, bits);
  else if (from.hasNaN)
    bits = lanes.select(
        lanes.compare(
            CmpIPredicate::eq,
            from.isFNUZ
                ? lanes.bitAnd(encoding, from.signMask() | from.magnitudeMask())
                : magnitude,
            from.nanEncoding),
        kQuietNaN, bits);
  if (!from.isBinary)
    setSign();
  return {lanes.bitcast(bits, f32), from.hasNaN ? NaNs::Canonical : NaNs::None,
          from.mantissaBits + 1};
}

/// Whether the finite values of `from` map to exponents of finite f16 values,
/// and its infinity to f16's infinity, when the magnitude is shifted to f16.
static bool fitsHalf(const FloatFormat &from, const FloatFormat &half) {
  if (from.width > 8 || !from.isSigned || from.mantissaBits > half.mantissaBits)
    return false;
  unsigned up = half.mantissaBits - from.mantissaBits;
  return from.hasInfinity ? from.infinityEncoding << up == half.infinityEncoding
                          : from.maxEncoding << up < half.infinityEncoding;
}

/// Copies the sign of an encoding of `width` bits to an f32 whose sign is
/// clear.
static Value copySign(VectorBuilder &lanes, Value value, Value encoding,
                      unsigned width) {
  Value sign = lanes.bitAnd(lanes.shl(lanes.resize(encoding, 32), 32 - width),
                            kSignMask);
  return lanes.bitcast(lanes.make<arith::OrIOp>(lanes.toBits(value), sign),
                       Float32Type::get(value.getContext()));
}

/// C7 by the target's conversion from f16, which handles subnormals: shifts the
/// magnitude to its position in f16, and corrects the bias in f32.
static Intermediate decodeByHalf(VectorBuilder &lanes, Value encoding,
                                 const FloatFormat &from, FloatType f16) {
  FloatFormat half(f16);
  auto f32 = Float32Type::get(f16.getContext());
  Value magnitude = lanes.bitAnd(encoding, from.magnitudeMask());
  Value bits = lanes.shl(magnitude, half.mantissaBits - from.mantissaBits);
  // If conversions do not preserve the sign and the payload of NaN, set both
  // afterward.
  bool keepsNaNs = lanes.getTarget().keepsNaNSigns;
  Value isNaN;
  if (from.hasNaN)
    isNaN = from.hasInfinity ? lanes.compare(CmpIPredicate::ugt, magnitude,
                                             from.infinityEncoding)
                             : lanes.compare(CmpIPredicate::eq,
                                             from.isFNUZ ? encoding : magnitude,
                                             from.nanEncoding);
  if (keepsNaNs) {
    if (isNaN)
      bits = lanes.select(isNaN, half.nanEncoding, bits);
    Value sign = lanes.bitAnd(lanes.shl(encoding, half.width - from.width),
                              half.signMask());
    bits = lanes.make<arith::OrIOp>(bits, sign);
  }
  Value value = lanes.convert<arith::ExtFOp>(lanes.bitcast(bits, f16), f32);
  if (from.bias != half.bias)
    value = lanes.make<arith::MulFOp>(
        value, lanes.powerOfTwo(f32, half.bias - from.bias));
  if (!keepsNaNs) {
    if (isNaN)
      value = lanes.bitcast(lanes.select(isNaN, kQuietNaN, lanes.toBits(value)),
                            f32);
    value = copySign(lanes, value, encoding, from.width);
  }
  return {value, from.hasNaN ? NaNs::Canonical : NaNs::None,
          from.mantissaBits + 1};
}

Value quant_float::moveToTop(VectorBuilder &lanes, Value encodings,
                             unsigned width) {
  auto type = dyn_cast<VectorType>(encodings.getType());
  bool byFours = lanes.getTarget().packsBytes &&
                 VectorBuilder::getWidth(encodings) == 8 && type &&
                 type.getRank() == 1 && !type.isScalable() &&
                 type.getNumElements() % 4 == 0;
  if (!byFours)
    return lanes.shl(lanes.resize(encodings, 32), 32 - width);
  // Extract all four bytes of a register, each with its own shift amount.
  int64_t count = type.getNumElements();
  Type i32 = lanes.getInt(32);
  Value registers =
      lanes.make<vector::BitCastOp>(VectorType::get(count / 4, i32), encodings);
  SmallVector<Value> shifted;
  for (int64_t i = 0; i < count; ++i) {
    Value packed = lanes.make<vector::ExtractOp>(registers, i / 4);
    shifted.push_back(
        lanes.withShapeOf(packed).shl(packed, 32 - width - 8 * (i % 4)));
  }
  return lanes.make<vector::FromElementsOp>(VectorType::get(count, i32),
                                            shifted);
}

/// C7: shifts sign and magnitude to their positions in f32. The result is too
/// small by the difference of the biases and may be subnormal. A multiplication
/// corrects it.
static Intermediate decodeByMultiplication(VectorBuilder &lanes, Value encoding,
                                           const FloatFormat &from) {
  auto f32 = Float32Type::get(encoding.getContext());
  unsigned up = kMantissaBits - from.mantissaBits;
  // The arithmetic shift copies the sign to the bits between sign and
  // magnitude.
  uint64_t mask = (from.isSigned ? kSignMask : 0) | from.magnitudeMask() << up;
  Value top = moveToTop(lanes, encoding, from.width);
  Value bits = lanes.bitAnd(lanes.shrS(top, 32 - from.width - up), mask);
  Value value = lanes.make<arith::MulFOp>(
      lanes.bitcast(bits, f32), lanes.powerOfTwo(f32, kBias - from.bias));
  if (!from.hasNaN)
    return {value, NaNs::None, from.mantissaBits + 1};
  Value result = lanes.toBits(value);
  if (from.isFNUZ) {
    // The encoding of NaN is that of a negative zero.
    Value isNaN = lanes.compare(CmpIPredicate::eq, bits, kSignMask);
    result = lanes.select(isNaN, kSignMask | kQuietNaN, result);
  } else {
    // The value of NaN's encoding if it were a number, and its difference to
    // NaN.
    APFloat number(APFloat::IEEEsingle(), APInt(32, from.nanEncoding << up));
    number = scalbn(number, kBias - from.bias, APFloat::rmNearestTiesToEven);
    Value isNaN =
        lanes.compare(arith::CmpFPredicate::OEQ,
                      lanes.bitcast(lanes.bitAnd(result, ~kSignMask), f32),
                      lanes.number(f32, number));
    uint64_t change = kQuietNaN ^ number.bitcastToAPInt().getZExtValue();
    result = lanes.make<arith::XOrIOp>(
        result, lanes.select(isNaN, change, lanes.integer(result, 0)));
  }
  return {lanes.bitcast(result, f32), NaNs::Canonical, from.mantissaBits + 1};
}

Intermediate quant_float::decodeFloat(VectorBuilder &lanes, Value storage,
                                      Type from) {
  auto f32 = Float32Type::get(from.getContext());
  if (from.isF64() || from.isF32())
    return {storage, NaNs::Any};
  if (from.isBF16()) {
    Value bits = lanes.resize(lanes.toBits(storage), 32);
    return {lanes.bitcast(lanes.shl(bits, 16), f32), NaNs::Any,
            /*significantBits=*/8};
  }
  if (from.isF16() && lanes.getTarget().hasHalfConversions) {
    Value value = lanes.convert<arith::ExtFOp>(storage, f32);
    if (!lanes.getTarget().keepsNaNSigns)
      value = copySign(lanes, value, lanes.toBits(storage), 16);
    return {value, NaNs::Any};
  }
  if (isa<Float8E8M0FNUType>(from))
    return decodeScale(lanes, lanes.toBits(storage));
  FloatFormat format(from);
  if (format.isBinary)
    return decodeByBits(lanes, lanes.resize(lanes.toBits(storage), 32), format);
  if (lanes.getTarget().keepsSubnormals && format.width <= 8 &&
      !format.hasInfinity)
    return decodeByMultiplication(lanes, lanes.toBits(storage), format);
  auto f16 = Float16Type::get(from.getContext());
  if (lanes.getTarget().hasHalfConversions &&
      fitsHalf(format, FloatFormat(f16)))
    return decodeByHalf(lanes, lanes.resize(lanes.toBits(storage), 16), format,
                        f16);
  return decodeByBits(lanes, lanes.resize(lanes.toBits(storage), 32), format);
}
