//===- Exporter.h - The state of one export ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_OPENVINO_EXPORTER_H
#define QUANT_FLOAT_LIB_TARGET_OPENVINO_EXPORTER_H

#include "WeightsWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "llvm/ADT/DenseSet.h"
#include <array>
#include <vector>

namespace mlir::quant_float::openvino_import {

/// Writes one module.
class Exporter {
public:
  Exporter(ModuleOp module, const OpenVinoExportOptions &options)
      : module(module), weights(options) {}

  LogicalResult exportModel(raw_ostream &os);

private:
  /// What a layer is called and where it is of.
  struct LayerKind {
    StringRef name, type, version;
  };
  /// An output port, by the ids of its layer and its own, and what it gives.
  struct Port {
    unsigned layer, port;
    Type type;
  };

  /// The network of a block: its layers and edges in place of those that the
  /// element has. The attributes are those of arguments and results.
  LogicalResult exportGraph(pugi::xml_node network, Block &block,
                            ArrayRef<DictionaryAttr> arguments,
                            ArrayRef<DictionaryAttr> results, Location loc);
  /// The ops that results and variables depend on.
  void findLiveOps(Block &block);
  LogicalResult exportParameter(BlockArgument argument,
                                DictionaryAttr attributes);
  LogicalResult exportResult(Value value, DictionaryAttr attributes,
                             Location loc);
  LogicalResult exportOp(Operation &op);
  LogicalResult exportConstant(arith::ConstantOp op);
  LogicalResult exportFakeConvert(FakeConvertOp op);
  LogicalResult exportCast(CastOp op);
  LogicalResult exportNode(NodeOp op);
  /// The networks that the layer runs, and what passes in and out.
  LogicalResult exportBodies(NodeOp op, pugi::xml_node layer,
                             const Subject &subject);
  /// The node's attributes but for those that say how bodies are joined to it.
  static DictionaryAttr getLayerAttributes(NodeOp op);

  /// A layer with its ports.
  FailureOr<pugi::xml_node> addLayer(const LayerKind &kind, Attribute source,
                                     ArrayRef<Port> inputs, TypeRange outputs,
                                     const Subject &subject);
  /// The same for one whose outputs are `results` from now on.
  FailureOr<pugi::xml_node> addLayer(const LayerKind &kind, Attribute source,
                                     ArrayRef<Port> inputs, ValueRange results,
                                     const Subject &subject);
  /// The ports of values, in the order of the function.
  SmallVector<Port> getPorts(ValueRange values) const;
  /// Has the layer, a Const, be the elements.
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
  /// What functions and bodies call their results.
  llvm::DenseMap<Value, SmallVector<StringRef, 1>> resultNames;
};

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_TARGET_OPENVINO_EXPORTER_H
