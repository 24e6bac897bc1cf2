//===- ExpandQuantize.cpp - Expansion of quantizes that an opset lacks ----===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A QuantizeLinear that an opset lacks becomes the first of these that the
// opset has:
//
//   QuantizeLinear with explicit parts: a zero point of 0 of the type specified
//   by
//     output_dtype, both operands cast to the type of the division (D2)
//   Div, then QuantizeLinear with a scale of 1, which rounds and saturates
//   Div, Round, Add the zero point, Min, Max, Cast
//
// The quotient of two f16 or bf16 values is the same whether it is rounded to
// their type directly or to f32 first: f32 has at least twice as many
// significant bits plus two (Figueroa), so no quotient is close enough to a
// tie.
//
//===----------------------------------------------------------------------===//

#include "Expansion.h"
#include "OpsetConverter.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/FloatFormat.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

/// An integer larger than every sum of a 16-bit integer and a 16-bit zero
/// point. A clamp to it does not change the saturated result.
static constexpr double kBeyondIntegers = 1 << 18;
/// The first opset that has Round.
static constexpr int64_t kFirstOpsetWithRound = 11;

static bool isWide(Type precision) { return precision.isF64(); }

/// Returns the result of a cast of 32-bit integers to f16 or bf16, in f32. Uses
/// the splitting of ExpandRoundTrip.cpp in f64. Null if the opset lacks f64.
static Value roundWideInteger(Expansion &expansion, Value value,
                              FloatType narrow) {
  auto &b = expansion.b;
  Type f64 = b.getF64Type();
  if (!hasElementType(expansion.getOptions(), f64))
    return {};
  value = expansion.cast(value, f64);
  auto type = mlir::cast<TensorType>(value.getType());
  auto node = [&](StringRef opType, ValueRange operands) {
    return expansion.node(opType, operands, type);
  };
  int dropped = 53 - int(FloatFormat(narrow).mantissaBits + 1);
  Value scaled = node(
      "Mul",
      {value, expansion.number("splitter", std::ldexp(1.0, dropped) + 1, f64)});
  value = node("Sub", {scaled, node("Sub", {scaled, value})});
  double max = FloatFormat(narrow).maxValue.convertToDouble();
  for (double sign : {1.0, -1.0}) {
    Value isBeyond =
        expansion.node(sign > 0 ? "Greater" : "Less",
                       {value, expansion.number("most", sign * max, f64)},
                       type.clone(b.getI1Type()));
    Value infinity = expansion.number(
        "overflow", sign * std::numeric_limits<double>::infinity(), f64);
    value = node("Where", {isBeyond, infinity, value});
  }
  return expansion.cast(value, b.getF32Type());
}

Value onnx_import::divide(Expansion &expansion, QuantizeOp op) {
  auto &b = expansion.b;
  const OpsetOptions &options = expansion.getOptions();
  FloatType precision = op.getSemantics().precision;
  auto input = dyn_cast<RankedTensorType>(op.getInput().getType());
  Type f32 = b.getF32Type();
  Type type = isWide(precision) ? Type(b.getF64Type()) : f32;
  if (!input || !hasElementType(options, type) || !hasElementType(options, f32))
    return {};
  bool isRounded = precision != type;
  bool rounds = isRounded && !hasElementType(options, precision);
  auto toPrecision = [&](Value value) -> Value {
    if (!isRounded)
      return expansion.cast(value, type);
    if (!rounds)
      return expansion.cast(expansion.cast(value, precision), type);
    Type from = getElementTypeOrSelf(value);
    // A cast to f32 first would round a 32-bit integer twice.
    if (!isFloat(from) && getNumberWidth(from) > 16)
      return roundWideInteger(expansion, value, precision);
    Value wide = expansion.cast(value, type);
    bool isExact = isFloat(from) && getNumberWidth(from) <= 8;
    return isExact ? wide : roundTo(expansion, wide, precision);
  };
  Value x = expansion.widen(op.getInput(), "input");
  Value scale = x ? expansion.widen(op.getScale(), "scale") : Value();
  if (!scale || !(x = toPrecision(x)) || !(scale = toPrecision(scale)) ||
      !(scale = expansion.spread(scale, op)))
    return {};
  Value quotient = expansion.node("Div", {x, scale}, input.clone(type));
  return isRounded ? toPrecision(quotient) : quotient;
}

Value onnx_import::roundToInteger(Expansion &expansion, Value quotient,
                                  Type integer, Value point) {
  auto &b = expansion.b;
  auto type = mlir::cast<RankedTensorType>(quotient.getType());
  Type element = type.getElementType(), f32 = b.getF32Type();
  auto number = [&](StringRef what, double value, Type type) {
    return expansion.number(what, value, type);
  };
  auto clamp = [&](Value value, double min, double max) {
    Type type = value.getType(), element = getElementTypeOrSelf(type);
    value = expansion.node("Min", {value, number("most", max, element)}, type);
    return expansion.node("Max", {value, number("least", min, element)}, type);
  };
  // NaN results in the zero point (D1).
  Value isNaN = expansion.node("IsNaN", {quotient}, type.clone(b.getI1Type()));
  Value value = expansion.node(
      "Where", {isNaN, number("zero", 0, element), quotient}, type);
  value = clamp(value, -kBeyondIntegers, kBeyondIntegers);
  if (expansion.getOptions().opset >= kFirstOpsetWithRound) {
    value = expansion.node("Round", {value}, type);
  } else {
    // The unit in the last place of the sum is 1, so the addition rounds to an
    // integer.
    Value step =
        number("step", std::ldexp(1.5, element.isF64() ? 52 : 23), element);
    value = expansion.node("Add", {value, step}, type);
    value = expansion.node("Sub", {value, step}, type);
  }
  value = expansion.cast(value, f32);
  if (point)
    value = expansion.node("Add", {value, point}, value.getType());
  unsigned width = getNumberWidth(integer);
  bool isSigned = integer.isSignlessInteger();
  return clamp(value, isSigned ? -std::ldexp(1, width - 1) : 0,
               std::ldexp(1, isSigned ? width - 1 : width) - 1);
}

/// Returns a zero point for all elements: that of the op if it is uniform, or
/// the zero of the type. Null if the zero points differ.
static Value getOnlyPoint(Expansion &expansion, QuantizeOp op) {
  Type type = op.getQuantizedElementType();
  auto make = [&](Attribute element) {
    return expansion.constant(
        "zero_point",
        DenseElementsAttr::get(RankedTensorType::get({}, type), element));
  };
  Value point = op.getZeroPoint();
  if (!point || isFloat8(type))
    return make(expansion.b.getZeroAttr(type));
  auto shape = dyn_cast<RankedTensorType>(point.getType());
  if (shape && shape.hasStaticShape() && shape.getNumElements() == 1 &&
      shape.getRank() < 2)
    return point;
  DenseElementsAttr elements;
  if (matchPattern(point, m_Constant(&elements)) && elements.isSplat())
    return make(elements.getSplatValue<Attribute>());
  return {};
}

namespace {
/// Builds the replacement of a quantize.
class QuantizeExpander {
public:
  QuantizeExpander(Expansion &expansion, QuantizeOp op)
      : expansion(expansion), options(expansion.getOptions()), op(op),
        version(*getOpVersion(OpKind::QuantizeLinear, options.opset)),
        type(op.getQuantizedElementType()),
        precision(op.getSemantics().precision) {}

  /// Returns the replacement and its description in reports; null if there is
  /// none.
  std::pair<Value, StringRef> expand();

private:
  /// Creates a QuantizeLinear of the opset. Null if the opset lacks it for
  /// these types and this granularity; nothing is built then.
  Value quantize(Value input, Value scale, Value zeroPoint, bool isForAll);
  Value restate();
  Value divideFirst(Value quotient);

  Expansion &expansion;
  const OpsetOptions &options;
  QuantizeOp op;
  const OpVersion &version;
  Type type;
  FloatType precision;
};
} // namespace

Value QuantizeExpander::quantize(Value input, Value scale, Value zeroPoint,
                                 bool isForAll) {
  auto &b = expansion.b;
  bool hasSaturate = version.has(OpAttribute::Saturate);
  if (!hasSaturate && isFloat8(type) && !op.getSemantics().saturate)
    return {};
  (void)expansion.makeName("QuantizeLinear");
  auto quantize = QuantizeOp::create(
      b, op.getType(), input, scale, zeroPoint,
      b.getI64IntegerAttr(options.opset), /*domain=*/StringAttr(),
      isForAll ? IntegerAttr() : op.getAxisAttr(),
      isForAll ? IntegerAttr() : op.getBlockSizeAttr(),
      /*ignoredAttributes=*/ArrayAttr(),
      hasSaturate ? op.getSaturateAttr() : BoolAttr(),
      /*precision=*/TypeAttr());
  bool isForm;
  {
    ScopedDiagnosticHandler silent(b.getContext(),
                                   [](Diagnostic &) { return success(); });
    isForm = succeeded(verify(quantize, /*verifyRecursively=*/false));
  }
  if (isForm) {
    // With a scale of 1, the precision of the division has no effect.
    if (!isForAll && quantize.getSemantics().precision != precision) {
      quantize.setPrecisionAttr(TypeAttr::get(precision));
      isForm = version.has(OpAttribute::Precision);
    }
    if (isForm)
      return quantize;
  }
  quantize.erase();
  return {};
}

/// Returns a QuantizeLinear with an explicit zero point or operands of other
/// types.
Value QuantizeExpander::restate() {
  auto &b = expansion.b;
  Value scale = expansion.widen(op.getScale(), "scale");
  Value input = scale ? expansion.widen(op.getInput(), "input") : Value();
  if (!input)
    return {};
  auto scaleType = dyn_cast<RankedTensorType>(scale.getType());
  Value point = op.getZeroPoint();
  bool needsPoint =
      !version.has(OpAttribute::OutputDtype) && !type.isUnsignedInteger(8);
  if (!point && needsPoint) {
    if (!scaleType || !scaleType.hasStaticShape())
      return {};
    point = expansion.constant(
        "zero_point", DenseElementsAttr::get(scaleType.clone(type),
                                             Attribute(b.getZeroAttr(type))));
  }
  Type f32 = b.getF32Type();
  // Candidate types of the operands, with the same result: their own types, a
  // scale of f32, and the type of the division.
  std::pair<Type, Type> types[] = {
      {getElementTypeOrSelf(input), getElementTypeOrSelf(scale)},
      {getElementTypeOrSelf(input), f32},
      {precision, precision},
  };
  for (auto [inputType, scaleElement] : types) {
    Type old = getElementTypeOrSelf(scale);
    // A cast to the type of the division is part of the op; all other casts
    // must be exact.
    bool isExact = old == scaleElement || scaleElement == precision ||
                   (isFloat(old) && getNumberWidth(old) < 32);
    if (!isExact || !hasElementType(options, inputType) ||
        !hasElementType(options, scaleElement) ||
        !version.accepts(OpRole::First, inputType) ||
        !version.accepts(OpRole::Second, scaleElement))
      continue;
    Value x = expansion.cast(input, inputType);
    Value s = expansion.cast(scale, scaleElement);
    if (Value value = quantize(x, s, point, /*isForAll=*/false))
      return value;
  }
  return {};
}

/// Rounds and saturates the quotient, with a scale of 1 or by arithmetic.
Value QuantizeExpander::divideFirst(Value quotient) {
  auto &b = expansion.b;
  auto integer = dyn_cast<IntegerType>(type);
  // A QuantizeLinear would round a quotient of f64 twice.
  if (isWide(precision) && !integer) {
    if (!isFloat8(type) || !hasElementType(options, type))
      return {};
    // Clamp to a finite value beyond the range of float8, because FNUZ casts
    // convert infinities to NaN.
    auto clamp = [&](StringRef opType, double bound) {
      quotient = expansion.node(
          opType, {quotient, expansion.number("bound", bound, b.getF64Type())},
          quotient.getType());
    };
    clamp("Min", kBeyondIntegers);
    clamp("Max", -kBeyondIntegers);
    (void)expansion.makeName("Cast");
    auto cast = CastOp::create(b, quotient, type, options.opset);
    if (version.has(OpAttribute::Saturate))
      cast.setSaturateAttr(op.getSaturateAttr());
    return cast;
  }
  if (Value point = getOnlyPoint(expansion, op)) {
    Value x = quotient;
    if (isWide(precision))
      x = roundToInteger(expansion, quotient, b.getIntegerType(18), {});
    if (Value value = quantize(x, expansion.number("one", 1), point,
                               /*isForAll=*/true))
      return value;
  }
  if (!integer)
    return {};
  Value point = op.getZeroPoint();
  if (point && (!(point = expansion.decodeParameter(point, "zero_point")) ||
                !(point = expansion.spread(point, op))))
    return {};
  return expansion.cast(roundToInteger(expansion, quotient, type, point), type);
}

std::pair<Value, StringRef> QuantizeExpander::expand() {
  if (op.getRandom() || !hasElementType(options, type) ||
      !isa<TensorType>(op.getType()))
    return {};
  auto isSameTypes = [&](Value value) {
    auto quantize = value.getDefiningOp<QuantizeOp>();
    return quantize.getInput() == op.getInput() &&
           quantize.getScale() == op.getScale();
  };
  if (Value value = restate())
    return {value, isSameTypes(value) ? "with a zero point of 0"
                                      : "with operands of other types"};
  expansion.cancel();
  Value quotient = divide(expansion, op);
  if (!quotient)
    return {};
  return {divideFirst(quotient), "as Div and subsequent arithmetic"};
}

void OpsetConverter::expandQuantize(QuantizeOp op) {
  if (op.getDomain() || isExpressible(op, "") ||
      (options.usesMicrosoft && isExpressible(op, kMicrosoftDomain)))
    return;
  Expansion expansion(op, options, names);
  auto [value, detail] = QuantizeExpander(expansion, op).expand();
  if (!value)
    return expansion.cancel();
  expansion.eraseUnused(value);
  (void)replaceByExpansion(op, value, detail);
}
