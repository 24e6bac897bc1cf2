//===- Sorting.cpp - Nodes in the order of their dependences --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sorting.h"
#include "Names.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <queue>

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

/// Walks producers that wait too until one comes again.
static std::string describeCycle(NodeList &nodes,
                                 ArrayRef<SmallVector<unsigned>> producers,
                                 const llvm::BitVector &done) {
  SmallVector<unsigned> path;
  llvm::DenseMap<unsigned, unsigned> positions;
  unsigned current = done.find_first_unset();
  while (positions.try_emplace(current, path.size()).second) {
    path.push_back(current);
    current = *llvm::find_if(producers[current],
                             [&](unsigned other) { return !done[other]; });
  }
  ArrayRef<unsigned> cycle = ArrayRef(path).drop_front(positions[current]);
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

  unsigned size = nodes.size();
  SmallVector<SmallVector<unsigned>> producers(size), consumers(size);
  SmallVector<unsigned> waiting(size);
  for (auto [index, node] : llvm::enumerate(nodes)) {
    Uses uses;
    collectUses(node, uses);
    llvm::SetVector<unsigned> needed;
    for (StringRef use : uses)
      if (auto maker = makers.find(use); maker != makers.end())
        needed.insert(maker->second);
    producers[index] = needed.takeVector();
    waiting[index] = producers[index].size();
    for (unsigned producer : producers[index])
      consumers[producer].push_back(index);
  }

  // The smallest index that is ready comes first: a sorted file stays as it is.
  std::priority_queue<unsigned, std::vector<unsigned>, std::greater<>> ready;
  for (unsigned index = 0; index != size; ++index)
    if (waiting[index] == 0)
      ready.push(index);
  SmallVector<::onnx::NodeProto *> sorted;
  llvm::BitVector done(size);
  while (!ready.empty()) {
    unsigned index = ready.top();
    ready.pop();
    done.set(index);
    sorted.push_back(nodes.Mutable(index));
    for (unsigned consumer : consumers[index])
      if (--waiting[consumer] == 0)
        ready.push(consumer);
  }
  if (sorted.size() != size)
    return diagnose(subject, Diag::Cycle,
                    describeCycle(nodes, producers, done));
  return sorted;
}
