//===- Network.h - Layers and edges of an .xml file -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_OPENVINO_NETWORK_H
#define QUANT_FLOAT_LIB_TARGET_OPENVINO_NETWORK_H
#include "Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <pugixml.hpp>
#include <vector>

namespace mlir::quant_float::openvino_import {

/// An output port, by the positions of its layer and of the port there.
struct Source {
  unsigned layer;
  unsigned port;
};

struct InputPort {
  uint64_t id;
  std::optional<Source> source;
};

struct OutputPort {
  uint64_t id;
  pugi::xml_node node;
};

struct Layer {
  uint64_t id;
  StringRef name;
  /// Of OpenVINO's own operators their spelling: "Relu" where the file says
  /// "ReLU".
  StringRef type;
  /// "openvino" for its opsets, else the set that the file says.
  StringRef domain;
  int64_t opset;
  pugi::xml_node node;
  Subject subject;
  SmallVector<InputPort> inputs = {};
  SmallVector<OutputPort> outputs = {};
};

/// An .xml file: the layers in its order, with the edges between them.
class Network {
public:
  /// Parses the text, which is not kept; diagnostics call it `fileName`.
  LogicalResult parse(StringRef xml, StringRef fileName, MLIRContext *context);
  /// Reads the body of a layer of `around`, which has to outlive it.
  LogicalResult readBody(pugi::xml_node body, const Network &around);

  pugi::xml_node getRoot() const { return root; }
  Location makeLoc(pugi::xml_node node) const;
  StringRef getName() const { return name; }
  int64_t getVersion() const { return version; }
  ArrayRef<Layer> getLayers() const { return layers; }

  /// The layers that Results depend on and all Parameters, each after those
  /// that it depends on; else the order of the file.
  FailureOr<SmallVector<unsigned>> sortLayers() const;

private:
  /// Of a byte of the file.
  Location makeLoc(size_t offset) const;
  LogicalResult readRoot(pugi::xml_node &net);
  LogicalResult readGraph();
  LogicalResult readLayer(pugi::xml_node node);
  LogicalResult readPorts(pugi::xml_node node, Layer &layer);
  LogicalResult readEdge(pugi::xml_node node);

  pugi::xml_document document;
  /// The element with the layers; of a body also the network that it is in.
  pugi::xml_node root;
  const Network *around = nullptr;
  /// Where lines begin, in bytes.
  std::vector<size_t> lines;
  std::string fileName;
  MLIRContext *context = nullptr;
  StringRef name;
  int64_t version = 0;
  std::vector<Layer> layers;
  llvm::DenseMap<uint64_t, unsigned> layersById;
  /// The positions of ports by the position of their layer and their id.
  using PortMap = llvm::DenseMap<std::pair<unsigned, uint64_t>, unsigned>;
  PortMap inputPorts, outputPorts;
};

/// The only child of that name; a null node for none. With `isRequired` that
/// is an error, too.
FailureOr<pugi::xml_node> findChild(pugi::xml_node node, const char *name,
                                    const Subject &subject,
                                    bool isRequired = false);

/// The attribute's text; an error where it is missing.
FailureOr<StringRef> readText(pugi::xml_node node, const char *name,
                              const Subject &subject);

/// The same for one that must not be empty.
FailureOr<StringRef> readName(pugi::xml_node node, const char *name,
                              const Subject &subject);

/// The same for a number of digits only.
FailureOr<uint64_t> readNumber(pugi::xml_node node, const char *name,
                               const Subject &subject);

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_TARGET_OPENVINO_NETWORK_H
