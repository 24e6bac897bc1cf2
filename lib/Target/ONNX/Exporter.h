//===- Exporter.h - The state of one export ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_EXPORTER_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_EXPORTER_H

#include "TensorEncoder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Target/ONNX/Export.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace mlir::quant_float::onnx_import {

/// Words about an op for diagnostics: "node 'c1' (Cast)".
Subject describeOp(Operation *op);

/// Reads what an import has kept in the attribute, if it has; fails after an
/// error where the attribute holds anything else.
LogicalResult readSource(Operation *op, StringRef attrName,
                         google::protobuf::MessageLite &message);

/// Gives `proto` the type; an error for one that ONNX lacks.
LogicalResult exportType(Type type, ::onnx::TypeProto &proto,
                         const Subject &subject);

/// The first version of the file format that has the opset.
int64_t getFirstIrVersion(int64_t opset);

/// An attribute that a node is to have.
struct NodeAttribute {
  StringRef name;
  Attribute value;
  /// Leaving it out says the same.
  bool isDefault = false;
};

/// Writes one module.
class Exporter {
public:
  Exporter(const OnnxExportOptions &options)
      : options(options), encoder(options) {}

  LogicalResult exportModel(ModuleOp module, raw_ostream &os);

private:
  /// The values of one graph.
  struct Scope {
    const Scope *parent;
    llvm::StringSet<> defined = {};
    /// Those that nodes make, by name.
    llvm::StringMap<Value> made = {};

    bool defines(StringRef name) const {
      return defined.contains(name) || (parent && parent->defines(name));
    }
    /// Null where no op makes it.
    Value lookup(StringRef name) const {
      if (Value value = made.lookup(name))
        return value;
      return parent ? parent->lookup(name) : Value();
    }
  };

  // Exporter.cpp: graphs and names. `graph` holds what the source says of it.
  LogicalResult exportGraph(Block &block, ::onnx::GraphProto &graph,
                            const Scope *parent, const Subject &subject);
  LogicalResult exportInputs(Block &block, ::onnx::GraphProto &graph,
                             Scope &scope, const Subject &subject);
  LogicalResult exportOutputs(Operation *terminator, ::onnx::GraphProto &graph,
                              Scope &scope, const Subject &subject);
  LogicalResult exportConstant(arith::ConstantOp op, ::onnx::GraphProto &graph,
                               Scope &scope);
  /// Gives the declaration a type, unless it has one that is as true.
  LogicalResult declare(::onnx::ValueInfoProto &info, StringRef name, Type type,
                        const Subject &subject);
  void name(Value value, StringRef preferred, Scope &scope);
  std::string makeName(StringRef base);
  LogicalResult finishModel(ModuleOp module, ::onnx::ModelProto &model,
                            const Subject &subject);

  // ExportNodes.cpp: ops as nodes.
  LogicalResult exportOp(Operation &op, ::onnx::GraphProto &graph,
                         Scope &scope);
  /// A node with the names that the source has for it, its inputs and outputs.
  FailureOr<::onnx::NodeProto *> addNode(Operation &op, StringRef opType,
                                         StringRef domain, int64_t opset,
                                         ::onnx::GraphProto &graph);
  LogicalResult exportNode(NodeOp op, ::onnx::GraphProto &graph, Scope &scope);
  LogicalResult exportCast(CastOp op, ::onnx::GraphProto &graph, Scope &scope);
  LogicalResult exportQuantization(QuantizationOpInterface op,
                                   ::onnx::GraphProto &graph, Scope &scope);
  /// Gives the node these attributes, in the order that it has already.
  LogicalResult setAttributes(::onnx::NodeProto &node,
                              ArrayRef<NodeAttribute> attributes,
                              const Subject &subject);
  /// The graphs of the node's bodies, in attributes that it has.
  LogicalResult exportBodies(NodeOp op, ::onnx::NodeProto &node,
                             const Scope &scope, const Subject &subject);
  /// An Identity, and what it is called.
  std::string addIdentity(StringRef input, StringRef preferred,
                          ::onnx::GraphProto &graph, Scope &scope);
  void nameOutputs(Operation &op, ::onnx::NodeProto &node, Scope &scope);
  LogicalResult requireOpset(StringRef domain, int64_t opset,
                             const Subject &subject);

  // ExportAttributes.cpp. Keeps of `proto` what the value does not tell.
  LogicalResult exportAttribute(Attribute value, ::onnx::AttributeProto &proto,
                                const Subject &subject);
  LogicalResult exportSparse(DictionaryAttr value,
                             ::onnx::SparseTensorProto &proto,
                             const Subject &subject);
  LogicalResult exportTensor(Attribute value, ::onnx::TensorProto &proto,
                             const Subject &subject);

  const OnnxExportOptions &options;
  TensorEncoder encoder;
  ModuleOp module;
  llvm::DenseMap<Value, std::string> names;
  /// What the function calls its results, of values without a source.
  llvm::DenseMap<Value, std::string> wanted;
  /// Every name of the source and those that were made; filled when the first
  /// one is made.
  llvm::StringSet<> used;
  /// By normalized domain, in one order.
  std::map<std::string, int64_t> opsets;
};

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_EXPORTER_H
