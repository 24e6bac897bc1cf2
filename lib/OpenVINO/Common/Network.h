//===- Network.h - Layers and edges of an .xml file -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_OPENVINO_COMMON_NETWORK_H
#define QUANT_FLOAT_LIB_OPENVINO_COMMON_NETWORK_H
#include "Diagnostics.h"
#include "quant-float/IR/OpsetRules.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <pugixml.hpp>
#include <vector>

namespace mlir::quant_float::openvino_import {

/// An output port: the positions of its layer and of the port in the layer.
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
  /// The canonical name for operators of OpenVINO's opsets: "Relu" if the file
  /// has "ReLU".
  StringRef type;
  /// "openvino" for OpenVINO's opsets, otherwise the file's `version`.
  StringRef domain;
  int64_t opset;
  pugi::xml_node node;
  Subject subject;
  SmallVector<InputPort> inputs = {};
  SmallVector<OutputPort> outputs = {};

  /// Returns the kind of OpenVINO's layer of this type. Parameters, Results and
  /// the like may have any version.
  std::optional<NodeKind> getKind() const {
    return findNodeKind(kOpenVinoDomain, type);
  }
};

/// An .xml file: its layers in the order of the file, and the edges between
/// them.
class Network {
public:
  /// Parses `xml`, which need not outlive the call. `fileName` is the name in
  /// diagnostics.
  LogicalResult parse(StringRef xml, StringRef fileName, MLIRContext *context);
  /// Reads the body of a layer of `around`, which must outlive this object.
  LogicalResult readBody(pugi::xml_node body, const Network &around);

  pugi::xml_node getRoot() const { return root; }
  Location makeLoc(pugi::xml_node node) const;
  StringRef getName() const { return name; }
  int64_t getVersion() const { return version; }
  ArrayRef<Layer> getLayers() const { return layers; }

  /// Returns the layers on which Results depend, all Parameters and all
  /// Assigns. A layer follows those on which it depends; otherwise, the order
  /// is that of the file.
  FailureOr<SmallVector<unsigned>> sortLayers() const;

private:
  /// Returns the location of a byte of the file.
  Location makeLoc(size_t offset) const;
  LogicalResult readRoot(pugi::xml_node &net);
  LogicalResult readGraph();
  LogicalResult readLayer(pugi::xml_node node);
  LogicalResult readPorts(pugi::xml_node node, Layer &layer);
  LogicalResult readEdge(pugi::xml_node node);

  pugi::xml_document document;
  /// The element that contains the layers. For a body, `around` is the network
  /// that contains it.
  pugi::xml_node root;
  const Network *around = nullptr;
  /// The offsets of the lines in bytes.
  std::vector<size_t> lines;
  std::string fileName;
  MLIRContext *context = nullptr;
  StringRef name;
  int64_t version = 0;
  std::vector<Layer> layers;
  llvm::DenseMap<uint64_t, unsigned> layersById;
  /// The positions of ports, by the position of their layer and their id.
  using PortMap = llvm::DenseMap<std::pair<unsigned, uint64_t>, unsigned>;
  PortMap inputPorts, outputPorts;
};

/// Returns the only child of this name, or a null node if there is none, which
/// is an error if `isRequired`. Several children of this name are an error.
FailureOr<pugi::xml_node> findChild(pugi::xml_node node, const char *name,
                                    const Subject &subject,
                                    bool isRequired = false);

/// Returns the value of an attribute. Emits an error if it is missing.
FailureOr<StringRef> readAttribute(pugi::xml_node node, const char *name,
                                   const Subject &subject);

/// The same, but also emits an error if the value is empty.
FailureOr<StringRef> readName(pugi::xml_node node, const char *name,
                              const Subject &subject);

/// The same for a number, which may have digits only.
FailureOr<uint64_t> readNumber(pugi::xml_node node, const char *name,
                               const Subject &subject);

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_OPENVINO_COMMON_NETWORK_H
