//===- Importer.h - The state of one import ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_IMPORT_IMPORTER_H
#define QUANT_FLOAT_LIB_ONNX_IMPORT_IMPORTER_H

#include "../Common/Attributes.h"
#include "../Common/Source.h"
#include "Functions.h"
#include "mlir/IR/Builders.h"
#include "quant-float/Conversion/NodeToQuantFloat/ResolveNode.h"
#include "quant-float/ONNX/Import/Import.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <deque>

namespace mlir::quant_float::onnx_import {

struct Scope;

/// The versions of the imported domains. The key of ONNX's own domain is "".
using Opsets = llvm::StringMap<int64_t>;

/// An attribute of a node. References to attributes of a function are resolved.
/// `scope` is the scope in which a graph attribute looks up values.
struct ResolvedAttribute {
  StringRef name;
  ::onnx::AttributeProto *proto;
  AttributeKind kind;
  Scope *scope;
};

/// The attributes of a function call, including the defaults.
using Environment = llvm::StringMap<ResolvedAttribute>;

/// The names that are visible to the nodes of a graph or of a function.
struct Scope {
  /// The scope of the enclosing graph; null for the main graph and functions.
  Scope *parent;
  const Opsets *opsets;
  /// The attributes of the call; null outside of functions.
  const Environment *environment;
  /// The call whose function this is; null outside of functions. Locations and
  /// descriptions of the nodes start with those of the call.
  const Subject *call;

  /// The values by name. A value is null if the caller omits an optional input
  /// of a function.
  llvm::StringMap<Value> values = {};
  /// The types that the file declares for the results of nodes.
  llvm::StringMap<Type> declared = {};
  /// The names of the outputs of the graph.
  llvm::StringSet<> outputs = {};

  std::optional<Value> lookup(StringRef name) const;
  Type getDeclared(StringRef name) const;
};

/// A node during its import.
struct NodeInput {
  ::onnx::NodeProto &node;
  Scope &scope;
  Subject subject;
  /// The normalized domain of the operator.
  StringRef domain = {};
  int64_t opset = 0;
  /// Whether the node calls a function that the model keeps.
  bool isCall = false;
  SmallVector<ResolvedAttribute> attributes = {};
  /// One value for each input; null if the input is absent.
  SmallVector<Value> operands = {};
  /// One entry for each output: its inferred type, or null; and the elements of
  /// a list of integers of which some are known.
  SmallVector<Type> resultTypes = {};
  std::vector<std::optional<::onnx::TensorShapeProto>> resultIntegers = {};

  /// Returns the operator, or nullopt if NodeKinds.def lacks it.
  std::optional<NodeKind> getKind() const {
    return findNodeKind(domain, node.op_type());
  }

  const ResolvedAttribute *find(StringRef name) const;

  /// Returns the node with a normalized domain and resolved attributes. Graphs
  /// have only inputs and outputs, tensors only types and dimensions.
  ::onnx::NodeProto resolve() const;
};

/// Imports one model.
class Importer {
public:
  Importer(MLIRContext *context, StringRef fileName, StringRef folder,
           const OnnxImportOptions &options);

  OwningOpRef<ModuleOp> importModel(::onnx::ModelProto &model);

  TensorDecoder &getDecoder() { return decoder; }

  // ExpandNode.cpp: imports the function `body`, which defines the operator of
  // `node`, at the insertion point of the builder. `proto` is `node` as a
  // message. Returns the values that replace the results of `node`.
  FailureOr<SmallVector<Value>> importExpansion(NodeOp node,
                                                ::onnx::NodeProto &proto,
                                                ::onnx::FunctionProto &body,
                                                OpBuilder &builder);

private:
  // Importer.cpp: the model.
  LogicalResult checkModel(const ::onnx::ModelProto &model);
  LogicalResult importOpsets(
      const google::protobuf::RepeatedPtrField<::onnx::OperatorSetIdProto>
          &imports,
      Opsets &opsets, const Subject &subject);
  LogicalResult importMain(::onnx::GraphProto &graph, ModuleOp module);
  void annotateModule(ModuleOp module, const ::onnx::ModelProto &model);
  void keepModel(ModuleOp module, ::onnx::ModelProto &model);
  // GraphImporter.cpp: graphs and the values that they define. The inputs of
  // the graph become arguments of the block. An input without a declared type
  // has the type in `inputTypes`.
  LogicalResult importGraph(::onnx::GraphProto &graph, Block &block,
                            Scope &scope, const Subject &subject,
                            SmallVectorImpl<Value> &outputs,
                            ArrayRef<Type> inputTypes = {});
  LogicalResult declareTypes(const ::onnx::GraphProto &graph, Scope &scope,
                             const Subject &subject);
  LogicalResult importInputs(const ::onnx::GraphProto &graph, Block &block,
                             Scope &scope, const Subject &subject,
                             ArrayRef<Type> inputTypes);
  LogicalResult importInitializers(::onnx::GraphProto &graph,
                                   OpBuilder &builder, Scope &scope,
                                   const Subject &subject);
  LogicalResult importNodes(NodeList &nodes, OpBuilder &builder, Scope &scope,
                            const Subject &subject);
  LogicalResult define(Scope &scope, StringRef name, Value value,
                       const Subject &subject);
  LogicalResult defineOutputs(NodeInput &input, ValueRange values);
  /// Compares the type that the file declares for a value with its type. Emits
  /// an error and fails if `strict`, or if the element type of a graph output
  /// differs. Otherwise, warns that the declared type is ignored.
  LogicalResult verifyDeclared(const Scope &scope, StringRef name, Type type,
                               const Subject &subject);
  Location makeLoc(StringRef name, const Scope &scope);

  // NodeImporter.cpp: one node.
  LogicalResult importNode(::onnx::NodeProto &node, OpBuilder &builder,
                           Scope &scope);
  LogicalResult resolveAttributes(NodeInput &input);
  LogicalResult importIdentity(NodeInput &input, OpBuilder &builder);
  LogicalResult importConstant(NodeInput &input, OpBuilder &builder);
  /// Creates a `quant_float.node`. Does not define its outputs.
  FailureOr<NodeOp> createNode(NodeInput &input, OpBuilder &builder);
  LogicalResult importOpaque(NodeInput &input, OpBuilder &builder);
  LogicalResult importBody(NodeInput &input, const ResolvedAttribute &attribute,
                           ::onnx::GraphProto &graph, StringRef name,
                           Region &region);
  LogicalResult importQuantization(NodeInput &input, NodeOp node,
                                   OpBuilder &builder);
  /// Keeps the rest of the message as an attribute if the options request it.
  template <typename Message> void keepRest(Operation *op, Message &message) {
    if (options.keepsSource)
      keepSource(op, message);
  }
  /// Keeps the rest of the node. For a node of a function the names of values
  /// are not kept, because they are those of the function.
  void keepNode(Operation *op, NodeInput &input);
  void warnOfMissingType(NodeInput &input, const NodeResolution &resolution);

  // LenientImport.cpp: accepts models that violate the standard but have only
  // one meaning. A violation is a warning, or an error if `strict`.
  LogicalResult tolerateDomain(NodeInput &input);
  LogicalResult tolerateAttributes(NodeInput &input);
  LogicalResult tolerateVersion(NodeInput &input);
  /// The same for a node that becomes an op of the dialect.
  LogicalResult tolerateVersion(NodeInput &input, NodeOp node,
                                OpBuilder &builder);
  LogicalResult tolerateBodyInputs(const NodeInput &input, const Scope &outside,
                                   ::onnx::GraphProto &body,
                                   const Subject &subject);

  // ResultTypes.cpp.
  LogicalResult inferTypes(NodeInput &input,
                           ArrayRef<std::unique_ptr<Region>> bodies,
                           ArrayRef<std::string> bodyNames);

  // Functions.cpp.
  LogicalResult importCall(NodeInput &input, const Function &function,
                           OpBuilder &builder);

  MLIRContext *context;
  OnnxImportOptions options;
  Subject file;
  ExternalData externalData;
  TensorDecoder decoder;
  FunctionTable functions;
  Opsets modelOpsets;
  /// Values whose types depend on declarations of the file. Such a type does
  /// not prove that another declaration is wrong.
  llvm::DenseSet<Value> onlyDeclared;
  SmallVector<const Function *> activeCalls;
  /// Attributes that replace those in the file.
  std::deque<::onnx::AttributeProto> corrected;
  /// Computed lists of integers of which some elements are known.
  llvm::DenseMap<Value, ::onnx::TensorShapeProto> partlyKnown;
  /// Whether quantization nodes become ops of the dialect.
  bool resolvesNodes = true;
  bool hasInvalidNodes = false;
  bool hasAssumedOpset = false;
  unsigned depth = 0;
  int64_t expandedNodes = 0;
};

/// Returns the elements of a constant of at most 1024 elements; nullopt
/// otherwise.
std::optional<::onnx::TensorProto> exportData(Value value);
/// Returns the elements of an attribute of any size; nullopt if the width of an
/// element is not a multiple of 8 bits.
std::optional<::onnx::TensorProto> exportElements(ElementsAttr elements);

/// Whether this project implements an operator of com.microsoft with that name.
bool isMicrosoftOperator(StringRef opType);

/// Returns the types that a Loop or Scan node gives to the inputs of its body;
/// null if a type is unknown.
SmallVector<Type> inferBodyInputTypes(const NodeInput &input);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_ONNX_IMPORT_IMPORTER_H
