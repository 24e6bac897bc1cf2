//===- Arithmetic.cpp - Divisions and remainders of torch -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Division with rounding, remainders, powers of tensors and predicates of
// floats, as PyTorch's kernels for CPUs compute them.
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

namespace {
/// Two operands in the type in which an op is computed.
struct Pair {
  Value lhs, rhs;
  /// The common type of the operands.
  Type common;

  bool isFloat() const { return isa<FloatType>(common); }
};
} // namespace

static FailureOr<Pair> requirePair(OpImporter &op) {
  FailureOr<SmallVector<Operand>> operands = requireOperands(op, 2);
  if (failed(operands))
    return failure();
  TorchMath math(op);
  Type common = math.promote(*operands);
  if (!op.getProblem().empty())
    return failure();
  if (isNarrowFloat(common) || common.isInteger(1))
    return op.unsupported("elements of type " + showType(common));
  return Pair{math.prepare((*operands)[0], common),
              math.prepare((*operands)[1], common), common};
}

static Value makeZero(TorchMath &math, Value like) {
  return math.makeNumber(getElementTypeOrSelf(like), Number::fromInt(0));
}

/// Whether both values are not zero and have different signs.
static Value haveDifferentSigns(TorchMath &math, Value value, Value divisor) {
  Type flag = math.b.getI1Type();
  Value zero = makeZero(math, value);
  Value isNonzero =
      math.node("Not", math.node("Equal", {value, zero}, flag), flag);
  Value isNegative = math.node("Less", {value, zero}, flag);
  Value isDivisorNegative = math.node("Less", {divisor, zero}, flag);
  return math.node(
      "And", {isNonzero, math.node("Xor", {isNegative, isDivisorNegative})});
}

/// Returns the remainder with the sign of the dividend.
static Value computeRemainder(TorchMath &math, const Pair &pair) {
  return math.node("Mod", {pair.lhs, pair.rhs}, {}, math.op.intAttr("fmod", 1));
}

NodeResults torch_ops::convertFmod(OpImporter &op) {
  FailureOr<Pair> pair = requirePair(op);
  if (failed(pair))
    return failure();
  TorchMath math(op);
  return math.to(computeRemainder(math, *pair), pair->common);
}

NodeResults torch_ops::convertRemainder(OpImporter &op) {
  FailureOr<Pair> pair = requirePair(op);
  if (failed(pair))
    return failure();
  // The remainder has the sign of the divisor.
  TorchMath math(op);
  Value remainder = computeRemainder(math, *pair);
  Value moved = math.node("Add", {remainder, pair->rhs});
  Value isMoved = haveDifferentSigns(math, remainder, pair->rhs);
  return math.to(math.node("Where", {isMoved, moved, remainder}), pair->common);
}

static Value truncate(OpImporter &op, Value value) {
  return math::TruncOp::create(op.b, value);
}

static Value divideFloor(OpImporter &op, const Pair &pair) {
  TorchMath math(op);
  Type type = getElementTypeOrSelf(pair.lhs), flag = op.b.getI1Type();
  auto number = [&](double value) {
    return math.makeNumber(type, isa<FloatType>(type) ? Number::fromFloat(value)
                                                      : Number::fromInt(value));
  };
  if (!pair.isFloat()) {
    Value quotient = math.node("Div", {pair.lhs, pair.rhs});
    Value remainder =
        math.node("Sub", {pair.lhs, math.node("Mul", {quotient, pair.rhs})});
    Value below = math.node("Sub", {quotient, number(1)});
    return math.node("Where", {haveDifferentSigns(math, remainder, pair.rhs),
                               below, quotient});
  }
  // (x - fmod(x, y)) / y is almost an integer.
  Value quotient = math.node("Div", {pair.lhs, pair.rhs});
  Value remainder = computeRemainder(math, pair);
  Value exact =
      math.node("Div", {math.node("Sub", {pair.lhs, remainder}), pair.rhs});
  Value below = math.node("Sub", {exact, number(1)});
  exact = math.node(
      "Where", {haveDifferentSigns(math, remainder, pair.rhs), below, exact});
  Value floor = math.node("Floor", exact);
  Value isAbove = math.node(
      "Greater", {math.node("Sub", {exact, floor}), number(0.5)}, flag);
  Value above = math.node("Add", {floor, number(1)});
  floor = math.node("Where", {isAbove, above, floor});
  // A zero has the sign of the quotient.
  Value isZero = math.node("Equal", {exact, number(0)}, flag);
  Value zero = math.node("Mul", {quotient, number(0)});
  Value isFinite =
      math.node("Less",
                {math.node("Abs", quotient),
                 op.makeScalar(type, APFloat::getInf(APFloat::IEEEdouble()))},
                flag);
  zero = math.node("Where", {isFinite, zero, number(0)});
  floor = math.node("Where", {isZero, zero, floor});
  Value isByZero = math.node("Equal", {pair.rhs, number(0)}, flag);
  return math.node("Where", {isByZero, quotient, floor});
}

NodeResults torch_ops::convertDivMode(OpImporter &op) {
  bool isFloor = op.op.getName().starts_with("aten.floor_divide");
  bool isTruncated = false;
  if (!isFloor) {
    if (isNone(op, 2))
      return convertDiv(op);
    FailureOr<std::string> mode = requireString(op, 2);
    if (failed(mode))
      return failure();
    isFloor = *mode == "floor";
    isTruncated = *mode == "trunc";
    if (!isFloor && !isTruncated)
      return op.unsupported(
          "operand 2: expected 'floor' or 'trunc', but got '" + *mode + "'");
  }
  FailureOr<Pair> pair = requirePair(op);
  if (failed(pair))
    return failure();
  TorchMath math(op);
  if (isFloor)
    return math.to(divideFloor(op, *pair), pair->common);
  Value quotient = math.node("Div", {pair->lhs, pair->rhs});
  if (pair->isFloat()) {
    if (!isa<RankedTensorType>(quotient.getType()))
      return op.unsupported("a tensor of unknown rank");
    // f16 and bf16 are rounded before they are truncated.
    quotient = math.to(math.to(quotient, pair->common),
                       getElementTypeOrSelf(quotient));
    quotient = truncate(op, quotient);
  }
  return math.to(quotient, pair->common);
}

NodeResults torch_ops::convertTrunc(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  FailureOr<Value> ranked = requireRankedTensor(op, 0);
  if (failed(value) || failed(ranked))
    return failure();
  TorchMath math(op);
  Type type = op.resultElementType();
  bool isFraction = op.op.getName() == "aten.frac";
  if (!isa<FloatType>(type)) {
    if (isFraction)
      return op.unsupported("elements of type " + showType(type));
    return *value;
  }
  Value result = truncate(op, *value);
  if (isFraction)
    result = math.node("Sub", {*value, result});
  return math.to(result, type);
}

NodeResults torch_ops::convertSquare(OpImporter &op) {
  FailureOr<Value> value = requireUnary(op);
  if (failed(value))
    return failure();
  TorchMath math(op);
  return math.to(math.node("Mul", {*value, *value}), op.resultElementType());
}

NodeResults torch_ops::convertPowTensor(OpImporter &op) {
  FailureOr<Pair> pair = requirePair(op);
  if (failed(pair))
    return failure();
  if (!pair->isFloat())
    return op.unsupported("elements of type " + showType(pair->common));
  TorchMath math(op);
  return math.to(math.node("Pow", {pair->lhs, pair->rhs}), pair->common);
}

//===----------------------------------------------------------------------===//
// Predicates of floats
//===----------------------------------------------------------------------===//

/// Returns a float in the type in which it is compared.
static FailureOr<Value> requireCompared(OpImporter &op) {
  FailureOr<Value> value = requireTensor(op, 0);
  if (failed(value))
    return failure();
  if (!isStandardFloat(op.elementType(0)))
    return op.unsupported("elements of type " + showType(op.elementType(0)));
  TorchMath math(op);
  return math.to(*value, math.getComputeType(op.elementType(0)));
}

NodeResults torch_ops::convertIsInfinite(OpImporter &op) {
  FailureOr<Value> value = requireCompared(op);
  if (failed(value))
    return failure();
  TorchMath math(op);
  Value infinity = op.makeScalar(getElementTypeOrSelf(*value),
                                 APFloat::getInf(APFloat::IEEEdouble()));
  // Of a NaN, both comparisons are false.
  StringRef comparison = op.op.getName() == "aten.isfinite" ? "Less" : "Equal";
  return math.node(comparison, {math.node("Abs", *value), infinity},
                   op.b.getI1Type());
}

NodeResults torch_ops::convertNanToNum(OpImporter &op) {
  FailureOr<Value> value = requireCompared(op);
  if (failed(value))
    return failure();
  TorchMath math(op);
  auto type = cast<FloatType>(op.elementType(0));
  Type computed = getElementTypeOrSelf(*value), flag = op.b.getI1Type();
  Value result = *value;
  bool isMissing[] = {isNone(op, 1), isNone(op, 2), isNone(op, 3)};
  for (size_t index : {1, 2, 3}) {
    bool isNegative = index == 3;
    Value replacement;
    if (isMissing[index - 1]) {
      replacement = op.makeScalar(
          computed, index == 1 ? APFloat(0.0)
                               : APFloat::getLargest(type.getFloatSemantics(),
                                                     isNegative));
    } else {
      FailureOr<Number> given = requireNumber(op, index);
      if (failed(given))
        return failure();
      replacement = math.makeNumber(computed, *given);
    }
    Value isReplaced =
        index == 1
            ? math.isNaN(*value)
            : math.node(
                  "Equal",
                  {*value, op.makeScalar(computed,
                                         APFloat::getInf(APFloat::IEEEdouble(),
                                                         isNegative))},
                  flag);
    result = math.node("Where", {isReplaced, replacement, result});
  }
  return math.to(result, type);
}

//===----------------------------------------------------------------------===//
// Functions of two operands
//===----------------------------------------------------------------------===//

/// Reads two operands that are converted to floats, and broadcasts them.
static FailureOr<Pair> requireFloatPair(OpImporter &op) {
  FailureOr<Pair> pair = requirePair(op);
  if (failed(pair))
    return failure();
  TorchMath math(op);
  if (!pair->isFloat()) {
    pair->common = op.b.getF32Type();
    pair->lhs = math.to(pair->lhs, pair->common);
    pair->rhs = math.to(pair->rhs, pair->common);
  }
  if (pair->lhs.getType() != pair->rhs.getType()) {
    Value yes = math.makeNumber(op.b.getI1Type(), Number::fromInt(1));
    Value lhs = math.node("Where", {yes, pair->lhs, pair->rhs});
    pair->rhs = math.node("Where", {yes, pair->rhs, pair->lhs});
    pair->lhs = lhs;
  }
  return *pair;
}

NodeResults torch_ops::convertAtan2(OpImporter &op) {
  FailureOr<Pair> pair = requireFloatPair(op);
  if (failed(pair))
    return failure();
  return TorchMath(op).to(math::Atan2Op::create(op.b, pair->lhs, pair->rhs),
                          pair->common);
}

/// The extremum of numbers; of a number and a NaN, the number.
NodeResults torch_ops::convertExtremumNumber(OpImporter &op) {
  FailureOr<Pair> pair = requireFloatPair(op);
  if (failed(pair))
    return failure();
  TorchMath math(op);
  Value result = math.node(op.op.getName() == "aten.fmax" ? "Max" : "Min",
                           {pair->lhs, pair->rhs});
  result = math.node("Where", {math.isNaN(pair->rhs), pair->lhs, result});
  result = math.node("Where", {math.isNaN(pair->lhs), pair->rhs, result});
  return math.to(result, pair->common);
}

NodeResults torch_ops::convertLogAddExp(OpImporter &op) {
  FailureOr<Pair> pair = requireFloatPair(op);
  if (failed(pair))
    return failure();
  TorchMath math(op);
  Value highest = math.node("Max", {pair->lhs, pair->rhs});
  Value distance = math.node("Abs", math.node("Sub", {pair->lhs, pair->rhs}));
  Value exponential = math.node("Exp", math.node("Neg", distance));
  Value correction = math::Log1pOp::create(op.b, exponential);
  Value sum = math.node("Add", {highest, correction});
  // The difference of equal infinities is NaN.
  Value isEqual = math.node("Equal", {pair->lhs, pair->rhs}, op.b.getI1Type());
  Value isInfinite =
      math.node("Equal",
                {math.node("Abs", pair->lhs),
                 op.makeScalar(getElementTypeOrSelf(pair->lhs),
                               APFloat::getInf(APFloat::IEEEdouble()))},
                op.b.getI1Type());
  sum = math.node("Where",
                  {math.node("And", {isEqual, isInfinite}), pair->lhs, sum});
  return math.to(sum, pair->common);
}

NodeResults torch_ops::convertLerp(OpImporter &op) {
  FailureOr<SmallVector<Operand>> operands = requireOperands(op, 3);
  if (failed(operands))
    return failure();
  TorchMath math(op);
  Type type = op.resultElementType();
  if (!isStandardFloat(type) || math.promote(*operands) != type)
    return op.unsupported("elements of type " + showType(type));
  Value start = math.prepare((*operands)[0], type);
  Value end = math.prepare((*operands)[1], type);
  Value weight = math.prepare((*operands)[2], type, /*isRounded=*/false);
  Value one = op.makeNumber(getElementTypeOrSelf(start), 1);
  Value half = op.makeNumber(getElementTypeOrSelf(start), 0.5);
  // Counts from the nearer end.
  Value distance = math.node("Sub", {end, start});
  Value isCloserToStart =
      math.node("Less", {math.node("Abs", weight), half}, op.b.getI1Type());
  Value fromStart =
      math.node("Add", {start, math.node("Mul", {distance, weight})});
  Value fromEnd = math.node(
      "Sub",
      {end, math.node("Mul", {distance, math.node("Sub", {one, weight})})});
  return math.to(math.node("Where", {isCloserToStart, fromStart, fromEnd}),
                 type);
}
