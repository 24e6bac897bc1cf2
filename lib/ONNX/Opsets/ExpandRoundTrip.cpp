//===- ExpandRoundTrip.cpp - Rounding to floats that an opset lacks -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the result of a quantize or a cast has a type that the opset lacks, and
// its only uses are dequantizes, casts, or as a scale, then the value that an
// encoding represents is computed directly, in f32, or in f64 if the input has
// more bits. Let P be the number of significant bits of that type, p that of
// the float type to round to, t the magnitude, h the smallest normal value, and
// m a number whose last bit has the weight of the last bit of a subnormal:
//
//   t >= h:  c = t * (2^(P - p) + 1), c - (c - t)    // p bits of t remain
//   t < h:   (t + m) - m
//
// Both round to nearest even, if each step is rounded to f32. The first is
// Veltkamp's splitting, which rounds ties to even for all f32 from 2^-31 to
// 2^17 and the p of float8 and f16. bf16 has all exponents of f32: a value
// beyond 2^64 (below 2^-64) is divided (multiplied) by 2^64 before and
// multiplied (divided) afterward.
//
// For f8E8M0FNU, p is 1: a power of two that was rounded in the wrong direction
// is halved or doubled. Integers are rounded or truncated.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "OpsetConverter.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/FloatFormat.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

Value onnx_import::roundTo(Expansion &expansion, Value value, Type narrow,
                           bool saturate, bool infinityIsNaN) {
  FloatFormat format(narrow);
  auto type = mlir::cast<RankedTensorType>(value.getType());
  Type condition = type.clone(expansion.b.getI1Type());
  auto node = [&](StringRef opType, ValueRange operands) {
    return expansion.node(opType, operands, type);
  };
  auto compare = [&](StringRef opType, Value one, Value other) {
    return expansion.node(opType, {one, other}, condition);
  };
  FloatType element = mlir::cast<FloatType>(type.getElementType());
  FloatFormat own(element);
  auto number = [&](StringRef what, double value) {
    return expansion.number(what, value, element);
  };
  int bits = format.mantissaBits + 1, ownBits = own.mantissaBits + 1;
  bool isWide = format.minExponent <= own.minExponent;
  double mostFloat = own.maxValue.convertToDouble();
  double max = format.maxValue.convertToDouble();
  Value magnitude = node("Abs", value);
  Value bounded = magnitude, factor;
  if (isWide) {
    Value isHuge =
        compare("Greater", magnitude, number("huge", std::ldexp(1.0, 64)));
    Value isTiny =
        compare("Less", magnitude, number("tiny", std::ldexp(1.0, -64)));
    Value up = number("up", std::ldexp(1.0, 64));
    Value down = number("down", std::ldexp(1.0, -64)), same = number("same", 1);
    auto choose = [&](Value ofHuge, Value ofTiny) {
      return node("Where",
                  {isHuge, ofHuge, node("Where", {isTiny, ofTiny, same})});
    };
    bounded = node("Mul", {magnitude, choose(down, up)});
    factor = choose(up, down);
  } else {
    // Bound the magnitude, so that the product is finite. The bound replaces
    // infinities, too.
    Value beyond = number("beyond", 2 * max);
    bounded = node("Where",
                   {compare("Greater", magnitude, beyond), beyond, magnitude});
  }

  Value scaled =
      node("Mul",
           {bounded, number("splitter", std::ldexp(1.0, ownBits - bits) + 1)});
  Value normal = node("Sub", {scaled, node("Sub", {scaled, bounded})});
  if (isWide) {
    normal = node("Mul", {normal, factor});
    bounded = magnitude;
  }
  int lastBit = format.minExponent - int(format.mantissaBits);
  Value step = number("step", std::ldexp(1.5, ownBits - 1 + lastBit));
  Value subnormal = node("Sub", {node("Add", {bounded, step}), step});
  Value isSubnormal = compare(
      "Less", bounded, number("normal", std::ldexp(1.0, format.minExponent)));
  Value rounded = node("Where", {isSubnormal, subnormal, normal});

  double overflow = saturate ? max
                    : format.hasInfinity
                        ? std::numeric_limits<double>::infinity()
                        : std::numeric_limits<double>::quiet_NaN();
  // With bf16, the result of a finite value that overflows is infinite already,
  // and that of an infinity is NaN.
  Value isBeyond =
      isWide ? compare("Greater", magnitude, number("finite", mostFloat))
             : compare("Greater", rounded, number("most", max));
  rounded = node("Where", {isBeyond, number("overflow", overflow), rounded});
  if (saturate && infinityIsNaN) {
    Value finite = number("finite", mostFloat);
    Value nan = number("nan", std::numeric_limits<double>::quiet_NaN());
    rounded =
        node("Where", {compare("Greater", magnitude, finite), nan, rounded});
  }
  Value zero = number("zero", 0), one = number("one", 1);
  Value isNegative = compare("Less", value, zero);
  if (format.isFNUZ) {
    // FNUZ types have no negative zero.
    Value isZero =
        compare("Less", rounded, number("least", std::ldexp(1.0, lastBit)));
    Value negated = node("Where", {isZero, zero, node("Neg", rounded)});
    return node("Where", {isNegative, negated, rounded});
  }
  // The reciprocal detects a negative zero, whose sign ONNX Runtime's Where op
  // would lose.
  isNegative = expansion.node(
      "Or", {isNegative, compare("Less", node("Div", {one, value}), zero)},
      condition);
  return node("Mul",
              {rounded, node("Where", {isNegative, number("minus", -1), one})});
}

/// Rounds values of f32 or f64 to the powers of two of f8E8M0FNU (C9).
static Value roundToPower(Expansion &expansion, Value value, bool saturate,
                          RoundMode mode) {
  auto type = mlir::cast<RankedTensorType>(value.getType());
  Type element = type.getElementType();
  Type condition = type.clone(expansion.b.getI1Type());
  auto node = [&](StringRef opType, ValueRange operands) {
    return expansion.node(opType, operands, type);
  };
  auto compare = [&](StringRef opType, Value one, Value other) {
    return expansion.node(opType, {one, other}, condition);
  };
  auto number = [&](StringRef what, double value) {
    return expansion.number(what, value, element);
  };
  double min = std::ldexp(1.0, -127), max = std::ldexp(1.0, 127);
  Value low = number("least", min), high = number("most", max);
  Value isLow = compare("Less", value, low);
  Value isHigh = compare("Greater", value, high);
  // Scale the value, by 2^64 if it is small and 2^-64 otherwise, so that all
  // sums and products are normal numbers.
  Value one = number("one", 1), half = number("half", 0.5);
  Value up = number("up", std::ldexp(1.0, 64));
  Value down = number("down", std::ldexp(1.0, -64));
  Value isSmall = compare("Less", value, one);
  Value bounded =
      node("Where", {isLow, low, node("Where", {isHigh, high, value})});
  bounded = node("Mul", {bounded, node("Where", {isSmall, up, down})});
  int bits = FloatFormat(element).mantissaBits + 1;
  Value scaled =
      node("Mul", {bounded, number("splitter", std::ldexp(1.0, bits - 1) + 1)});
  Value power = node("Sub", {scaled, node("Sub", {scaled, bounded})});
  if (mode == RoundMode::Up)
    power = node("Where", {compare("Less", power, bounded),
                           node("Mul", {power, number("two", 2)}), power});
  if (mode == RoundMode::Down)
    power = node("Where", {compare("Greater", power, bounded),
                           node("Mul", {power, half}), power});
  power = node("Mul", {power, node("Where", {isSmall, down, up})});
  double nan = std::numeric_limits<double>::quiet_NaN();
  power =
      node("Where", {isLow, number("underflow", saturate ? min : nan), power});
  power =
      node("Where", {isHigh, number("overflow", saturate ? max : nan), power});
  return node("Where", {expansion.node("IsNaN", {value}, condition),
                        number("nan", nan), power});
}

/// Truncates a value to an integer type of at most 16 bits: the low bits of its
/// conversion to 32 bits (C11, C12). The result is in i32. Null if the opset
/// lacks the types.
static Value cutToInteger(Expansion &expansion, Value value, IntegerType type) {
  auto &b = expansion.b;
  unsigned width = type.getWidth();
  Value integral = expansion.cast(value, b.getI32Type());
  Type element = b.getF64Type();
  Type byte = b.getIntegerType(8, /*isSigned=*/false);
  if (width < 8 && hasElementType(expansion.getOptions(), byte)) {
    element = b.getF32Type();
    integral = expansion.cast(integral, byte);
  }
  if (!hasElementType(expansion.getOptions(), element))
    return {};
  integral = expansion.cast(integral, element);
  auto shape = mlir::cast<RankedTensorType>(integral.getType());
  auto node = [&](StringRef opType, ValueRange operands) {
    return expansion.node(opType, operands, shape);
  };
  auto number = [&](StringRef what, double value) {
    return expansion.number(what, value, element);
  };
  double count = std::ldexp(1.0, width);
  Value multiple = node("Mul", {integral, number("fraction", 1 / count)});
  multiple = node("Floor", {multiple});
  multiple = node("Mul", {multiple, number("count", count)});
  Value low = node("Sub", {integral, multiple});
  if (type.isSignless()) {
    Value isNegative =
        expansion.node("Greater", {low, number("most", count / 2 - 1)},
                       shape.clone(b.getI1Type()));
    low = node("Where",
               {isNegative, node("Sub", {low, number("count", count)}), low});
  }
  return expansion.cast(low, b.getI32Type());
}

bool onnx_import::isScale(OpOperand &use) {
  auto op = dyn_cast<QuantizationOpInterface>(use.getOwner());
  return op && use.getOperandNumber() == 1 && !op->hasAttr("domain") &&
         isa<QuantizeOp, DequantizeOp>(use.getOwner());
}

bool onnx_import::areDecoded(Value quantized) {
  return !quantized.use_empty() &&
         llvm::all_of(quantized.getUses(), [](OpOperand &use) {
           Operation *user = use.getOwner();
           if (isScale(use))
             return true;
           if (use.getOperandNumber() != 0 || user->getNumResults() != 1 ||
               !isa<RankedTensorType>(user->getResult(0).getType()))
             return false;
           if (auto cast = dyn_cast<CastOp>(user))
             return !cast.getMode() && !cast.getRandom() &&
                    isNumber(getElementTypeOrSelf(cast.getType()));
           auto dequantize = dyn_cast<DequantizeOp>(user);
           return dequantize && !dequantize.getDomain();
         });
}

/// Returns the values of the quantized values, in f32, f64, or, for integers,
/// i32. Null if there is no equivalent.
static Value computeNumbers(Expansion &expansion, QuantizeOp op) {
  auto &b = expansion.b;
  Type type = op.getQuantizedElementType(), f32 = b.getF32Type();
  Value quotient = divide(expansion, op);
  Value point;
  if (quotient && op.getZeroPoint() && !isFloat8(type) &&
      (!(point = expansion.decodeParameter(op.getZeroPoint(), "zero_point")) ||
       !(point = expansion.spread(point, op))))
    return {};
  if (!quotient)
    return {};
  // The conversion to an integer removes the sign of a zero.
  if (isa<IntegerType>(type))
    return expansion.cast(roundToInteger(expansion, quotient, type, point),
                          b.getI32Type());
  auto shape = mlir::cast<RankedTensorType>(quotient.getType());
  Type element = shape.getElementType();
  if (isFloat8(type))
    return roundTo(expansion, quotient, type, op.getSemantics().saturate,
                   /*infinityIsNaN=*/false);
  // The sum is rounded to the type of the division. The quantized value is
  // never NaN.
  if (point) {
    quotient = expansion.node("Add", {quotient, expansion.cast(point, element)},
                              shape);
    FloatType precision = op.getSemantics().precision;
    if (precision != element)
      quotient = hasElementType(expansion.getOptions(), precision)
                     ? expansion.cast(expansion.cast(quotient, precision), f32)
                     : roundTo(expansion, quotient, precision);
  }
  Value rounded = roundTo(expansion, quotient, type, /*saturate=*/true);
  Value isNaN = expansion.node("IsNaN", {rounded}, shape.clone(b.getI1Type()));
  return expansion.node(
      "Where", {isNaN, expansion.number("zero", 0, element), rounded}, shape);
}

Type onnx_import::getArithmeticType(Type from, FloatType narrow) {
  Builder b(from.getContext());
  double max = FloatFormat(narrow).maxValue.convertToDouble();
  for (FloatType type :
       {FloatType(b.getF32Type()), FloatType(b.getF64Type())}) {
    if (getNumberWidth(narrow) >= getNumberWidth(type))
      continue;
    int bits = FloatFormat(type).mantissaBits + 1;
    bool isExact = isFloat(from) ? getNumberWidth(from) <= getNumberWidth(type)
                                 : int(getNumberWidth(from)) <= bits ||
                                       2 * max < std::ldexp(1.0, bits);
    if (isExact)
      return type;
  }
  return {};
}

/// Returns the values of the result of a cast, as above.
static Value computeNumbers(Expansion &expansion, CastOp op) {
  auto &b = expansion.b;
  Type from = getElementTypeOrSelf(op.getInput());
  Type type = getElementTypeOrSelf(op.getType());
  CastSemantics semantics = op.getSemantics();
  auto integer = dyn_cast<IntegerType>(type);
  if (integer && (integer.getWidth() == 1 || integer.getWidth() > 16))
    return {};
  Type arithmetic =
      integer ? b.getI32Type() : getArithmeticType(from, cast<FloatType>(type));
  if (!arithmetic || !hasElementType(expansion.getOptions(), arithmetic))
    return {};
  // If the opset has the type, keep its cast from f64, whose rounding is not
  // replaced.
  if (arithmetic.isF64() && hasElementType(expansion.getOptions(), type))
    return {};
  Value value = expansion.widen(op.getInput(), "input");
  if (!value)
    return {};
  if (integer)
    return cutToInteger(expansion, value, integer);
  value = expansion.cast(value, arithmetic);
  if (isa<Float8E8M0FNUType>(type))
    return roundToPower(expansion, value, semantics.saturate,
                        semantics.roundMode);
  FloatFormat format(type);
  bool isStandard = isStandardFloat(type);
  Value rounded =
      roundTo(expansion, value, type,
              !isStandard && (semantics.saturate || !isFloat8(type)),
              semantics.infinityIsNaN && format.isFNUZ);
  if (isStandard || isFloat8(type))
    return rounded;
  // The type has no NaN (C8).
  auto shape = mlir::cast<RankedTensorType>(rounded.getType());
  Value isNaN = expansion.node("IsNaN", {value}, shape.clone(b.getI1Type()));
  return expansion.node(
      "Where", {isNaN, expansion.number("zero", 0, arithmetic), rounded},
      shape);
}

/// Replaces a scale with a scale of f32. Sets the precision of a quantize
/// explicitly if the type of the scale determines it.
static void replaceScale(OpOperand &use, Value scale) {
  auto quantize = dyn_cast<QuantizeOp>(use.getOwner());
  if (!quantize)
    return use.set(scale);
  FloatType precision = quantize.getSemantics().precision;
  use.set(scale);
  if (quantize.getSemantics().precision != precision)
    quantize.setPrecisionAttr(TypeAttr::get(precision));
}

template <typename OpTy> void OpsetConverter::expandRoundTripOf(OpTy op) {
  Value quantized = op.getResult();
  Type f32 = Float32Type::get(op.getContext());
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (!mustReplaceType(options, getElementTypeOrSelf(quantized)) || !input ||
      !hasElementType(options, f32) || !areDecoded(quantized))
    return;
  SmallVector<Operation *> users;
  SmallVector<OpOperand *> scales;
  for (OpOperand &use : quantized.getUses()) {
    Operation *user = use.getOwner();
    if (isScale(use)) {
      scales.push_back(&use);
      continue;
    }
    if (isa<DequantizeOp>(user) &&
        !hasElementType(options, getElementTypeOrSelf(user->getResult(0))))
      return;
    users.push_back(user);
  }
  Expansion expansion(op, options, names);
  Value numbers = computeNumbers(expansion, op);
  if (!numbers)
    return expansion.cancel();
  Value inFloat;
  SmallVector<std::pair<DequantizeOp, Value>> products;
  for (Operation *user : users) {
    auto dequantize = dyn_cast<DequantizeOp>(user);
    if (!dequantize)
      continue;
    if (!inFloat)
      inFloat = expansion.cast(numbers, f32);
    Expansion own(user, options, names);
    Value scale = own.decodeParameter(dequantize.getScale(), "scale");
    Value less = subtractZeroPoint(own, dequantize, inFloat);
    if (!less || !scale || !(scale = own.spread(scale, dequantize)))
      return refuse(user, "its scale or zero point is not representable there");
    auto result = mlir::cast<RankedTensorType>(user->getResult(0).getType());
    products.emplace_back(
        dequantize, own.cast(own.node("Mul", {less, scale}, input.clone(f32)),
                             result.getElementType()));
  }
  for (auto [user, product] : products) {
    SmallVector<Value> inputs = llvm::to_vector(op->getOperands());
    llvm::append_range(inputs, user->getOperands().drop_front());
    if (!replaceByExpansion(user, product, "as Mul", inputs))
      return;
  }
  if (!scales.empty() && !inFloat)
    inFloat = expansion.cast(numbers, f32);
  for (OpOperand *use : scales)
    replaceScale(*use, inFloat);
  (void)replaceByExpansion(op, numbers, "as arithmetic in float");
}

void OpsetConverter::expandRoundTrip(QuantizeOp op) {
  if (!op.getDomain() && !op.getRandom())
    expandRoundTripOf(op);
}

void OpsetConverter::expandRoundTrip(CastOp op) {
  if (!op.getMode() && !op.getRandom() &&
      isNumber(getElementTypeOrSelf(op.getInput())) &&
      isNumber(getElementTypeOrSelf(op.getType())))
    expandRoundTripOf(op);
}
