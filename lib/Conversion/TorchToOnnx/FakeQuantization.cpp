//===- FakeQuantization.cpp - Fake quantization of aten -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "QuantizationUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

/// The largest magnitude of integers that f32 represents.
static constexpr int64_t kMaxSingle = int64_t(1) << 24;

/// Quantizes and dequantizes as the kernels of aten do. NaN becomes the lowest
/// quantized value. The kernel for channels converts the rounded values to
/// integers of 64 bits, so that values of at least 2^63 become the lowest
/// quantized value, too. Returns the result and whether the values were in
/// range.
static NodeResults fakeQuantize(OpImporter &op, Value scale, Value zeroPoint,
                                size_t lowIndex, bool isPerChannel) {
  FailureOr<Value> input = requireSingle(op, 0);
  FailureOr<int64_t> low = requireIntOperand(op, lowIndex);
  FailureOr<int64_t> high = requireIntOperand(op, lowIndex + 1);
  if (failed(input) || failed(low) || failed(high))
    return failure();
  if (*low > *high || *low < -kMaxSingle / 2 || *high > kMaxSingle / 2)
    return op.unsupported("expected a range within -2^23 to 2^23, but got " +
                          Twine(*low) + " to " + Twine(*high));
  TorchMath math(op);
  Type single = op.b.getF32Type();
  scale = math.to(scale, single);
  zeroPoint = math.to(zeroPoint, single);
  Value reciprocal = math.node("Reciprocal", scale);
  Value rounded = math.node("Round", math.node("Mul", {*input, reciprocal}));
  Value value = math.node("Add", {rounded, zeroPoint});
  auto constant = [&](double number) {
    return math.makeNumber(single, Number::fromFloat(number));
  };
  Type boolean = op.b.getI1Type();
  // False for NaN.
  Value isNumber = isPerChannel
                       ? math.node("Less", {value, constant(0x1p63)}, boolean)
                       : math.node("Not", math.isNaN(value));
  Value lowest = constant(*low), highest = constant(*high);
  Value clamped = math.node("Max", {value, lowest});
  clamped = math.node("Min", {clamped, highest});
  clamped = math.node("Where", {isNumber, clamped, lowest});
  Value result = math.node("Sub", {clamped, zeroPoint});
  result = math.to(math.node("Mul", {result, scale}), op.elementType(0));
  if (op.op->getNumResults() == 1)
    return result;
  Value isInside = math.node("GreaterOrEqual", {value, lowest}, boolean);
  Value isBelow = math.node("LessOrEqual", {value, highest}, boolean);
  Value results[] = {result, math.node("And", {isInside, isBelow})};
  return ValueRange(results);
}

/// Returns a number or a tensor of one element as a tensor of rank 0.
static FailureOr<Value> requireScalarOrNumber(OpImporter &op, size_t index,
                                              Type type) {
  if (std::optional<Number> number = readScalar(op, index)) {
    if (!number->isFloat() && std::abs(number->toDouble()) > kMaxSingle / 2)
      return failOperand(op, index, "a zero point within -2^23 to 2^23");
    return TorchMath(op).makeNumber(type, *number);
  }
  return requireScalar(op, index);
}

NodeResults torch_ops::convertFakeQuantizePerTensor(OpImporter &op) {
  FailureOr<Value> scale = requireScalarOrNumber(op, 1, op.b.getF32Type());
  FailureOr<Value> zeroPoint = requireScalarOrNumber(op, 2, op.b.getF32Type());
  if (failed(scale) || failed(zeroPoint))
    return failure();
  return fakeQuantize(op, *scale, *zeroPoint, 3, /*isPerChannel=*/false);
}

NodeResults torch_ops::convertFakeQuantizeTensorParameters(OpImporter &op) {
  std::optional<Number> isEnabled = readScalar(op, 3);
  if (!isEnabled || isEnabled->toDouble() != 1)
    return failOperand(op, 3, "the constant 1");
  FailureOr<Value> scale = requireScalarOrNumber(op, 1, op.b.getF32Type());
  FailureOr<Value> zeroPoint = requireScalarOrNumber(op, 2, op.b.getF32Type());
  if (failed(scale) || failed(zeroPoint))
    return failure();
  return fakeQuantize(op, *scale, *zeroPoint, 4, /*isPerChannel=*/false);
}

NodeResults torch_ops::convertFakeQuantizePerChannel(OpImporter &op) {
  FailureOr<ChannelParameters> channels = readChannels(op, 3);
  if (failed(channels))
    return failure();
  if (!channels->zeroPoints ||
      !getElementTypeOrSelf(channels->zeroPoints->operand.tensor)
           .isSignlessInteger(32))
    return failOperand(op, 2, "zero points of 'i32'");
  return fakeQuantize(op, channels->scales,
                      channels->zeroPoints->operand.tensor, 4,
                      /*isPerChannel=*/true);
}

NodeResults torch_ops::convertFakeQuantPerChannel(OpImporter &op) {
  FailureOr<ChannelParameters> channels = readChannels(op, 3);
  FailureOr<int64_t> low = requireIntOperand(op, 4);
  FailureOr<int64_t> high = requireIntOperand(op, 5);
  if (failed(channels) || failed(low) || failed(high))
    return failure();
  if (!op.elementType(0).isF32() || !channels->zeroPoints)
    return failOperand(op, 0, "elements of 'f32', and zero points");
  TorchMath math(op);
  Value scales = math.to(channels->scales, op.b.getF32Type());
  Value zeroPoints =
      math.to(channels->zeroPoints->operand.tensor, op.b.getI32Type());
  Value scaled = math.mul(op.inputs[0], math.div(1.0, scales));
  Value value = math.add(math.round(scaled), zeroPoints);
  value = math.sub(math.clamp(value, *low, *high), zeroPoints);
  return math.mul(value, scales);
}
