//===- FakeConvertBody.cpp - Expansion of fakeconvert ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VectorBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Lowering/ElementBodies.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

namespace {
/// Computes in f32, which represents every operand exactly.
class FakeConvertBody {
public:
  FakeConvertBody(OpBuilder &builder, Location loc, FakeConvertOp op,
                  Value input)
      : op(op), lanes(builder, loc, input, anyTarget),
        f32(builder.getF32Type()), f16(builder.getF16Type()),
        type(cast<FloatType>(getElementTypeOrSelf(input))),
        destination(cast<FloatType>(op.getDestination())) {}

  Value build(Value input, Value scale, Value shift);

private:
  Value convert(Value value, FloatType to) {
    if (getElementTypeOrSelf(value) == to)
      return value;
    return lanes.make<CastOp>(value, to);
  }
  /// Rounds to nearest even in `to`.
  Value roundTo(Value value, FloatType to) {
    return convert(convert(value, to), f32);
  }
  Value number(double value) { return lanes.number(f32, APFloat(value)); }

  Value roundByOpenVino(Value value);
  Value roundToHalfByOpenVino(Value value);
  Value roundToBFloatByOpenVino(Value value);

  Value scaleAndShift();
  Value convertExactly();
  Value convertByPlugin();
  Value convertByReference();
  Value getInverseShift();
  Value getReciprocal();
  Value roundByPlugin(Value value);
  Value truncateSubnormals(Value half);

  static const LoweringTarget anyTarget;
  FakeConvertOp op;
  VectorBuilder lanes;
  FloatType f32, f16, type, destination;
  /// As f32; `shift` may be null.
  Value input, scale, shift;
};
} // namespace

const LoweringTarget FakeConvertBody::anyTarget;

//===----------------------------------------------------------------------===//
// Rounding as in OpenVINO
//===----------------------------------------------------------------------===//

/// Rounds to f16, to nearest even. As in OpenVINO, magnitudes below 2^-15,
/// which are subnormal in f16, are doubled if rounding to 11 bits carries into
/// the next power of two.
Value FakeConvertBody::roundToHalfByOpenVino(Value value) {
  Value bits = lanes.toBits(value);
  Value carries =
      lanes.compare(CmpIPredicate::uge, lanes.bitAnd(bits, 0x7FFFFF), 0x7FF000);
  Value isSmall = lanes.compare(
      CmpIPredicate::ult, lanes.bitAnd(bits, 0x7FFFFFFF), (127 - 15) << 23);
  Value isDoubled = lanes.make<arith::AndIOp>(carries, isSmall);
  bits = lanes.select(isDoubled, lanes.add(bits, 1 << 23), bits);
  return convert(lanes.bitcast(bits, f32), f16);
}

/// Rounds to bf16: adds half a unit if the last remaining bit is 1, and
/// truncates. The result is an f32.
Value FakeConvertBody::roundToBFloatByOpenVino(Value value) {
  Value bits = lanes.toBits(value);
  Value half = lanes.shrU(lanes.bitAnd(bits, 0x10000), 1);
  Value rounded = lanes.select(lanes.isNaN(value), bits,
                               lanes.make<arith::AddIOp>(bits, half));
  return lanes.bitcast(lanes.bitAnd(rounded, 0xFFFF0000), f32);
}

/// Rounds to the data type. The result is an f32.
Value FakeConvertBody::roundByOpenVino(Value value) {
  if (type.isF32())
    return value;
  return type.isBF16() ? roundToBFloatByOpenVino(value)
                       : convert(roundToHalfByOpenVino(value), f32);
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

Value FakeConvertBody::scaleAndShift() {
  Value scaled = lanes.make<arith::MulFOp>(input, scale);
  return shift ? lanes.make<arith::SubFOp>(scaled, shift) : scaled;
}

Value FakeConvertBody::convertExactly() {
  Value result = roundTo(scaleAndShift(), destination);
  if (shift)
    result = lanes.make<arith::AddFOp>(result, shift);
  return lanes.make<arith::DivFOp>(result, scale);
}

/// Rounds to the destination type. A NaN becomes the minimum.
Value FakeConvertBody::roundByPlugin(Value value) {
  FloatFormat format(destination);
  Value low = lanes.number(f32, -format.maxValue);
  Value high = lanes.number(f32, format.maxValue);
  // maxnum is not equivalent, because some CPUs return NaN for a signaling NaN.
  value =
      lanes.select(lanes.compare(CmpFPredicate::OGT, value, low), value, low);
  value =
      lanes.select(lanes.compare(CmpFPredicate::OLT, value, high), value, high);
  // If the data type is f16, the value is already rounded to f16.
  return convert(
      convert(type.isF16() ? value : convert(value, f16), destination), f32);
}

Value FakeConvertBody::convertByPlugin() {
  Value result = roundByPlugin(roundTo(scaleAndShift(), type));
  if (shift)
    result = lanes.make<arith::AddFOp>(result, getInverseShift());
  result = lanes.make<arith::MulFOp>(result, getReciprocal());
  // Adding +0 only changes -0, to +0.
  return op.getPositiveZero() ? lanes.make<arith::AddFOp>(result, number(0.0))
                              : result;
}

/// Adding -0 changes no value, not even the sign of a zero.
Value FakeConvertBody::getInverseShift() {
  if (!op.getNeutralShift())
    return shift;
  Value isZero = lanes.compare(CmpFPredicate::OEQ, shift, number(0.0));
  return lanes.select(isZero, number(-0.0), shift);
}

Value FakeConvertBody::getReciprocal() {
  Value reciprocal = lanes.make<arith::DivFOp>(number(1.0), scale);
  switch (op.getReciprocal().value_or(FakeConvertReciprocal::Single)) {
  case FakeConvertReciprocal::Single:
    return reciprocal;
  case FakeConvertReciprocal::Nearest:
    return roundTo(reciprocal, type);
  case FakeConvertReciprocal::OpenVINO:
    return roundToBFloatByOpenVino(reciprocal);
  }
  return reciprocal;
}

/// Converts f16 to f8E4M3FN: rounds to four significant bits, whatever the
/// exponent, and then truncates to a multiple of the smallest subnormal.
Value FakeConvertBody::truncateSubnormals(Value half) {
  FloatFormat format(destination);
  Value value = convert(half, f32);
  Value magnitude = lanes.bitAnd(lanes.toBits(value), 0x7FFFFFFF);
  unsigned dropped = 23 - format.mantissaBits;
  Value last = lanes.bitAnd(lanes.shrU(magnitude, dropped), 1);
  Value rounded = lanes.make<arith::AddIOp>(
      lanes.add(magnitude, (1 << (dropped - 1)) - 1), last);
  rounded = lanes.bitcast(lanes.bitAnd(rounded, ~uint64_t(0) << dropped), f32);
  // The comparison is false for NaN.
  Value largest = lanes.number(f32, format.maxValue);
  Value isInRange = lanes.compare(CmpFPredicate::OLT, rounded, largest);
  Value capped = lanes.select(isInRange, rounded, largest);
  int smallest = format.minExponent - int(format.mantissaBits);
  Value steps =
      lanes.make<arith::MulFOp>(capped, lanes.powerOfTwo(f32, -smallest));
  steps = lanes.convert<arith::SIToFPOp>(
      lanes.convert<arith::FPToSIOp>(steps, lanes.getInt(32)), f32);
  Value result =
      lanes.make<arith::MulFOp>(steps, lanes.powerOfTwo(f32, smallest));

  // The sign of a NaN is that of the operand that is NaN.
  Value sign = shift ? lanes.select(lanes.isNaN(shift), shift, number(0.0))
                     : number(0.0);
  sign = lanes.select(lanes.isNaN(scale), scale, sign);
  sign = lanes.select(lanes.isNaN(input), input, sign);
  sign = lanes.select(lanes.isNaN(value), sign, value);
  Value bits = lanes.make<arith::OrIOp>(
      lanes.toBits(result), lanes.bitAnd(lanes.toBits(sign), 0x80000000));
  Value isTiny =
      lanes.compare(CmpFPredicate::OLT, lanes.bitcast(magnitude, f32),
                    lanes.powerOfTwo(f32, smallest));
  return lanes.select(isTiny, number(0.0), lanes.bitcast(bits, f32));
}

Value FakeConvertBody::convertByReference() {
  Value scaled = roundByOpenVino(lanes.make<arith::MulFOp>(input, scale));
  if (shift)
    scaled = roundByOpenVino(lanes.make<arith::SubFOp>(scaled, shift));
  Value half = roundToHalfByOpenVino(scaled);
  Value result = isa<Float8E4M3FNType>(destination)
                     ? truncateSubnormals(half)
                     : convert(convert(half, destination), f32);
  // An absent shift is zero, which only changes -0.
  result = lanes.make<arith::AddFOp>(result, shift ? shift : number(0.0));
  if (shift)
    result = roundByOpenVino(result);
  return roundByOpenVino(lanes.make<arith::DivFOp>(result, scale));
}

Value FakeConvertBody::build(Value input, Value scale, Value shift) {
  this->input = convert(input, f32);
  this->scale = lanes.spread(convert(scale, f32));
  this->shift = shift ? lanes.spread(convert(shift, f32)) : Value();
  Value result;
  switch (op.getMode().value_or(FakeConvertMode::Exact)) {
  case FakeConvertMode::Exact:
    result = convertExactly();
    break;
  case FakeConvertMode::OpenVINO:
    result = convertByPlugin();
    break;
  case FakeConvertMode::OpenVINOReference:
    result = convertByReference();
    break;
  }
  return convert(result, type);
}

Value quant_float::buildElementBody(OpBuilder &builder, Location loc,
                                    FakeConvertOp op, Value input, Value scale,
                                    Value shift) {
  return FakeConvertBody(builder, loc, op, input).build(input, scale, shift);
}

namespace {
/// Expands fakeconvert on a scalar or vector to arith ops and casts.
struct FakeConvertOpExpansion final : OpRewritePattern<FakeConvertOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FakeConvertOp op,
                                PatternRewriter &rewriter) const override {
    if (isa<TensorType>(op.getType()))
      return failure();
    Location loc = op.getLoc();
    auto spread = [&](Value parameter) {
      return broadcastParameter(rewriter, loc,
                                reference::Granularity::getBroadcast(),
                                parameter, op.getType());
    };
    Value shift = op.getShift();
    if (shift)
      shift = spread(shift);
    rewriter.replaceOp(op, buildElementBody(rewriter, loc, op, op.getInput(),
                                            spread(op.getScale()), shift));
    return success();
  }
};
} // namespace

void quant_float::populateFakeConvertPatterns(RewritePatternSet &patterns) {
  patterns.add<FakeConvertOpExpansion>(patterns.getContext());
}
