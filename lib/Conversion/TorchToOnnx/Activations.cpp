//===- Activations.cpp - Activations of torch -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

/// Returns the operand of an op on floats, in the type in which it is computed.
static FailureOr<Value> requireFloat(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  FailureOr<Value> ranked = requireRankedTensor(op, 0);
  if (failed(value) || failed(ranked))
    return failure();
  if (!isa<FloatType>(op.resultElementType()))
    return op.unsupported("elements of type " +
                          showType(op.resultElementType()));
  return *value;
}

NodeResults torch_ops::convertErfc(OpImporter &op) {
  FailureOr<Value> value = requireFloat(op);
  if (failed(value))
    return failure();
  return TorchMath(op).to(math::ErfcOp::create(op.b, *value),
                          op.resultElementType());
}

NodeResults torch_ops::convertExpm1(OpImporter &op) {
  FailureOr<Value> value = requireFloat(op);
  if (failed(value))
    return failure();
  return TorchMath(op).to(math::ExpM1Op::create(op.b, *value),
                          op.resultElementType());
}

NodeResults torch_ops::convertLog1p(OpImporter &op) {
  FailureOr<Value> value = requireFloat(op);
  if (failed(value))
    return failure();
  return TorchMath(op).to(math::Log1pOp::create(op.b, *value),
                          op.resultElementType());
}

NodeResults torch_ops::convertLog10(OpImporter &op) {
  FailureOr<Value> value = requireFloat(op);
  if (failed(value))
    return failure();
  return TorchMath(op).to(math::Log10Op::create(op.b, *value),
                          op.resultElementType());
}

NodeResults torch_ops::convertElu(OpImporter &op) {
  FailureOr<Value> value = requireFloat(op);
  if (failed(value))
    return failure();
  double alpha = 1, scale = 1, inputScale = 1;
  StringRef name = op.op.getName();
  if (name == "aten.selu") {
    alpha = 1.6732632423543772848170429916717;
    scale = 1.0507009873554804934193349852946;
  } else {
    FailureOr<double> given = getDouble(op, 1, 1);
    if (failed(given))
      return failure();
    alpha = *given;
    if (name == "aten.celu") {
      if (alpha == 0)
        return failOperand(op, 1, "a number other than 0");
      inputScale = 1 / alpha;
    } else {
      FailureOr<double> outer = getDouble(op, 2, 1);
      FailureOr<double> inner = getDouble(op, 3, 1);
      if (failed(outer) || failed(inner))
        return failure();
      scale = *outer;
      inputScale = *inner;
    }
  }
  TorchMath math(op);
  Value scaled = math.mul(*value, inputScale);
  Value power = math::ExpM1Op::create(op.b, scaled);
  Value negative = math.mul(power, alpha * scale);
  Value positive = scale == 1 ? *value : math.mul(*value, scale);
  // NaN passes either way.
  Value isNegative = math.compare("LessOrEqual", *value, int64_t(0));
  return math.to(math.where(isNegative, negative, positive),
                 op.resultElementType());
}

/// Computes log(1 + exp(x)).
static Value computeSoftplus(OpImporter &op, Value value) {
  return math::Log1pOp::create(op.b, TorchMath(op).node("Exp", value));
}

NodeResults torch_ops::convertSoftplus(OpImporter &op) {
  FailureOr<Value> value = requireFloat(op);
  FailureOr<double> beta = getDouble(op, 1, 1);
  FailureOr<double> threshold = getDouble(op, 2, 20);
  if (failed(value) || failed(beta) || failed(threshold))
    return failure();
  if (*beta == 0)
    return failOperand(op, 1, "a number other than 0");
  TorchMath math(op);
  Value scaled = math.mul(*value, *beta);
  Value result = math.div(computeSoftplus(op, scaled), *beta);
  Value isLinear = math.compare("Greater", scaled, *threshold);
  return math.to(math.where(isLinear, *value, result), op.resultElementType());
}

NodeResults torch_ops::convertMish(OpImporter &op) {
  FailureOr<Value> value = requireFloat(op);
  if (failed(value))
    return failure();
  TorchMath math(op);
  Value factor = math.node("Tanh", computeSoftplus(op, *value));
  return math.to(math.node("Mul", {*value, factor}), op.resultElementType());
}

NodeResults torch_ops::convertLogSigmoid(OpImporter &op) {
  FailureOr<Value> value = requireFloat(op);
  if (failed(value))
    return failure();
  // min(x, 0) - log(1 + exp(-|x|)).
  TorchMath math(op);
  Value magnitude = math.node("Abs", *value);
  Value tail = computeSoftplus(op, math.node("Neg", magnitude));
  Value min = math.clamp(*value, std::nullopt, int64_t(0));
  return math.to(math.node("Sub", {min, tail}), op.resultElementType());
}

NodeResults torch_ops::convertThreshold(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  FailureOr<Number> threshold = requireNumber(op, 1);
  FailureOr<Number> replacement = requireNumber(op, 2);
  if (failed(value) || failed(threshold) || failed(replacement))
    return failure();
  TorchMath math(op);
  Type type = op.resultElementType();
  Value isReplaced = math.compare("LessOrEqual", *value, *threshold);
  Value number = math.makeNumber(getElementTypeOrSelf(*value), *replacement);
  return math.to(math.node("Where", {isReplaced, number, *value}), type);
}

NodeResults torch_ops::convertPRelu(OpImporter &op) {
  FailureOr<Value> value = requireFloat(op);
  FailureOr<Value> weight = requireRankedTensor(op, 1);
  if (failed(value) || failed(weight))
    return failure();
  RankedTensorType type = op.getRanked(0), weightType = op.getRanked(1);
  TorchMath math(op);
  Value slope = math.to(*weight, getElementTypeOrSelf(*value));
  if (op.op.getName() == "aten.prelu") {
    if (weightType.getRank() != 1 || !weightType.hasStaticShape())
      return failOperand(op, 1, "a vector");
    SmallVector<int64_t> shape(std::max<int64_t>(type.getRank(), 1), 1);
    if (weightType.getDimSize(0) != 1) {
      if (type.getRank() < 2)
        return failOperand(op, 0, "a tensor with channels");
      shape[1] = weightType.getDimSize(0);
    }
    slope = type.getRank() == 0 ? math.reshape(slope, {})
                                : math.reshape(slope, shape);
  }
  Value isPositive = math.compare("Greater", *value, int64_t(0));
  Value scaled = math.node("Mul", {slope, *value});
  return math.to(math.node("Where", {isPositive, *value, scaled}),
                 op.resultElementType());
}

NodeResults torch_ops::convertGlu(OpImporter &op) {
  FailureOr<Value> value = requireFloat(op);
  if (failed(value))
    return failure();
  RankedTensorType type = op.getRanked(0);
  FailureOr<int64_t> axis(type.getRank() - 1);
  if (!isNone(op, 1))
    axis = requireAxis(op, 1, type.getRank());
  if (failed(axis))
    return failure();
  int64_t size =
      type.getRank() == 0 ? ShapedType::kDynamic : type.getDimSize(*axis);
  if (ShapedType::isDynamic(size) || size % 2 != 0)
    return failOperand(op, 0, "an even size of the axis");
  auto computed = cast<RankedTensorType>(value->getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[*axis] = size / 2;
  auto slice = [&](int64_t start) {
    return op.buildNode("Slice",
                        {*value, op.makeInts(start),
                         op.makeInts(start + size / 2), op.makeInts(*axis),
                         op.makeInts(1)},
                        computed.clone(shape));
  };
  TorchMath math(op);
  Value gate = math.node("Sigmoid", slice(size / 2));
  return math.to(math.node("Mul", {slice(0), gate}), op.resultElementType());
}
