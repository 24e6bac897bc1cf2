//===- OpenVinoConvert.cpp - OpenVINO Convert where ONNX differs ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "Conversions.h"
#include "Elementwise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "quant-float/IR/ElementTypes.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

using arith::CmpFPredicate;
using arith::CmpIPredicate;

static Value select(ImplicitLocOpBuilder &b, Value condition, Value a,
                    Value c) {
  return b.createOrFold<arith::SelectOp>(condition, a, c);
}
static Value compare(ImplicitLocOpBuilder &b, CmpIPredicate predicate, Value a,
                     Value c) {
  return b.createOrFold<arith::CmpIOp>(predicate, a, c);
}
static Value compare(ImplicitLocOpBuilder &b, CmpFPredicate predicate, Value a,
                     Value c) {
  return b.createOrFold<arith::CmpFOp>(predicate, a, c);
}

/// `x` (f32, f64) without its fraction, in a signless integer; the lowest one
/// where it does not fit, as of x86's instructions.
static Value truncate(ImplicitLocOpBuilder &b, Value x, unsigned width) {
  Type type = b.getIntegerType(width);
  double bound = std::ldexp(1.0, width - 1);
  // -bound - 1 may be rounded to -bound, which gives the same number.
  Value isAbove =
      compare(b, CmpFPredicate::OGT, x, makeNumber(b, x.getType(), -bound - 1));
  Value isBelow =
      compare(b, CmpFPredicate::OLT, x, makeNumber(b, x.getType(), bound));
  Value isInside = b.createOrFold<arith::AndIOp>(isAbove, isBelow);
  Value lowest = arith::ConstantOp::create(
      b, b.getIntegerAttr(type, APInt::getSignedMinValue(width)));
  return select(b, isInside, b.createOrFold<arith::FPToSIOp>(type, x), lowest);
}

/// From 2^63 on it is the number below 2^63 with the highest bit set.
static Value truncateUnsigned64(ImplicitLocOpBuilder &b, Value x) {
  constexpr unsigned kWidth = 64;
  Value bound = makeNumber(b, x.getType(), std::ldexp(1.0, kWidth - 1));
  Value highest = arith::ConstantOp::create(
      b, b.getIntegerAttr(b.getI64Type(), APInt::getSignMask(kWidth)));
  Value rest = truncate(b, b.createOrFold<arith::SubFOp>(x, bound), kWidth);
  Value above = b.createOrFold<arith::XOrIOp>(rest, highest);
  Value below = truncate(b, x, kWidth);
  return select(b, compare(b, CmpFPredicate::OGE, x, bound), above, below);
}

static Value toInteger(ImplicitLocOpBuilder &b, Value x, IntegerType to) {
  constexpr unsigned kNarrow = 32, kWide = 64;
  if (to.isInteger(1))
    return compare(b, CmpFPredicate::ONE, x, makeNumber(b, x.getType(), 0));
  bool isUnsigned = to.isUnsigned();
  Value integer;
  if (isUnsigned && to.getWidth() == kWide)
    integer = truncateUnsigned64(b, x);
  else if (to.getWidth() == kWide || (isUnsigned && to.getWidth() == kNarrow))
    integer = truncate(b, x, kWide);
  else
    integer = truncate(b, x, kNarrow);
  // C12: the low bits.
  return b.createOrFold<CastOp>(integer, to);
}

namespace {
/// An f32 as its bits, and constants beside them.
struct Bits {
  ImplicitLocOpBuilder &b;
  Value value;

  Bits(ImplicitLocOpBuilder &b, Value x)
      : b(b), value(b.createOrFold<arith::BitcastOp>(b.getI32Type(), x)) {}
  Value constant(int32_t number) const {
    return arith::ConstantOp::create(b, b.getI32IntegerAttr(number));
  }
  Value add(Value a, Value c) const {
    return b.createOrFold<arith::AddIOp>(a, c);
  }
  Value bitAnd(Value a, int32_t mask) const {
    return b.createOrFold<arith::AndIOp>(a, constant(mask));
  }
  Value shift(Value a, int32_t amount) const {
    return b.createOrFold<arith::ShRUIOp>(a, constant(amount));
  }
  Value cut(Value a, Type type) const {
    return b.createOrFold<arith::TruncIOp>(type, a);
  }
};
} // namespace

/// To nearest, ties to the even code; codes are f32's exponents, but for
/// 2^-127, which is a subnormal there.
static Value toScale(ImplicitLocOpBuilder &b, Value x, Type to) {
  constexpr int32_t kMantissa = 23, kAlmostHalf = 0x3fffff;
  constexpr int32_t kSmallestNormal = 0x800000, kInfinity = 0x7f800000;
  // Between 2^-127 and 2^-126.
  constexpr int32_t kMiddle = 0x600000;
  constexpr int32_t kLargestCode = 254, kNaNCode = 255;
  Bits bits(b, x);
  Value isOdd = bits.bitAnd(bits.shift(bits.value, kMantissa), 1);
  Value rounded = bits.add(bits.value, bits.constant(kAlmostHalf));
  Value code = bits.shift(bits.add(rounded, isOdd), kMantissa);
  code = b.createOrFold<arith::MinUIOp>(code, bits.constant(kLargestCode));
  Value isAboveMiddle = b.createOrFold<arith::ExtUIOp>(
      b.getI32Type(),
      compare(b, CmpIPredicate::sgt, bits.value, bits.constant(kMiddle)));
  auto is = [&](CmpIPredicate predicate, int32_t bound) {
    return compare(b, predicate, bits.value, bits.constant(bound));
  };
  code =
      select(b, is(CmpIPredicate::slt, kSmallestNormal), isAboveMiddle, code);
  code = select(b, is(CmpIPredicate::sgt, kInfinity), bits.constant(kNaNCode),
                code);
  // Also a NaN with a sign.
  code = select(b, is(CmpIPredicate::slt, 0), bits.constant(0), code);
  return b.createOrFold<arith::BitcastOp>(to, bits.cut(code, b.getI8Type()));
}

/// As ONNX, but for NaN: the largest magnitude, with the sign.
static Value toFloat4(ImplicitLocOpBuilder &b, Value x, Type to) {
  constexpr int32_t kSignShift = 28, kSign = 8, kLargest = 7;
  Bits bits(b, x);
  Value sign = bits.bitAnd(bits.shift(bits.value, kSignShift), kSign);
  Value ofNaN = b.createOrFold<arith::OrIOp>(sign, bits.constant(kLargest));
  Value rounded = b.createOrFold<StorageCastOp>(b.getI8Type(),
                                                b.createOrFold<CastOp>(x, to));
  ofNaN = bits.cut(ofNaN, b.getI8Type());
  Value isNaN = compare(b, CmpFPredicate::UNO, x, x);
  Value code = select(b, isNaN, ofNaN, rounded);
  return b.createOrFold<StorageCastOp>(to, code);
}

/// Half a unit is added where the last bit kept is 1; else the rest is cut off.
static Value toBFloat16(ImplicitLocOpBuilder &b, Value x, Type to) {
  constexpr int32_t kLastBit = 0x10000, kKept = 16;
  Bits bits(b, x);
  Value half = bits.shift(bits.bitAnd(bits.value, kLastBit), 1);
  Value kept = bits.shift(bits.add(bits.value, half), kKept);
  return b.createOrFold<arith::BitcastOp>(to,
                                          bits.cut(kept, b.getIntegerType(16)));
}

static Value convert(ImplicitLocOpBuilder &b, Value x, Type to) {
  // Integers keep the bits of f64.
  bool isWide = isa<Float64Type>(x.getType()) && isa<IntegerType>(to);
  if (!isWide)
    x = b.createOrFold<CastOp>(x, b.getF32Type());
  if (auto integer = dyn_cast<IntegerType>(to))
    return toInteger(b, x, integer);
  if (isa<Float8E8M0FNUType>(to))
    return toScale(b, x, to);
  return isa<Float4E2M1FNType>(to) ? toFloat4(b, x, to) : toBFloat16(b, x, to);
}

NodeResults onnx_nodes::convertOpenVinoConvert(NodeContext &context) {
  int64_t number = context.getInt("to", 0);
  Type to = getTypeFromOnnxDataType(context.b.getContext(), number);
  bool isKnown =
      to && (to.isIntOrIndex() ||
             isa<Float8E8M0FNUType, Float4E2M1FNType, BFloat16Type>(to));
  if (!isKnown)
    return context.unsupported("'to' must be the number of an integer type, "
                               "bfloat16, float8e8m0 or float4e2m1, but got " +
                               Twine(number));
  return buildBroadcast(context, context.inputs, to,
                        [&](ImplicitLocOpBuilder &b, ValueRange args) {
                          return convert(b, args[0], to);
                        });
}
