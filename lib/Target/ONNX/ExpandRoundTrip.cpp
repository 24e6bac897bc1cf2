//===- ExpandRoundTrip.cpp - Rounding to floats that an opset lacks -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is quantized, or cast, to float8 and from there is only dequantized, or
// cast, needs no codes: the number that the code stands for is computed in f32.
// With p significant bits of a code, t the magnitude and h the smallest normal
// number:
//
//   t >= h:  c = t * (2^(24 - p) + 1), c - (c - t)   // p bits are left of t
//   t < h:   (t + m) - m                             // m is where the last bit
//                                                    // of an f32 is a code's
//
// Both round to nearest even, each step being rounded to f32 on its own: of the
// first that is Veltkamp's splitting, which gives ties to even for all f32 from
// 2^-31 to 2^17 and the p of float8.
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

/// The numbers that `value`, of f32, becomes as codes of the format.
static Value roundTo(Expansion &expansion, Value value,
                     const FloatFormat &format, bool saturate,
                     bool infinityIsNaN) {
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
  double most = format.maxValue.convertToDouble();
  Value magnitude = node("Abs", value);
  // So that no product is infinite; what is not finite is beyond all numbers.
  Value beyond = number("beyond", 2 * most);
  Value bounded =
      node("Where", {compare("Greater", magnitude, beyond), beyond, magnitude});

  Value scaled = node(
      "Mul", {bounded, number("splitter", std::ldexp(1.0, 24 - bits) + 1)});
  Value normal = node("Sub", {scaled, node("Sub", {scaled, bounded})});
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
  rounded = node("Where", {compare("Greater", rounded, number("most", most)),
                           number("overflow", overflow), rounded});
  if (saturate && infinityIsNaN) {
    Value finite = number("finite", std::numeric_limits<float>::max());
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

void OpsetConverter::expandRoundTrip(QuantizeOp op) {
  Type type = op.getQuantizedElementType();
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (op.getDomain() || !isRounded(options, type) || !input ||
      !input.getElementType().isF32() || op.getRandom() ||
      !op.getSemantics().precision.isF32() ||
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
  Value scale = expansion.decodeParameter(op.getScale(), "scale");
  if (!scale || !(scale = expansion.spread(scale, op)))
    return expansion.cancel();
  Value quotient = expansion.node("Div", {op.getInput(), scale}, input);
  Value rounded = roundTo(expansion, quotient, FloatFormat(type),
                          op.getSemantics().saturate, /*infinityIsNaN=*/false);
  // Zero points of float8 are zero.
  SmallVector<std::pair<DequantizeOp, Value>> products;
  for (DequantizeOp user : users) {
    Expansion own(user, options);
    Value scale = own.decodeParameter(user.getScale(), "scale");
    if (!scale || !(scale = own.spread(scale, user)))
      return refuse(user, "its scale has no form there");
    auto result = mlir::cast<RankedTensorType>(user.getType());
    products.emplace_back(user,
                          own.cast(own.node("Mul", {rounded, scale}, input),
                                   result.getElementType()));
  }
  for (auto [user, product] : products)
    replaceByExpansion(user, product, "as Mul");
  replaceByExpansion(op, rounded, "as arithmetic in float");
}

void OpsetConverter::expandRoundTrip(CastOp op) {
  Type type = getElementTypeOrSelf(op.getType());
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  if (op.getMode() || !isRounded(options, type) || !input ||
      !input.getElementType().isF32() || !areOnly<CastOp>(op.getResult()))
    return;
  for (Operation *user : op.getResult().getUsers()) {
    Type to = getElementTypeOrSelf(user->getResult(0).getType());
    if (!isa<Float32Type, Float16Type, BFloat16Type, Float64Type>(to) ||
        !hasElementType(options, to))
      return;
  }
  Expansion expansion(op, options);
  CastSemantics semantics = op.getSemantics();
  Value rounded =
      roundTo(expansion, op.getInput(), FloatFormat(type), semantics.saturate,
              semantics.infinityIsNaN && FloatFormat(type).isFNUZ);
  for (Operation *user : llvm::to_vector(op.getResult().getUsers()))
    user->setOperand(0, rounded);
  replaceByExpansion(op, rounded, "as arithmetic in float");
}
