//===- Exporter.h - The state of one export ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_EXPORT_EXPORTER_H
#define QUANT_FLOAT_LIB_ONNX_EXPORT_EXPORTER_H

#include "TensorEncoder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/ONNX/Export/Export.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace mlir::quant_float::onnx_import {

/// Stores the type in `proto`. Fails after an error if ONNX lacks the type.
LogicalResult exportType(Type type, ::onnx::TypeProto &proto,
                         const Subject &subject);

/// An attribute of an exported node.
struct NodeAttribute {
  StringRef name;
  Attribute value;
  /// Whether the value is the default, so that the attribute can be omitted.
  bool isDefault = false;
};

/// Exports one module.
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
    /// The results of ops, by name.
    llvm::StringMap<Value> made = {};

    bool defines(StringRef name) const {
      return defined.contains(name) || (parent && parent->defines(name));
    }
    /// Returns the value, or null if no op defines it.
    Value lookup(StringRef name) const {
      if (Value value = made.lookup(name))
        return value;
      return parent ? parent->lookup(name) : Value();
    }
  };

  // Exporter.cpp: graphs and names. `graph` holds the stored source of the
  // graph.
  LogicalResult exportGraph(Block &block, ::onnx::GraphProto &graph,
                            const Scope *parent, const Subject &subject);
  LogicalResult exportInputs(Block &block, ::onnx::GraphProto &graph,
                             Scope &scope, const Subject &subject);
  LogicalResult exportOutputs(Operation *terminator, ::onnx::GraphProto &graph,
                              Scope &scope, const Subject &subject);
  LogicalResult exportConstant(AnyConstantOp op, ::onnx::GraphProto &graph,
                               Scope &scope);
  /// Sets the name of the declaration, and its type unless it already declares
  /// a compatible one.
  LogicalResult declare(::onnx::ValueInfoProto &info, StringRef name, Type type,
                        const Subject &subject);
  void name(Value value, StringRef preferred, Scope &scope);
  std::string makeName(StringRef base);
  LogicalResult finishModel(ModuleOp module, ::onnx::ModelProto &model,
                            const Subject &subject);

  // ExportNodes.cpp: ops as nodes.
  LogicalResult exportOp(Operation &op, ::onnx::GraphProto &graph,
                         Scope &scope);
  /// Adds a node with the operator of `op`. If `op` has a stored source, the
  /// node starts as a copy of it.
  FailureOr<::onnx::NodeProto *> addNode(Operation &op, StringRef opType,
                                         StringRef domain, int64_t opset,
                                         ::onnx::GraphProto &graph);
  LogicalResult exportNode(NodeOp op, ::onnx::GraphProto &graph, Scope &scope);
  LogicalResult exportCast(CastOp op, ::onnx::GraphProto &graph, Scope &scope);
  LogicalResult exportQuantization(QuantizationOpInterface op,
                                   ::onnx::GraphProto &graph, Scope &scope);
  /// Sets these attributes of the node. Existing attributes keep their order.
  LogicalResult setAttributes(::onnx::NodeProto &node,
                              ArrayRef<NodeAttribute> attributes,
                              const Subject &subject);
  /// Exports the bodies of the op to the graph attributes of the node.
  LogicalResult exportBodies(NodeOp op, ::onnx::NodeProto &node,
                             const Scope &scope, const Subject &subject);
  /// Adds an Identity and returns the name of its output.
  std::string addIdentity(StringRef input, StringRef preferred,
                          ::onnx::GraphProto &graph, Scope &scope);
  void nameOutputs(Operation &op, ::onnx::NodeProto &node, Scope &scope);
  LogicalResult requireOpset(StringRef domain, int64_t opset,
                             const Subject &subject);

  // ExportAttributes.cpp. `proto` keeps the parts of its source that `value`
  // does not represent.
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
  /// The names of the function's results, for values without a stored source.
  llvm::DenseMap<Value, std::string> preferredNames;
  /// Every name in the stored sources and every generated name. Filled when the
  /// first name is generated.
  llvm::StringSet<> used;
  /// The last suffix that was tried for each base of a name.
  llvm::StringMap<unsigned> suffixes;
  /// The opsets by normalized domain. Sorted, so that the export is
  /// deterministic.
  std::map<std::string, int64_t> opsets;
};

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_EXPORT_EXPORTER_H
