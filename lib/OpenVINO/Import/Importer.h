//===- Importer.h - Importer of OpenVINO models -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_OPENVINO_IMPORT_IMPORTER_H
#define QUANT_FLOAT_LIB_OPENVINO_IMPORT_IMPORTER_H
#include "../Common/Network.h"
#include "../Common/Weights.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"
#include "quant-float/OpenVINO/Import/Import.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::quant_float::openvino_import {

/// A network in a layer, and its connections to the layer.
struct Body {
  /// The names of its elements: "body" and "port_map", "then_body" and so on.
  std::string name, mapName;
  std::unique_ptr<Network> network;
  SmallVector<NamedAttribute> ports = {};
  /// The XML to keep, if requested.
  Attribute source = {};
};

/// Imports a model.
class Importer {
public:
  Importer(MLIRContext *context, const Network &network, Location file,
           StringRef weightsPath, const OpenVinoImportOptions &options)
      : context(context), network(&network), file(file),
        weights(weightsPath, options.onMappedFile), options(options),
        builder(context) {}

  OwningOpRef<ModuleOp> importModel();

private:
  LogicalResult importLayers();
  /// Imports the Parameters, layers and Results of the network at the insertion
  /// point.
  LogicalResult importGraph();
  LogicalResult importLayer(unsigned index);
  LogicalResult importParameter(unsigned index, ValueRange operands);
  LogicalResult importResult(unsigned index, ValueRange operands);
  LogicalResult importConstant(unsigned index, ValueRange operands);
  LogicalResult importNode(unsigned index, ValueRange operands);
  LogicalResult resolve(unsigned index, NodeOp node);
  LogicalResult checkPorts(const Layer &layer, size_t inputs, size_t outputs);
  /// Defines the only output of a Parameter or Const. Its declared type is
  /// checked, but `value` has the type of the layer's attributes.
  LogicalResult defineData(unsigned index, Value value);
  /// Attaches the XML of the layer, if requested.
  void keepSource(const Layer &layer, NamedAttrList &attributes);
  void keepSource(const Layer &layer, Operation *op,
                  ArrayRef<StringRef> leftOut = {});
  void warnOfBodies(const Layer &layer);
  /// Reads the layer's bodies, but does not import them.
  FailureOr<SmallVector<Body>> readBodies(const Layer &layer);
  LogicalResult importBody(Body &body, Region &region);
  void define(unsigned index, ValueRange values);

  MLIRContext *context;
  /// The network that is being imported, which may be a body of a layer, and
  /// the block for its layers.
  const Network *network;
  Block *block = nullptr;
  unsigned depth = 0;
  Location file;
  Weights weights;
  OpenVinoImportOptions options;
  OpBuilder builder;
  func::FuncOp function;
  /// By the positions of the layer and the port.
  llvm::DenseMap<std::pair<unsigned, unsigned>, Value> values;
  SmallVector<Value> returned;
  SmallVector<DictionaryAttr> argumentAttributes, resultAttributes;
  bool hasInvalidLayers = false;
};

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_OPENVINO_IMPORT_IMPORTER_H
