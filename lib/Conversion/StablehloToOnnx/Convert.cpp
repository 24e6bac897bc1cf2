//===- Convert.cpp - Conversions of elements ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpenVinoConvert.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::stablehlo_ops;

/// Replaces the elements of `result` by a constant where the condition is true.
static Value replaceWhere(OpImporter &op, Value condition, Value constant,
                          Value result) {
  return op.applyElementwise("Where", {condition, constant, result});
}

/// Returns a constant of rank 0 that is a NaN of the type.
static Value makeNaN(OpImporter &op, Type type) {
  auto tensor = RankedTensorType::get({}, type);
  return op.makeConstant(DenseElementsAttr::get(
      tensor, APFloat::getNaN(cast<FloatType>(type).getFloatSemantics())));
}

/// Converts to f8E8M0FNU, ties up. Values that are not positive, overflow and
/// infinities give NaN.
static Value convertToScale(OpImporter &op, Value value, Type type) {
  // All narrow floats are values of f32.
  if (!isStandardFloat(getElementTypeOrSelf(value)))
    value = op.cast(value, op.b.getF32Type());
  auto mode = RoundModeAttr::get(op.b.getContext(), RoundMode::Nearest);
  Value result = createOnnxCast(op.b, op.b.getLoc(), value, type, mode);
  Type from = getElementTypeOrSelf(value);
  // The smallest value that rounds to more than 2^127.
  APFloat overflow = scalbn(APFloat(1.5), 127, APFloat::rmNearestTiesToEven);
  Value nan = makeNaN(op, type);
  Value isTooSmall =
      op.compareElementwise("LessOrEqual", {value, op.makeNumber(from, 0)});
  result = replaceWhere(op, isTooSmall, nan, result);
  Value isTooLarge = op.compareElementwise(
      "GreaterOrEqual", {value, op.makeScalar(from, overflow)});
  return replaceWhere(op, isTooLarge, nan, result);
}

Value stablehlo_ops::convertElements(OpImporter &op, Value value,
                                     Type elementType) {
  Type from = getElementTypeOrSelf(value);
  if (from == elementType)
    return value;
  bool isFloat = isa<FloatType>(from);
  auto integer = dyn_cast<IntegerType>(elementType);
  if (isFloat && integer && integer.getWidth() > 1)
    return op.castSaturating(value, integer);
  if (isa<Float8E8M0FNUType>(elementType))
    return convertToScale(op, value, elementType);
  if (isFloat && isa<Float4E2M1FNType>(elementType)) {
    // A NaN gives a zero of the opposite sign (C8).
    if (isNarrowFloat(from))
      value = op.cast(value, op.b.getF32Type());
    Type wide = getElementTypeOrSelf(value);
    value = replaceWhere(op, op.compareElementwise("IsNaN", value),
                         op.makeScalar(wide, APFloat(-0.0)), value);
  }
  return op.cast(value, elementType);
}

NodeResults stablehlo_ops::convertConvert(OpImporter &op) {
  Type from = op.elementType(0), to = op.resultElementType();
  for (Type type : {from, to})
    if (!isNumber(type))
      return op.unsupported("elements of type " + showType(type));
  return convertElements(op, op.inputs.front(), to);
}

/// Converts elements to a type of the same width, bit for bit.
static Value bitcast(OpImporter &op, Value value, Type to) {
  Type from = getElementTypeOrSelf(value);
  auto type = cast<TensorType>(value.getType()).clone(to);
  if (from == to)
    return value;
  // Integers of the same width have the same bits (C12).
  if (isa<IntegerType>(from) && isa<IntegerType>(to))
    return op.cast(value, to);
  std::optional<int32_t> number = getOnnxDataType(to);
  if (number && getOnnxDataType(from))
    return op.buildNode("BitCast", value, type, op.intAttr("to", *number));
  return arith::BitcastOp::create(op.b, type, value);
}

NodeResults stablehlo_ops::convertBitcast(OpImporter &op) {
  Type from = op.elementType(0), to = op.resultElementType();
  for (Type type : {from, to})
    if (!isNumber(type))
      return op.unsupported("elements of type " + showType(type));
  if (getNumberWidth(from) != getNumberWidth(to))
    return op.unsupported("element types of different widths, " +
                          showType(from) + " and " + showType(to));
  return bitcast(op, op.inputs.front(), to);
}

NodeResults stablehlo_ops::convertReducePrecision(OpImporter &op) {
  FailureOr<int64_t> exponentBits = op.requireInt("exponent_bits");
  FailureOr<int64_t> mantissaBits = op.requireInt("mantissa_bits");
  if (failed(exponentBits) || failed(mantissaBits))
    return failure();
  auto type = dyn_cast<FloatType>(op.elementType(0));
  if (!type || !isStandardFloat(type))
    return op.unsupported("elements of type " + showType(op.elementType(0)));
  unsigned width = type.getWidth();
  unsigned mantissa = type.getFPMantissaWidth() - 1;
  unsigned exponent = width - 1 - mantissa;
  if (*exponentBits < 1)
    return op.unsupportedAttribute("exponent_bits", "at least 1");
  if (*mantissaBits < 1)
    return op.unsupportedAttribute("mantissa_bits", "at least 1");

  // Round the encoding as an integer, then check the exponent.
  Value input = op.inputs.front();
  auto word = IntegerType::get(op.b.getContext(), width, IntegerType::Unsigned);
  auto makeWord = [&](const APInt &number) {
    return op.makeConstant(
        DenseElementsAttr::get(RankedTensorType::get({}, word), number));
  };
  APInt one(width, 1);
  Value bits = bitcast(op, input, word);
  if (*mantissaBits < mantissa) {
    unsigned dropped = mantissa - *mantissaBits;
    Value last = op.applyElementwise(
        "BitwiseAnd", {op.applyElementwise(
                           "BitShift", {bits, makeWord(APInt(width, dropped))},
                           op.stringAttr("direction", "RIGHT")),
                       makeWord(one)});
    // Half of the last bit that is kept, less one if that bit is 0.
    Value bias = op.applyElementwise(
        "Add", {last, makeWord(APInt::getLowBitsSet(width, dropped - 1))});
    bits = op.applyElementwise("Add", {bits, bias});
    bits = op.applyElementwise(
        "BitwiseAnd",
        {bits, makeWord(APInt::getHighBitsSet(width, width - dropped))});
  }
  if (*exponentBits < exponent) {
    APInt exponents = APInt::getBitsSet(width, mantissa, width - 1);
    APInt bias = APInt::getLowBitsSet(width, exponent - 1);
    APInt reducedBias = APInt::getLowBitsSet(width, *exponentBits - 1);
    Value found =
        op.applyElementwise("BitwiseAnd", {bits, makeWord(exponents)});
    Value sign = op.applyElementwise(
        "BitwiseAnd", {bits, makeWord(APInt::getSignMask(width))});
    Value infinity =
        op.applyElementwise("BitwiseOr", {sign, makeWord(exponents)});
    Value isTooLarge = op.compareElementwise(
        "Greater", {found, makeWord((bias + reducedBias).shl(mantissa))});
    // Subnormal numbers of the reduced format become zero.
    Value isTooSmall = op.compareElementwise(
        "LessOrEqual", {found, makeWord((bias - reducedBias).shl(mantissa))});
    bits = op.applyElementwise("Where", {isTooLarge, infinity, bits});
    bits = op.applyElementwise("Where", {isTooSmall, sign, bits});
  }
  Value result = bitcast(op, bits, type);
  Value isNaN = op.compareElementwise("IsNaN", input);
  return op.applyElementwise("Where", {isNaN, input, result});
}
