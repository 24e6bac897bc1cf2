//===- OutlineSupportedSubgraphs.cpp - Partition models -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Support/Locations.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATOUTLINESUPPORTEDSUBGRAPHSPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-outline-supported-subgraphs"

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the op is cloned into each subgraph that uses it: constants, sizes
/// and empty tensors.
static bool isRepeatable(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op))
    return true;
  return op->getNumResults() && !op->getNumRegions() && isPure(op) &&
         llvm::none_of(op->getResultTypes(),
                       [](Type type) { return isa<TensorType>(type); });
}

static bool isSupported(Operation *op) {
  auto isKnown = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor ? tensor.getElementType().isIntOrIndexOrFloat()
                  : !isa<TensorType, StringType>(type);
  };
  if (!llvm::all_of(op->getOperandTypes(), isKnown) ||
      !llvm::all_of(op->getResultTypes(), isKnown))
    return false;
  return !op->walk([](NodeOp) {
              return WalkResult::interrupt();
            }).wasInterrupted();
}

static bool isQuantization(Operation *op) {
  return isa<CastOp, QuantizationOpInterface, FakeConvertOp>(op);
}

namespace {

/// Partitions the body of one function into subgraphs.
class Partition {
public:
  explicit Partition(func::FuncOp function);

  /// Returns the supported subgraphs that contain a quantization op, in the
  /// order of their first ops. The ops of each are in the order of the body.
  SmallVector<SmallVector<Operation *>> getSubgraphs();
  /// Collects the tensors that the op uses, directly or through repeatable ops.
  /// `seen` are the repeatable ops that have been visited, which avoids
  /// exponential time.
  void collectInputs(Operation *op, SetVector<Value> &inputs,
                     llvm::DenseSet<Operation *> &seen) const;

private:
  unsigned find(unsigned group) {
    while (parents[group] != group)
      group = parents[group] = parents[parents[group]];
    return group;
  }
  bool merge(unsigned from, unsigned to);

  Block &body;
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, unsigned> numbers;
  /// The numbers of the producers of each op.
  SmallVector<SmallVector<unsigned>> producers;
  SmallVector<bool> supported;
  SmallVector<unsigned> parents;
  SmallVector<SmallVector<unsigned>> members;
};

} // namespace

Partition::Partition(func::FuncOp function) : body(function.getBody().front()) {
  for (Operation &op : body.without_terminator()) {
    if (isRepeatable(&op))
      continue;
    unsigned number = ops.size();
    numbers[&op] = number;
    ops.push_back(&op);
    supported.push_back(isSupported(&op));
    parents.push_back(number);
    members.push_back({number});
    SetVector<Value> inputs;
    llvm::DenseSet<Operation *> seen;
    collectInputs(&op, inputs, seen);
    SmallVector<unsigned> &mine = producers.emplace_back();
    for (Value input : inputs)
      if (Operation *producer = input.getDefiningOp())
        mine.push_back(numbers.lookup(producer));
  }
}

void Partition::collectInputs(Operation *op, SetVector<Value> &inputs,
                              llvm::DenseSet<Operation *> &seen) const {
  // Iterative, because a chain of repeatable ops may be as long as the model.
  SmallVector<Value> worklist;
  auto addOperands = [&](Operation *op) {
    size_t before = worklist.size();
    op->walk([&](Operation *nested) {
      llvm::append_range(worklist, nested->getOperands());
    });
    // Visit the first operand first.
    std::reverse(worklist.begin() + before, worklist.end());
  };
  addOperands(op);
  while (!worklist.empty()) {
    Value operand = worklist.pop_back_val();
    if (operand.getParentBlock() != &body)
      continue;
    Operation *producer = operand.getDefiningOp();
    if (producer && isRepeatable(producer)) {
      if (seen.insert(producer).second)
        addOperands(producer);
    } else if (producer != op) {
      inputs.insert(operand);
    }
  }
}

/// Merges the groups of two ops, of which `to` uses `from`. Returns false, and
/// does not merge, if a path between them leads through other groups, because
/// the merged group would not be convex.
bool Partition::merge(unsigned from, unsigned to) {
  from = find(from);
  to = find(to);
  if (from == to)
    return false;
  // Search backward from the second group for the first one. Groups are convex,
  // so that ops before the first member of the first group are irrelevant.
  unsigned first = members[from].front();
  llvm::DenseSet<unsigned> seen = {to};
  SmallVector<unsigned> worklist = {to};
  while (!worklist.empty()) {
    unsigned group = worklist.pop_back_val();
    for (unsigned member : members[group])
      for (unsigned producer : producers[member]) {
        unsigned other = find(producer);
        if (other == from) {
          if (group != to)
            return false;
          continue;
        }
        if (members[other].back() >= first && seen.insert(other).second)
          worklist.push_back(other);
      }
  }
  parents[to] = from;
  SmallVector<unsigned> joined;
  std::merge(members[from].begin(), members[from].end(), members[to].begin(),
             members[to].end(), std::back_inserter(joined));
  members[from] = std::move(joined);
  return true;
}

SmallVector<SmallVector<Operation *>> Partition::getSubgraphs() {
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned user = 0; user < ops.size(); ++user)
      for (unsigned producer : producers[user])
        if (supported[user] && supported[producer])
          changed |= merge(producer, user);
  }
  SmallVector<SmallVector<Operation *>> subgraphs;
  for (unsigned number = 0; number < ops.size(); ++number) {
    ArrayRef<unsigned> group = members[find(number)];
    if (!supported[number] || group.front() != number)
      continue;
    SmallVector<Operation *> subgraph;
    for (unsigned member : group)
      subgraph.push_back(ops[member]);
    if (llvm::any_of(subgraph, isQuantization))
      subgraphs.push_back(std::move(subgraph));
  }
  return subgraphs;
}

/// Clones the op and the repeatable ops that it needs.
static void copy(OpBuilder &builder, Operation *op, Block &body,
                 IRMapping &mapping) {
  SmallVector<Operation *> worklist = {op};
  auto addMissing = [&](Operation *nested) {
    for (Value operand : nested->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && producer->getBlock() == &body &&
          !mapping.contains(operand) && isRepeatable(producer))
        worklist.push_back(producer);
    }
  };
  while (!worklist.empty()) {
    Operation *next = worklist.back();
    // An op is in the list once for each of its users.
    bool isDone = next->getNumResults() && mapping.contains(next->getResult(0));
    size_t before = worklist.size();
    if (!isDone)
      next->walk(addMissing);
    if (worklist.size() > before)
      continue;
    worklist.pop_back();
    if (!isDone)
      builder.clone(*next, mapping);
  }
}

/// Returns the model's name of a value: that of an argument or result of the
/// graph, or else that of the node that computes it.
static StringRef getValueName(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      kNameAttrName);
    return name ? name.getValue() : "";
  }
  for (OpOperand &use : value.getUses())
    if (auto returnOp = dyn_cast<func::ReturnOp>(use.getOwner()))
      if (auto name = returnOp->getParentOfType<func::FuncOp>()
                          .getResultAttrOfType<StringAttr>(
                              use.getOperandNumber(), kNameAttrName))
        return name;
  return getNodeName(value.getLoc());
}

/// Whether an op outside of the subgraph uses the value, directly or through
/// repeatable ops.
static bool leaves(Value value, const llvm::DenseSet<Operation *> &inside,
                   Block &body) {
  SetVector<Operation *> users;
  auto addUsers = [&](auto range) {
    for (Operation *user : range)
      users.insert(body.findAncestorOpInBlock(*user));
  };
  addUsers(value.getUsers());
  for (unsigned i = 0; i < users.size(); ++i) {
    if (isRepeatable(users[i]))
      addUsers(users[i]->getUsers());
    else if (!inside.contains(users[i]))
      return true;
  }
  return false;
}

static void outline(func::FuncOp function, const Partition &partition,
                    ArrayRef<Operation *> subgraph, const Twine &name,
                    SymbolTable &symbols) {
  Block &body = function.getBody().front();
  llvm::DenseSet<Operation *> inside(subgraph.begin(), subgraph.end());
  SetVector<Value> captures, results;
  llvm::DenseSet<Operation *> seen;
  for (Operation *op : subgraph) {
    partition.collectInputs(op, captures, seen);
    for (Value result : op->getResults())
      if (isa<RankedTensorType>(result.getType()) &&
          leaves(result, inside, body))
        results.insert(result);
  }
  SmallVector<Value> inputs;
  for (Value value : captures)
    if (!inside.contains(value.getDefiningOp()))
      inputs.push_back(value);

  OpBuilder builder(function);
  auto type = builder.getFunctionType(TypeRange(ValueRange(inputs)),
                                      TypeRange(results.getArrayRef()));
  auto outlined =
      func::FuncOp::create(builder, function.getLoc(), name.str(), type);
  symbols.insert(outlined, function->getIterator());
  if (Attribute graph = function->getAttr(kGraphNameAttrName))
    outlined->setAttr(kGraphNameAttrName, graph);
  Block *entry = outlined.addEntryBlock();
  IRMapping mapping;
  mapping.map(inputs, entry->getArguments());
  for (auto [index, value] : llvm::enumerate(inputs))
    if (StringRef valueName = getValueName(value); !valueName.empty())
      outlined.setArgAttr(index, kNameAttrName,
                          builder.getStringAttr(valueName));
  for (auto [index, value] : llvm::enumerate(results))
    if (StringRef valueName = getValueName(value); !valueName.empty())
      outlined.setResultAttr(index, kNameAttrName,
                             builder.getStringAttr(valueName));
  builder.setInsertionPointToStart(entry);
  for (Operation *op : subgraph)
    copy(builder, op, body, mapping);
  SmallVector<Value> returned;
  for (Value value : results)
    returned.push_back(mapping.lookup(value));
  func::ReturnOp::create(builder, function.getLoc(), returned);
}

namespace {
struct OutlineSupportedSubgraphs final
    : quant_float::impl::QuantFloatOutlineSupportedSubgraphsPassBase<
          OutlineSupportedSubgraphs> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function.isPublic() && !function.isExternal() &&
          function.getBody().hasOneBlock())
        functions.push_back(function);
    bool isEmpty = true;
    for (func::FuncOp function : functions) {
      Partition partition(function);
      for (auto [number, subgraph] :
           llvm::enumerate(partition.getSubgraphs())) {
        outline(function, partition, subgraph,
                function.getSymName() + "_subgraph_" + Twine(number), symbols);
        LDBG() << "outlined " << subgraph.size() << " ops of "
               << function.getSymName();
        ++numOutlined;
        isEmpty = false;
      }
      symbols.erase(function);
    }
    if (isEmpty && !functions.empty()) {
      getOperation().emitError("no subgraph to outline: expected at least one "
                               "supported quantization op");
      signalPassFailure();
    }
  }
};
} // namespace
