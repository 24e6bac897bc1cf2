//===- ControlFlow.cpp - Control flow of StableHLO ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "mlir/IR/IRMapping.h"
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodeBuilder.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::stablehlo_ops;

static constexpr StringLiteral kReturn = "stablehlo.return";

/// Creates a node with empty bodies.
static NodeOp createNode(ImplicitLocOpBuilder &b, StringRef opType,
                         ValueRange inputs, TypeRange types,
                         ArrayRef<StringRef> bodies,
                         ArrayRef<int64_t> absentInputs = {}) {
  return NodeOp::create(b, types, b.getStringAttr(opType), inputs,
                        b.getStringAttr(""), b.getI64IntegerAttr(kNewestOpset),
                        StringAttr(), b.getDictionaryAttr({}),
                        b.getDenseI64ArrayAttr(absentInputs),
                        b.getStrArrayAttr(bodies), bodies.size());
}

/// Replaces the terminator of StableHLO by that of the bodies of nodes.
static void replaceReturn(Block &block, ValueRange values) {
  Operation *end = &block.back();
  OpBuilder builder(end);
  YieldOp::create(builder, end->getLoc(), values);
  end->erase();
}

/// Checks that a region is one block with these arguments and results.
static LogicalResult checkRegion(Operation *op, unsigned index,
                                 TypeRange arguments, TypeRange results) {
  auto fail = [&] {
    return op->emitError() << "no conversion of '" << op->getName()
                           << "': region " << index
                           << ": expected a block with the arguments ("
                           << arguments << ") and a 'stablehlo.return' of ("
                           << results << ")";
  };
  Region &region = op->getRegion(index);
  if (!region.hasOneBlock())
    return fail();
  Block &block = region.front();
  if (block.empty() || block.getArgumentTypes() != arguments ||
      block.back().getName().getStringRef() != kReturn ||
      block.back().getOperandTypes() != results ||
      block.back().getNumResults() != 0 || block.back().getNumRegions() != 0)
    return fail();
  return success();
}

/// Checks that values are tensors of numbers.
static LogicalResult checkTypes(Operation *op) {
  auto check = [&](StringRef what, TypeRange types) -> LogicalResult {
    for (auto [index, type] : llvm::enumerate(types)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !isNumber(tensor.getElementType()))
        return op->emitError()
               << "no conversion of '" << op->getName() << "': " << what << " "
               << index << ": expected a ranked tensor of numbers, but got "
               << showType(type);
    }
    return success();
  };
  return success(succeeded(check("operand", op->getOperandTypes())) &&
                 succeeded(check("result", op->getResultTypes())));
}

static LogicalResult emitProblem(Operation *op, const Twine &reason) {
  return op->emitError() << "no conversion of '" << op->getName()
                         << "': " << reason;
}

//===----------------------------------------------------------------------===//
// if and case
//===----------------------------------------------------------------------===//

/// Selects between the regions from `begin` to `end` by the index.
static SmallVector<Value> selectRegion(ImplicitLocOpBuilder &b, Operation *op,
                                       Value index, unsigned begin,
                                       unsigned end);

/// Moves the ops of a region to the body, or selects between several regions.
static void fillBody(Region &body, Operation *op, Value index, unsigned begin,
                     unsigned end) {
  if (end - begin == 1) {
    body.takeBody(op->getRegion(begin));
    replaceReturn(body.front(), body.front().back().getOperands());
    return;
  }
  body.emplaceBlock();
  ImplicitLocOpBuilder b(op->getLoc(), op->getContext());
  b.setInsertionPointToEnd(&body.front());
  SmallVector<Value> results = selectRegion(b, op, index, begin, end);
  YieldOp::create(b, results);
}

static SmallVector<Value> selectBetween(ImplicitLocOpBuilder &b, Operation *op,
                                        Value condition, Value index,
                                        unsigned begin, unsigned middle,
                                        unsigned end) {
  NodeOp node = createNode(b, "If", condition, op->getResultTypes(),
                           {"then_branch", "else_branch"});
  fillBody(node.getBodies()[0], op, index, begin, middle);
  fillBody(node.getBodies()[1], op, index, middle, end);
  return node->getResults();
}

static SmallVector<Value> selectRegion(ImplicitLocOpBuilder &b, Operation *op,
                                       Value index, unsigned begin,
                                       unsigned end) {
  unsigned middle = begin + (end - begin) / 2;
  OnnxNodeBuilder nodes(b, kNewestOpset);
  Value isBefore = nodes.compareElementwise(
      "Less", {index, nodes.makeNumber(b.getI32Type(), middle)});
  return selectBetween(b, op, isBefore, index, begin, middle, end);
}

static LogicalResult checkBranches(Operation *op, Type indexType) {
  if (op->getNumOperands() != 1 || op->getOperand(0).getType() != indexType)
    return emitProblem(op,
                       "expected one operand of type " + showType(indexType));
  for (unsigned index : llvm::seq(op->getNumRegions()))
    if (failed(checkRegion(op, index, {}, op->getResultTypes())))
      return failure();
  return checkTypes(op);
}

static LogicalResult expandIf(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  if (op->getNumRegions() != 2)
    return emitProblem(op, "expected 2 regions, but got " +
                               Twine(op->getNumRegions()));
  if (failed(checkBranches(op, RankedTensorType::get({}, b.getI1Type()))))
    return failure();
  op->replaceAllUsesWith(
      selectBetween(b, op, op->getOperand(0), Value(), 0, 1, 2));
  op->erase();
  return success();
}

static LogicalResult expandCase(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  unsigned count = op->getNumRegions();
  if (count == 0)
    return emitProblem(op, "expected a region");
  if (failed(checkBranches(op, RankedTensorType::get({}, b.getI32Type()))))
    return failure();
  // Indices out of range select the last region, as do negative ones.
  if (count == 1) {
    Block &block = op->getRegion(0).front();
    SmallVector<Value> values(block.back().getOperands());
    block.back().erase();
    op->getBlock()->getOperations().splice(Block::iterator(op),
                                           block.getOperations());
    op->replaceAllUsesWith(values);
    op->erase();
    return success();
  }
  OnnxNodeBuilder nodes(b, kNewestOpset);
  Value index = op->getOperand(0);
  Value isNegative = nodes.compareElementwise(
      "Less", {index, nodes.makeNumber(b.getI32Type(), 0)});
  index = nodes.applyElementwise(
      "Where",
      {isNegative, nodes.makeNumber(b.getI32Type(), count - 1), index});
  op->replaceAllUsesWith(selectRegion(b, op, index, 0, count));
  op->erase();
  return success();
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

/// Clones the ops of a condition, and returns the condition of these values.
static Value cloneCondition(OpBuilder &builder, Block &block,
                            ValueRange values) {
  IRMapping mapping;
  mapping.map(block.getArguments(), values);
  // The terminator is unregistered.
  for (Operation &op : llvm::make_range(block.begin(), std::prev(block.end())))
    builder.clone(op, mapping);
  return mapping.lookupOrDefault(block.back().getOperand(0));
}

static LogicalResult expandWhile(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  if (op->getNumRegions() != 2)
    return emitProblem(op, "expected 2 regions, but got " +
                               Twine(op->getNumRegions()));
  TypeRange types = op->getOperandTypes();
  Type conditionType = RankedTensorType::get({}, b.getI1Type());
  if (op->getResultTypes() != types)
    return emitProblem(op, "expected results of the types of the operands");
  if (failed(checkTypes(op)) ||
      failed(checkRegion(op, 0, types, conditionType)) ||
      failed(checkRegion(op, 1, types, types)))
    return failure();
  // ONNX evaluates the condition of the next step at the end of a step. The
  // condition is cloned, which doubles its size at each level of nesting.
  Block &condition = op->getRegion(0).front();
  constexpr int64_t kMaxOps = 4096;
  int64_t count = 0;
  op->getRegion(0).walk([&](Operation *) { ++count; });
  if (count > kMaxOps)
    return emitProblem(op, "expected a condition of at most " + Twine(kMaxOps) +
                               " ops, but got " + Twine(count));
  SmallVector<Value> inputs = {cloneCondition(b, condition, op->getOperands())};
  llvm::append_range(inputs, op->getOperands());
  NodeOp loop = createNode(b, "Loop", inputs, types, StringRef("body"),
                           /*absentInputs=*/{0});
  Region &body = loop.getBodies()[0];
  body.takeBody(op->getRegion(1));
  Block &block = body.front();
  block.insertArgument(0u, RankedTensorType::get({}, b.getI64Type()),
                       op->getLoc());
  block.insertArgument(1u, conditionType, op->getLoc());
  SmallVector<Value> yielded(block.back().getOperands());
  OpBuilder builder(&block.back());
  Value again = cloneCondition(builder, condition, yielded);
  yielded.insert(yielded.begin(), again);
  replaceReturn(block, yielded);
  op->replaceAllUsesWith(loop->getResults());
  op->erase();
  return success();
}

LogicalResult stablehlo_ops::expandControlFlow(ModuleOp module) {
  // The ops of inner regions come first, because conditions are cloned.
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    if (name == "stablehlo.if" || name == "stablehlo.case" ||
        name == "stablehlo.while")
      ops.push_back(op);
  });
  bool isExpanded = true;
  for (Operation *op : ops) {
    StringRef name = op->getName().stripDialect();
    if (op->getNumSuccessors() != 0)
      isExpanded &= succeeded(emitProblem(op, "expected no successors"));
    else
      isExpanded &= succeeded(name == "if"     ? expandIf(op)
                              : name == "case" ? expandCase(op)
                                               : expandWhile(op));
  }
  return success(isExpanded);
}
