//===- Elementwise.cpp - Elementwise ops of StableHLO ---------------------===//
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
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::stablehlo_ops;

Type stablehlo_ops::getArithmeticType(Type elementType) {
  MLIRContext *context = elementType.getContext();
  if (isNarrowFloat(elementType))
    return Float32Type::get(context);
  auto integer = dyn_cast<IntegerType>(elementType);
  if (integer && integer.getWidth() > 1 && integer.getWidth() < 8)
    return IntegerType::get(context, 8, integer.getSignedness());
  return elementType;
}

/// Requires that all operands and the result have the same element type, a real
/// number, and returns the operands in the type in which they are computed.
static FailureOr<SmallVector<Value>> getNumbers(OpImporter &op,
                                                size_t first = 0) {
  Type type = op.elementType(first);
  if (!isNumber(type))
    return op.unsupported("elements of type " + showType(type));
  SmallVector<Value> result;
  for (size_t index : llvm::seq(first, op.inputs.size())) {
    if (op.elementType(index) != type)
      return op.unsupported("operands have elements of type " + showType(type) +
                            " and " + showType(op.elementType(index)));
    result.push_back(op.cast(op.inputs[index], getArithmeticType(type)));
  }
  return result;
}

/// Converts the result of arithmetic to the element type of the op's result.
/// Integers are truncated to their low bits.
static Value narrow(OpImporter &op, Value value) {
  return op.cast(value, op.resultElementType());
}

/// Returns the ONNX operator for booleans, or an empty string.
static StringRef getBooleanOperator(StringRef onnxType) {
  return llvm::StringSwitch<StringRef>(onnxType)
      .Cases({"Add", "Max"}, "Or")
      .Cases({"Mul", "Min"}, "And")
      .Default("");
}

NodeResults stablehlo_ops::convertElementwise(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  if (failed(operands))
    return failure();
  Type type = op.elementType(0);
  StringRef onnxType = op.onnxType;
  if (type.isInteger(1)) {
    onnxType = getBooleanOperator(onnxType);
    if (onnxType.empty())
      return op.unsupported("elements of type " + showType(type));
  }
  if (isa<IntegerType>(type) && onnxType == "Pow")
    return op.unsupported("elements of type " + showType(type));
  return narrow(op, op.applyElementwise(onnxType, *operands));
}

NodeResults stablehlo_ops::convertSquare(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  if (failed(operands))
    return failure();
  Value value = operands->front();
  return narrow(op, op.applyElementwise("Mul", {value, value}));
}

NodeResults stablehlo_ops::convertBitwise(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  if (failed(operands))
    return failure();
  Type type = op.elementType(0);
  if (!isa<IntegerType>(type))
    return op.unsupported("elements of type " + showType(type));
  std::string onnxType = llvm::StringSwitch<std::string>(op.op.getName())
                             .Case("and", "And")
                             .Case("or", "Or")
                             .Case("xor", "Xor")
                             .Default("Not");
  if (!type.isInteger(1))
    onnxType = "Bitwise" + onnxType;
  return narrow(op, op.applyElementwise(onnxType, *operands));
}

NodeResults stablehlo_ops::convertShift(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  if (failed(operands))
    return failure();
  auto type = dyn_cast<IntegerType>(op.elementType(0));
  if (!type || type.getWidth() < 8)
    return op.unsupported("elements of type " + showType(op.elementType(0)));
  // ONNX shifts unsigned integers. Casts of the same width keep all bits.
  Type isUnsigned = IntegerType::get(op.b.getContext(), type.getWidth(),
                                     IntegerType::Unsigned);
  for (Value &operand : *operands)
    operand = op.cast(operand, isUnsigned);
  bool isLeft = op.op.getName() == "shift_left";
  Value shifted = op.applyElementwise(
      "BitShift", *operands,
      op.stringAttr("direction", isLeft ? "LEFT" : "RIGHT"));
  // A shift by the width or more gives 0.
  Value isInside = op.compareElementwise(
      "Less", {(*operands)[1], op.makeNumber(isUnsigned, type.getWidth())});
  return narrow(op,
                op.applyElementwise("Where", {isInside, shifted,
                                              op.makeNumber(isUnsigned, 0)}));
}

NodeResults stablehlo_ops::convertShiftArithmetic(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  if (failed(operands) || failed(type))
    return failure();
  auto integer = dyn_cast<IntegerType>(type->getElementType());
  if (!integer || integer.getWidth() < 8 || op.inputs[1].getType() != *type)
    return op.unsupported("elements of type " + showType(op.elementType(0)));
  unsigned width = integer.getWidth();
  // A shift by the width or more gives the sign.
  Type isUnsigned =
      IntegerType::get(op.b.getContext(), width, IntegerType::Unsigned);
  Value amount =
      op.applyElementwise("Min", {op.makeNumber(isUnsigned, width - 1),
                                  op.cast((*operands)[1], isUnsigned)});
  Type isSigned = op.b.getIntegerType(width);
  Value shifted = arith::ShRSIOp::create(
      op.b, op.cast((*operands)[0], isSigned), op.cast(amount, isSigned));
  return narrow(op, shifted);
}

/// Returns the operands of an op on floats of a known rank.
static FailureOr<SmallVector<Value>> getFloats(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  if (failed(operands) || failed(type))
    return failure();
  if (!isa<FloatType>(type->getElementType()))
    return op.unsupported("elements of type " + showType(op.elementType(0)));
  // f16 and bf16 are computed in f32.
  for (Value &operand : *operands) {
    if (operand.getType() != operands->front().getType())
      return op.unsupported("operands of types " +
                            showType(operands->front().getType()) + " and " +
                            showType(operand.getType()));
  }
  if (isa<Float16Type, BFloat16Type>(type->getElementType()))
    for (Value &operand : *operands)
      operand = op.cast(operand, op.b.getF32Type());
  return operands;
}

NodeResults stablehlo_ops::convertFloatFunction(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getFloats(op);
  if (failed(operands))
    return failure();
  Value value = operands->front(), result;
  StringRef name = op.op.getName();
  if (name == "cbrt")
    result = math::CbrtOp::create(op.b, value);
  else if (name == "erfc")
    result = math::ErfcOp::create(op.b, value);
  else if (name == "exponential_minus_one")
    result = math::ExpM1Op::create(op.b, value);
  else
    result = math::Log1pOp::create(op.b, value);
  return narrow(op, result);
}

NodeResults stablehlo_ops::convertBitCount(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  if (failed(operands) || failed(type))
    return failure();
  auto integer = dyn_cast<IntegerType>(type->getElementType());
  if (!integer || integer.getWidth() < 8)
    return op.unsupported("elements of type " + showType(op.elementType(0)));
  Value value =
      op.cast(operands->front(), op.b.getIntegerType(integer.getWidth()));
  Value count = op.op.getName() == "popcnt"
                    ? math::CtPopOp::create(op.b, value).getResult()
                    : math::CountLeadingZerosOp::create(op.b, value);
  return narrow(op, count);
}

/// Returns the polynomial with these coefficients, the highest first.
static Value evaluatePolynomial(OpImporter &op, Value value,
                                ArrayRef<double> coefficients) {
  Type type = getElementTypeOrSelf(value);
  Value result = op.makeNumber(type, coefficients.front());
  for (double coefficient : coefficients.drop_front())
    result = op.applyElementwise("Add",
                                 {op.makeNumber(type, coefficient),
                                  op.applyElementwise("Mul", {result, value})});
  return result;
}

/// Computes XLA's approximation in f32: M. Giles, Approximating the erfinv
/// function, 2012.
NodeResults stablehlo_ops::convertErfInv(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getFloats(op);
  if (failed(operands))
    return failure();
  Value value = operands->front();
  Type type = getElementTypeOrSelf(value);
  if (!type.isF32())
    return op.unsupported("elements of type " + showType(op.elementType(0)));
  Value square = op.applyElementwise("Mul", {value, value});
  Value logarithm =
      math::Log1pOp::create(op.b, op.applyElementwise("Neg", square));
  Value w = op.applyElementwise("Neg", logarithm);
  Value central = evaluatePolynomial(
      op, op.applyElementwise("Sub", {w, op.makeNumber(type, 2.5)}),
      {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06,
       0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941});
  Value outer = evaluatePolynomial(
      op,
      op.applyElementwise(
          "Sub", {op.applyElementwise("Sqrt", w), op.makeNumber(type, 3)}),
      {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844,
       0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682});
  Value isCentral = op.compareElementwise("Less", {w, op.makeNumber(type, 5)});
  Value factor = op.applyElementwise("Where", {isCentral, central, outer});
  Value isOne = op.compareElementwise(
      "Equal", {op.applyElementwise("Abs", value), op.makeNumber(type, 1)});
  Value infinity = op.makeScalar(type, APFloat::getInf(APFloat::IEEEdouble()));
  factor = op.applyElementwise("Where", {isOne, infinity, factor});
  return narrow(op, op.applyElementwise("Mul", {factor, value}));
}

/// Returns the next number from the first operand to the second.
NodeResults stablehlo_ops::convertNextAfter(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  if (failed(operands) || failed(type))
    return failure();
  if (!isStandardFloat(type->getElementType()) ||
      op.inputs[1].getType() != *type)
    return op.unsupported("operands of types " + showType(*type) + " and " +
                          showType(op.inputs[1].getType()));
  Value from = (*operands)[0], to = (*operands)[1];
  Type element = type->getElementType();
  unsigned width = element.getIntOrFloatBitWidth();
  auto bitCast = [&](Value value, Type elementType) {
    return op.buildNode("BitCast", value, type->clone(elementType),
                        op.intAttr("to", *getOnnxDataType(elementType)));
  };
  Type word = op.b.getIntegerType(width);
  auto constant = [&](const APInt &bits) {
    return op.makeConstant(
        DenseElementsAttr::get(RankedTensorType::get({}, word), bits));
  };
  Value zero = op.makeNumber(element, 0);
  // Away from zero, the magnitude grows by one unit.
  auto isLess = [&](Value lhs, Value rhs) {
    return op.compareElementwise("Less", {lhs, rhs});
  };
  Value isUp = isLess(from, to), isPositive = isLess(zero, from);
  Value isDown = isLess(to, from), isNegative = isLess(from, zero);
  Value grows = op.applyElementwise(
      "Or", {op.applyElementwise("And", {isUp, isPositive}),
             op.applyElementwise("And", {isDown, isNegative})});
  Value step =
      op.applyElementwise("Where", {grows, constant(APInt(width, 1)),
                                    constant(APInt::getAllOnes(width))});
  Value next =
      bitCast(op.applyElementwise("Add", {bitCast(from, word), step}), element);
  // From zero, to the smallest number of the sign of the other operand.
  Value sign = op.applyElementwise(
      "BitwiseAnd", {bitCast(to, word), constant(APInt::getSignMask(width))});
  Value min = bitCast(
      op.applyElementwise("BitwiseOr", {sign, constant(APInt(width, 1))}),
      element);
  Value isZero = op.compareElementwise("Equal", {from, zero});
  next = op.applyElementwise("Where", {isZero, min, next});
  Value isEqual = op.compareElementwise("Equal", {from, to});
  next = op.applyElementwise("Where", {isEqual, to, next});
  // NaN if an operand is.
  Value isOrdered = op.applyElementwise(
      "Or", {isEqual, op.applyElementwise("Or", {isUp, isDown})});
  Value nan = op.makeScalar(element, APFloat::getNaN(APFloat::IEEEdouble()));
  return op.applyElementwise("Where", {isOrdered, next, nan});
}

/// Whether a value is an infinity, or the infinity of one sign.
NodeResults stablehlo_ops::convertIsInfinite(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  if (failed(operands))
    return failure();
  Value value = operands->front();
  Type type = getElementTypeOrSelf(value);
  if (!isa<FloatType>(type))
    return op.unsupported("elements of type " + showType(type));
  StringRef name = op.op.getName();
  if (name == "is_inf")
    value = op.applyElementwise("Abs", value);
  Value infinity = op.makeScalar(
      type, APFloat::getInf(APFloat::IEEEdouble(), name == "is_neg_inf"));
  return op.compareElementwise("Equal", {value, infinity});
}

NodeResults stablehlo_ops::convertAtan2(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getFloats(op);
  if (failed(operands))
    return failure();
  return narrow(op,
                math::Atan2Op::create(op.b, (*operands)[0], (*operands)[1]));
}

NodeResults stablehlo_ops::convertClamp(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  if (failed(operands))
    return failure();
  Value low = (*operands)[0], value = (*operands)[1], high = (*operands)[2];
  Value raised = op.applyElementwise("Max", {low, value});
  return narrow(op, op.applyElementwise("Min", {raised, high}));
}

NodeResults stablehlo_ops::convertCompare(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  FailureOr<std::string> direction = op.requireKeyword("comparison_direction");
  if (failed(operands) || failed(direction))
    return failure();
  if (op.op.getKeyword("compare_type") == "TOTALORDER")
    return op.unsupported("comparison_type TOTALORDER");
  if (op.elementType(0).isInteger(1))
    for (Value &operand : *operands)
      operand = op.cast(operand, op.b.getIntegerType(8, /*isSigned=*/false));
  StringRef onnxType = llvm::StringSwitch<StringRef>(*direction)
                           .Cases({"EQ", "NE"}, "Equal")
                           .Case("GE", "GreaterOrEqual")
                           .Case("GT", "Greater")
                           .Case("LE", "LessOrEqual")
                           .Case("LT", "Less")
                           .Default("");
  if (onnxType.empty())
    return op.unsupportedAttribute("comparison_direction",
                                   "EQ, NE, GE, GT, LE or LT");
  Value result = op.compareElementwise(onnxType, *operands);
  if (*direction == "NE")
    result = op.applyElementwise("Not", result);
  return result;
}

NodeResults stablehlo_ops::convertIsFinite(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  if (failed(operands))
    return failure();
  Value value = operands->front();
  Type type = getElementTypeOrSelf(value);
  if (!isa<FloatType>(type))
    return op.unsupported("elements of type " + showType(type));
  // Of a NaN, the comparison is false.
  Value infinity = op.makeScalar(type, APFloat::getInf(APFloat::IEEEdouble()));
  return op.compareElementwise("Less",
                               {op.applyElementwise("Abs", value), infinity});
}

NodeResults stablehlo_ops::convertRemainder(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  if (failed(operands))
    return failure();
  // The remainder has the sign of the dividend.
  return narrow(op,
                op.applyElementwise("Mod", *operands, op.intAttr("fmod", 1)));
}

NodeResults stablehlo_ops::convertRoundAway(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  if (failed(operands))
    return failure();
  // Round to nearest even, and correct ties that were rounded toward zero: the
  // difference to the input is exactly half.
  Value value = operands->front();
  Type type = getElementTypeOrSelf(value);
  Value magnitude = op.applyElementwise("Abs", value);
  Value rounded = op.applyElementwise("Round", magnitude);
  Value difference = op.applyElementwise("Sub", {magnitude, rounded});
  Value isTie =
      op.compareElementwise("Equal", {difference, op.makeNumber(type, 0.5)});
  Value next = op.applyElementwise("Add", {rounded, op.makeNumber(type, 1)});
  Value away = op.applyElementwise("Where", {isTie, next, rounded});
  // Restore the sign, that of zero included.
  Value isNegative =
      op.compareElementwise("Less", {value, op.makeNumber(type, 0)});
  Value negative = op.applyElementwise("Neg", away);
  Value result = op.applyElementwise("Where", {isNegative, negative, away});
  Value isZero =
      op.compareElementwise("Equal", {value, op.makeNumber(type, 0)});
  return narrow(op, op.applyElementwise("Where", {isZero, value, result}));
}

NodeResults stablehlo_ops::convertRsqrt(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  if (failed(operands))
    return failure();
  Value root = op.applyElementwise("Sqrt", *operands);
  return narrow(op, op.applyElementwise("Reciprocal", root));
}

NodeResults stablehlo_ops::convertSign(OpImporter &op) {
  FailureOr<SmallVector<Value>> operands = getNumbers(op);
  if (failed(operands))
    return failure();
  Value value = operands->front();
  Value sign = op.applyElementwise("Sign", value);
  Type type = getElementTypeOrSelf(value);
  if (!isa<FloatType>(type))
    return narrow(op, sign);
  // Zeros keep their sign, and NaN stays NaN.
  Value magnitude = op.applyElementwise("Abs", value);
  Value isNonzero =
      op.compareElementwise("Greater", {magnitude, op.makeNumber(type, 0)});
  return narrow(op, op.applyElementwise("Where", {isNonzero, sign, value}));
}

NodeResults stablehlo_ops::convertSelect(OpImporter &op) {
  if (op.elementType(1) != op.elementType(2) || !op.elementType(0).isInteger(1))
    return op.unsupported("expected a condition of type 'i1' and two operands "
                          "with elements of the same type");
  return op.applyElementwise("Where", op.inputs);
}

NodeResults stablehlo_ops::refuseRandom(OpImporter &op) {
  return op.unsupported("random bits depend on the algorithm of the backend; "
                        "pass them as an argument of the function");
}
