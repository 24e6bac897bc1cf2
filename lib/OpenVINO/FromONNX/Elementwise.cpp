//===- Elementwise.cpp - Elementwise nodes --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormContext.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_forms;

NodeResults openvino_forms::convertSame(FormContext &context) {
  return context.addLayer(context.layerType, context.inputs,
                          context.resultType());
}

NodeResults openvino_forms::convertBroadcast(FormContext &context) {
  return context.addLayer(context.layerType, context.inputs,
                          context.resultType(),
                          context.stringAttr("auto_broadcast", "numpy"));
}

NodeResults openvino_forms::convertIdentity(FormContext &context) {
  return context.inputs[0];
}

/// Supports inference only, in which the mask is all true.
NodeResults openvino_forms::convertDropout(FormContext &context) {
  if (context.hasInput(2) && !matchPattern(context.inputs[2], m_Zero()))
    return context.unsupported("training_mode must be the constant false");
  if (context.node.getNumResults() == 1)
    return context.inputs[0];
  Value shape = context.getShape(0);
  Value yes = context.makeConstant(DenseElementsAttr::get(
      RankedTensorType::get({}, context.b.getI1Type()), true));
  Value mask = context.apply("Broadcast", {yes, shape},
                             context.stringAttr("mode", "numpy"));
  return ValueRange{context.inputs[0], mask};
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

/// Integers are divided toward zero.
NodeResults openvino_forms::convertDivide(FormContext &context) {
  return context.apply("Divide", context.inputs,
                       {context.stringAttr("auto_broadcast", "numpy"),
                        context.flagAttr("m_pythondiv", false)});
}

/// The exponent may have another type. If the base is not a float, the power is
/// computed in the type of the exponent.
NodeResults openvino_forms::convertPower(FormContext &context) {
  Type type = context.elementType(0), other = context.elementType(1);
  Type computed = isa<FloatType>(type) ? type : other;
  Value base = context.convert(context.inputs[0], computed);
  Value exponent = context.convert(context.inputs[1], computed);
  return context.convert(context.broadcast("Power", {base, exponent}), type);
}

NodeResults openvino_forms::convertMod(FormContext &context) {
  return context.broadcast(context.getFlag("fmod") ? "Mod" : "FloorMod",
                           context.inputs);
}

static Value foldInputs(FormContext &context) {
  Value value = context.inputs[0];
  for (Value input : ArrayRef(context.inputs).drop_front())
    value = context.broadcast(context.layerType, {value, input});
  return value;
}

NodeResults openvino_forms::convertVariadic(FormContext &context) {
  return foldInputs(context);
}

NodeResults openvino_forms::convertMean(FormContext &context) {
  Value count =
      context.makeNumber(context.elementType(0), context.inputs.size());
  return context.broadcast("Divide", {foldInputs(context), count});
}

NodeResults openvino_forms::convertRound(FormContext &context) {
  return context.apply("Round", context.inputs,
                       context.stringAttr("mode", "half_to_even"));
}

NodeResults openvino_forms::convertReciprocal(FormContext &context) {
  Value one = context.makeNumber(context.elementType(0), 1);
  return context.broadcast("Divide", {one, context.inputs[0]});
}

NodeResults openvino_forms::convertBitShift(FormContext &context) {
  constexpr int64_t kFirstOpsetWithShifts = 15;
  bool isLeft = context.getString("direction") == "LEFT";
  return context.apply(
      isLeft ? "BitwiseLeftShift" : "BitwiseRightShift", context.inputs,
      context.stringAttr("auto_broadcast", "numpy"), kFirstOpsetWithShifts);
}

NodeResults openvino_forms::convertIsInf(FormContext &context) {
  return context.addLayer(
      "IsInf", context.inputs, context.b.getI1Type(),
      {context.flagAttr("detect_negative", context.getFlag("detect_negative")),
       context.flagAttr("detect_positive",
                        context.getFlag("detect_positive"))});
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

NodeResults openvino_forms::convertHardSigmoid(FormContext &context) {
  Type type = context.elementType(0);
  return context.apply("HardSigmoid",
                       {context.inputs[0],
                        context.makeNumber(type, context.getFloat("alpha")),
                        context.makeNumber(type, context.getFloat("beta"))});
}

/// PRelu takes the slope as a tensor of one element.
NodeResults openvino_forms::convertLeakyRelu(FormContext &context) {
  auto type = RankedTensorType::get({1}, context.elementType(0));
  auto element = dyn_cast<FloatType>(type.getElementType());
  if (!element)
    return context.unsupported("elements of type " +
                               showType(type.getElementType()));
  Value slope = context.makeConstant(DenseElementsAttr::get(
      type, FloatAttr::get(element, context.getFloat("alpha")).getValue()));
  return context.apply("PRelu", {context.inputs[0], slope});
}

/// PRelu treats a slope of rank 1 as one value per channel.
NodeResults openvino_forms::convertPRelu(FormContext &context) {
  Value input = context.inputs[0];
  Type type = context.elementType(0);
  Value isNegative =
      context.compare("Less", {input, context.makeNumber(type, 0)});
  Value scaled = context.broadcast("Multiply", {input, context.inputs[1]});
  return context.addLayer("Select", {isNegative, scaled, input}, type,
                          context.stringAttr("auto_broadcast", "numpy"));
}

NodeResults openvino_forms::convertElu(FormContext &context) {
  return context.apply("Elu", context.inputs,
                       context.floatAttr("alpha", context.getFloat("alpha")));
}

NodeResults openvino_forms::convertSelu(FormContext &context) {
  Type type = context.elementType(0);
  return context.apply("Selu",
                       {context.inputs[0],
                        context.makeNumber(type, context.getFloat("alpha")),
                        context.makeNumber(type, context.getFloat("gamma"))});
}

NodeResults openvino_forms::convertGelu(FormContext &context) {
  bool isTanh = context.getString("approximate") == "tanh";
  return context.apply(
      "Gelu", context.inputs,
      context.stringAttr("approximation_mode", isTanh ? "tanh" : "erf"));
}

/// Uses Clamp if both bounds are constant, because OpenVINO's fusions recognize
/// it. Its bounds are floats, so integers use Maximum and Minimum.
NodeResults openvino_forms::convertClip(FormContext &context) {
  Value value = context.inputs[0];
  auto type = dyn_cast<FloatType>(context.elementType(0));
  std::optional<double> min = -INFINITY, max = INFINITY;
  if (context.hasInput(1))
    min = context.getConstantNumber(1);
  if (context.hasInput(2))
    max = context.getConstantNumber(2);
  bool isClamp = type && min && max && *min <= *max;
  if (isClamp && std::isfinite(*min) && std::isfinite(*max))
    return context.apply(
        "Clamp", value,
        {context.floatAttr("min", *min), context.floatAttr("max", *max)});
  if (context.hasInput(1))
    value = context.broadcast("Maximum", {value, context.inputs[1]});
  if (context.hasInput(2))
    value = context.broadcast("Minimum", {value, context.inputs[2]});
  return value;
}

NodeResults openvino_forms::convertSoftmax(FormContext &context) {
  return context.apply(context.layerType, context.inputs,
                       context.intAttr("axis", context.getInt("axis", -1)));
}
