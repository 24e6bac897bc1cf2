//===- Bodies.cpp - Networks that layers run ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_import;

namespace {
/// What passes in and out of a body, as attributes that a NodeOp has: by the
/// positions of its inputs and outputs, and of Parameters and Results in the
/// body; -1 for none. Where a tensor is cut along an axis, with the numbers of
/// the file.
struct Ports {
  /// For each Parameter.
  SmallVector<int64_t> inputs, inputAxes, inputStarts, inputEnds, inputStrides,
      inputParts, backEdges;
  /// For each output.
  SmallVector<int64_t> outputs, outputAxes, outputStarts, outputEnds,
      outputStrides, outputParts;
  int64_t iteration = -1, condition = -1;
};
} // namespace

/// An integer; `byDefault` where it is missing.
static FailureOr<int64_t> readInteger(pugi::xml_node node, const char *name,
                                      int64_t byDefault,
                                      const Subject &subject) {
  if (!node.attribute(name))
    return byDefault;
  StringRef text = node.attribute(name).value();
  int64_t number;
  if (text.getAsInteger(10, number))
    return diagnose(subject, Diag::AttributeValue, name,
                    "an integer of 64 bits", printable(text));
  return number;
}

/// The position of a layer of the type among all of it.
static FailureOr<int64_t> findLayer(const Network &body, StringRef type,
                                    pugi::xml_node node, const char *name,
                                    const Subject &subject) {
  FailureOr<uint64_t> id = readNumber(node, name, subject);
  if (failed(id))
    return failure();
  int64_t position = 0;
  for (const Layer &layer : body.getLayers()) {
    if (layer.type != type)
      continue;
    if (layer.id == *id)
      return position;
    ++position;
  }
  return diagnose(subject, Diag::BodyLayer, type, *id);
}

/// The position of the layer's port that the element names.
template <typename Port>
static FailureOr<int64_t> findPort(ArrayRef<Port> ports, StringRef what,
                                   pugi::xml_node node,
                                   const Subject &subject) {
  FailureOr<int64_t> id = readInteger(node, "external_port_id", -1, subject);
  if (failed(id))
    return failure();
  for (auto [position, port] : llvm::enumerate(ports))
    if (static_cast<int64_t>(port.id) == *id)
      return position;
  return diagnose(subject, Diag::BodyPort, what, *id);
}

/// The numbers of one cut, behind each other in the lists.
static LogicalResult readCut(pugi::xml_node node, int64_t position,
                             ArrayRef<SmallVectorImpl<int64_t> *> lists,
                             const Subject &subject) {
  static constexpr std::pair<const char *, int64_t> kFields[] = {
      {"axis", -1}, {"start", 0}, {"end", -1}, {"stride", 1}, {"part_size", 1}};
  for (auto [list, field] : llvm::zip_equal(lists, kFields)) {
    FailureOr<int64_t> number =
        readInteger(node, field.first, field.second, subject);
    if (failed(number))
      return failure();
    (*list)[position] = *number;
  }
  return success();
}

static LogicalResult readPorts(const Layer &layer, const Network &body,
                               pugi::xml_node map, Ports &ports) {
  for (pugi::xml_node node : map.children()) {
    StringRef name = node.name(), purpose = node.attribute("purpose").value();
    if (name == "input") {
      FailureOr<int64_t> parameter = findLayer(
          body, "Parameter", node, "internal_layer_id", layer.subject);
      if (failed(parameter))
        return failure();
      if (purpose == "current_iteration") {
        ports.iteration = *parameter;
        continue;
      }
      FailureOr<int64_t> input =
          findPort(ArrayRef(layer.inputs), "input", node, layer.subject);
      if (failed(input) ||
          failed(
              readCut(node, *parameter,
                      {&ports.inputAxes, &ports.inputStarts, &ports.inputEnds,
                       &ports.inputStrides, &ports.inputParts},
                      layer.subject)))
        return failure();
      ports.inputs[*parameter] = *input;
    } else if (name == "output") {
      FailureOr<int64_t> result =
          findLayer(body, "Result", node, "internal_layer_id", layer.subject);
      if (failed(result))
        return failure();
      if (purpose == "execution_condition") {
        ports.condition = *result;
        continue;
      }
      FailureOr<int64_t> output =
          findPort(ArrayRef(layer.outputs), "output", node, layer.subject);
      if (failed(output) ||
          failed(readCut(node, *output,
                         {&ports.outputAxes, &ports.outputStarts,
                          &ports.outputEnds, &ports.outputStrides,
                          &ports.outputParts},
                         layer.subject)))
        return failure();
      ports.outputs[*output] = *result;
    } else {
      return diagnose(layer.subject, Diag::UnknownElement, "input",
                      printable(name));
    }
  }
  return success();
}

static LogicalResult readBackEdges(const Layer &layer, const Network &body,
                                   Ports &ports) {
  FailureOr<pugi::xml_node> edges =
      findChild(layer.node, "back_edges", layer.subject);
  if (failed(edges))
    return failure();
  for (pugi::xml_node edge : edges->children()) {
    FailureOr<int64_t> from =
        findLayer(body, "Result", edge, "from-layer", layer.subject);
    FailureOr<int64_t> to =
        findLayer(body, "Parameter", edge, "to-layer", layer.subject);
    if (failed(from) || failed(to))
      return failure();
    ports.backEdges[*to] = *from;
  }
  return success();
}

/// Every Parameter has a value, and every output comes from somewhere.
static LogicalResult checkPortMaps(const Layer &layer, const Ports &ports) {
  for (auto [position, input] : llvm::enumerate(ports.inputs))
    if (input < 0 && static_cast<int64_t>(position) != ports.iteration)
      return diagnose(layer.subject, Diag::BodyValue, position);
  for (auto [output, result] : llvm::zip_equal(layer.outputs, ports.outputs))
    if (result < 0)
      return diagnose(layer.subject, Diag::BodyOutput, output.id);
  return success();
}

FailureOr<SmallVector<Body>> Importer::readBodies(const Layer &layer) {
  SmallVector<Body> bodies;
  bool isIf = layer.type == "If",
       isLoop = layer.type == "Loop" || layer.type == "TensorIterator";
  // Who writes the model again takes bodies from the file.
  if (layer.domain != kOpenVinoDomain || options.keepsSource ||
      !(isIf || isLoop)) {
    warnOfBodies(layer);
    return bodies;
  }
  auto read = [&](StringRef prefix) -> LogicalResult {
    Body body{prefix.str() + "body", std::make_unique<Network>()};
    std::string mapName = prefix.str() + "port_map";
    FailureOr<pugi::xml_node> node =
        findChild(layer.node, body.name.c_str(), layer.subject, true);
    if (failed(node) || failed(body.network->readBody(*node, *network)))
      return failure();
    FailureOr<pugi::xml_node> map =
        findChild(layer.node, mapName.c_str(), layer.subject);
    if (failed(map))
      return failure();
    Ports ports;
    auto count = [&](StringRef type) {
      return llvm::count_if(body.network->getLayers(), [&](const Layer &layer) {
        return layer.type == type;
      });
    };
    for (auto *list :
         {&ports.inputs, &ports.inputAxes, &ports.inputStarts, &ports.inputEnds,
          &ports.inputStrides, &ports.inputParts, &ports.backEdges})
      list->assign(count("Parameter"), -1);
    for (auto *list :
         {&ports.outputs, &ports.outputAxes, &ports.outputStarts,
          &ports.outputEnds, &ports.outputStrides, &ports.outputParts})
      list->assign(layer.outputs.size(), -1);
    if (failed(readPorts(layer, *body.network, *map, ports)) ||
        (isLoop && failed(readBackEdges(layer, *body.network, ports))) ||
        failed(checkPortMaps(layer, ports)))
      return failure();
    auto add = [&](StringRef name, Attribute value) {
      body.ports.push_back(
          builder.getNamedAttr(prefix.str() + name.str(), value));
    };
    auto addList = [&](StringRef name, ArrayRef<int64_t> list) {
      add(name, builder.getDenseI64ArrayAttr(list));
    };
    addList("inputs", ports.inputs);
    addList("outputs", ports.outputs);
    if (isLoop) {
      addList("input_axes", ports.inputAxes);
      addList("input_starts", ports.inputStarts);
      addList("input_ends", ports.inputEnds);
      addList("input_strides", ports.inputStrides);
      addList("input_parts", ports.inputParts);
      addList("output_axes", ports.outputAxes);
      addList("output_starts", ports.outputStarts);
      addList("output_ends", ports.outputEnds);
      addList("output_strides", ports.outputStrides);
      addList("output_parts", ports.outputParts);
      addList("back_edges", ports.backEdges);
      add("iteration", builder.getI64IntegerAttr(ports.iteration));
      add("condition", builder.getI64IntegerAttr(ports.condition));
    }
    bodies.push_back(std::move(body));
    return success();
  };
  if (failed(isIf
                 ? success(succeeded(read("then_")) && succeeded(read("else_")))
                 : read("")))
    return failure();
  return bodies;
}

LogicalResult Importer::importBody(Body &body, Region &region) {
  constexpr unsigned kDeepest = 64;
  if (depth == kDeepest)
    return diagnose(Subject{body.network->makeLoc(body.network->getRoot()), ""},
                    Diag::DeepBodies, kDeepest);
  ++depth;
  OpBuilder::InsertionGuard guard(builder);
  // Its layers have ids of their own, and see none around them.
  const Network *outerNetwork = std::exchange(network, body.network.get());
  Block *outerBlock = std::exchange(block, &region.emplaceBlock());
  auto outerValues = std::exchange(values, decltype(values)());
  auto outerReturned = std::exchange(returned, decltype(returned)());
  auto outerArguments =
      std::exchange(argumentAttributes, decltype(argumentAttributes)());
  auto outerResults =
      std::exchange(resultAttributes, decltype(resultAttributes)());
  builder.setInsertionPointToEnd(block);
  bool isImported = succeeded(importGraph());
  if (isImported)
    YieldOp::create(builder, file, returned);
  network = outerNetwork;
  block = outerBlock;
  values = std::move(outerValues);
  returned = std::move(outerReturned);
  argumentAttributes = std::move(outerArguments);
  resultAttributes = std::move(outerResults);
  --depth;
  return success(isImported);
}
