//===- Recurrent.cpp - Recurrent layers -----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

namespace {
/// An ONNX operator. OpenVINO has a sequence and a single step of each.
struct Recurrence {
  NodeKind op;
  /// The index of each of ONNX's gates in OpenVINO's order.
  SmallVector<int64_t> gates;
  /// The number of states, which follow the data.
  unsigned states;
  /// Whether the biases of the last gate for the input and the state are
  /// separate (linear_before_reset).
  bool hasOwnBias = false;
};
} // namespace

/// Sorts the gates, which are parts of an axis, in ONNX's order.
static Value orderGates(LayerContext &context, Value value, int64_t axis,
                        ArrayRef<int64_t> gates) {
  if (llvm::is_sorted(gates))
    return value;
  SmallVector<Type> types(gates.size(), getElementTypeOrSelf(value.getType()));
  NamedAttribute attributes[] = {context.intAttr("axis", axis),
                                 context.intAttr("num_outputs", gates.size())};
  ValueRange parts =
      context.buildNodes("Split", {value, Value()}, types, attributes);
  auto ordered = llvm::map_to_vector(
      gates, [&](int64_t gate) -> Value { return parts[gate]; });
  return context.apply("Concat", ordered, context.intAttr("axis", axis));
}

/// ONNX has the biases for the input, followed by those for the state.
static Value buildBias(LayerContext &context, const Recurrence &kind,
                       Value bias) {
  auto join = [&](ArrayRef<Value> parts) {
    return context.apply("Concat", parts, context.intAttr("axis", 1));
  };
  Value zero = context.makeNumber(getElementTypeOrSelf(bias.getType()), 0);
  if (!kind.hasOwnBias) {
    Value gates = orderGates(context, bias, 1, kind.gates);
    return join({gates, context.apply("Mul", {gates, zero})});
  }
  int64_t hidden = context.getInt("hidden_size");
  auto slice = [&](int64_t start, int64_t end) {
    return context.apply("Slice",
                         {bias, context.makeInts(start * hidden),
                          context.makeInts(end * hidden), context.makeInts(1)});
  };
  Value both = slice(0, 2);
  return join(
      {both, slice(2, 3), context.apply("Mul", {both, zero}), slice(3, 4)});
}

static LogicalResult addActivations(LayerContext &context,
                                    SmallVectorImpl<NamedAttribute> &attributes,
                                    unsigned directions) {
  StringRef activations = context.getString("activations");
  if (!activations.trim().empty()) {
    SmallVector<StringRef> names, all;
    activations.split(names, ',');
    for (StringRef &name : names)
      name = name.trim();
    // OpenVINO has one list for both directions.
    for (unsigned i = 0; i < directions; ++i)
      llvm::append_range(all, names);
    attributes.push_back(
        context.b.getNamedAttr("activations", context.b.getStrArrayAttr(all)));
  }
  for (StringRef name : {"activations_alpha", "activations_beta"})
    if (!context.getFloats(name).empty())
      return context.unsupported("attribute '" + name + "'");
  if (double clip = context.getFloat("clip"); clip > 0)
    attributes.push_back(context.floatAttr("clip", clip));
  return success();
}

namespace {
/// The inputs with ONNX's axes: steps before batches, and directions.
struct RecurrentInputs {
  Value data, lengths, weights, recurrent, bias;
  SmallVector<Value> states;
};
} // namespace

static FailureOr<SmallVector<Value>> build(LayerContext &context,
                                           const Recurrence &kind,
                                           const RecurrentInputs &inputs,
                                           StringRef direction) {
  unsigned directions = direction == "bidirectional" ? 2 : 1;
  if (failed(context.requireRange("hidden_size", context.getInt("hidden_size"),
                                  1)))
    return failure();
  SmallVector<NamedAttribute> attributes = {
      context.intAttr("hidden_size", context.getInt("hidden_size")),
      context.stringAttr("direction", direction)};
  if (kind.op == NodeKind::GRU)
    attributes.push_back(
        context.intAttr("linear_before_reset", kind.hasOwnBias));
  if (failed(addActivations(context, attributes, directions)))
    return failure();
  Value bias = inputs.bias ? buildBias(context, kind, inputs.bias) : Value();
  SmallVector<Value> operands = {
      inputs.data, orderGates(context, inputs.weights, 1, kind.gates),
      orderGates(context, inputs.recurrent, 1, kind.gates), bias,
      inputs.lengths};
  llvm::append_range(operands, inputs.states);
  SmallVector<Type> types(kind.states + 1, context.elementType(0));
  return llvm::to_vector_of<Value>(context.buildNodes(
      getNodeKindName(kind.op), operands, types, attributes));
}

/// The inputs are data, states, lengths, weights, recurrent weights and biases.
/// Their first axis is the batch.
static LayerResults convertSequence(LayerContext &context,
                                    const Recurrence &kind) {
  ArrayRef<Value> layerInputs = context.inputs;
  size_t next = kind.states + 1;
  RecurrentInputs inputs;
  inputs.data = context.transpose(layerInputs[0], {1, 0, 2});
  for (unsigned i = 0; i < kind.states; ++i)
    inputs.states.push_back(context.transpose(layerInputs[i + 1], {1, 0, 2}));
  inputs.lengths = context.cast(layerInputs[next], context.b.getI32Type());
  inputs.weights = layerInputs[next + 1];
  inputs.recurrent = layerInputs[next + 2];
  inputs.bias = layerInputs[next + 3];
  FailureOr<SmallVector<Value>> results =
      build(context, kind, inputs, context.getString("direction"));
  if (failed(results))
    return failure();
  SmallVector<Value> turned = {
      context.transpose(results->front(), {2, 1, 0, 3})};
  for (Value state : llvm::drop_begin(*results))
    turned.push_back(context.transpose(state, {1, 0, 2}));
  return ValueRange(turned);
}

/// The inputs are data, states, weights, recurrent weights and biases, of one
/// step and one direction.
static LayerResults convertCell(LayerContext &context, const Recurrence &kind) {
  ArrayRef<Value> layerInputs = context.inputs;
  size_t next = kind.states + 1;
  auto add = [&](Value value) { return context.unsqueeze(value, 0); };
  RecurrentInputs inputs;
  inputs.data = add(layerInputs[0]);
  for (unsigned i = 0; i < kind.states; ++i)
    inputs.states.push_back(add(layerInputs[i + 1]));
  inputs.weights = add(layerInputs[next]);
  inputs.recurrent = add(layerInputs[next + 1]);
  if (layerInputs.size() > next + 2)
    inputs.bias = add(layerInputs[next + 2]);
  FailureOr<SmallVector<Value>> results =
      build(context, kind, inputs, "forward");
  if (failed(results))
    return failure();
  SmallVector<Value> states;
  for (Value state : llvm::drop_begin(*results))
    states.push_back(context.apply(
        "Squeeze", {state, context.makeInts(SmallVector<int64_t>{0})}));
  return ValueRange(states);
}

/// OpenVINO's order of gates is f, i, c, o. ONNX's is i, o, f, c.
static Recurrence getLSTM() { return {NodeKind::LSTM, {1, 3, 0, 2}, 2}; }

static Recurrence getGRU(LayerContext &context) {
  return {NodeKind::GRU, {0, 1, 2}, 1, context.getFlag("linear_before_reset")};
}

static Recurrence getRNN() { return {NodeKind::RNN, {0}, 1}; }

LayerResults openvino_layers::convertLSTMSequence(LayerContext &context) {
  return convertSequence(context, getLSTM());
}

LayerResults openvino_layers::convertGRUSequence(LayerContext &context) {
  return convertSequence(context, getGRU(context));
}

LayerResults openvino_layers::convertRNNSequence(LayerContext &context) {
  return convertSequence(context, getRNN());
}

LayerResults openvino_layers::convertLSTMCell(LayerContext &context) {
  return convertCell(context, getLSTM());
}

LayerResults openvino_layers::convertGRUCell(LayerContext &context) {
  return convertCell(context, getGRU(context));
}

LayerResults openvino_layers::convertRNNCell(LayerContext &context) {
  return convertCell(context, getRNN());
}
