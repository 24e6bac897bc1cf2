//===- Bodies.cpp - Import of layer bodies --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "../Common/Source.h"
#include "Importer.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_import;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

ArrayRef<BodyPorts::Field> BodyPorts::getFields(bool isLoop) {
  static const Field kFields[] = {
      {"inputs", &BodyPorts::inputs, false},
      {"outputs", &BodyPorts::outputs, true},
      {"input_axes", &BodyPorts::inputAxes, false},
      {"input_starts", &BodyPorts::inputStarts, false},
      {"input_ends", &BodyPorts::inputEnds, false},
      {"input_strides", &BodyPorts::inputStrides, false},
      {"input_parts", &BodyPorts::inputParts, false},
      {"output_axes", &BodyPorts::outputAxes, true},
      {"output_starts", &BodyPorts::outputStarts, true},
      {"output_ends", &BodyPorts::outputEnds, true},
      {"output_strides", &BodyPorts::outputStrides, true},
      {"output_parts", &BodyPorts::outputParts, true},
      {"back_edges", &BodyPorts::backEdges, false}};
  // Branches have no slices.
  constexpr size_t kOfBranches = 2;
  return isLoop ? ArrayRef(kFields) : ArrayRef(kFields).take_front(kOfBranches);
}

const std::array<BodyPorts::CutField, 5> BodyPorts::kCutFields = {
    {{"axis", -1, &BodyPorts::inputAxes, &BodyPorts::outputAxes},
     {"start", 0, &BodyPorts::inputStarts, &BodyPorts::outputStarts},
     {"end", -1, &BodyPorts::inputEnds, &BodyPorts::outputEnds},
     {"stride", 1, &BodyPorts::inputStrides, &BodyPorts::outputStrides},
     {"part_size", 1, &BodyPorts::inputParts, &BodyPorts::outputParts}}};

ArrayRef<StringLiteral>
openvino_import::getBodyPrefixes(std::optional<NodeKind> layer) {
  static constexpr StringLiteral kBranches[] = {"then_", "else_"};
  static constexpr StringLiteral kSteps[] = {""};
  if (layer == NodeKind::OpenVinoIf)
    return kBranches;
  if (layer == NodeKind::OpenVinoLoop ||
      layer == NodeKind::OpenVinoTensorIterator)
    return kSteps;
  return {};
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Reads an integer, which is `byDefault` if the attribute is missing.
static FailureOr<int64_t> readInteger(pugi::xml_node node, const char *name,
                                      int64_t byDefault,
                                      const Subject &subject) {
  if (!node.attribute(name))
    return byDefault;
  StringRef spelling = node.attribute(name).value();
  int64_t number;
  if (spelling.getAsInteger(10, number))
    return diagnose(subject, Diag::AttributeValue, name,
                    "an integer of 64 bits", printable(spelling));
  return number;
}

/// Returns the position, among the layers of this kind, of the layer whose id
/// is in the attribute.
static FailureOr<int64_t> findLayer(const Network &body, NodeKind kind,
                                    pugi::xml_node node, const char *name,
                                    const Subject &subject) {
  FailureOr<uint64_t> id = readNumber(node, name, subject);
  if (failed(id))
    return failure();
  int64_t position = 0;
  for (const Layer &layer : body.getLayers()) {
    if (layer.getKind() != kind)
      continue;
    if (layer.id == *id)
      return position;
    ++position;
  }
  return diagnose(subject, Diag::BodyLayer, getNodeKindName(kind), *id);
}

/// Returns the position of the layer's port that the element specifies.
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

/// Reads the numbers of a slice into the lists of inputs or outputs.
static LogicalResult readCut(pugi::xml_node node, BodyPorts &ports,
                             bool isOutput, int64_t position,
                             const Subject &subject) {
  for (const BodyPorts::CutField &field : BodyPorts::kCutFields) {
    FailureOr<int64_t> number =
        readInteger(node, field.name, field.byDefault, subject);
    if (failed(number))
      return failure();
    (ports.*(isOutput ? field.outputs : field.inputs))[position] = *number;
  }
  return success();
}

static LogicalResult readPorts(const Layer &layer, const Network &body,
                               pugi::xml_node map, BodyPorts &ports) {
  for (pugi::xml_node node : map.children()) {
    StringRef name = node.name(), purpose = node.attribute("purpose").value();
    if (name == "input") {
      FailureOr<int64_t> parameter =
          findLayer(body, NodeKind::OpenVinoParameter, node,
                    "internal_layer_id", layer.subject);
      if (failed(parameter))
        return failure();
      if (purpose == kIterationPurpose) {
        ports.iteration = *parameter;
        continue;
      }
      FailureOr<int64_t> input =
          findPort(ArrayRef(layer.inputs), "input", node, layer.subject);
      if (failed(input) || failed(readCut(node, ports, /*isOutput=*/false,
                                          *parameter, layer.subject)))
        return failure();
      ports.inputs[*parameter] = *input;
    } else if (name == "output") {
      FailureOr<int64_t> result =
          findLayer(body, NodeKind::OpenVinoResult, node, "internal_layer_id",
                    layer.subject);
      if (failed(result))
        return failure();
      if (purpose == kConditionPurpose) {
        ports.condition = *result;
        continue;
      }
      FailureOr<int64_t> output =
          findPort(ArrayRef(layer.outputs), "output", node, layer.subject);
      if (failed(output) || failed(readCut(node, ports, /*isOutput=*/true,
                                           *output, layer.subject)))
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
                                   BodyPorts &ports) {
  FailureOr<pugi::xml_node> edges =
      findChild(layer.node, kBackEdgesElement.data(), layer.subject);
  if (failed(edges))
    return failure();
  for (pugi::xml_node edge : edges->children()) {
    FailureOr<int64_t> from = findLayer(body, NodeKind::OpenVinoResult, edge,
                                        "from-layer", layer.subject);
    FailureOr<int64_t> to = findLayer(body, NodeKind::OpenVinoParameter, edge,
                                      "to-layer", layer.subject);
    if (failed(from) || failed(to))
      return failure();
    ports.backEdges[*to] = *from;
  }
  return success();
}

/// Checks that every Parameter has a value, and that every output has a Result.
static LogicalResult checkPortMaps(const Layer &layer, const BodyPorts &ports) {
  for (auto [position, input] : llvm::enumerate(ports.inputs))
    if (input < 0 && static_cast<int64_t>(position) != ports.iteration)
      return diagnose(layer.subject, Diag::BodyValue, position);
  for (auto [output, result] : llvm::zip_equal(layer.outputs, ports.outputs))
    if (result < 0)
      return diagnose(layer.subject, Diag::BodyOutput, output.id);
  return success();
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Body>> Importer::readBodies(const Layer &layer) {
  SmallVector<Body> bodies;
  ArrayRef<StringLiteral> prefixes;
  if (layer.domain == kOpenVinoDomain)
    prefixes = getBodyPrefixes(layer.getKind());
  if (prefixes.empty())
    warnOfBodies(layer);
  bool isLoop = isLoopLayer(layer.getKind());
  for (StringRef prefix : prefixes) {
    Body body{(prefix + "body").str(), (prefix + "port_map").str(),
              std::make_unique<Network>()};
    FailureOr<pugi::xml_node> node =
        findChild(layer.node, body.name.c_str(), layer.subject, true);
    if (failed(node) || failed(body.network->readBody(*node, *network)))
      return failure();
    FailureOr<pugi::xml_node> map =
        findChild(layer.node, body.mapName.c_str(), layer.subject);
    if (failed(map))
      return failure();
    size_t parameters =
        llvm::count_if(body.network->getLayers(), [](const Layer &layer) {
          return layer.getKind() == NodeKind::OpenVinoParameter;
        });
    BodyPorts ports;
    ArrayRef<BodyPorts::Field> fields = BodyPorts::getFields(/*isLoop=*/true);
    for (const BodyPorts::Field &field : fields)
      (ports.*field.list)
          .assign(field.isOfOutputs ? layer.outputs.size() : parameters, -1);
    if (failed(readPorts(layer, *body.network, *map, ports)) ||
        (isLoop && failed(readBackEdges(layer, *body.network, ports))) ||
        failed(checkPortMaps(layer, ports)))
      return failure();
    for (const BodyPorts::Field &field : BodyPorts::getFields(isLoop))
      body.ports.push_back(builder.getNamedAttr(
          (prefix + field.name).str(),
          builder.getDenseI64ArrayAttr(ports.*field.list)));
    if (isLoop)
      for (auto [name, position] :
           {std::pair(kIterationAttrName, ports.iteration),
            std::pair(kConditionAttrName, ports.condition)})
        body.ports.push_back(
            builder.getNamedAttr(name, builder.getI64IntegerAttr(position)));
    bodies.push_back(std::move(body));
  }
  return bodies;
}

LogicalResult Importer::importBody(Body &body, Region &region) {
  constexpr unsigned kDeepest = 64;
  if (depth == kDeepest)
    return diagnose(Subject{body.network->makeLoc(body.network->getRoot()), ""},
                    Diag::DeepBodies, kDeepest);
  ++depth;
  OpBuilder::InsertionGuard guard(builder);
  // The ids of the body's layers are separate from those of the outer layers,
  // which the body cannot access.
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
  if (options.keepsSource)
    body.source = makeBodySource(context, body.network->getRoot(),
                                 argumentAttributes, resultAttributes);
  network = outerNetwork;
  block = outerBlock;
  values = std::move(outerValues);
  returned = std::move(outerReturned);
  argumentAttributes = std::move(outerArguments);
  resultAttributes = std::move(outerResults);
  --depth;
  return success(isImported);
}
