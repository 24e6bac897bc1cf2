//===- Sorting.cpp - Nodes in the order of their dependences --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sorting.h"
#include "../Common/Sorting.h"
#include "Names.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

namespace {
using Uses = llvm::SetVector<StringRef>;
} // namespace

static void collectUses(const ::onnx::NodeProto &node, Uses &uses);

/// The values that a body takes from outside. Nesting is bounded by protobuf's
/// own limit when the file is read.
static void collectCaptures(const ::onnx::GraphProto &graph, Uses &uses) {
  llvm::StringSet<> own;
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
      collectCaptures(attribute.g(), uses);
    for (const auto &graph : attribute.graphs())
      collectCaptures(graph, uses);
  }
}

static std::string describeCycle(NodeList &nodes, ArrayRef<unsigned> cycle) {
  constexpr size_t kShown = 8;
  std::string text;
  llvm::raw_string_ostream os(text);
  for (unsigned node : cycle.take_front(kShown))
    os << describe(nodes[node]) << " <- ";
  if (cycle.size() > kShown)
    os << "... <- ";
  os << describe(nodes[cycle.front()]);
  return text;
}

FailureOr<SmallVector<::onnx::NodeProto *>>
onnx_import::sortNodes(NodeList &nodes, const Subject &subject) {
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
