//===- Functions.cpp - Model-local functions ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "../Common/Names.h"
#include "../Versions/VersionConverter.h"
#include "Importer.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
/// Upper bound of the nodes that calls expand to. The expansion of nested calls
/// is exponential in the size of the file.
constexpr int64_t kMaxExpandedNodes = int64_t(1) << 18;
/// A function counts as one more node for each kBytesPerNode bytes of its
/// message, so that copies of large constants are bounded, too.
constexpr int64_t kBytesPerNode = 1024;
constexpr unsigned kDeepestCalls = 64;
} // namespace

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

static std::string makeKey(StringRef domain, StringRef name,
                           StringRef overload) {
  // The lengths make the key unique even if a name contains a separator.
  return (Twine(domain.size()) + "," + Twine(name.size()) + ":" + domain +
          name + overload)
      .str();
}

LogicalResult FunctionTable::build(::onnx::ModelProto &model,
                                   const Subject &file) {
  for (::onnx::FunctionProto &proto : *model.mutable_functions()) {
    auto function = std::make_unique<Function>();
    function->proto = &proto;
    StringRef domain = normalizeDomain(proto.domain());
    function->shownName = (domain.empty() ? "" : printable(domain) + "::") +
                          printable(proto.name());
    std::string key = makeKey(domain, proto.name(), proto.overload());
    if (!byKey.try_emplace(key, function.get()).second)
      return diagnose(file / ("function '" + function->shownName + "'"),
                      Diag::DuplicateFunction);
    functions.push_back(std::move(function));
  }
  return success();
}

const Function *FunctionTable::lookup(const ::onnx::NodeProto &node) const {
  if (byKey.empty())
    return nullptr;
  return byKey.lookup(
      makeKey(normalizeDomain(node.domain()), node.op_type(), node.overload()));
}

bool onnx_import::anyNode(
    const NodeList &nodes,
    llvm::function_ref<bool(const ::onnx::NodeProto &)> holds) {
  return llvm::any_of(nodes, [&](const ::onnx::NodeProto &node) {
    return holds(node) ||
           llvm::any_of(node.attribute(), [&](const auto &attribute) {
             return anyNode(attribute.g().node(), holds) ||
                    llvm::any_of(attribute.graphs(), [&](const auto &graph) {
                      return anyNode(graph.node(), holds);
                    });
           });
  });
}

void FunctionTable::keep(std::optional<int64_t> targetOpset) {
  for (auto &function : functions) {
    auto own = function->opsets.find("");
    int64_t opset = own == function->opsets.end() ? 0 : own->second;
    function->isExpanded =
        targetOpset && anyNode(function->proto->node(), [&](const auto &node) {
          return normalizeDomain(node.domain()).empty() && !lookup(node) &&
                 !isSameVersion(node.op_type(), opset, *targetOpset);
        });
  }
  // Functions that call an expanded function are expanded, too.
  bool changes = true;
  while (std::exchange(changes, false))
    for (auto &function : functions) {
      bool isExpanded = function->isExpanded ||
                        anyNode(function->proto->node(), [&](const auto &node) {
                          const Function *callee = lookup(node);
                          return callee && callee->isExpanded;
                        });
      changes |= isExpanded != std::exchange(function->isExpanded, isExpanded);
    }
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Returns the attributes of the function in this call: the defaults, and those
/// that the call gives.
static FailureOr<Environment> bindAttributes(const NodeInput &input,
                                             const Function &function,
                                             Scope &defaultScope) {
  Environment environment;
  for (::onnx::AttributeProto &attribute :
       *function.proto->mutable_attribute_proto()) {
    FailureOr<AttributeKind> kind = getKind(attribute, input.subject);
    if (failed(kind))
      return failure();
    environment.try_emplace(
        attribute.name(),
        ResolvedAttribute{attribute.name(), &attribute, *kind, &defaultScope});
  }
  llvm::StringSet<> known;
  for (const std::string &name : function.proto->attribute())
    known.insert(name);
  for (const ResolvedAttribute &attribute : input.attributes) {
    if (!environment.contains(attribute.name) &&
        !known.contains(attribute.name))
      return diagnose(input.subject, Diag::UnknownAttribute,
                      printable(attribute.name));
    environment.insert_or_assign(attribute.name, attribute);
  }
  return environment;
}

LogicalResult onnx_import::checkCall(const NodeInput &input,
                                     const Function &function) {
  const ::onnx::FunctionProto &proto = *function.proto;
  if (input.node.input_size() > proto.input_size())
    return diagnose(input.subject, Diag::FunctionInputs, proto.input_size(),
                    input.node.input_size());
  if (input.node.output_size() > proto.output_size())
    return diagnose(input.subject, Diag::FunctionOutputs, proto.output_size(),
                    input.node.output_size());
  return success();
}

LogicalResult Importer::importCall(NodeInput &input, const Function &function,
                                   OpBuilder &builder) {
  const ::onnx::FunctionProto &proto = *function.proto;
  if (llvm::is_contained(activeCalls, &function)) {
    std::string chain;
    for (const Function *active : llvm::make_range(
             llvm::find(activeCalls, &function), activeCalls.end()))
      chain += active->shownName + " -> ";
    return diagnose(input.subject, Diag::RecursiveFunction,
                    chain + function.shownName);
  }
  if (depth == kDeepestCalls)
    return diagnose(input.subject, Diag::TooDeep, kDeepestCalls);
  expandedNodes +=
      1 + proto.node_size() + int64_t(proto.ByteSizeLong()) / kBytesPerNode;
  if (expandedNodes > kMaxExpandedNodes)
    return diagnose(input.subject, Diag::ExpansionLimit, kMaxExpandedNodes);
  if (failed(checkCall(input, function)))
    return failure();

  // The body of a function sees only its inputs, not the values of the calling
  // graph.
  Scope scope{/*parent=*/nullptr, &function.opsets, /*environment=*/nullptr,
              &input.subject};
  FailureOr<Environment> environment = bindAttributes(input, function, scope);
  if (failed(environment))
    return failure();
  scope.environment = &*environment;
  for (auto [index, name] : llvm::enumerate(proto.input())) {
    Value value =
        index < input.operands.size() ? input.operands[index] : Value();
    if (failed(define(scope, name, value, input.subject)))
      return failure();
  }
  for (auto [formal, actual] : llvm::zip(proto.output(), input.node.output()))
    if (Type declared = input.scope.getDeclared(actual))
      scope.declared.try_emplace(formal, declared);

  ++depth;
  activeCalls.push_back(&function);
  LogicalResult imported = importNodes(*function.proto->mutable_node(), builder,
                                       scope, input.subject);
  activeCalls.pop_back();
  --depth;
  if (failed(imported))
    return failure();

  SmallVector<Value> results;
  for (auto [formal, actual] : llvm::zip(proto.output(), input.node.output())) {
    std::optional<Value> value = scope.lookup(formal);
    if (!actual.empty() && (!value || !*value))
      return diagnose(input.subject, Diag::FunctionOutput, printable(formal));
    results.push_back(value.value_or(Value()));
  }
  // The results come from several ops, so they are no ResultRange.
  return defineOutputs(input, results);
}
