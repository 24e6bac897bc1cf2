//===- Corrections.cpp - Corrections of instruction results ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's conversion instructions round to nearest even and saturate. For NaN
// of either sign, they produce the encoding 0x7F, or the maximum if the format
// has no NaN. For f8E8M0FNU, they convert the magnitude. The functions below
// correct the results where the rules differ.
//
//===----------------------------------------------------------------------===//

#include "../Storage.h"
#include "Instructions.h"

using namespace mlir;
using namespace mlir::quant_float;
using arith::CmpFPredicate;

/// Returns the sign of each element at the position of the sign in an encoding.
static Value getSign(VectorBuilder &lanes, Value value, const FloatFormat &to) {
  Value bits = lanes.toBits(value);
  Value top = lanes.shrU(bits, VectorBuilder::getWidth(value) - to.width);
  return lanes.bitAnd(lanes.resize(top, 8), to.signMask());
}

static Value getMagnitude(VectorBuilder &lanes, Value value) {
  Value bits = lanes.toBits(value);
  APInt mask = APInt::getSignedMaxValue(VectorBuilder::getWidth(value));
  return lanes.bitcast(lanes.bitAnd(bits, mask.getZExtValue()),
                       getElementTypeOrSelf(value));
}

/// C3: replaces the maximum, which the instruction produces on overflow, by the
/// next encoding, which is infinity or NaN.
static Value correctOverflow(VectorBuilder &lanes, Value encodings, Value value,
                             const FloatFormat &to) {
  auto type = cast<FloatType>(getElementTypeOrSelf(value));
  // The midpoint between the maximum and the next value. It rounds to the even
  // encoding.
  APFloat unit =
      scalbn(APFloat(1.0f), to.maxExponent - int(to.mantissaBits) - 1,
             APFloat::rmNearestTiesToEven);
  APFloat threshold(to.maxValue.convertToDouble() + unit.convertToDouble());
  CmpFPredicate isBeyond =
      to.maxEncoding & 1 ? CmpFPredicate::OGE : CmpFPredicate::OGT;
  Value isOver = lanes.compare(isBeyond, getMagnitude(lanes, value),
                               lanes.number(type, threshold));
  uint64_t overflowEncoding =
      to.hasInfinity ? to.infinityEncoding : to.nanEncoding;
  Value change = lanes.select(isOver, to.maxEncoding ^ overflowEncoding,
                              lanes.integer(encodings, 0));
  return lanes.make<arith::XOrIOp>(encodings, change);
}

namespace {
/// Encodings in integers of as many bytes as possible, at most four.
class Registers {
public:
  Registers(VectorBuilder &vector, Value encodings)
      : vector(vector), type(cast<VectorType>(encodings.getType())),
        lanes(vector.withShapeOf(pack(encodings))) {}

  /// Returns the builder for ops on these integers.
  VectorBuilder &getLanes() { return lanes; }

  Value pack(Value encodings) {
    int64_t count = type.getNumElements();
    unsigned bytes = count % 4 == 0 ? 4 : count % 2 == 0 ? 2 : 1;
    return vector.make<vector::BitCastOp>(
        VectorType::get(count / bytes, vector.getInt(8 * bytes)), encodings);
  }
  Value unpack(Value packed) {
    return vector.make<vector::BitCastOp>(type, packed);
  }

  /// Returns an integer with `byte` in each byte.
  static uint64_t each(uint64_t byte) { return byte * 0x01010101; }
  /// Returns a bit of each byte as that byte's value.
  Value getBit(Value encodings, unsigned bit) {
    return lanes.bitAnd(lanes.shrU(encodings, bit), each(1));
  }
  /// Returns `byte` for bytes that are 1, and 0 for bytes that are 0.
  Value scale(Value bits, uint64_t byte) {
    return lanes.make<arith::MulIOp>(bits, lanes.integer(bits, byte));
  }

private:
  VectorBuilder &vector;
  VectorType type;
  VectorBuilder lanes;
};
} // namespace

/// C5: replaces 0x7F, the instruction's NaN, by 0x7E. No other encoding,
/// including those of overflow, is 0x7F or greater. The carry of an addition to
/// the sign bit identifies it.
static Value correctNaN(VectorBuilder &lanes, Value encodings) {
  Registers registers(lanes, encodings);
  VectorBuilder &l = registers.getLanes();
  Value packed = registers.pack(encodings);
  Value carry =
      l.add(l.bitAnd(packed, registers.each(0x7F)), registers.each(1));
  return registers.unpack(
      l.make<arith::XOrIOp>(packed, registers.getBit(carry, 7)));
}

Value nvvm::finishFloat8(VectorBuilder &lanes, Convert convert, Value value,
                         const Conversion &conversion) {
  FloatFormat to(conversion.to);
  Value encodings = convert(value);
  if (!conversion.semantics.saturate)
    encodings = correctOverflow(lanes, encodings, value, to);
  if (conversion.nans == NaNs::None || !conversion.nanMatters)
    return encodings;
  if (to.nanEncoding != to.magnitudeMask())
    encodings = correctNaN(lanes, encodings);
  // NaN gets its sign. All other encodings already have theirs.
  return lanes.make<arith::OrIOp>(encodings, getSign(lanes, value, to));
}

// The FNUZ format has one more exponent than its counterpart without FNUZ, at
// the lower end, and its encodings extend as much further at the upper end.
// Therefore one conversion computes small values and another large ones. In the
// common part of their ranges, both give the same encoding:
//
//   small = cvt(2 * x)             up to the counterpart's maximum
//   large = cvt(x / 2^k) + 8       from its smallest normal value
//
// k is chosen such that, in `large`, overflow of the FNUZ format has encodings
// from 0x80, and NaN has the greatest encoding.
Value nvvm::finishFNUZ(VectorBuilder &lanes, Convert convert, Value value,
                       const Conversion &conversion) {
  FloatFormat to(conversion.to);
  auto from = cast<FloatType>(getElementTypeOrSelf(value));
  // C4: infinity times zero is NaN. Adding any other zero has no effect.
  if (conversion.semantics.saturate && conversion.semantics.infinityIsNaN)
    value = lanes.make<math::FmaOp>(value, lanes.number(from, APFloat(0.0f)),
                                    value);
  auto convertScaled = [&](int exponent) {
    return convert(exponent == 0
                       ? value
                       : lanes.make<arith::MulFOp>(
                             value, lanes.powerOfTwo(from, exponent)));
  };
  Value first = convertScaled(1);
  Value second = convertScaled(int(to.mantissaBits) - 3);
  Registers registers(lanes, first);
  VectorBuilder &l = registers.getLanes();
  auto each = Registers::each;
  first = registers.pack(first);
  second = registers.pack(second);

  Value small = l.bitAnd(first, each(0x7F));
  second = l.bitAnd(second, each(0x7F));
  Value large = l.add(second, each(8));
  Value isLarge = registers.scale(registers.getBit(second, 6), 0xFF);
  Value encoding = l.make<arith::XOrIOp>(
      small,
      l.make<arith::AndIOp>(l.make<arith::XOrIOp>(small, large), isLarge));
  Value mask = registers.scale(registers.getBit(encoding, 7), 0x7F);
  if (conversion.semantics.saturate) {
    encoding = l.make<arith::OrIOp>(l.bitAnd(encoding, each(0x7F)), mask);
    // C5: 0x7F + 1 is the encoding of NaN.
    if (conversion.nans != NaNs::None)
      encoding = l.make<arith::AddIOp>(
          encoding, registers.getBit(l.add(second, each(1)), 7));
  } else {
    encoding =
        l.make<arith::XOrIOp>(encoding, l.make<arith::AndIOp>(encoding, mask));
  }
  // C6: zero has no sign. The instruction's NaN has none either.
  Value isNonZero = l.add(encoding, each(0x7F));
  Value sign = l.bitAnd(l.make<arith::AndIOp>(first, isNonZero), each(0x80));
  return registers.unpack(l.make<arith::OrIOp>(encoding, sign));
}

// C8: NaN becomes the zero of the other sign, or any zero if the sign does not
// matter (D8). The instruction would produce the maximum.
Value nvvm::finishGrid(VectorBuilder &lanes, Convert convert, Value value,
                       const Conversion &conversion) {
  if (conversion.nans == NaNs::None)
    return convert(value);
  auto from = cast<FloatType>(getElementTypeOrSelf(value));
  Value zero = lanes.number(from, APFloat(0.0f));
  if (conversion.nanMatters) {
    Value bits = lanes.toBits(value);
    Value others = lanes.make<arith::XOrIOp>(bits, lanes.integer(bits, -1));
    zero =
        lanes.bitcast(lanes.bitAnd(others, FloatFormat(from).signMask()), from);
  }
  return convert(lanes.select(lanes.isNaN(value), zero, value));
}

Value nvvm::finishScale(VectorBuilder &lanes, Convert convert, Value value,
                        const Conversion &conversion) {
  auto from = cast<FloatType>(getElementTypeOrSelf(value));
  // Negative values become 0. NaN remains.
  if (conversion.semantics.saturate)
    return convert(lanes.make<arith::MaximumFOp>(
        value, lanes.number(from, APFloat(0.0f))));
  Value encodings = convert(value);
  Value isInside = lanes.make<arith::AndIOp>(
      lanes.compare(CmpFPredicate::OGE, value, lanes.powerOfTwo(from, -127)),
      lanes.compare(CmpFPredicate::OLE, value, lanes.powerOfTwo(from, 127)));
  return lanes.select(isInside, encodings, lanes.integer(encodings, 0xFF));
}

/// C7: makes NaNs canonical, with the sign of the encoding, which the
/// instruction drops.
static Value correctNaNs(VectorBuilder &lanes, Value value, Value encodings,
                         Type from) {
  auto type = cast<FloatType>(getElementTypeOrSelf(value));
  FloatFormat format(type);
  unsigned width = FloatFormat(from).width;
  Value bits =
      lanes.select(lanes.isNaN(value), format.nanEncoding, lanes.toBits(value));
  if (FloatFormat(from).isSigned) {
    Value top = format.width == 32
                    ? moveToTop(lanes, encodings, width)
                    : lanes.shl(lanes.resize(encodings, format.width),
                                format.width - width);
    Value sign = lanes.bitAnd(top, format.signMask());
    bits = lanes.make<arith::OrIOp>(bits, sign);
  }
  return lanes.bitcast(bits, type);
}

Value nvvm::finishDecoded(VectorBuilder &lanes, Convert convert,
                          Value encodings, const Conversion &conversion) {
  encodings = dropUnusedBits(lanes, encodings, conversion.from);
  Value value = convert(encodings);
  // f16 to bf16: the upper half of the f32 is exact.
  bool byHighHalf =
      getElementTypeOrSelf(value).isF16() && conversion.to.isBF16();
  Type wide = byHighHalf ? Float32Type::get(value.getContext()) : conversion.to;
  if (getElementTypeOrSelf(value) != wide)
    value = lanes.convert<arith::ExtFOp>(value, wide);
  if (conversion.nanMatters)
    value = correctNaNs(lanes, value, encodings, conversion.from);
  if (!byHighHalf)
    return value;
  Value high = lanes.shrU(lanes.toBits(value), 16);
  return lanes.bitcast(lanes.resize(high, 16), conversion.to);
}
