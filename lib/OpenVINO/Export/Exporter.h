//===- Exporter.h - Exporter of OpenVINO models -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_OPENVINO_EXPORT_EXPORTER_H
#define QUANT_FLOAT_LIB_OPENVINO_EXPORT_EXPORTER_H

#include "WeightsWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "llvm/ADT/DenseSet.h"
#include <array>
#include <vector>

namespace mlir::quant_float::openvino_import {

/// Exports a module.
class Exporter {
public:
  Exporter(ModuleOp module, const OpenVinoExportOptions &options)
      : module(module), weights(options) {}

  LogicalResult exportModel(raw_ostream &os);

private:
  /// The name of a layer, its operator and its opset.
  struct LayerKind {
    StringRef name, type, version;
  };
  /// An output port: the ids of its layer and of the port, and its type.
  struct Port {
    unsigned layer, port;
    Type type;
  };

  /// Writes the network of a block. Its layers and edges replace those of the
  /// element. The attributes are those of arguments and results.
  LogicalResult exportGraph(pugi::xml_node network, Block &block,
                            ArrayRef<DictionaryAttr> arguments,
                            ArrayRef<DictionaryAttr> results, Location loc);
  /// Finds the ops on which results and variables depend.
  void findLiveOps(Block &block);
  LogicalResult exportParameter(BlockArgument argument,
                                DictionaryAttr attributes);
  LogicalResult exportResult(Value value, DictionaryAttr attributes,
                             Location loc);
  LogicalResult exportOp(Operation &op);
  LogicalResult exportConstant(AnyConstantOp op);
  LogicalResult exportFakeConvert(FakeConvertOp op);
  LogicalResult exportCast(CastOp op);
  LogicalResult exportNode(NodeOp op);
  /// Writes the layer's bodies and their connections to the layer.
  LogicalResult exportBodies(NodeOp op, pugi::xml_node layer,
                             const Subject &subject);
  /// Returns the node's attributes without those that connect bodies.
  static DictionaryAttr getLayerAttributes(NodeOp op);

  /// Adds a layer with its ports.
  FailureOr<pugi::xml_node> addLayer(const LayerKind &kind, Attribute source,
                                     ArrayRef<Port> inputs, TypeRange outputs,
                                     const Subject &subject);
  /// The same for a layer that defines `results`.
  FailureOr<pugi::xml_node> addLayer(const LayerKind &kind, Attribute source,
                                     ArrayRef<Port> inputs, ValueRange results,
                                     const Subject &subject);
  /// Returns the ports that define the values.
  SmallVector<Port> getPorts(ValueRange values) const;
  /// Writes the elements as the data of a Const layer.
  LogicalResult setElements(pugi::xml_node layer, Attribute source,
                            ElementsAttr elements, const Subject &subject);

  ModuleOp module;
  WeightsWriter weights;
  pugi::xml_document document;
  pugi::xml_node layers;
  /// From layer and port to layer and port.
  std::vector<std::array<unsigned, 4>> edges;
  unsigned layerCount = 0;
  llvm::DenseMap<Value, Port> ports;
  llvm::DenseSet<Operation *> live;
  /// The names that functions and bodies give to their results.
  llvm::DenseMap<Value, SmallVector<StringRef, 1>> resultNames;
};

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_OPENVINO_EXPORT_EXPORTER_H
