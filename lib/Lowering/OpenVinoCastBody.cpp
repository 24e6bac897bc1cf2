//===- OpenVinoCastBody.cpp - Casts with OpenVINO's results ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "VectorBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "quant-float/IR/OpenVinoConvert.h"
#include "quant-float/Lowering/ElementBodies.h"

using namespace mlir;
using namespace mlir::quant_float;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

/// Casts as ONNX specifies.
static Value castAsOnnx(VectorBuilder &lanes, Value value, Type to) {
  return createOnnxCast(lanes.getBuilder(), lanes.getLoc(), value, to);
}

static Value number(VectorBuilder &lanes, Value like, double value) {
  return lanes.number(cast<FloatType>(getElementTypeOrSelf(like)),
                      APFloat(value));
}

/// Truncates `x` (f32 or f64) to a signless integer. As with x86's
/// instructions, values out of range give the minimum.
static Value truncate(VectorBuilder &lanes, Value x, unsigned width) {
  double bound = std::ldexp(1.0, width - 1);
  // If -bound - 1 rounds to -bound, the minimum is correct for it, too.
  Value isAbove =
      lanes.compare(CmpFPredicate::OGT, x, number(lanes, x, -bound - 1));
  Value isBelow = lanes.compare(CmpFPredicate::OLT, x, number(lanes, x, bound));
  Value isInside = lanes.make<arith::AndIOp>(isAbove, isBelow);
  Value integer = lanes.convert<arith::FPToSIOp>(x, lanes.getInt(width));
  Value lowest = lanes.integer(integer, uint64_t(1) << (width - 1));
  return lanes.select(isInside, integer, lowest);
}

/// Values of at least 2^63 are converted minus 2^63, and the top bit is set.
static Value truncateUnsigned64(VectorBuilder &lanes, Value x) {
  Value bound = number(lanes, x, 0x1p63);
  Value rest = truncate(lanes, lanes.make<arith::SubFOp>(x, bound), 64);
  Value above =
      lanes.make<arith::XOrIOp>(rest, lanes.integer(rest, uint64_t(1) << 63));
  Value below = truncate(lanes, x, 64);
  return lanes.select(lanes.compare(CmpFPredicate::OGE, x, bound), above,
                      below);
}

static Value toInteger(VectorBuilder &lanes, Value x, IntegerType to) {
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

/// Rounds to nearest, ties to the even encoding. The encodings are f32's
/// exponents, except for 2^-127, which is subnormal in f32.
static Value toScale(VectorBuilder &lanes, Value x, Type to) {
  constexpr unsigned kMantissa = 23;
  constexpr uint64_t kAlmostHalf = 0x3fffff, kSmallestNormal = 0x800000;
  constexpr uint64_t kInfinity = 0x7f800000;
  // The midpoint of 2^-127 and 2^-126.
  constexpr uint64_t kMiddle = 0x600000;
  constexpr uint64_t kLargestEncoding = 254, kNaNEncoding = 255;
  Value bits = lanes.toBits(x);
  Value isOdd = lanes.bitAnd(lanes.shrU(bits, kMantissa), 1);
  Value rounded =
      lanes.make<arith::AddIOp>(lanes.add(bits, kAlmostHalf), isOdd);
  Value encoding = lanes.shrU(rounded, kMantissa);
  encoding = lanes.make<arith::MinUIOp>(
      encoding, lanes.integer(encoding, kLargestEncoding));
  Value isAboveMiddle = lanes.convert<arith::ExtUIOp>(
      lanes.compare(CmpIPredicate::sgt, bits, kMiddle), lanes.getInt(32));
  encoding =
      lanes.select(lanes.compare(CmpIPredicate::slt, bits, kSmallestNormal),
                   isAboveMiddle, encoding);
  encoding = lanes.select(lanes.compare(CmpIPredicate::sgt, bits, kInfinity),
                          kNaNEncoding, encoding);
  // This includes negative NaNs.
  encoding = lanes.select(lanes.compare(CmpIPredicate::slt, bits, uint64_t(0)),
                          uint64_t(0), encoding);
  return lanes.bitcast(lanes.resize(encoding, 8), to);
}

/// Casts as ONNX specifies, except that NaN becomes the maximum with its sign.
static Value toFloat4(VectorBuilder &lanes, Value x, Type to) {
  constexpr unsigned kSignShift = 28;
  constexpr uint64_t kSign = 8, kLargest = 7;
  Value sign = lanes.bitAnd(lanes.shrU(lanes.toBits(x), kSignShift), kSign);
  Value ofNaN = lanes.resize(lanes.bitOr(sign, kLargest), 8);
  Value rounded =
      lanes.convert<StorageCastOp>(castAsOnnx(lanes, x, to), lanes.getInt(8));
  return lanes.convert<StorageCastOp>(
      lanes.select(lanes.isNaN(x), ofNaN, rounded), to);
}

/// Adds half a unit if the last remaining bit is 1, and truncates.
static Value toBFloat16(VectorBuilder &lanes, Value x, Type to) {
  constexpr uint64_t kLastBit = 0x10000;
  Value bits = lanes.toBits(x);
  Value half = lanes.shrU(lanes.bitAnd(bits, kLastBit), 1);
  Value upper = lanes.shrU(lanes.make<arith::AddIOp>(bits, half), 16);
  return lanes.bitcast(lanes.resize(upper, 16), to);
}

Value quant_float::buildOpenVinoCast(OpBuilder &builder, Location loc, Value x,
                                     Type to) {
  Type from = getElementTypeOrSelf(x);
  if (from == to)
    return x;
  static const LoweringTarget none;
  VectorBuilder lanes(builder, loc, x, none);
  if (getOpenVinoConversion(from, to) != OpenVinoConversion::Own) {
    for (Type step : getOpenVinoSteps(from, to))
      x = castAsOnnx(lanes, x, step);
    return x;
  }
  auto integer = dyn_cast<IntegerType>(to);
  // Integers are converted from f64 directly, because f32 lacks some of its
  // bits.
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
/// Expands a cast of a scalar or vector in mode openvino to arith ops and
/// casts.
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
