//===- ExportBodies.cpp - Export of layer bodies --------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Common/Source.h"
#include "../Import/Bodies.h"
#include "Exporter.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_import;

/// Reads the lists of a body. They may be invalid in a handwritten module.
static FailureOr<BodyPorts> readBodyPorts(NodeOp op, StringRef prefix,
                                          Block &body, const Subject &subject) {
  auto refuse = [&](StringRef name) {
    return diagnose(subject, Diag::NoLayer,
                    ("attribute '" + name + "' does not match the body").str());
  };
  BodyPorts ports;
  int64_t results = body.getTerminator()->getNumOperands();
  for (const BodyPorts::Field &field :
       BodyPorts::getFields(isLoopLayer(getNodeKind(op)))) {
    std::string name = (prefix + field.name).str();
    auto list = op.getNodeAttributes().getAs<DenseI64ArrayAttr>(name);
    size_t count =
        field.isOfOutputs ? op->getNumResults() : body.getNumArguments();
    int64_t max = std::numeric_limits<int64_t>::max();
    if (field.list == &BodyPorts::inputs)
      max = op->getNumOperands();
    else if (field.list == &BodyPorts::outputs ||
             field.list == &BodyPorts::backEdges)
      max = results;
    if (!list || static_cast<size_t>(list.size()) != count ||
        llvm::any_of(list.asArrayRef(),
                     [&](int64_t number) { return number >= max; }))
      return refuse(name);
    (ports.*field.list)
        .assign(list.asArrayRef().begin(), list.asArrayRef().end());
  }
  if (!isLoopLayer(getNodeKind(op)))
    return ports;
  for (auto [name, position, count] :
       {std::tuple(kIterationAttrName, &ports.iteration,
                   int64_t(body.getNumArguments())),
        std::tuple(kConditionAttrName, &ports.condition, results)}) {
    auto number = op.getNodeAttributes().getAs<IntegerAttr>(name);
    if (!number || number.getInt() >= count)
      return refuse(name);
    *position = number.getInt();
  }
  return ports;
}

/// Adds an input or output to a port map.
static pugi::xml_node addPort(pugi::xml_node map, const char *element,
                              int64_t external, uint64_t internal) {
  pugi::xml_node port = map.append_child(element);
  port.append_attribute("external_port_id")
      .set_value(static_cast<long long>(external));
  port.append_attribute("internal_layer_id")
      .set_value(static_cast<unsigned long long>(internal));
  return port;
}

static void addCut(pugi::xml_node port, const BodyPorts &ports, bool isOutput,
                   size_t position) {
  if ((isOutput ? ports.outputAxes : ports.inputAxes)[position] < 0)
    return;
  for (const BodyPorts::CutField &field : BodyPorts::kCutFields)
    port.append_attribute(field.name)
        .set_value(static_cast<long long>(
            (ports.*(isOutput ? field.outputs : field.inputs))[position]));
}

/// Writes the port map and the back edges. Parameters are the first layers of
/// the body. Results are the last ones, from `firstResult` on.
static void addPortMap(NodeOp op, pugi::xml_node layer, StringRef prefix,
                       const BodyPorts &ports, uint64_t firstResult) {
  bool isLoop = isLoopLayer(getNodeKind(op));
  pugi::xml_node map = layer.append_child((prefix + "port_map").str().c_str());
  for (auto [parameter, input] : llvm::enumerate(ports.inputs)) {
    if (input < 0)
      continue;
    pugi::xml_node port = addPort(map, "input", input, parameter);
    if (isLoop)
      addCut(port, ports, /*isOutput=*/false, parameter);
  }
  for (auto [output, result] : llvm::enumerate(ports.outputs)) {
    if (result < 0)
      continue;
    pugi::xml_node port = addPort(map, "output", op->getNumOperands() + output,
                                  firstResult + result);
    if (isLoop)
      addCut(port, ports, /*isOutput=*/true, output);
  }
  if (ports.iteration >= 0)
    addPort(map, "input", -1, ports.iteration)
        .append_attribute("purpose")
        .set_value(kIterationPurpose.data());
  if (ports.condition >= 0)
    addPort(map, "output", -1, firstResult + ports.condition)
        .append_attribute("purpose")
        .set_value(kConditionPurpose.data());
  pugi::xml_node edges;
  for (auto [parameter, result] : llvm::enumerate(ports.backEdges)) {
    if (result < 0)
      continue;
    if (!edges)
      edges = layer.append_child(kBackEdgesElement.data());
    pugi::xml_node edge = edges.append_child("edge");
    edge.append_attribute("from-layer")
        .set_value(static_cast<unsigned long long>(firstResult + result));
    edge.append_attribute("to-layer")
        .set_value(static_cast<unsigned long long>(parameter));
  }
}

DictionaryAttr Exporter::getLayerAttributes(NodeOp op) {
  if (op.getNumRegions() == 0)
    return op.getNodeAttributes();
  NamedAttrList attributes(op.getNodeAttributes());
  bool isLoop = isLoopLayer(getNodeKind(op));
  for (StringRef prefix : getBodyPrefixes(getNodeKind(op)))
    for (const BodyPorts::Field &field : BodyPorts::getFields(isLoop))
      attributes.erase((prefix + field.name).str());
  if (isLoop) {
    attributes.erase(kIterationAttrName);
    attributes.erase(kConditionAttrName);
  }
  return attributes.getDictionary(op.getContext());
}

LogicalResult Exporter::exportBodies(NodeOp op, pugi::xml_node layer,
                                     const Subject &subject) {
  ArrayRef<StringLiteral> prefixes = getBodyPrefixes(getNodeKind(op));
  if (prefixes.size() != op.getNumRegions())
    return diagnose(subject, Diag::NoLayer, "a body");
  auto sources = op->getAttrOfType<ArrayAttr>(kBodiesSourceAttrName);
  for (auto [index, prefix, region] :
       llvm::enumerate(prefixes, op.getBodies())) {
    std::string name = (prefix + "body").str();
    if (cast<StringAttr>(op.getBodyNames()[index]).getValue() != name)
      return diagnose(subject, Diag::NoLayer, "a body");
    Block &body = region.front();
    // A body can access outer values only through its ports.
    for (Operation &inner : body)
      for (Value operand : inner.getOperands())
        if (operand.getParentBlock() != &body)
          return diagnose(subject, Diag::NoLayer,
                          "a body that uses outer values");
    FailureOr<BodyPorts> bodyPorts = readBodyPorts(op, prefix, body, subject);
    if (failed(bodyPorts))
      return failure();
    DictionaryAttr source;
    if (sources && index < sources.size())
      source = dyn_cast<DictionaryAttr>(sources[index]);
    FailureOr<pugi::xml_node> element = appendSource(
        layer, name.c_str(), source ? source.get(kBodyAttrName) : Attribute(),
        kBodiesSourceAttrName, subject);
    if (failed(element))
      return failure();
    auto getList = [&](StringRef list, size_t count) {
      SmallVector<DictionaryAttr> attributes(count);
      if (auto sourceList =
              source ? source.getAs<ArrayAttr>(list) : ArrayAttr())
        for (auto [to, from] : llvm::zip(attributes, sourceList))
          to = dyn_cast<DictionaryAttr>(from);
      return attributes;
    };
    size_t results = body.getTerminator()->getNumOperands();

    // The ids of the body's layers are separate.
    pugi::xml_node outerLayers = layers;
    std::vector<std::array<unsigned, 4>> outerEdges = std::exchange(edges, {});
    unsigned outerCount = std::exchange(layerCount, 0);
    LogicalResult exported = exportGraph(
        *element, body, getList(kArgumentsAttrName, body.getNumArguments()),
        getList(kResultsAttrName, results), subject.loc);
    uint64_t firstResult = layerCount - (succeeded(exported) ? results : 0);
    layers = outerLayers;
    edges = std::move(outerEdges);
    layerCount = outerCount;
    if (failed(exported))
      return failure();
    addPortMap(op, layer, prefix, *bodyPorts, firstResult);
  }
  return success();
}
