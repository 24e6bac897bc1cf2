//===- Elementwise.cpp - Elementwise layers -------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpenVinoConvert.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

static FailureOr<Value> convertTo(LayerContext &context, Type to) {
  Value input = context.inputs[0];
  Type from = context.elementType(0);
  if (from == to)
    return input;
  if (getOpenVinoConversion(from, to) == OpenVinoConversion::None)
    return context.unsupported("no conversion of element type " +
                               showType(from) + " to " + showType(to));
  ImplicitLocOpBuilder &b = context.b;
  return b.createOrFold<CastOp>(
      withElementType(input.getType(), to), input, /*random=*/Value(),
      b.getI64IntegerAttr(1), UnitAttr(), BoolAttr(), RoundModeAttr(),
      CastModeAttr::get(b.getContext(), CastMode::OpenVINO), ProjectionAttr());
}

LayerResults openvino_layers::convertConvert(LayerContext &context) {
  Type to = context.getType("destination_type");
  // A type that MLIR lacks is a string.
  StringRef name = to ? "" : context.getString("destination_type");
  if (!to)
    return context.unsupported("no conversion of element type " +
                               showType(context.elementType(0)) + " to '" +
                               name + "'");
  return convertTo(context, to);
}

LayerResults openvino_layers::convertConvertLike(LayerContext &context) {
  return convertTo(context, context.elementType(1));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Checks the broadcasting mode. "numpy" broadcasts sizes of 1. "none" requires
/// equal shapes, and is equivalent to "numpy" if they are known to be equal.
static LogicalResult checkBroadcast(LayerContext &context) {
  StringRef kind = context.getString("auto_broadcast");
  TypeRange types = ValueRange(context.inputs).getTypes();
  if (kind == "numpy" || succeeded(verifyCompatibleShapes(types)))
    return success();
  return context.unsupported(
      "auto_broadcast " + kind +
      " requires inputs of the same shape, but got " + showType(types.front()) +
      " and " + showType(*llvm::find_if(types, [&](Type type) {
        return failed(verifyCompatibleShape(types.front(), type));
      })));
}

/// Creates a node on numbers of one type.
static FailureOr<Value> convertArithmetic(LayerContext &context,
                                          StringRef opType) {
  if (failed(checkBroadcast(context)) || failed(context.requireSameType()) ||
      failed(context.requireNumbers()))
    return failure();
  return context.apply(opType, context.inputs);
}

LayerResults openvino_layers::convertNumbers(LayerContext &context) {
  return convertArithmetic(context, context.onnxType);
}

/// ONNX divides integers toward zero. With m_pythondiv, the quotient is rounded
/// down: it is less by one if the remainder is not zero and the signs differ.
LayerResults openvino_layers::convertDivide(LayerContext &context) {
  FailureOr<Value> quotient = convertArithmetic(context, "Div");
  auto type = dyn_cast<IntegerType>(context.elementType(0));
  if (failed(quotient) || !type || type.isUnsigned() ||
      !context.getFlag("m_pythondiv"))
    return quotient;
  Value zero = context.makeNumber(type, 0);
  Value dividend = context.inputs[0], divisor = context.inputs[1];
  Value product = context.apply("Mul", {*quotient, divisor});
  Value isExact = context.compare("Equal", {product, dividend});
  Value hasRest = context.compare("Not", isExact);
  Value isNegative = context.compare("Less", {dividend, zero});
  Value isDivisorNegative = context.compare("Less", {divisor, zero});
  Value differs = context.compare("Xor", {isNegative, isDivisorNegative});
  Value isBelow = context.compare("And", {hasRest, differs});
  Value one = context.cast(isBelow, type);
  return context.apply("Sub", {*quotient, one});
}

/// The remainder has the sign of the dividend.
static FailureOr<Value> buildRest(LayerContext &context) {
  if (failed(checkBroadcast(context)) || failed(context.requireSameType()) ||
      failed(context.requireNumbers()))
    return failure();
  return context.apply("Mod", context.inputs, context.intAttr("fmod", 1));
}

LayerResults openvino_layers::convertMod(LayerContext &context) {
  return buildRest(context);
}

/// The remainder has the sign of the divisor. For floats, it is the difference
/// of the dividend and a product, which is rounded if the quotient is large.
LayerResults openvino_layers::convertFloorMod(LayerContext &context) {
  if (!isa<FloatType>(context.elementType(0)))
    return convertArithmetic(context, "Mod");
  FailureOr<Value> quotient = convertArithmetic(context, "Div");
  if (failed(quotient))
    return failure();
  Value integerPart = context.apply("Floor", *quotient);
  Value product = context.apply("Mul", {integerPart, context.inputs[1]});
  return context.apply("Sub", {context.inputs[0], product});
}

LayerResults openvino_layers::convertSquaredDifference(LayerContext &context) {
  FailureOr<Value> difference = convertArithmetic(context, "Sub");
  if (failed(difference))
    return failure();
  return context.apply("Mul", {*difference, *difference});
}

LayerResults openvino_layers::convertRound(LayerContext &context) {
  if (failed(context.requireNumbers()))
    return failure();
  Value x = context.inputs[0];
  if (context.getString("mode") == "half_to_even")
    return context.apply("Round", x);
  // Add one to the integral part if the fraction is at least a half. Both are
  // exact.
  Value magnitude = context.apply("Abs", x);
  Value integerPart = context.apply("Floor", magnitude);
  Value rest = context.apply("Sub", {magnitude, integerPart});
  Value half = context.makeNumber(context.elementType(0), 0.5);
  Value isUp = context.compare("GreaterOrEqual", {rest, half});
  Value up = context.cast(isUp, context.elementType(0));
  Value rounded = context.apply("Add", {integerPart, up});
  return context.apply("Mul", {context.apply("Sign", x), rounded});
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// Returns `x` if the comparison with the bound is true, otherwise the bound.
/// For NaN this is the bound, as in OpenVINO's CPU plugin.
static Value limit(LayerContext &context, Value x, StringRef comparison,
                   double bound) {
  Type type = context.elementType(0);
  Value number = context.makeNumber(type, bound);
  Value isInside = context.compare(comparison, {x, number});
  return context.buildNode("Where", {isInside, x, number}, type);
}

/// For integers, the bounds are rounded inward.
LayerResults openvino_layers::convertClamp(LayerContext &context) {
  if (failed(context.requireNumbers()))
    return failure();
  double low = context.getFloat("min"), high = context.getFloat("max");
  // This also rejects NaN.
  if (!(low <= high))
    return context.unsupported("min must not be greater than max, but got " +
                               Twine(std::to_string(low)) + " and " +
                               std::to_string(high));
  bool isInteger = isa<IntegerType>(context.elementType(0));
  Value above = limit(context, context.inputs[0], "Greater",
                      isInteger ? std::ceil(low) : low);
  return limit(context, above, "Less", isInteger ? std::floor(high) : high);
}

LayerResults openvino_layers::convertRelu(LayerContext &context) {
  if (failed(context.requireNumbers()))
    return failure();
  return limit(context, context.inputs[0], "Greater", 0);
}

/// min(max(x + 3, 0), 6) / 6.
LayerResults openvino_layers::convertHSigmoid(LayerContext &context) {
  Type type = context.elementType(0);
  auto number = [&](double value) { return context.makeNumber(type, value); };
  Value shifted = context.apply("Add", {context.inputs[0], number(3)});
  Value above = context.apply("Max", {shifted, number(0)});
  Value inside = context.apply("Min", {above, number(6)});
  return context.apply("Div", {inside, number(6)});
}

/// min(max(alpha * x + beta, 0), 1).
LayerResults openvino_layers::convertHardSigmoid(LayerContext &context) {
  if (failed(context.requireSameType()))
    return failure();
  Type type = context.elementType(0);
  Value alpha = context.inputs[1], beta = context.inputs[2];
  Value product = context.apply("Mul", {context.inputs[0], alpha});
  Value sum = context.apply("Add", {product, beta});
  Value above = context.apply("Max", {sum, context.makeNumber(type, 0)});
  return context.apply("Min", {above, context.makeNumber(type, 1)});
}

LayerResults openvino_layers::convertElu(LayerContext &context) {
  return context.apply("Elu", context.inputs,
                       context.floatAttr("alpha", context.getFloat("alpha")));
}

/// lambda * (x if x > 0, otherwise alpha * (exp(x) - 1)).
LayerResults openvino_layers::convertSelu(LayerContext &context) {
  if (failed(context.requireSameType()))
    return failure();
  Value x = context.inputs[0], alpha = context.inputs[1];
  Value below = context.apply("Elu", x, context.floatAttr("alpha", 1));
  Value scaled = context.apply("Mul", {alpha, below});
  Value zero = context.makeNumber(context.elementType(0), 0);
  Value isAbove = context.compare("Greater", {x, zero});
  Value chosen =
      context.buildNode("Where", {isAbove, x, scaled}, context.elementType(0));
  return context.apply("Mul", {context.inputs[2], chosen});
}

/// A slope of rank 1 has one value per channel, along axis 1.
LayerResults openvino_layers::convertPRelu(LayerContext &context) {
  FailureOr<int64_t> rank = context.requireRank(0);
  FailureOr<int64_t> slopeRank = context.requireRank(1);
  if (failed(rank) || failed(slopeRank) || failed(context.requireSameType()))
    return failure();
  Value slope = context.inputs[1];
  if (*slopeRank == 1 && *rank > 2)
    slope = context.unsqueeze(
        slope, llvm::to_vector(llvm::seq<int64_t>(1, *rank - 1)));
  return context.apply("PRelu", {context.inputs[0], slope});
}

LayerResults openvino_layers::convertGelu(LayerContext &context) {
  bool isTanh = context.getString("approximation_mode") == "tanh";
  return context.apply(
      "Gelu", context.inputs,
      context.stringAttr("approximate", isTanh ? "tanh" : "none"));
}

/// x * sigmoid(beta * x).
LayerResults openvino_layers::convertSwish(LayerContext &context) {
  if (failed(context.requireSameType()))
    return failure();
  Value x = context.inputs[0], argument = x;
  if (context.inputs.size() > 1)
    argument = context.apply("Mul", {x, context.inputs[1]});
  return context.apply("Mul", {x, context.apply("Sigmoid", argument)});
}

//===----------------------------------------------------------------------===//
// Comparisons and logic
//===----------------------------------------------------------------------===//

LayerResults openvino_layers::convertComparison(LayerContext &context) {
  if (failed(checkBroadcast(context)) || failed(context.requireSameType()))
    return failure();
  return context.compare(context.onnxType, context.inputs);
}

LayerResults openvino_layers::convertNotEqual(LayerContext &context) {
  if (failed(checkBroadcast(context)) || failed(context.requireSameType()))
    return failure();
  return context.compare("Not", context.compare("Equal", context.inputs));
}

LayerResults openvino_layers::convertIsInf(LayerContext &context) {
  NamedAttribute attributes[] = {
      context.intAttr("detect_negative", context.getFlag("detect_negative")),
      context.intAttr("detect_positive", context.getFlag("detect_positive"))};
  return context.buildNode("IsInf", context.inputs, context.b.getI1Type(),
                           attributes);
}

LayerResults openvino_layers::convertIsFinite(LayerContext &context) {
  Value isInfinite = context.compare("IsInf", context.inputs);
  Value isNaN = context.compare("IsNaN", context.inputs);
  return context.compare("Not", context.compare("Or", {isInfinite, isNaN}));
}

LayerResults openvino_layers::convertLogic(LayerContext &context) {
  if (failed(checkBroadcast(context)))
    return failure();
  for (size_t index : llvm::seq(context.inputs.size()))
    if (!context.elementType(index).isInteger(1))
      return context.unsupported("input " + Twine(index) +
                                 " must have booleans, but got elements of "
                                 "type " +
                                 showType(context.elementType(index)));
  return context.compare(context.onnxType, context.inputs);
}

/// ONNX has different operators for integers and for booleans.
LayerResults openvino_layers::convertBitwise(LayerContext &context) {
  bool isBoolean = context.elementType(0).isInteger(1);
  std::string name =
      isBoolean ? context.onnxType.str() : ("Bitwise" + context.onnxType).str();
  if (failed(checkBroadcast(context)) || failed(context.requireSameType()))
    return failure();
  return context.apply(name, context.inputs);
}

static LayerResults convertShift(LayerContext &context, StringRef direction) {
  if (failed(checkBroadcast(context)) || failed(context.requireSameType()))
    return failure();
  return context.apply("BitShift", context.inputs,
                       context.stringAttr("direction", direction));
}

LayerResults openvino_layers::convertLeftShift(LayerContext &context) {
  return convertShift(context, "LEFT");
}

LayerResults openvino_layers::convertRightShift(LayerContext &context) {
  return convertShift(context, "RIGHT");
}

LayerResults openvino_layers::convertSelect(LayerContext &context) {
  if (failed(checkBroadcast(context)))
    return failure();
  return context.buildNode("Where", context.inputs, context.elementType(1));
}

//===----------------------------------------------------------------------===//
// FakeQuantize
//===----------------------------------------------------------------------===//

/// Checks that the limits broadcast to the shape of the data.
static LogicalResult checkLimits(LayerContext &context) {
  auto data = dyn_cast<RankedTensorType>(context.inputs[0].getType());
  for (Value input : ArrayRef(context.inputs).drop_front()) {
    auto limit = dyn_cast<RankedTensorType>(input.getType());
    if (!data || !limit)
      continue;
    auto sizes = llvm::zip(llvm::reverse(data.getShape()),
                           llvm::reverse(limit.getShape()));
    bool grows =
        limit.getRank() > data.getRank() || llvm::any_of(sizes, [](auto pair) {
          auto [size, limitSize] = pair;
          return size == 1 && limitSize != 1 &&
                 !ShapedType::isDynamic(limitSize);
        });
    if (grows)
      return context.unsupported("limits must broadcast to the data without "
                                 "changing its shape, but got " +
                                 showType(limit) + " and " + showType(data));
  }
  return success();
}

/// Computes, for x, il, ih, ol, oh, with L = levels - 1, in this order:
///   x <= min(il, ih) ? ol : x > max(il, ih) ? oh
///     : round((x - il) / (ih - il) * L) / L * (oh - ol) + ol
/// f16 and bf16 are computed in f32, and rounded once.
LayerResults openvino_layers::convertFakeQuantize(LayerContext &context) {
  if (failed(checkBroadcast(context)) || failed(context.requireSameType()) ||
      failed(context.requireNumbers()))
    return failure();
  if (failed(checkLimits(context)))
    return failure();
  Type elementType = context.elementType(0), boolean = context.b.getI1Type();
  if (!isa<FloatType>(elementType))
    return context.unsupported("elements of type " + showType(elementType) +
                               ", which are not floats");
  int64_t levels = context.getInt("levels");
  if (levels < 2)
    return context.unsupported("levels must be at least 2, but got " +
                               Twine(levels));
  Type type = elementType;
  if (isa<Float16Type, BFloat16Type>(type))
    type = context.b.getF32Type();
  auto apply = [&](StringRef opType, ValueRange operands) {
    return context.buildNode(opType, operands, type);
  };
  SmallVector<Value> wide = llvm::map_to_vector(
      context.inputs, [&](Value input) { return context.cast(input, type); });
  Value x = wide[0], inLow = wide[1], inHigh = wide[2];
  Value outLow = wide[3], outHigh = wide[4];
  Value steps = context.makeNumber(type, levels - 1);
  Value inRange = apply("Sub", {inHigh, inLow});
  Value outRange = apply("Sub", {outHigh, outLow});
  Value ratio = apply("Div", {apply("Sub", {x, inLow}), inRange});
  Value level = apply("Round", apply("Mul", {ratio, steps}));
  Value product = apply("Mul", {apply("Div", {level, steps}), outRange});
  Value inside = apply("Add", {product, outLow});
  Value min = apply("Min", {inLow, inHigh});
  Value max = apply("Max", {inLow, inHigh});
  Value isBelow = context.buildNode("LessOrEqual", {x, min}, boolean);
  Value isAbove = context.buildNode("Greater", {x, max}, boolean);
  Value upper = apply("Where", {isAbove, outHigh, inside});
  return context.cast(apply("Where", {isBelow, outLow, upper}), elementType);
}
