//===- ExpandNode.cpp - Function expansion of nodes -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/ONNX/Import/ExpandNode.h"
#include "../Common/Names.h"
#include "../Common/Types.h"
#include "../Schemas/Schemas.h"
#include "Importer.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/Locations.h"
#include "quant-float/Support/OpsetImports.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

//===----------------------------------------------------------------------===//
// Names of outputs
//===----------------------------------------------------------------------===//

/// Returns the name of an output of the node.
static std::string getOutputName(unsigned index) {
  return "output" + std::to_string(index);
}

//===----------------------------------------------------------------------===//
// Expansion
//===----------------------------------------------------------------------===//

FailureOr<SmallVector<Value>>
Importer::importExpansion(NodeOp node, ::onnx::NodeProto &proto,
                          ::onnx::FunctionProto &body, OpBuilder &builder) {
  // The nodes of the body belong to the file of the node.
  if (auto named = dyn_cast<NameLoc>(stripCalls(node.getLoc())))
    file.loc = named.getChildLoc();
  resolvesNodes = false;
  Function function{&body, describe(proto), {}};
  Scope scope{/*parent=*/nullptr, &modelOpsets, /*environment=*/nullptr,
              /*call=*/nullptr};
  NodeInput input{proto, scope, Subject{node.getLoc(), describe(proto)}};
  auto operand = node.getInputs().begin();
  for (const std::string &name : proto.input())
    input.operands.push_back(name.empty() ? Value() : *operand++);
  if (failed(
          importOpsets(body.opset_import(), function.opsets, input.subject)) ||
      failed(resolveAttributes(input)) ||
      failed(importCall(input, function, builder)))
    return failure();
  SmallVector<Value> results;
  for (const std::string &name : proto.output())
    results.push_back(scope.lookup(name).value_or(Value()));
  return results;
}

/// Function bodies in domains other than ONNX's own can leave the opset of
/// ONNX's nodes to the model. Imports the model's opset into such a body.
static void completeImports(NodeOp node, ::onnx::FunctionProto &body) {
  for (const auto &import : body.opset_import())
    if (normalizeDomain(import.domain()).empty())
      return;
  std::optional<int64_t> opset =
      getOnnxOpset(node->getParentOfType<ModuleOp>());
  body.add_opset_import()->set_version(opset.value_or(kNewestOpset));
}

bool quant_float::isDefinedByFunction(NodeOp node) {
  return hasFunction(node.getOpType().str(), node.getDomain().str(),
                     node.getOpset());
}

NodeExpansion quant_float::expandNode(OpBuilder &builder, NodeOp node,
                                      std::optional<int64_t> opset) {
  NodeExpansion expansion;
  if (!isDefinedByFunction(node) || node->getNumRegions() != 0)
    return expansion;
  ::onnx::NodeProto proto;
  proto.set_name(node.getNodeName().value_or("").str());
  proto.set_op_type(node.getOpType().str());
  proto.set_domain(node.getDomain().str());
  std::vector<::onnx::TypeProto> types;
  auto addInput = [&](StringRef name, Type type) {
    proto.add_input(name.str());
    types.push_back(type ? exportType(type) : ::onnx::TypeProto());
  };
  ArrayRef<int64_t> absent = node.getAbsentInputs();
  for (auto [index, input] : llvm::enumerate(node.getInputs())) {
    for (; !absent.empty() && absent.front() == proto.input_size();
         absent = absent.drop_front())
      addInput("", {});
    addInput("input" + std::to_string(index), input.getType());
  }
  // Unused outputs other than the first need not be computed.
  for (OpResult result : node->getResults()) {
    unsigned index = result.getResultNumber();
    proto.add_output(index != 0 && result.use_empty() ? ""
                                                      : getOutputName(index));
  }
  for (NamedAttribute attribute : node.getNodeAttributes()) {
    ::onnx::AttributeProto &added = *proto.add_attribute();
    added.set_name(attribute.getName().str());
    if (exportPlainAttribute(attribute.getValue(), added))
      continue;
    // No operator that has a function body has attributes of another kind.
    auto elements = dyn_cast<ElementsAttr>(attribute.getValue());
    std::optional<::onnx::TensorProto> tensor =
        elements ? exportElements(elements) : std::nullopt;
    if (!tensor)
      return expansion;
    added.set_type(::onnx::AttributeProto::TENSOR);
    *added.mutable_t() = std::move(*tensor);
  }

  NodeFunction found = findFunction(proto, node.getOpset(), types,
                                    opset.value_or(node.getOpset()));
  expansion.problem = printable(found.problem);
  expansion.isUnknown = found.isUnknown;
  if (!found.function)
    return expansion;
  completeImports(node, *found.function);
  Importer importer(node.getContext(), "", "", OnnxImportOptions());
  FailureOr<SmallVector<Value>> results =
      importer.importExpansion(node, proto, *found.function, builder);
  if (succeeded(results))
    expansion.results = std::move(*results);
  return expansion;
}
