//===- Recurrent.cpp - LSTM, GRU and RNN to sequences ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormContext.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_forms;

namespace {
/// The properties in which the three operators differ.
struct Recurrence {
  NodeKind layer;
  /// The index of each of OpenVINO's gates in ONNX's order.
  SmallVector<int64_t> gates;
  /// The number of states. The first one is initial_h, input 5.
  unsigned states;
  /// The activations of the layer if the node has none.
  SmallVector<StringRef> activations;
  /// Whether the biases of the last gate for the input and the state are
  /// separate (linear_before_reset).
  bool hasOwnBias = false;
};
} // namespace

static Value concatenate(FormContext &context, ValueRange parts, int64_t axis) {
  return context.apply("Concat", parts, context.intAttr("axis", axis));
}

static SmallVector<Value> split(FormContext &context, Value value,
                                int64_t count) {
  SmallVector<Type> types(count, getElementTypeOrSelf(value.getType()));
  return llvm::to_vector_of<Value>(
      context.addLayers("Split", {value, context.makeInt(1)}, types,
                        context.intAttr("num_splits", count)));
}

/// Sorts the gates, which are parts of axis 1, in OpenVINO's order.
static Value orderGates(FormContext &context, Value value,
                        const Recurrence &kind) {
  if (llvm::is_sorted(kind.gates))
    return value;
  SmallVector<Value> parts = split(context, value, kind.gates.size());
  return concatenate(context,
                     llvm::map_to_vector(
                         kind.gates, [&](int64_t gate) { return parts[gate]; }),
                     1);
}

/// ONNX has separate biases for the input and the state; OpenVINO has their
/// sum.
static Value makeBias(FormContext &context, const Recurrence &kind) {
  size_t gates = kind.gates.size();
  SmallVector<Value> parts = split(context, context.inputs[3], 2 * gates);
  SmallVector<Value> biases;
  for (size_t gate : llvm::seq(gates))
    if (!kind.hasOwnBias || gate + 1 < gates)
      biases.push_back(
          context.broadcast("Add", {parts[gate], parts[gates + gate]}));
  if (kind.hasOwnBias) {
    biases.push_back(parts[gates - 1]);
    biases.push_back(parts[2 * gates - 1]);
    return concatenate(context, biases, 1);
  }
  return concatenate(
      context,
      llvm::map_to_vector(kind.gates,
                          [&](int64_t gate) { return biases[gate]; }),
      1);
}

/// Broadcasts a number to a tensor of the batch size and other sizes.
static Value fill(FormContext &context, Value number, ArrayRef<int64_t> sizes) {
  Value batch = context.apply(
      "Gather", {context.getShape(0), context.makeInts(1), context.makeInt(0)},
      context.intAttr("batch_dims", 0));
  SmallVector<Value> shape = {batch};
  if (!sizes.empty())
    shape.push_back(context.makeInts(sizes));
  return context.apply("Broadcast", {number, concatenate(context, shape, 0)},
                       context.stringAttr("mode", "numpy"));
}

static Value turn(FormContext &context, Value value, ArrayRef<int64_t> order) {
  return context.apply("Transpose", {value, context.makeInts(order)});
}

static FailureOr<SmallVector<NamedAttribute>>
convertAttributes(FormContext &context, const Recurrence &kind, size_t count) {
  // OpenVINO has one list for both directions.
  SmallVector<std::string> names;
  if (auto list =
          dyn_cast_or_null<ArrayAttr>(context.getAttribute("activations")))
    for (StringAttr name : list.getAsRange<StringAttr>())
      names.push_back(name.getValue().lower());
  if (names.empty())
    for (size_t i = 0; i < count; ++i)
      for (StringRef name : kind.activations)
        names.push_back(name.lower());
  size_t each = kind.activations.size();
  if (names.size() != count * each ||
      !std::equal(names.begin(), names.begin() + each, names.end() - each))
    return context.unsupported(
        "activations that differ between the directions");
  for (StringRef name : ArrayRef(names).take_front(each))
    if (name != "sigmoid" && name != "tanh" && name != "relu")
      return context.unsupported("activation " + name);
  if (context.has("activation_alpha") || context.has("activation_beta"))
    return context.unsupported("parameters of activations");
  if (context.getInt("layout") != 0 || context.getFlag("input_forget"))
    return context.unsupported("layout or input_forget");
  names.resize(each);
  SmallVector<NamedAttribute> attributes = {
      context.intAttr("hidden_size", context.getInt("hidden_size")),
      context.stringAttr("direction", context.getString("direction")),
      context.stringAttr("activations", llvm::join(names, ",")),
      context.floatAttr("clip", context.getFloat("clip"))};
  if (kind.layer == NodeKind::OpenVinoGRUSequence)
    attributes.push_back(
        context.flagAttr("linear_before_reset", kind.hasOwnBias));
  return attributes;
}

/// OpenVINO's first axis is the batch, before steps and directions.
static NodeResults convertSequence(FormContext &context,
                                   const Recurrence &kind) {
  RankedTensorType weights = context.getRanked(1);
  int64_t hidden = context.getInt("hidden_size");
  if (!weights || weights.getRank() != 3 || weights.isDynamicDim(0) ||
      hidden < 1)
    return context.unsupported("weights of type " +
                               showType(context.inputs[1].getType()));
  if (context.hasInput(7))
    return context.unsupported("peepholes");
  int64_t directions = weights.getDimSize(0);
  FailureOr<SmallVector<NamedAttribute>> attributes =
      convertAttributes(context, kind, directions);
  if (failed(attributes))
    return failure();
  Type type = context.elementType(0), narrow = context.b.getI32Type();
  SmallVector<Value> operands = {turn(context, context.inputs[0], {1, 0, 2})};
  for (unsigned i = 0; i < kind.states; ++i)
    operands.push_back(
        context.hasInput(5 + i)
            ? turn(context, context.inputs[5 + i], {1, 0, 2})
            : fill(context, context.makeNumber(type, 0), {directions, hidden}));
  if (context.hasInput(4)) {
    operands.push_back(context.inputs[4]);
  } else {
    Value steps = context.getSize(0, 0);
    operands.push_back(fill(context, context.convert(steps, narrow), {}));
  }
  operands.push_back(orderGates(context, context.inputs[1], kind));
  operands.push_back(orderGates(context, context.inputs[2], kind));
  if (context.hasInput(3)) {
    operands.push_back(makeBias(context, kind));
  } else {
    int64_t count = kind.gates.size() + kind.hasOwnBias;
    Value shape = context.makeInts({directions, count * hidden});
    operands.push_back(context.apply("Broadcast",
                                     {context.makeNumber(type, 0), shape},
                                     context.stringAttr("mode", "numpy")));
  }
  SmallVector<Type> types(kind.states + 1, type);
  ValueRange results = context.addLayers(getNodeKindName(kind.layer), operands,
                                         types, *attributes);
  SmallVector<Value> turned = {turn(context, results[0], {2, 1, 0, 3})};
  for (Value state : results.drop_front())
    turned.push_back(turn(context, state, {1, 0, 2}));
  return ValueRange(turned);
}

/// ONNX's order of gates is i, o, f, c. OpenVINO's is f, i, c, o.
NodeResults openvino_forms::convertLSTM(FormContext &context) {
  return convertSequence(context, {NodeKind::OpenVinoLSTMSequence,
                                   {2, 0, 3, 1},
                                   2,
                                   {"sigmoid", "tanh", "tanh"}});
}

NodeResults openvino_forms::convertGRU(FormContext &context) {
  return convertSequence(context, {NodeKind::OpenVinoGRUSequence,
                                   {0, 1, 2},
                                   1,
                                   {"sigmoid", "tanh"},
                                   context.getFlag("linear_before_reset")});
}

NodeResults openvino_forms::convertRNN(FormContext &context) {
  return convertSequence(context,
                         {NodeKind::OpenVinoRNNSequence, {0}, 1, {"tanh"}});
}
