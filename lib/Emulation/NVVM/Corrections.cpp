//===- Corrections.cpp - What instructions leave to do --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversion instructions round to nearest even, saturate, give the code 0x7F
// for NaN of either sign, or the largest value where there is no NaN, and take
// the magnitude for f8E8M0FNU.
//
//===----------------------------------------------------------------------===//

#include "../Storage.h"
#include "Instructions.h"

using namespace mlir;
using namespace mlir::quant_float;
using arith::CmpFPredicate;

/// The sign bit of each element, where the sign of a code is.
static Value getSign(Lanes &lanes, Value value, const FloatFormat &to) {
  Value bits = lanes.toBits(value);
  Value top = lanes.shrU(bits, Lanes::getWidth(value) - to.width);
  return lanes.bitAnd(lanes.resize(top, 8), to.signMask());
}

static Value getMagnitude(Lanes &lanes, Value value) {
  Value bits = lanes.toBits(value);
  APInt mask = APInt::getSignedMaxValue(Lanes::getWidth(value));
  return lanes.bitcast(lanes.bitAnd(bits, mask.getZExtValue()),
                       getElementTypeOrSelf(value));
}

/// C3: what overflows has the code after the largest value's, infinity or NaN,
/// where the instruction gives the largest value.
static Value correctOverflow(Lanes &lanes, Value codes, Value value,
                             const FloatFormat &to) {
  auto type = cast<FloatType>(getElementTypeOrSelf(value));
  // Halfway to the next value; the tie goes to the even code.
  APFloat unit =
      scalbn(APFloat(1.0f), to.maxExponent - int(to.mantissaBits) - 1,
             APFloat::rmNearestTiesToEven);
  APFloat threshold(to.maxValue.convertToDouble() + unit.convertToDouble());
  CmpFPredicate isBeyond =
      to.maxCode & 1 ? CmpFPredicate::OGE : CmpFPredicate::OGT;
  Value isOver = lanes.compare(isBeyond, getMagnitude(lanes, value),
                               lanes.number(type, threshold));
  uint64_t overflowCode = to.hasInfinity ? to.infinityCode : to.nanCode;
  Value change =
      lanes.select(isOver, to.maxCode ^ overflowCode, lanes.integer(codes, 0));
  return lanes.make<arith::XOrIOp>(codes, change);
}

namespace {
/// Codes by as many as fit a register, as one integer.
class Registers {
public:
  Registers(Lanes &vector, Value codes)
      : vector(vector), type(cast<VectorType>(codes.getType())),
        lanes(vector.withShapeOf(pack(codes))) {}

  /// What builds ops on them.
  Lanes &getLanes() { return lanes; }

  Value pack(Value codes) {
    int64_t count = type.getNumElements();
    unsigned bytes = count % 4 == 0 ? 4 : count % 2 == 0 ? 2 : 1;
    return vector.make<vector::BitCastOp>(
        VectorType::get(count / bytes, vector.getInt(8 * bytes)), codes);
  }
  Value unpack(Value packed) {
    return vector.make<vector::BitCastOp>(type, packed);
  }

  /// The same in each byte.
  static uint64_t each(uint64_t byte) { return byte * 0x01010101; }
  /// A bit of each byte, as the byte.
  Value getBit(Value codes, unsigned bit) {
    return lanes.bitAnd(lanes.shrU(codes, bit), each(1));
  }
  /// `byte` where a byte is 1, and 0 where it is 0.
  Value scale(Value bits, uint64_t byte) {
    return lanes.make<arith::MulIOp>(bits, lanes.integer(bits, byte));
  }

private:
  Lanes &vector;
  VectorType type;
  Lanes lanes;
};
} // namespace

/// C5: 0x7E for NaN, where the instruction gives 0x7F and infinity nowhere.
/// What the correction of an overflow gives is below that, too: the carry of an
/// addition, which ends in the sign bit of a byte, tells 0x7F from the others.
static Value correctNaNCode(Lanes &lanes, Value codes) {
  Registers registers(lanes, codes);
  Lanes &l = registers.getLanes();
  Value packed = registers.pack(codes);
  Value carry =
      l.add(l.bitAnd(packed, registers.each(0x7F)), registers.each(1));
  return registers.unpack(
      l.make<arith::XOrIOp>(packed, registers.getBit(carry, 7)));
}

Value nvvm::finishFloat8(Lanes &lanes, Convert convert, Value value,
                         const Conversion &conversion) {
  FloatFormat to(conversion.to);
  Value codes = convert(value);
  if (!conversion.semantics.saturate)
    codes = correctOverflow(lanes, codes, value, to);
  if (conversion.nans == NaNs::None || !conversion.nanMatters)
    return codes;
  if (to.nanCode != to.magnitudeMask())
    codes = correctNaNCode(lanes, codes);
  // NaN keeps its sign; all other codes have theirs.
  return lanes.make<arith::OrIOp>(codes, getSign(lanes, value, to));
}

// The exponent has one more in the FNUZ format than in its counterpart, and the
// codes reach as much further up. So there is one conversion for what is small
// and one for what is large; where their ranges overlap both give the same
// code:
//
//   small = cvt(2 * x)             up to the counterpart's largest value
//   large = cvt(x / 2^k) + 8       from its smallest normal value on
//
// with k so that what overflows in the FNUZ format has a code from 0x80 on in
// the latter, and NaN has the greatest.
Value nvvm::finishFNUZ(Lanes &lanes, Convert convert, Value value,
                       const Conversion &conversion) {
  FloatFormat to(conversion.to);
  auto from = cast<FloatType>(getElementTypeOrSelf(value));
  // C4: infinity times zero is NaN, and adding another zero changes nothing.
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
  Lanes &l = registers.getLanes();
  auto each = Registers::each;
  first = registers.pack(first);
  second = registers.pack(second);

  Value small = l.bitAnd(first, each(0x7F));
  second = l.bitAnd(second, each(0x7F));
  Value large = l.add(second, each(8));
  Value isLarge = registers.scale(registers.getBit(second, 6), 0xFF);
  Value code = l.make<arith::XOrIOp>(
      small,
      l.make<arith::AndIOp>(l.make<arith::XOrIOp>(small, large), isLarge));
  Value mask = registers.scale(registers.getBit(code, 7), 0x7F);
  if (conversion.semantics.saturate) {
    code = l.make<arith::OrIOp>(l.bitAnd(code, each(0x7F)), mask);
    // C5: 0x7F and 1 are the code of NaN.
    if (conversion.nans != NaNs::None)
      code = l.make<arith::AddIOp>(code,
                                   registers.getBit(l.add(second, each(1)), 7));
  } else {
    code = l.make<arith::XOrIOp>(code, l.make<arith::AndIOp>(code, mask));
  }
  // C6: a zero has no sign; the instruction gives NaN none.
  Value isNonZero = l.add(code, each(0x7F));
  Value sign = l.bitAnd(l.make<arith::AndIOp>(first, isNonZero), each(0x80));
  return registers.unpack(l.make<arith::OrIOp>(code, sign));
}

// NaN is the zero of the other sign (D8: of either), where the instruction
// gives the largest value.
Value nvvm::finishGrid(Lanes &lanes, Convert convert, Value value,
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

Value nvvm::finishScale(Lanes &lanes, Convert convert, Value value,
                        const Conversion &conversion) {
  auto from = cast<FloatType>(getElementTypeOrSelf(value));
  // Negative numbers are 0; NaN stays.
  if (conversion.semantics.saturate)
    return convert(lanes.make<arith::MaximumFOp>(
        value, lanes.number(from, APFloat(0.0f))));
  Value codes = convert(value);
  Value isInside = lanes.make<arith::AndIOp>(
      lanes.compare(CmpFPredicate::OGE, value, lanes.powerOfTwo(from, -127)),
      lanes.compare(CmpFPredicate::OLE, value, lanes.powerOfTwo(from, 127)));
  return lanes.select(isInside, codes, lanes.integer(codes, 0xFF));
}

/// C7: NaN is canonical and has the sign of the code, where the instruction
/// drops the sign.
static Value correctNaNs(Lanes &lanes, Value value, Value codes, Type from) {
  auto type = cast<FloatType>(getElementTypeOrSelf(value));
  FloatFormat format(type);
  unsigned width = FloatFormat(from).width;
  Value bits =
      lanes.select(lanes.isNaN(value), format.nanCode, lanes.toBits(value));
  if (FloatFormat(from).isSigned) {
    Value top = format.width == 32
                    ? moveToTop(lanes, codes, width)
                    : lanes.shl(lanes.resize(codes, format.width),
                                format.width - width);
    Value sign = lanes.bitAnd(top, format.signMask());
    bits = lanes.make<arith::OrIOp>(bits, sign);
  }
  return lanes.bitcast(bits, type);
}

Value nvvm::finishDecoded(Lanes &lanes, Convert convert, Value codes,
                          const Conversion &conversion) {
  codes = dropUnusedBits(lanes, codes, conversion.from);
  Value value = convert(codes);
  // To bf16 by f32, of which the high half is enough.
  bool byHighHalf =
      getElementTypeOrSelf(value).isF16() && conversion.to.isBF16();
  Type wide = byHighHalf ? Float32Type::get(value.getContext()) : conversion.to;
  if (getElementTypeOrSelf(value) != wide)
    value = lanes.convert<arith::ExtFOp>(value, wide);
  if (conversion.nanMatters)
    value = correctNaNs(lanes, value, codes, conversion.from);
  if (!byHighHalf)
    return value;
  Value high = lanes.shrU(lanes.toBits(value), 16);
  return lanes.bitcast(lanes.resize(high, 16), conversion.to);
}
