//===- Importer.h - The state of one import ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_OPENVINO_IMPORTER_H
#define QUANT_FLOAT_LIB_TARGET_OPENVINO_IMPORTER_H
#include "Network.h"
#include "Weights.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "quant-float/Conversion/ResolveNode.h"
#include "quant-float/Target/OpenVINO/Import.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::quant_float::openvino_import {

/// A network that a layer runs, and what passes in and out.
struct Body {
  /// Those of the elements: "body" and "port_map", "then_body" and so on.
  std::string name, mapName;
  std::unique_ptr<Network> network;
  SmallVector<NamedAttribute> ports = {};
  /// What is kept of it, if that was asked for.
  Attribute source = {};
};

/// Imports one model.
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
  /// Parameters, layers and Results of the network, at the builder's place.
  LogicalResult importGraph();
  LogicalResult importLayer(unsigned index);
  LogicalResult importParameter(unsigned index, ValueRange operands);
  LogicalResult importResult(unsigned index, ValueRange operands);
  LogicalResult importConstant(unsigned index, ValueRange operands);
  LogicalResult importNode(unsigned index, ValueRange operands);
  LogicalResult resolve(unsigned index, NodeOp node);
  LogicalResult checkPorts(const Layer &layer, size_t inputs, size_t outputs);
  /// The only output of a Parameter or Const, whose own type counts.
  LogicalResult defineData(unsigned index, Value value);
  /// Has what stands for the layer keep what the module does not say of it.
  void keepSource(const Layer &layer, NamedAttrList &attributes);
  void keepSource(const Layer &layer, Operation *op,
                  ArrayRef<StringRef> leftOut = {});
  void warnOfBodies(const Layer &layer);
  /// The bodies that the layer runs, read but not imported.
  FailureOr<SmallVector<Body>> readBodies(const Layer &layer);
  LogicalResult importBody(Body &body, Region &region);
  void define(unsigned index, ValueRange values);

  MLIRContext *context;
  /// The one that is imported, which may be a body of a layer, and the block
  /// with its layers.
  const Network *network;
  Block *block = nullptr;
  unsigned depth = 0;
  Location file;
  Weights weights;
  OpenVinoImportOptions options;
  OpBuilder builder;
  func::FuncOp function;
  /// By the positions of layer and port.
  llvm::DenseMap<std::pair<unsigned, unsigned>, Value> values;
  SmallVector<Value> returned;
  SmallVector<DictionaryAttr> argumentAttributes, resultAttributes;
  bool hasInvalidLayers = false;
};

} // namespace mlir::quant_float::openvino_import

#endif // QUANT_FLOAT_LIB_TARGET_OPENVINO_IMPORTER_H
