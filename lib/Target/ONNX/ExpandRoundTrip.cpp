//===- ExpandRoundTrip.cpp - Rounding to floats that an opset lacks -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is quantized, or cast, to a type that the opset lacks and from there is
// only dequantized, or cast, needs no codes: the number that the code stands
// for is computed in f32. Integers are rounded as such. With p significant bits
// of a float, t the magnitude and h the smallest normal number:
//
//   t >= h:  c = t * (2^(24 - p) + 1), c - (c - t)   // p bits are left of t
//   t < h:   (t + m) - m                             // m is where the last bit
//                                                    // of an f32 is a code's
//
// Both round to nearest even, each step being rounded to f32 on its own: of the
// first that is Veltkamp's splitting, which gives ties to even for all f32 from
// 2^-31 to 2^17 and the p of float8 and f16. A bf16 has all exponents of an
// f32: what is beyond 2^64, or below 2^-64, is divided, or multiplied, by 2^64
// before and multiplied, or divided, behind.
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
  auto number = [&](StringRef what, double value) {
    return expansion.number(what, value);
  };
  int bits = format.mantissaBits + 1;
  bool isWide = narrow.isBF16();
  double mostFloat = std::numeric_limits<float>::max();
  double most = format.maxValue.convertToDouble();
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
    // So that no product is infinite; what is not finite is beyond all numbers.
    Value beyond = number("beyond", 2 * most);
    bounded = node("Where",
                   {compare("Greater", magnitude, beyond), beyond, magnitude});
  }

  Value scaled = node(
      "Mul", {bounded, number("splitter", std::ldexp(1.0, 24 - bits) + 1)});
  Value normal = node("Sub", {scaled, node("Sub", {scaled, bounded})});
  if (isWide) {
    normal = node("Mul", {normal, factor});
    bounded = magnitude;
  }
  int lastBit = format.minExponent - int(format.mantissaBits);
  Value step = number("step", std::ldexp(1.5, 23 + lastBit));
  Value subnormal = node("Sub", {node("Add", {bounded, step}), step});
  Value isSubnormal = compare(
      "Less", bounded, number("normal", std::ldexp(1.0, format.minExponent)));
  Value rounded = node("Where", {isSubnormal, subnormal, normal});

  double overflow = saturate ? most
                    : format.hasInfinity
                        ? std::numeric_limits<double>::infinity()
                        : std::numeric_limits<double>::quiet_NaN();
  // That of bf16 is infinite by itself; an infinity has become NaN.
  Value isBeyond =
      isWide ? compare("Greater", magnitude, number("finite", mostFloat))
             : compare("Greater", rounded, number("most", most));
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
    // There is no negative zero.
    Value isZero =
        compare("Less", rounded, number("least", std::ldexp(1.0, lastBit)));
    Value negated = node("Where", {isZero, zero, node("Neg", rounded)});
    return node("Where", {isNegative, negated, rounded});
  }
  // The reciprocal tells a negative zero. ONNX Runtime's Where would lose it.
  isNegative = expansion.node(
      "Or", {isNegative, compare("Less", node("Div", {one, value}), zero)},
      condition);
  return node("Mul",
              {rounded, node("Where", {isNegative, number("minus", -1), one})});
}

/// Whether all that becomes of the codes is numbers again.
template <typename OpTy> static bool areOnly(Value codes) {
  return !codes.use_empty() &&
         llvm::all_of(codes.getUses(), [](OpOperand &use) {
           auto op = dyn_cast<OpTy>(use.getOwner());
           return op && use.getOperandNumber() == 0;
         });
}

/// Whether it is a type that arithmetic rounds to, because nothing else may.
static bool isRounded(const OpsetOptions &options, Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type, Float8E4M3FNUZType,
             Float8E5M2FNUZType>(type) &&
         doesWithout(options, type);
}

/// The numbers of the codes, in f32; null where they have no such form.
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
  // A zero has no sign as an integer.
  if (isa<IntegerType>(type))
    return expansion.cast(
        expansion.cast(roundToInteger(expansion, quotient, type, point),
                       b.getI32Type()),
        f32);
  auto shape = mlir::cast<RankedTensorType>(quotient.getType());
  if (!shape.getElementType().isF32())
    return {};
  if (isFloat8(type))
    return roundTo(expansion, quotient, type, op.getSemantics().saturate,
                   /*infinityIsNaN=*/false);
  // The sum is rounded to the type of the division, and never NaN as a code.
  if (point) {
    quotient = expansion.node("Add", {quotient, point}, shape);
    FloatType precision = op.getSemantics().precision;
    if (!precision.isF32())
      quotient = hasElementType(expansion.getOptions(), precision)
                     ? expansion.cast(expansion.cast(quotient, precision), f32)
                     : roundTo(expansion, quotient, precision);
  }
  Value rounded = roundTo(expansion, quotient, type, /*saturate=*/true);
  Value isNaN = expansion.node("IsNaN", {rounded}, shape.clone(b.getI1Type()));
  return expansion.node("Where", {isNaN, expansion.number("zero", 0), rounded},
                        shape);
}

void OpsetConverter::expandRoundTrip(QuantizeOp op) {
  Type type = op.getQuantizedElementType();
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  bool isLacking = isFloat8(type) ? isRounded(options, type)
                                  : !hasElementType(options, type);
  if (op.getDomain() || !isLacking || !input || op.getRandom() ||
      !areOnly<DequantizeOp>(op.getResult()))
    return;
  SmallVector<DequantizeOp> users;
  for (Operation *user : op.getResult().getUsers())
    users.push_back(cast<DequantizeOp>(user));
  if (llvm::any_of(users, [&](DequantizeOp user) {
        auto type = dyn_cast<RankedTensorType>(user.getType());
        return user.getDomain() || !type ||
               !hasElementType(options, type.getElementType());
      }))
    return;
  Expansion expansion(op, options);
  Value rounded = computeNumbers(expansion, op);
  if (!rounded)
    return expansion.cancel();
  SmallVector<std::pair<DequantizeOp, Value>> products;
  for (DequantizeOp user : users) {
    Expansion own(user, options);
    Value scale = own.decodeParameter(user.getScale(), "scale");
    Value numbers = subtractZeroPoint(own, user, rounded);
    if (!numbers || !scale || !(scale = own.spread(scale, user)))
      return refuse(user, "its scale or zero point has no form there");
    auto result = mlir::cast<RankedTensorType>(user.getType());
    products.emplace_back(user,
                          own.cast(own.node("Mul", {numbers, scale},
                                            input.clone(own.b.getF32Type())),
                                   result.getElementType()));
  }
  for (auto [user, product] : products) {
    SmallVector<Value> inputs = llvm::to_vector(op->getOperands());
    llvm::append_range(inputs, user->getOperands().drop_front());
    if (!replaceByExpansion(user, product, "as Mul", inputs))
      return;
  }
  (void)replaceByExpansion(op, rounded, "as arithmetic in float");
}

/// Whether f32 has all numbers of the type.
static bool isExactInFloat(Type type) {
  return isFloat(type) ? !type.isF64()
                       : isa<IntegerType>(type) && getNumberWidth(type) <= 16;
}

void OpsetConverter::expandRoundTrip(CastOp op) {
  Type type = getElementTypeOrSelf(op.getType());
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (op.getMode() || op.getRandom() || !isRounded(options, type) || !input ||
      !isExactInFloat(input.getElementType()) ||
      !hasElementType(options, Float32Type::get(op.getContext())) ||
      !areOnly<CastOp>(op.getResult()))
    return;
  for (Operation *user : op.getResult().getUsers()) {
    Type to = getElementTypeOrSelf(user->getResult(0).getType());
    if (!isa<Float32Type, Float16Type, BFloat16Type, Float64Type>(to) ||
        !hasElementType(options, to))
      return;
  }
  Expansion expansion(op, options);
  CastSemantics semantics = op.getSemantics();
  Value value = expansion.decodeParameter(op.getInput(), "input");
  if (!value)
    return expansion.cancel();
  Value rounded = roundTo(expansion, value, type, semantics.saturate,
                          semantics.infinityIsNaN && FloatFormat(type).isFNUZ);
  for (Operation *user : llvm::to_vector(op.getResult().getUsers()))
    user->setOperand(0, rounded);
  (void)replaceByExpansion(op, rounded, "as arithmetic in float");
}
