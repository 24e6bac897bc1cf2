//===- Network.cpp - Layers and edges of an .xml file ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Network.h"
#include "../../Interchange/Sorting.h"
#include "Types.h"
#include "quant-float/IR/OpsetRules.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_import;

/// The maximum id of a layer or a port.
static constexpr uint64_t kLargestId = std::numeric_limits<uint32_t>::max();

//===----------------------------------------------------------------------===//
// Elements and attributes
//===----------------------------------------------------------------------===//

FailureOr<pugi::xml_node> openvino_import::findChild(pugi::xml_node node,
                                                     const char *name,
                                                     const Subject &subject,
                                                     bool isRequired) {
  pugi::xml_node child = node.child(name);
  if (!child && isRequired)
    return diagnose(subject, Diag::NoElement, name);
  if (child && child.next_sibling(name))
    return diagnose(subject, Diag::DuplicateElement, name);
  return child;
}

FailureOr<StringRef> openvino_import::readAttribute(pugi::xml_node node,
                                                    const char *name,
                                                    const Subject &subject) {
  pugi::xml_attribute attribute = node.attribute(name);
  if (!attribute)
    return diagnose(subject, Diag::NoAttribute, name);
  return StringRef(attribute.value());
}

FailureOr<StringRef> openvino_import::readName(pugi::xml_node node,
                                               const char *name,
                                               const Subject &subject) {
  FailureOr<StringRef> value = readAttribute(node, name, subject);
  if (succeeded(value) && value->empty())
    return diagnose(subject, Diag::EmptyAttribute, name);
  return value;
}

FailureOr<uint64_t> openvino_import::readNumber(pugi::xml_node node,
                                                const char *name,
                                                const Subject &subject) {
  FailureOr<StringRef> value = readAttribute(node, name, subject);
  if (failed(value))
    return failure();
  uint64_t number;
  if (value->empty() || !llvm::all_of(*value, llvm::isDigit) ||
      value->getAsInteger(10, number))
    return diagnose(subject, Diag::AttributeValue, name, "a number of 64 bits",
                    printable(*value));
  return number;
}

//===----------------------------------------------------------------------===//
// The document
//===----------------------------------------------------------------------===//

Location Network::makeLoc(size_t offset) const {
  auto next = llvm::upper_bound(lines, offset);
  return FileLineColLoc::get(context, fileName, next - lines.begin(),
                             offset - *std::prev(next) + 1);
}

Location Network::makeLoc(pugi::xml_node node) const {
  if (around)
    return around->makeLoc(node);
  ptrdiff_t offset = node.offset_debug();
  return offset < 0 ? FileLineColLoc::get(context, fileName, 0, 0)
                    : makeLoc(size_t(offset));
}

LogicalResult Network::parse(StringRef xml, StringRef fileName,
                             MLIRContext *context) {
  this->fileName = fileName.str();
  this->context = context;
  lines.push_back(0);
  for (auto [index, byte] : llvm::enumerate(xml))
    if (byte == '\n')
      lines.push_back(index + 1);
  auto getSubject = [&](size_t offset) { return Subject{makeLoc(offset), ""}; };
  // The parser would treat a NUL as the end.
  if (size_t nul = xml.find('\0'); nul != StringRef::npos)
    return diagnose(getSubject(nul), Diag::NulByte);
  // Parse a fragment, so that content around the root is reported.
  pugi::xml_parse_result result = document.load_buffer(
      xml.data(), xml.size(),
      pugi::parse_default | pugi::parse_doctype | pugi::parse_fragment,
      pugi::encoding_utf8);
  if (!result)
    return diagnose(getSubject(std::min<size_t>(result.offset, xml.size())),
                    Diag::Malformed, StringRef(result.description()).lower());

  if (failed(readRoot(root)))
    return failure();
  Subject file{makeLoc(root), ""};
  name = root.attribute("name").value();
  FailureOr<uint64_t> number = readNumber(root, "version", file);
  if (failed(number))
    return failure();
  version = *number;
  if (version != 10 && version != 11)
    return diagnose(file, Diag::BadVersion, *number);
  return readGraph();
}

LogicalResult Network::readBody(pugi::xml_node body, const Network &around) {
  this->around = &around;
  context = around.context;
  root = body;
  name = body.attribute("name").value();
  return readGraph();
}

LogicalResult Network::readGraph() {
  Subject subject{makeLoc(root), ""};
  FailureOr<pugi::xml_node> layerList =
      findChild(root, "layers", subject, true);
  if (failed(layerList))
    return failure();
  for (pugi::xml_node node : layerList->children())
    if (failed(readLayer(node)))
      return failure();
  FailureOr<pugi::xml_node> edgeList = findChild(root, "edges", subject);
  if (failed(edgeList))
    return failure();
  for (pugi::xml_node node : edgeList->children())
    if (failed(readEdge(node)))
      return failure();
  return success();
}

LogicalResult Network::readRoot(pugi::xml_node &net) {
  for (pugi::xml_node node : document.children()) {
    Subject subject{makeLoc(node), ""};
    if (node.type() == pugi::node_doctype)
      return diagnose(subject, Diag::DocumentType);
    std::string shown = node.type() == pugi::node_element
                            ? "'" + printable(node.name()) + "'"
                            : "text";
    if (net)
      return diagnose(subject, Diag::TrailingContent, shown);
    if (StringRef(node.name()) != "net")
      return diagnose(subject, Diag::NoRoot, shown);
    net = node;
  }
  if (!net)
    return diagnose(Subject{FileLineColLoc::get(context, fileName, 1, 1), ""},
                    Diag::NoRoot, "nothing");
  return success();
}

//===----------------------------------------------------------------------===//
// Layers
//===----------------------------------------------------------------------===//

LogicalResult Network::readPorts(pugi::xml_node node, Layer &layer) {
  // The layer is appended to the list later.
  unsigned index = layers.size();
  auto read = [&](const char *name, PortMap &positions,
                  auto add) -> LogicalResult {
    FailureOr<pugi::xml_node> list = findChild(node, name, layer.subject);
    if (failed(list))
      return failure();
    for (pugi::xml_node port : list->children()) {
      Subject here{makeLoc(port), layer.subject.prefix};
      if (StringRef(port.name()) != "port")
        return diagnose(here, Diag::UnknownElement, "port",
                        printable(port.name()));
      FailureOr<uint64_t> id = readNumber(port, "id", here);
      if (failed(id))
        return failure();
      if (*id > kLargestId)
        return diagnose(here, Diag::AttributeValue, "id", "a number of 32 bits",
                        *id);
      std::pair<unsigned, uint64_t> key = {index, *id};
      // Inputs and outputs share one range of ids.
      if (inputPorts.contains(key) || positions.contains(key))
        return diagnose(here, Diag::DuplicatePort, *id);
      positions[key] = add(*id, port);
    }
    return success();
  };
  auto addInput = [&](uint64_t id, pugi::xml_node) {
    layer.inputs.push_back({id, std::nullopt});
    return layer.inputs.size() - 1;
  };
  auto addOutput = [&](uint64_t id, pugi::xml_node port) {
    layer.outputs.push_back({id, port});
    return layer.outputs.size() - 1;
  };
  return success(succeeded(read("input", inputPorts, addInput)) &&
                 succeeded(read("output", outputPorts, addOutput)));
}

LogicalResult Network::readLayer(pugi::xml_node node) {
  Location loc = makeLoc(node);
  Subject unnamed{loc, ""};
  if (StringRef(node.name()) != "layer")
    return diagnose(unnamed, Diag::UnknownElement, "layer",
                    printable(node.name()));
  unnamed.prefix = "layer '" + printable(node.attribute("name").value()) + "'";
  FailureOr<StringRef> name = readAttribute(node, "name", unnamed);
  if (failed(name))
    return failure();
  FailureOr<uint64_t> id = readNumber(node, "id", unnamed);
  if (failed(id))
    return failure();
  if (*id > kLargestId)
    return diagnose(unnamed, Diag::AttributeValue, "id", "a number of 32 bits",
                    *id);
  FailureOr<StringRef> type = readName(node, "type", unnamed);
  if (failed(type))
    return failure();
  std::string description = unnamed.prefix + " (" + printable(*type) + ", id " +
                            std::to_string(*id) + ")";
  Subject subject{NameLoc::get(StringAttr::get(context, *name), loc),
                  description};
  FailureOr<StringRef> version = readName(node, "version", subject);
  if (failed(version))
    return failure();
  Layer layer{*id, *name, *type, *version, /*opset=*/1, node, subject};
  // Versions of OpenVINO's opsets are "opset13" and so on. Extensions have
  // other names.
  StringRef number = *version;
  uint32_t opset;
  if (number.consume_front("opset") && llvm::all_of(number, llvm::isDigit) &&
      !number.getAsInteger(10, opset)) {
    layer.type = getCanonicalType(*type);
    layer.domain = kOpenVinoDomain;
    layer.opset = opset;
  }
  if (auto [other, isNew] = layersById.try_emplace(*id, layers.size()); !isNew)
    return diagnose(subject, Diag::DuplicateLayer,
                    layers[other->second].subject.prefix);
  if (failed(readPorts(node, layer)))
    return failure();
  layers.push_back(std::move(layer));
  return success();
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

LogicalResult Network::readEdge(pugi::xml_node node) {
  Subject subject{makeLoc(node), ""};
  if (StringRef(node.name()) != "edge")
    return diagnose(subject, Diag::UnknownElement, "edge",
                    printable(node.name()));
  subject.prefix = "edge";
  static constexpr const char *kNames[] = {"from-layer", "from-port",
                                           "to-layer", "to-port"};
  uint64_t ids[4];
  for (auto [index, name] : llvm::enumerate(kNames)) {
    FailureOr<uint64_t> id = readNumber(node, name, subject);
    if (failed(id))
      return failure();
    ids[index] = *id;
  }
  subject.prefix = llvm::formatv("edge from {0}:{1} to {2}:{3}", ids[0], ids[1],
                                 ids[2], ids[3]);
  for (uint64_t id : {ids[0], ids[2]})
    if (id > kLargestId || !layersById.contains(id))
      return diagnose(subject, Diag::UnknownLayer, id);
  unsigned fromIndex = layersById.lookup(ids[0]);
  unsigned toIndex = layersById.lookup(ids[2]);
  Layer &from = layers[fromIndex], &to = layers[toIndex];
  auto output = outputPorts.find({fromIndex, ids[1]});
  if (output == outputPorts.end())
    return diagnose(subject, Diag::UnknownPort, from.subject.prefix, "output",
                    ids[1]);
  auto input = inputPorts.find({toIndex, ids[3]});
  if (input == inputPorts.end())
    return diagnose(subject, Diag::UnknownPort, to.subject.prefix, "input",
                    ids[3]);
  std::optional<Source> &source = to.inputs[input->second].source;
  if (source)
    return diagnose(subject, Diag::DuplicateEdge, ids[3], to.subject.prefix);
  source = Source{fromIndex, output->second};
  return success();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<unsigned>> Network::sortLayers() const {
  llvm::BitVector isNeeded(layers.size());
  SmallVector<unsigned> pending;
  auto need = [&](unsigned index) {
    if (!isNeeded.test(index))
      pending.push_back(index);
    isNeeded.set(index);
  };
  for (auto [index, layer] : llvm::enumerate(layers))
    if (layer.getKind() == NodeKind::OpenVinoResult)
      need(index);
  if (pending.empty())
    return diagnose(Subject{makeLoc(root), ""}, Diag::NoResult);
  // Assign has an effect, even if no Result depends on it.
  for (auto [index, layer] : llvm::enumerate(layers))
    if (llvm::is_contained(
            {NodeKind::OpenVinoParameter, NodeKind::OpenVinoAssign},
            layer.getKind()))
      need(index);

  SmallVector<SmallVector<unsigned>> producers(layers.size());
  while (!pending.empty()) {
    unsigned index = pending.pop_back_val();
    const Layer &layer = layers[index];
    llvm::SmallSetVector<unsigned, 4> sources;
    for (const InputPort &port : layer.inputs) {
      if (!port.source)
        return diagnose(layer.subject, Diag::NoEdge, port.id);
      sources.insert(port.source->layer);
      need(port.source->layer);
    }
    producers[index] = sources.takeVector();
  }
  SortedIndices sorted = sortByDependences(producers);
  if (!sorted.cycle.empty()) {
    constexpr size_t kShown = 8;
    std::string cycleString;
    llvm::raw_string_ostream os(cycleString);
    ArrayRef<unsigned> cycle = sorted.cycle;
    for (unsigned index : cycle.take_front(kShown))
      os << layers[index].subject.prefix << " <- ";
    os << (cycle.size() > kShown ? "... <- " : "")
       << layers[cycle.front()].subject.prefix;
    return diagnose(Subject{makeLoc(root), ""}, Diag::Cycle, cycleString);
  }
  llvm::erase_if(sorted.order,
                 [&](unsigned index) { return !isNeeded.test(index); });
  return sorted.order;
}
