//===- Importer.h - The state of one import ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_ONNX_IMPORTER_H
#define QUANT_FLOAT_LIB_TARGET_ONNX_IMPORTER_H

#include "Attributes.h"
#include "Functions.h"
#include "Source.h"
#include "mlir/IR/Builders.h"
#include "quant-float/Conversion/ResolveNode.h"
#include "quant-float/Target/ONNX/Import.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <deque>

namespace mlir::quant_float::onnx_import {

struct Scope;

/// The version of every imported domain; the standard domain is "".
using Opsets = llvm::StringMap<int64_t>;

/// An attribute of a node, with references to a function's attributes
/// resolved. `scope` is where a graph in it looks for values.
struct ResolvedAttribute {
  StringRef name;
  ::onnx::AttributeProto *proto;
  AttributeKind kind;
  Scope *scope;
};

/// The attributes that a function call gives, defaults included.
using Environment = llvm::StringMap<ResolvedAttribute>;

/// The names that nodes of one graph see.
struct Scope {
  /// The enclosing graph, for a body; a function has none.
  Scope *parent;
  const Opsets *opsets;
  /// The call's attributes inside a function, else null.
  const Environment *environment;
  /// The call inside a function; its loc and text begin those of the nodes.
  const Subject *call;

  /// A null value: an optional input that the caller left out.
  llvm::StringMap<Value> values = {};
  /// The types that the file declares for values that nodes make.
  llvm::StringMap<Type> declared = {};
  /// The outputs of the graph, which others rely on.
  llvm::StringSet<> outputs = {};

  std::optional<Value> lookup(StringRef name) const;
  Type getDeclared(StringRef name) const;
};

/// A node on its way in.
struct NodeInput {
  ::onnx::NodeProto &node;
  Scope &scope;
  Subject subject;
  /// Normalized; of the operator that the node means.
  StringRef domain = {};
  int64_t opset = 0;
  /// Whether it calls a function that is kept, which may be called as any op.
  bool isCall = false;
  SmallVector<ResolvedAttribute> attributes = {};
  /// One for each input; null where absent.
  SmallVector<Value> operands = {};
  /// One for each output, as far as the operator and its inputs tell: a type or
  /// null, and the integers of a list of which some are known.
  SmallVector<Type> resultTypes = {};
  std::vector<std::optional<::onnx::TensorShapeProto>> resultIntegers = {};

  const ResolvedAttribute *find(StringRef name) const;

  /// The node with a normalized domain and the attributes that a function's
  /// call gives, without graphs and what large tensors hold.
  ::onnx::NodeProto resolve() const;
};

/// Imports one model.
class Importer {
public:
  Importer(MLIRContext *context, StringRef fileName, StringRef folder,
           const OnnxImportOptions &options);

  OwningOpRef<ModuleOp> importModel(::onnx::ModelProto &model);

  TensorDecoder &getDecoder() { return decoder; }

  // ExpandNode.cpp: the body of the function that ONNX defines a node by, at
  // the builder's insertion point; what takes the place of its results. `proto`
  // is the node.
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
  // GraphImporter.cpp: graphs and the values they define. The block receives
  // the graph's inputs as arguments; `inputTypes` are the types of those for
  // which the file tells none.
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
  /// Holds what the file declares of a value against what it is. Fails after an
  /// error, which other elements are; a warning says that the declared shape is
  /// not followed.
  LogicalResult verifyDeclared(const Scope &scope, StringRef name, Type type,
                               const Subject &subject);
  Location makeLoc(StringRef name, const Scope &scope);

  // NodeImporter.cpp: one node.
  LogicalResult importNode(::onnx::NodeProto &node, OpBuilder &builder,
                           Scope &scope);
  LogicalResult resolveAttributes(NodeInput &input);
  LogicalResult importIdentity(NodeInput &input, OpBuilder &builder);
  LogicalResult importConstant(NodeInput &input, OpBuilder &builder);
  /// A node kept as it is; its outputs are not defined yet.
  FailureOr<NodeOp> createNode(NodeInput &input, OpBuilder &builder);
  LogicalResult importOpaque(NodeInput &input, OpBuilder &builder);
  LogicalResult importBody(NodeInput &input, const ResolvedAttribute &attribute,
                           ::onnx::GraphProto &graph, StringRef name,
                           Region &region);
  LogicalResult importQuantization(NodeInput &input, NodeOp node,
                                   OpBuilder &builder);
  /// Keeps what the op has no place for, where that is asked for.
  template <typename Message> void keepRest(Operation *op, Message &message) {
    if (options.keepsSource)
      keepSource(op, message);
  }
  /// The same of a node, whose names of values are those of a function inside
  /// of one.
  void keepNode(Operation *op, NodeInput &input);
  void warnOfMissingType(NodeInput &input, const NodeResolution &resolution);

  // Tolerance.cpp: what exporters write and ONNX does not allow, but has one
  // meaning only. A warning names it, an error where `strict`.
  LogicalResult tolerateDomain(NodeInput &input);
  LogicalResult tolerateAttributes(NodeInput &input);
  LogicalResult tolerateVersion(NodeInput &input);
  /// The same of a node that is to become an op of the dialect.
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
  /// Values whose types are known from the file's declarations alone, which
  /// contradict nothing by themselves.
  llvm::DenseSet<Value> onlyDeclared;
  SmallVector<const Function *> activeCalls;
  /// Attributes that take the place of those in the file.
  std::deque<::onnx::AttributeProto> corrected;
  /// Lists of integers that are computed, of which some are known.
  llvm::DenseMap<Value, ::onnx::TensorShapeProto> partlyKnown;
  /// Whether quantization nodes become ops of the dialect.
  bool resolvesNodes = true;
  bool hasInvalidNodes = false;
  bool hasAssumedOpset = false;
  unsigned depth = 0;
  int64_t expandedNodes = 0;
};

/// A constant of a few numbers, none else.
std::optional<::onnx::TensorProto> exportData(Value value);
/// The same of an attribute, of any number of elements of whole bytes.
std::optional<::onnx::TensorProto> exportElements(ElementsAttr elements);

/// Whether com.microsoft has an operator of that name, of those with a meaning
/// here.
bool isMicrosoftOperator(StringRef opType);

/// The types that an If, Loop or Scan gives to the inputs of its body; null
/// where it does not tell.
SmallVector<Type> inferBodyInputTypes(const NodeInput &input);

} // namespace mlir::quant_float::onnx_import

#endif // QUANT_FLOAT_LIB_TARGET_ONNX_IMPORTER_H
