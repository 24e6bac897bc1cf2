//===- Elementwise.cpp - Layers on one element at a time ------------------===//
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
    return context.unsupported("no conversion of elements of type " +
                               show(from) + " to " + show(to));
  ImplicitLocOpBuilder &b = context.b;
  return b.createOrFold<CastOp>(
      withElementType(input.getType(), to), input, /*random=*/Value(),
      b.getI64IntegerAttr(1), UnitAttr(), BoolAttr(), RoundModeAttr(),
      CastModeAttr::get(b.getContext(), CastMode::OpenVINO));
}

FailureOr<Value> openvino_layers::convertConvert(LayerContext &context) {
  Type to = context.getType("destination_type");
  // A type that MLIR lacks is a name.
  StringRef name = to ? "" : context.getString("destination_type");
  if (!to)
    return context.unsupported("no conversion of elements of type " +
                               show(context.elementType(0)) + " to '" + name +
                               "'");
  return convertTo(context, to);
}

FailureOr<Value> openvino_layers::convertConvertLike(LayerContext &context) {
  return convertTo(context, context.elementType(1));
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Sizes of 1 are repeated ("numpy"), or all are the same ("none"), which the
/// former includes where that is known.
static LogicalResult checkBroadcast(LayerContext &context) {
  StringRef kind = context.getString("auto_broadcast");
  TypeRange types = ValueRange(context.inputs).getTypes();
  if (kind == "numpy" || succeeded(verifyCompatibleShapes(types)))
    return success();
  return context.unsupported(
      "auto_broadcast " + kind + " needs inputs of one shape, but got " +
      show(types.front()) + " and " +
      show(*llvm::find_if(types, [&](Type type) {
        return failed(verifyCompatibleShape(types.front(), type));
      })));
}

static FailureOr<Value> convertArithmetic(LayerContext &context,
                                          StringRef opType) {
  if (failed(checkBroadcast(context)) || failed(context.requireSameType()) ||
      failed(context.requireNumbers()))
    return failure();
  return context.buildNode(opType, context.inputs, context.elementType(0));
}

FailureOr<Value> openvino_layers::convertAdd(LayerContext &context) {
  return convertArithmetic(context, "Add");
}

FailureOr<Value> openvino_layers::convertSubtract(LayerContext &context) {
  return convertArithmetic(context, "Sub");
}

FailureOr<Value> openvino_layers::convertMultiply(LayerContext &context) {
  return convertArithmetic(context, "Mul");
}

/// Integers: toward zero as ONNX has it, or down (m_pythondiv), which is one
/// less where a rest is left and the signs differ.
FailureOr<Value> openvino_layers::convertDivide(LayerContext &context) {
  FailureOr<Value> quotient = convertArithmetic(context, "Div");
  auto type = dyn_cast<IntegerType>(context.elementType(0));
  if (failed(quotient) || !type || type.isUnsigned() ||
      !context.getFlag("m_pythondiv"))
    return quotient;
  Type boolean = context.b.getI1Type();
  Value zero = context.makeNumber(type, 0);
  Value dividend = context.inputs[0], divisor = context.inputs[1];
  Value product = context.buildNode("Mul", {*quotient, divisor}, type);
  Value isExact = context.buildNode("Equal", {product, dividend}, boolean);
  Value hasRest = context.buildNode("Not", isExact, boolean);
  Value isNegative = context.buildNode("Less", {dividend, zero}, boolean);
  Value isDivisorNegative = context.buildNode("Less", {divisor, zero}, boolean);
  Value differs =
      context.buildNode("Xor", {isNegative, isDivisorNegative}, boolean);
  Value isBelow = context.buildNode("And", {hasRest, differs}, boolean);
  Value one = context.cast(isBelow, type);
  return context.buildNode("Sub", {*quotient, one}, type);
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// `x` where it compares so with the bound, else the bound: also for NaN, as
/// the CPU plugin has it.
static Value limit(LayerContext &context, Value x, StringRef comparison,
                   double bound) {
  Type type = context.elementType(0);
  Value number = context.makeNumber(type, bound);
  Value isInside =
      context.buildNode(comparison, {x, number}, context.b.getI1Type());
  return context.buildNode("Where", {isInside, x, number}, type);
}

/// Integers have the bounds that are inside of those given.
FailureOr<Value> openvino_layers::convertClamp(LayerContext &context) {
  if (failed(context.requireNumbers()))
    return failure();
  double low = context.getFloat("min"), high = context.getFloat("max");
  // NaN is no bound, either.
  if (!(low <= high))
    return context.unsupported("min must not be above max, but got " +
                               Twine(std::to_string(low)) + " and " +
                               std::to_string(high));
  bool isInteger = isa<IntegerType>(context.elementType(0));
  Value above = limit(context, context.inputs[0], "Greater",
                      isInteger ? std::ceil(low) : low);
  return limit(context, above, "Less", isInteger ? std::floor(high) : high);
}

FailureOr<Value> openvino_layers::convertRelu(LayerContext &context) {
  if (failed(context.requireNumbers()))
    return failure();
  return limit(context, context.inputs[0], "Greater", 0);
}

FailureOr<Value> openvino_layers::convertSigmoid(LayerContext &context) {
  return context.buildNode("Sigmoid", context.inputs, context.elementType(0));
}

//===----------------------------------------------------------------------===//
// FakeQuantize
//===----------------------------------------------------------------------===//

/// The limits are repeated to the data, which does not grow.
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
      return context.unsupported("limits must broadcast to the data, which "
                                 "does not grow, but got " +
                                 show(limit) + " and " + show(data));
  }
  return success();
}

/// Of x, il, ih, ol, oh, with L = levels - 1, in this order:
///   x <= min(il, ih) ? ol : x > max(il, ih) ? oh
///     : round((x - il) / (ih - il) * L) / L * (oh - ol) + ol
/// f16 and bf16 are computed in f32, and rounded once.
FailureOr<Value> openvino_layers::convertFakeQuantize(LayerContext &context) {
  if (failed(checkBroadcast(context)) || failed(context.requireSameType()) ||
      failed(context.requireNumbers()))
    return failure();
  if (failed(checkLimits(context)))
    return failure();
  Type elementType = context.elementType(0), boolean = context.b.getI1Type();
  if (!isa<FloatType>(elementType))
    return context.unsupported("elements of type " + show(elementType) +
                               ", which are no floats");
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
  Value least = apply("Min", {inLow, inHigh});
  Value most = apply("Max", {inLow, inHigh});
  Value isBelow = context.buildNode("LessOrEqual", {x, least}, boolean);
  Value isAbove = context.buildNode("Greater", {x, most}, boolean);
  Value upper = apply("Where", {isAbove, outHigh, inside});
  return context.cast(apply("Where", {isBelow, outLow, upper}), elementType);
}
