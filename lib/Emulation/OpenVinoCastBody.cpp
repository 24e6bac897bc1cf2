//===- OpenVinoCastBody.cpp - Casts as OpenVINO has them ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "Patterns.h"
#include "mlir/IR/PatternMatch.h"
#include "quant-float/Emulation/ElementBodies.h"
#include "quant-float/IR/OpenVinoConvert.h"

using namespace mlir;
using namespace mlir::quant_float;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

/// As ONNX has it.
static Value castAsOnnx(Lanes &lanes, Value value, Type to) {
  return createOnnxCast(lanes.getBuilder(), lanes.getLoc(), value, to);
}

static Value number(Lanes &lanes, Value like, double value) {
  return lanes.number(cast<FloatType>(getElementTypeOrSelf(like)),
                      APFloat(value));
}

/// `x` (f32, f64) without its fraction, in a signless integer; the lowest one
/// where it does not fit, as of x86's instructions.
static Value truncate(Lanes &lanes, Value x, unsigned width) {
  double bound = std::ldexp(1.0, width - 1);
  // -bound - 1 may be rounded to -bound, which gives the same number.
  Value isAbove =
      lanes.compare(CmpFPredicate::OGT, x, number(lanes, x, -bound - 1));
  Value isBelow = lanes.compare(CmpFPredicate::OLT, x, number(lanes, x, bound));
  Value isInside = lanes.make<arith::AndIOp>(isAbove, isBelow);
  Value integer = lanes.convert<arith::FPToSIOp>(x, lanes.getInt(width));
  Value lowest = lanes.integer(integer, uint64_t(1) << (width - 1));
  return lanes.select(isInside, integer, lowest);
}

/// From 2^63 on it is the number below 2^63 with the highest bit set.
static Value truncateUnsigned64(Lanes &lanes, Value x) {
  Value bound = number(lanes, x, 0x1p63);
  Value rest = truncate(lanes, lanes.make<arith::SubFOp>(x, bound), 64);
  Value above =
      lanes.make<arith::XOrIOp>(rest, lanes.integer(rest, uint64_t(1) << 63));
  Value below = truncate(lanes, x, 64);
  return lanes.select(lanes.compare(CmpFPredicate::OGE, x, bound), above,
                      below);
}

static Value toInteger(Lanes &lanes, Value x, IntegerType to) {
  if (to.isInteger(1))
    return lanes.compare(CmpFPredicate::ONE, x, number(lanes, x, 0));
  bool isUnsigned = to.isUnsigned();
  unsigned width = to.getWidth();
  Value integer;
  if (isUnsigned && width == 64)
    integer = truncateUnsigned64(lanes, x);
  else if (width == 64 || (isUnsigned && width == 32))
    integer = truncate(lanes, x, 64);
  else
    integer = truncate(lanes, x, 32);
  // C12: the low bits.
  return castAsOnnx(lanes, integer, to);
}

/// To nearest, ties to the even code; codes are f32's exponents, but for
/// 2^-127, which is a subnormal there.
static Value toScale(Lanes &lanes, Value x, Type to) {
  constexpr unsigned kMantissa = 23;
  constexpr uint64_t kAlmostHalf = 0x3fffff, kSmallestNormal = 0x800000;
  constexpr uint64_t kInfinity = 0x7f800000;
  // Between 2^-127 and 2^-126.
  constexpr uint64_t kMiddle = 0x600000;
  constexpr uint64_t kLargestCode = 254, kNaNCode = 255;
  Value bits = lanes.toBits(x);
  Value isOdd = lanes.bitAnd(lanes.shrU(bits, kMantissa), 1);
  Value rounded =
      lanes.make<arith::AddIOp>(lanes.add(bits, kAlmostHalf), isOdd);
  Value code = lanes.shrU(rounded, kMantissa);
  code = lanes.make<arith::MinUIOp>(code, lanes.integer(code, kLargestCode));
  Value isAboveMiddle = lanes.convert<arith::ExtUIOp>(
      lanes.compare(CmpIPredicate::sgt, bits, kMiddle), lanes.getInt(32));
  code = lanes.select(lanes.compare(CmpIPredicate::slt, bits, kSmallestNormal),
                      isAboveMiddle, code);
  code = lanes.select(lanes.compare(CmpIPredicate::sgt, bits, kInfinity),
                      kNaNCode, code);
  // Also a NaN with a sign.
  code = lanes.select(lanes.compare(CmpIPredicate::slt, bits, uint64_t(0)),
                      uint64_t(0), code);
  return lanes.bitcast(lanes.resize(code, 8), to);
}

/// As ONNX, but for NaN: the largest magnitude, with the sign.
static Value toFloat4(Lanes &lanes, Value x, Type to) {
  constexpr unsigned kSignShift = 28;
  constexpr uint64_t kSign = 8, kLargest = 7;
  Value sign = lanes.bitAnd(lanes.shrU(lanes.toBits(x), kSignShift), kSign);
  Value ofNaN = lanes.resize(lanes.bitOr(sign, kLargest), 8);
  Value rounded =
      lanes.convert<StorageCastOp>(castAsOnnx(lanes, x, to), lanes.getInt(8));
  return lanes.convert<StorageCastOp>(
      lanes.select(lanes.isNaN(x), ofNaN, rounded), to);
}

/// Half a unit is added where the last bit kept is 1; else the rest is cut off.
static Value toBFloat16(Lanes &lanes, Value x, Type to) {
  constexpr uint64_t kLastBit = 0x10000;
  Value bits = lanes.toBits(x);
  Value half = lanes.shrU(lanes.bitAnd(bits, kLastBit), 1);
  Value kept = lanes.shrU(lanes.make<arith::AddIOp>(bits, half), 16);
  return lanes.bitcast(lanes.resize(kept, 16), to);
}

Value quant_float::buildOpenVinoCast(OpBuilder &builder, Location loc, Value x,
                                     Type to) {
  Type from = getElementTypeOrSelf(x);
  if (from == to)
    return x;
  static const EmulationTarget none;
  Lanes lanes(builder, loc, x, none);
  if (getOpenVinoConversion(from, to) != OpenVinoConversion::Own) {
    for (Type step : getOpenVinoSteps(from, to))
      x = castAsOnnx(lanes, x, step);
    return x;
  }
  auto integer = dyn_cast<IntegerType>(to);
  // Integers keep the bits of f64.
  if (!(integer && isa<Float64Type>(from)))
    x = castAsOnnx(lanes, x, builder.getF32Type());
  if (integer)
    return toInteger(lanes, x, integer);
  if (isa<Float8E8M0FNUType>(to))
    return toScale(lanes, x, to);
  return isa<Float4E2M1FNType>(to) ? toFloat4(lanes, x, to)
                                   : toBFloat16(lanes, x, to);
}

namespace {
/// A cast of a scalar or a vector in the mode openvino, as arith ops and casts.
struct OpenVinoCastOpExpansion final : OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getMode() != CastMode::OpenVINO || isa<TensorType>(op.getType()))
      return failure();
    rewriter.replaceOp(op,
                       buildOpenVinoCast(rewriter, op.getLoc(), op.getInput(),
                                         getElementTypeOrSelf(op.getType())));
    return success();
  }
};
} // namespace

void quant_float::populateOpenVinoCastPatterns(RewritePatternSet &patterns) {
  patterns.add<OpenVinoCastOpExpansion>(patterns.getContext());
}
