//===- GraphImporter.cpp - Import of graphs and their values --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Interchange/Sorting.h"
#include "../Common/Names.h"
#include "../Common/Types.h"
#include "Importer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/Support/BufferSize.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
/// Upper bound of the nesting of bodies and functions. Each level takes several
/// stack frames here and in every later walk over the IR.
constexpr unsigned kDeepestNesting = 64;
} // namespace

//===----------------------------------------------------------------------===//
// Scope
//===----------------------------------------------------------------------===//

std::optional<Value> Scope::lookup(StringRef name) const {
  for (const Scope *scope = this; scope; scope = scope->parent)
    if (auto found = scope->values.find(name); found != scope->values.end())
      return found->second;
  return std::nullopt;
}

Type Scope::getDeclared(StringRef name) const {
  Type type = declared.lookup(name);
  return type && !isa<UnknownType>(type) ? type : Type();
}

LogicalResult Importer::define(Scope &scope, StringRef name, Value value,
                               const Subject &subject) {
  if (!scope.values.try_emplace(name, value).second)
    return diagnose(subject, Diag::DuplicateValue, printable(name));
  return success();
}

LogicalResult Importer::defineOutputs(NodeInput &input, ValueRange values) {
  for (auto [name, value] : llvm::zip(input.node.output(), values))
    if (!name.empty() &&
        failed(define(input.scope, name, value, input.subject)))
      return failure();
  for (auto [value, integers] : llvm::zip(values, input.resultIntegers))
    if (value && integers && integers->dim_size() <= kMaxDimensions)
      partlyKnown.try_emplace(value, std::move(*integers));
  return success();
}

LogicalResult Importer::verifyDeclared(const Scope &scope, StringRef name,
                                       Type type, const Subject &subject) {
  Type declared = scope.getDeclared(name);
  if (name.empty() || !declared)
    return success();
  // Callers of the model rely on the element types of its outputs. Nobody
  // relies on a value_info.
  bool isStrict = options.strict || (scope.outputs.contains(name) &&
                                     getElementTypeOrSelf(declared) !=
                                         getElementTypeOrSelf(type));
  return verifyDeclaredType(declared, type, "output '" + printable(name) + "'",
                            isStrict, [&](DiagnosticSeverity severity) {
                              return beginDiagnostic(subject, severity);
                            });
}

Location Importer::makeLoc(StringRef name, const Scope &scope) {
  Location loc = NameLoc::get(StringAttr::get(context, name), file.loc);
  return scope.call ? CallSiteLoc::get(loc, scope.call->loc) : loc;
}

//===----------------------------------------------------------------------===//
// The order of nodes
//===----------------------------------------------------------------------===//

namespace {
using Uses = llvm::SetVector<StringRef>;
} // namespace

static void collectUses(const ::onnx::NodeProto &node, Uses &uses);

/// Collects the values that a body uses from outside. Protobuf's recursion
/// limit bounds the nesting.
static void collectCaptures(const ::onnx::NodeProto &node,
                            const ::onnx::GraphProto &graph, Uses &uses) {
  llvm::StringSet<> own;
  // If passes no inputs to its bodies, so an input that a body lists refers to
  // a value outside of it.
  if (findNodeKind(normalizeDomain(node.domain()), node.op_type()) !=
      NodeKind::If)
    for (const auto &input : graph.input())
      own.insert(input.name());
  for (const auto &initializer : graph.initializer())
    own.insert(initializer.name());
  for (const auto &initializer : graph.sparse_initializer())
    own.insert(initializer.values().name());
  Uses used;
  for (const auto &node : graph.node()) {
    for (const std::string &output : node.output())
      own.insert(output);
    collectUses(node, used);
  }
  for (const auto &output : graph.output())
    used.insert(output.name());
  for (StringRef name : used)
    if (!own.contains(name))
      uses.insert(name);
}

static void collectUses(const ::onnx::NodeProto &node, Uses &uses) {
  uses.insert(node.input().begin(), node.input().end());
  for (const auto &attribute : node.attribute()) {
    if (attribute.has_g())
      collectCaptures(node, attribute.g(), uses);
    for (const auto &graph : attribute.graphs())
      collectCaptures(node, graph, uses);
  }
}

static std::string describeCycle(NodeList &nodes, ArrayRef<unsigned> cycle) {
  constexpr size_t kShown = 8;
  std::string printed;
  llvm::raw_string_ostream os(printed);
  for (unsigned node : cycle.take_front(kShown))
    os << describe(nodes[node]) << " <- ";
  if (cycle.size() > kShown)
    os << "... <- ";
  os << describe(nodes[cycle.front()]);
  return printed;
}

/// Returns the nodes in an order in which every value is defined before its
/// uses, including uses in bodies. Preserves the order of the file where it is
/// valid. Does not check names that no node of the list defines. A cycle is an
/// error.
static FailureOr<SmallVector<::onnx::NodeProto *>>
sortNodes(NodeList &nodes, const Subject &subject) {
  llvm::StringMap<unsigned> makers;
  for (auto [index, node] : llvm::enumerate(nodes))
    for (const std::string &output : node.output())
      if (!output.empty())
        makers.try_emplace(output, index);

  SmallVector<SmallVector<unsigned>> producers(nodes.size());
  for (auto [index, node] : llvm::enumerate(nodes)) {
    Uses uses;
    collectUses(node, uses);
    llvm::SetVector<unsigned> needed;
    for (StringRef use : uses)
      if (auto maker = makers.find(use); maker != makers.end())
        needed.insert(maker->second);
    producers[index] = needed.takeVector();
  }

  SortedIndices sorted = sortByDependences(producers);
  if (!sorted.cycle.empty())
    return diagnose(subject, Diag::Cycle, describeCycle(nodes, sorted.cycle));
  return llvm::map_to_vector(
      sorted.order, [&](unsigned index) { return nodes.Mutable(index); });
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

LogicalResult Importer::declareTypes(const ::onnx::GraphProto &graph,
                                     Scope &scope, const Subject &subject) {
  auto declare = [&](const auto &infos, StringRef what) -> LogicalResult {
    for (const ::onnx::ValueInfoProto &info : infos) {
      FailureOr<Type> type = convertType(
          info.type(),
          subject / (what + " '" + Twine(printable(info.name())) + "'"));
      if (failed(type))
        return failure();
      scope.declared.try_emplace(info.name(), *type);
    }
    return success();
  };
  for (const ::onnx::ValueInfoProto &output : graph.output())
    scope.outputs.insert(output.name());
  return success(succeeded(declare(graph.output(), "graph output")) &&
                 succeeded(declare(graph.value_info(), "value_info")));
}

LogicalResult Importer::importInputs(const ::onnx::GraphProto &graph,
                                     Block &block, Scope &scope,
                                     const Subject &subject,
                                     ArrayRef<Type> inputTypes) {
  // An initializer with the name of an input is its default value. No caller
  // can override it, so the input is a constant.
  llvm::StringMap<Type> constants;
  for (const auto &initializer : graph.initializer())
    constants.try_emplace(initializer.name());
  for (const auto &initializer : graph.sparse_initializer())
    constants.try_emplace(initializer.values().name());

  for (auto [index, input] : llvm::enumerate(graph.input())) {
    if (input.name().empty())
      return diagnose(subject, Diag::NoInputName, index);
    Subject here =
        subject / ("graph input '" + Twine(printable(input.name())) + "'");
    FailureOr<Type> type = convertType(input.type(), here);
    if (failed(type))
      return failure();
    if (constants.contains(input.name())) {
      scope.declared[input.name()] = *type;
      continue;
    }
    unsigned position = block.getNumArguments();
    if (isa<UnknownType>(*type) && position < inputTypes.size() &&
        inputTypes[position])
      *type = inputTypes[position];
    Location loc = makeLoc(input.name(), scope);
    BlockArgument argument = block.addArgument(*type, loc);
    // The node, not the declaration, determines the types of the inputs of a
    // body.
    if (scope.parent)
      onlyDeclared.insert(argument);
    if (failed(define(scope, input.name(), argument, here)))
      return failure();
  }
  return success();
}

LogicalResult Importer::importInitializers(::onnx::GraphProto &graph,
                                           OpBuilder &builder, Scope &scope,
                                           const Subject &subject) {
  auto import = [&](::onnx::TensorProto &tensor, size_t index, auto decode) {
    StringRef name = tensor.name();
    if (name.empty())
      return diagnose(subject, Diag::NoInitializerName, index);
    Subject here = subject / ("initializer '" + Twine(printable(name)) + "'");
    FailureOr<ElementsAttr> value = decode(here);
    if (failed(value))
      return LogicalResult(failure());
    Type declared = scope.getDeclared(name);
    if (declared && !areCompatible(declared, value->getType()))
      return diagnose(here, Diag::DeclaredInitializer, declared,
                      value->getType());
    auto constant =
        createConstant(builder, makeLoc(name, scope), cast<TypedAttr>(*value));
    keepRest(constant, tensor);
    return define(scope, name, constant, here);
  };

  // Functions, and the bodies in the attributes of their calls, may be imported
  // again, so their payloads must stay.
  bool consume = activeCalls.empty();
  size_t index = 0;
  for (::onnx::TensorProto &tensor : *graph.mutable_initializer())
    if (failed(import(tensor, index++, [&](const Subject &here) {
          return decoder.decode(tensor, tensor.name(), here, consume);
        })))
      return failure();
  for (::onnx::SparseTensorProto &tensor : *graph.mutable_sparse_initializer())
    if (failed(
            import(*tensor.mutable_values(), index++, [&](const Subject &here) {
              return decoder.decodeSparse(tensor, tensor.values().name(), here);
            })))
      return failure();
  return success();
}

LogicalResult Importer::importNodes(NodeList &nodes, OpBuilder &builder,
                                    Scope &scope, const Subject &subject) {
  FailureOr<SmallVector<::onnx::NodeProto *>> sorted =
      sortNodes(nodes, subject);
  if (failed(sorted))
    return failure();
  for (::onnx::NodeProto *node : *sorted)
    if (failed(importNode(*node, builder, scope)))
      return failure();
  return success();
}

LogicalResult Importer::importGraph(::onnx::GraphProto &graph, Block &block,
                                    Scope &scope, const Subject &subject,
                                    SmallVectorImpl<Value> &outputs,
                                    ArrayRef<Type> inputTypes) {
  if (depth == kDeepestNesting)
    return diagnose(subject, Diag::TooDeep, kDeepestNesting);
  ++depth;
  llvm::scope_exit leave([&] { --depth; });

  // The block has no parent op yet, so the builder cannot take the context from
  // it.
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&block);
  if (failed(importInputs(graph, block, scope, subject, inputTypes)) ||
      failed(declareTypes(graph, scope, subject)) ||
      failed(importInitializers(graph, builder, scope, subject)) ||
      failed(importNodes(*graph.mutable_node(), builder, scope, subject)))
    return failure();
  llvm::StringSet<> inputs;
  for (const ::onnx::ValueInfoProto &input : graph.input())
    inputs.insert(input.name());
  for (auto [index, output] : llvm::enumerate(graph.output())) {
    std::optional<Value> value = scope.lookup(output.name());
    if (!value || !*value)
      return diagnose(subject, Diag::UndefinedOutput, index,
                      printable(output.name()));
    // The import of the node checks the declared types of all other outputs.
    if (inputs.contains(output.name()) &&
        failed(verifyDeclared(scope, output.name(), value->getType(), subject)))
      return failure();
    outputs.push_back(*value);
  }
  return success();
}
