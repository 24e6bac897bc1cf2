//===- Elementwise.cpp - Elementwise ops of torch ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/FloatFormat.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

FailureOr<Operand> torch_ops::requireOperand(OpImporter &op, size_t index) {
  if (index < op.inputs.size()) {
    if (isa<TensorType>(op.inputs[index].getType()))
      return Operand(op.inputs[index]);
    if (std::optional<Number> number = readNumber(op.inputs[index]))
      return Operand(*number);
  }
  return failOperand(op, index, "a tensor or a constant number");
}

FailureOr<Value> torch_ops::requireUnary(OpImporter &op) {
  FailureOr<Value> value = requireTensor(op, 0);
  if (failed(value))
    return failure();
  Type from = op.elementType(0), to = op.resultElementType();
  for (Type type : {from, to})
    if (!isNumber(type) || isNarrowFloat(type) || type.isInteger(1))
      return op.unsupported("elements of type " + showType(type));
  TorchMath math(op);
  if (from != to)
    *value = math.to(*value, to);
  return math.to(*value, math.getComputeType(to));
}

//===----------------------------------------------------------------------===//
// Unary ops
//===----------------------------------------------------------------------===//

/// Whether PyTorch converts integers to floats before it computes the operator.
static bool isForFloats(StringRef onnxType) {
  return !llvm::is_contained({"Abs", "Ceil", "Floor", "Neg", "Round"},
                             onnxType);
}

NodeResults torch_ops::convertUnary(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  if (failed(value))
    return failure();
  TorchMath math(op);
  Type type = op.resultElementType();
  if (isa<IntegerType>(type)) {
    if (isForFloats(op.onnxType))
      return op.unsupported("elements of type " + showType(type));
    // Integers are rounded already.
    if (op.onnxType != "Abs" && op.onnxType != "Neg")
      return *value;
    if (type.isUnsignedInteger())
      return op.onnxType == "Abs" ? *value : math.sub(int64_t(0), *value);
  }
  return math.to(math.node(op.onnxType, *value), type);
}

NodeResults torch_ops::convertRoundDecimals(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  FailureOr<int64_t> decimals = requireIntOperand(op, 1);
  if (failed(value) || failed(decimals))
    return failure();
  if (*decimals != 0)
    return failOperand(op, 1, "0 decimals");
  TorchMath math(op);
  return math.to(math.round(*value), op.resultElementType());
}

NodeResults torch_ops::convertRsqrt(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  if (failed(value))
    return failure();
  TorchMath math(op);
  Value root = math.node("Sqrt", *value);
  return math.to(math.node("Reciprocal", root), op.resultElementType());
}

NodeResults torch_ops::convertPowerOfTwo(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  FailureOr<Value> ranked = requireRankedTensor(op, 0);
  if (failed(value) || failed(ranked))
    return failure();
  Type type = op.resultElementType();
  if (!isa<FloatType>(type))
    return op.unsupported("elements of type " + showType(type));
  // Powers of two have exact results.
  Value result = op.op.getName() == "aten.exp2"
                     ? math::Exp2Op::create(op.b, *value).getResult()
                     : math::Log2Op::create(op.b, *value).getResult();
  return TorchMath(op).to(result, type);
}

NodeResults torch_ops::convertRelu(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  if (failed(value))
    return failure();
  TorchMath math(op);
  return math.to(math.clamp(*value, int64_t(0), std::nullopt),
                 op.resultElementType());
}

/// Computes min(max(x + 3, 0), 6).
static Value computeHardSigmoid(TorchMath &math, Value value) {
  Value shifted = math.add(value, int64_t(3));
  return math.clamp(shifted, int64_t(0), int64_t(6));
}

NodeResults torch_ops::convertHardSigmoid(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  if (failed(value))
    return failure();
  TorchMath math(op);
  Value result = math.div(computeHardSigmoid(math, *value), int64_t(6));
  return math.to(result, op.resultElementType());
}

NodeResults torch_ops::convertHardSwish(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  if (failed(value))
    return failure();
  TorchMath math(op);
  Value product = math.mul(*value, computeHardSigmoid(math, *value));
  return math.to(math.div(product, int64_t(6)), op.resultElementType());
}

NodeResults torch_ops::convertRelu6(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  if (failed(value))
    return failure();
  TorchMath math(op);
  return math.to(math.clamp(*value, int64_t(0), int64_t(6)),
                 op.resultElementType());
}

NodeResults torch_ops::convertLeakyRelu(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  FailureOr<double> slope = getDouble(op, 1, 0.01);
  if (failed(value) || failed(slope))
    return failure();
  TorchMath math(op);
  Value isPositive = math.compare("Greater", *value, int64_t(0));
  Value result =
      math.node("Where", {isPositive, *value, math.mul(*value, *slope)});
  return math.to(result, op.resultElementType());
}

NodeResults torch_ops::convertSilu(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  if (failed(value))
    return failure();
  TorchMath math(op);
  Value factor = math.node("Sigmoid", *value);
  return math.to(math.node("Mul", {*value, factor}), op.resultElementType());
}

NodeResults torch_ops::convertGelu(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  if (failed(value))
    return failure();
  std::string approximate = "none";
  if (!isNone(op, 1)) {
    FailureOr<std::string> given = requireString(op, 1);
    if (failed(given))
      return failure();
    approximate = *given;
  }
  if (approximate != "none" && approximate != "tanh")
    return op.unsupported("operand 1: expected 'none' or 'tanh', but got '" +
                          approximate + "'");
  TorchMath math(op);
  Value result =
      math.node("Gelu", *value, {}, op.stringAttr("approximate", approximate));
  return math.to(result, op.resultElementType());
}

NodeResults torch_ops::convertSign(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  if (failed(value))
    return failure();
  // The sign of NaN is 0.
  TorchMath math(op);
  Type type = op.resultElementType();
  Value isPositive = math.compare("Greater", *value, int64_t(0));
  Value isNegative = math.compare("Less", *value, int64_t(0));
  return math.sub(math.to(isPositive, type), math.to(isNegative, type));
}

NodeResults torch_ops::convertIsNaN(OpImporter &op) {
  FailureOr<Value> value = requireTensor(op, 0);
  if (failed(value))
    return failure();
  if (!isa<FloatType>(op.elementType(0)))
    return op.unsupported("elements of type " + showType(op.elementType(0)));
  TorchMath math(op);
  if (isNarrowFloat(op.elementType(0)))
    *value = math.to(*value, op.b.getF32Type());
  return math.isNaN(*value);
}

//===----------------------------------------------------------------------===//
// Binary ops
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Operand>> torch_ops::requireOperands(OpImporter &op,
                                                           size_t count) {
  SmallVector<Operand> operands;
  for (size_t index : llvm::seq(count)) {
    FailureOr<Operand> operand = requireOperand(op, index);
    if (failed(operand))
      return failure();
    operands.push_back(*operand);
  }
  return operands;
}

NodeResults torch_ops::convertBinary(OpImporter &op) {
  FailureOr<SmallVector<Operand>> operands = requireOperands(op, 2);
  if (failed(operands))
    return failure();
  return TorchMath(op).apply(op.onnxType, *operands);
}

NodeResults torch_ops::convertDiv(OpImporter &op) {
  FailureOr<SmallVector<Operand>> operands = requireOperands(op, 2);
  if (failed(operands))
    return failure();
  return TorchMath(op).div((*operands)[0], (*operands)[1]);
}

/// Computes lhs + alpha * rhs, or lhs - alpha * rhs.
static NodeResults addScaled(OpImporter &op, StringRef opType, bool isReverse) {
  FailureOr<SmallVector<Operand>> operands = requireOperands(op, 2);
  if (failed(operands))
    return failure();
  TorchMath math(op);
  Operand lhs = (*operands)[isReverse], rhs = (*operands)[!isReverse];
  Type common = math.promote(*operands);
  if (!isNone(op, 2)) {
    FailureOr<Number> alpha = requireNumber(op, 2);
    if (failed(alpha))
      return failure();
    if (alpha->toDouble() != 1) {
      // PyTorch rounds the product or not, depending on the shape.
      int exponent;
      double fraction = std::frexp(alpha->toDouble(), &exponent);
      if (isa<FloatType>(common) && std::abs(fraction) != 0.5)
        return failOperand(op, 2, "a power of two as factor of floats");
      Type computed = math.getComputeType(common);
      rhs = math.node("Mul", {math.prepare(rhs, common),
                              math.makeNumber(computed, *alpha)});
      return math.to(math.node(opType, {math.prepare(lhs, common), rhs.tensor}),
                     common);
    }
  }
  return math.applyIn(opType, {lhs, rhs}, common);
}

NodeResults torch_ops::convertAdd(OpImporter &op) {
  return addScaled(op, "Add", /*isReverse=*/false);
}

NodeResults torch_ops::convertSub(OpImporter &op) {
  return addScaled(op, "Sub", /*isReverse=*/false);
}

NodeResults torch_ops::convertReverseSub(OpImporter &op) {
  return addScaled(op, "Sub", /*isReverse=*/true);
}

NodeResults torch_ops::convertPow(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  FailureOr<double> exponent = requireDouble(op, 1);
  if (failed(value) || failed(exponent))
    return failure();
  TorchMath math(op);
  Type type = op.resultElementType();
  // Each product of bf16 is rounded.
  auto round = [&](Value result) {
    return type.isBF16() ? math.to(math.to(result, type), op.b.getF32Type())
                         : result;
  };
  auto multiply = [&](Value lhs, Value rhs) {
    return round(math.node("Mul", {lhs, rhs}));
  };
  Value result;
  if (*exponent == 2)
    result = multiply(*value, *value);
  else if (*exponent == 3)
    result = multiply(multiply(*value, *value), *value);
  else if (!isa<FloatType>(type))
    return failOperand(op, 1, "an exponent of 2 or 3 for integers");
  else if (*exponent == 0.5)
    result = math.node("Sqrt", *value);
  else if (*exponent == -0.5)
    result = math.node("Reciprocal", math.node("Sqrt", *value));
  else if (*exponent == -1)
    result = math.node("Reciprocal", *value);
  else if (*exponent == -2)
    result = math.node("Reciprocal", multiply(*value, *value));
  else
    result = math.node("Pow",
                       {*value, math.makeNumber(getElementTypeOrSelf(*value),
                                                Number::fromFloat(*exponent))});
  return math.to(result, type);
}

NodeResults torch_ops::convertCompare(OpImporter &op) {
  FailureOr<SmallVector<Operand>> operands = requireOperands(op, 2);
  if (failed(operands))
    return failure();
  return TorchMath(op).compare(op.onnxType, (*operands)[0], (*operands)[1]);
}

NodeResults torch_ops::convertNotEqual(OpImporter &op) {
  FailureOr<SmallVector<Operand>> operands = requireOperands(op, 2);
  if (failed(operands))
    return failure();
  TorchMath math(op);
  return math.node("Not",
                   math.compare("Equal", (*operands)[0], (*operands)[1]));
}

//===----------------------------------------------------------------------===//
// Bits and booleans
//===----------------------------------------------------------------------===//

NodeResults torch_ops::convertBitwise(OpImporter &op) {
  FailureOr<SmallVector<Operand>> operands =
      requireOperands(op, op.inputs.size());
  if (failed(operands))
    return failure();
  TorchMath math(op);
  Type common = math.promote(*operands);
  if (!isa<IntegerType>(common))
    return op.unsupported("elements of type " + showType(common));
  SmallVector<Value> values;
  for (const Operand &operand : *operands)
    values.push_back(operand.tensor ? math.to(operand.tensor, common)
                                    : math.makeNumber(common, operand.number));
  std::string name = op.onnxType.str();
  return math.node(common.isInteger(1) ? name : "Bitwise" + name, values);
}

NodeResults torch_ops::convertLogical(OpImporter &op) {
  FailureOr<SmallVector<Operand>> operands = requireOperands(op, 2);
  if (failed(operands))
    return failure();
  TorchMath math(op);
  SmallVector<Value> values;
  for (const Operand &operand : *operands)
    values.push_back(operand.tensor
                         ? math.to(operand.tensor, op.b.getI1Type())
                         : math.makeNumber(op.b.getI1Type(), operand.number));
  return math.node(op.onnxType, values);
}

NodeResults torch_ops::convertLogicalNot(OpImporter &op) {
  FailureOr<Value> value = requireTensor(op, 0);
  if (failed(value))
    return failure();
  TorchMath math(op);
  return math.node("Not", math.to(*value, op.b.getI1Type()));
}

static NodeResults convertShift(OpImporter &op, bool isLeft) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<int64_t> amount = requireIntOperand(op, 1);
  if (failed(value) || failed(amount))
    return failure();
  auto type = dyn_cast<IntegerType>(op.elementType(0));
  if (!type || type.getWidth() < 8)
    return op.unsupported("elements of type " + showType(op.elementType(0)));
  unsigned width = type.getWidth();
  if (*amount < 0 || *amount >= width)
    return failOperand(op, 1, "an amount from 0 to " + Twine(width - 1));
  TorchMath math(op);
  Value count = math.makeNumber(type, Number::fromInt(*amount));
  if (type.isUnsigned())
    return math.node("BitShift", {*value, count}, {},
                     op.stringAttr("direction", isLeft ? "LEFT" : "RIGHT"));
  // ONNX shifts only unsigned integers.
  auto tensor = cast<RankedTensorType>(value->getType());
  if (tensor.getRank() != 0 && !tensor.hasStaticShape())
    return op.unsupported("shifts of a tensor of unknown size");
  auto splat = DenseElementsAttr::get(tensor, APInt(width, *amount));
  Value counts = arith::ConstantOp::create(op.b, splat);
  if (isLeft)
    return arith::ShLIOp::create(op.b, *value, counts).getResult();
  return arith::ShRSIOp::create(op.b, *value, counts).getResult();
}

NodeResults torch_ops::convertShiftLeft(OpImporter &op) {
  return convertShift(op, /*isLeft=*/true);
}

NodeResults torch_ops::convertShiftRight(OpImporter &op) {
  return convertShift(op, /*isLeft=*/false);
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

NodeResults torch_ops::convertClamp(OpImporter &op) {
  FailureOr<Value> value = requireTensor(op, 0);
  if (failed(value))
    return failure();
  std::optional<Operand> bounds[2];
  for (size_t index : {0, 1}) {
    if (isNone(op, index + 1))
      continue;
    FailureOr<Operand> bound = requireOperand(op, index + 1);
    if (failed(bound))
      return failure();
    bounds[index] = *bound;
  }
  return TorchMath(op).clamp(*value, bounds[0], bounds[1]);
}

NodeResults torch_ops::convertClampMax(OpImporter &op) {
  FailureOr<Value> value = requireTensor(op, 0);
  FailureOr<Operand> bound = requireOperand(op, 1);
  if (failed(value) || failed(bound))
    return failure();
  return TorchMath(op).clamp(*value, std::nullopt, *bound);
}

NodeResults torch_ops::convertHardTanh(OpImporter &op) {
  FailureOr<Value> value = requireTensor(op, 0);
  if (failed(value))
    return failure();
  Number bounds[] = {Number::fromInt(-1), Number::fromInt(1)};
  for (size_t index : {0, 1}) {
    if (isNone(op, index + 1))
      continue;
    FailureOr<Number> bound = requireNumber(op, index + 1);
    if (failed(bound))
      return failure();
    bounds[index] = *bound;
  }
  return TorchMath(op).clamp(*value, bounds[0], bounds[1]);
}

/// Requires a tensor of booleans.
static FailureOr<Value> requireMask(OpImporter &op, size_t index) {
  FailureOr<Value> mask = requireTensor(op, index);
  if (failed(mask) || op.elementType(index).isInteger(1))
    return mask;
  return failOperand(op, index, "a tensor of 'i1'");
}

NodeResults torch_ops::convertWhere(OpImporter &op) {
  FailureOr<Value> mask = requireMask(op, 0);
  FailureOr<Operand> ifTrue = requireOperand(op, 1);
  FailureOr<Operand> ifFalse = requireOperand(op, 2);
  if (failed(mask) || failed(ifTrue) || failed(ifFalse))
    return failure();
  return TorchMath(op).where(*mask, *ifTrue, *ifFalse);
}

NodeResults torch_ops::convertMaskedFill(OpImporter &op) {
  FailureOr<Value> value = requireTensor(op, 0);
  FailureOr<Value> mask = requireMask(op, 1);
  FailureOr<Operand> given = requireOperand(op, 2);
  if (failed(value) || failed(mask) || failed(given))
    return failure();
  TorchMath math(op);
  Value filled = given->tensor;
  if (!filled) {
    filled = math.makeNumber(op.elementType(0), given->number);
  } else {
    auto type = dyn_cast<RankedTensorType>(filled.getType());
    if (!type || type.getRank() != 0)
      return failOperand(op, 2, "a tensor of rank 0");
    filled = math.to(filled, op.elementType(0));
  }
  return math.node("Where", {*mask, filled, *value});
}
