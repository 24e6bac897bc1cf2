//===- PipelineReciprocals.cpp - Software-pipeline reciprocals ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An iteration that processes several blocks first divides by their scales, and
// everything else waits for the results. This takes more instructions than fit
// in the reorder buffer of a CPU. To overlap the divisions with other work,
// each iteration computes the reciprocals for the next one:
//
//   for i:                          buffer[0] = f(from)
//     r = f(i)               ->     for i, k:
//     use r[0], r[1] ...              buffer[1 - k] = f(i + step)
//                                     use buffer[k][0], buffer[k][1] ...
//                                     k = 1 - k
//
// The buffer also contains the scales and the limits of quotients. Loads
// broadcast its elements, whereas a broadcast from a register needs the ports
// of other shuffles. The buffer also prevents LLVM from sinking a division to
// its use. The last iteration recomputes its own reciprocals, because no scales
// follow.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The size of the largest register.
static constexpr int64_t kRegisterBytes = 64;

namespace {
/// The ops of a loop that compute reciprocals of a group of scales, and
/// products of the group with a constant.
struct Prepared {
  SmallVector<arith::DivFOp> reciprocals;
  SmallVector<arith::MulFOp> limits;
  APFloat limit = APFloat(0.0f);
};
using Groups = llvm::MapVector<vector::FromElementsOp, Prepared>;
} // namespace

/// Finds `constant / from_elements %scales` and `constant * from_elements
/// %scales`.
static Groups findGroups(scf::ForOp loop) {
  Groups found;
  for (Operation &op : *loop.getBody()) {
    APFloat constant(0.0f);
    if (!isa<arith::DivFOp, arith::MulFOp>(op) ||
        !matchPattern(op.getOperand(0), m_ConstantFloat(&constant)))
      continue;
    auto group = op.getOperand(1).getDefiningOp<vector::FromElementsOp>();
    if (!group || group->getBlock() != loop.getBody())
      continue;
    Prepared &prepared = found[group];
    auto multiply = dyn_cast<arith::MulFOp>(op);
    if (multiply && prepared.limits.empty())
      prepared.limit = constant;
    if (multiply && prepared.limit.bitwiseIsEqual(constant))
      prepared.limits.push_back(multiply);
    auto division = dyn_cast<arith::DivFOp>(op);
    if (division && constant.isExactlyValue(1.0))
      prepared.reciprocals.push_back(division);
  }
  found.remove_if([](auto &entry) { return entry.second.reciprocals.empty(); });
  return found;
}

/// Collects the ops of the loop body that compute `value`, in order. Returns
/// false if one of them has side effects other than reads.
static bool collect(Value value, Block *body,
                    llvm::SetVector<Operation *> &ops) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != body || ops.contains(op))
    return true;
  if (op->getNumRegions() || (!isPure(op) && !isa<memref::LoadOp>(op)))
    return false;
  for (Value operand : op->getOperands())
    if (!collect(operand, body, ops))
      return false;
  ops.insert(op);
  return true;
}

/// Allocates a buffer for the reciprocals of two iterations on the stack, once
/// per function or thread. An allocation in a loop would grow the stack in each
/// iteration.
static Value makeBuffer(OpBuilder &builder, scf::ForOp loop, VectorType type) {
  Region *region = loop->getParentRegion();
  while (!isa<FunctionOpInterface>(region->getParentOp()) &&
         region->getParentOp()->getName().getStringRef() != "omp.parallel" &&
         region->getParentRegion())
    region = region->getParentRegion();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&region->front());
  int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
  return memref::AllocaOp::create(
      builder, loop.getLoc(),
      MemRefType::get({2 * type.getNumElements()}, type.getElementType()),
      builder.getI64IntegerAttr(
          std::min<int64_t>(llvm::PowerOf2Ceil(bytes), kRegisterBytes)));
}

namespace {
/// An operand that is an element of one of several vectors, and its index in
/// the concatenation of these.
struct Element {
  OpOperand *use;
  int64_t position;
};
} // namespace

/// Adds the elements that are extracted from a vector. Returns false if the
/// vector has other uses.
static bool addElements(Value vector, int64_t offset,
                        SmallVectorImpl<Element> &elements) {
  bool isAll = true;
  for (Operation *user : vector.getUsers()) {
    auto extract = dyn_cast<vector::ExtractOp>(user);
    if (!extract || extract.hasDynamicPosition() ||
        extract.getStaticPosition().size() != 1) {
      isAll = false;
      continue;
    }
    for (OpOperand &use : extract->getUses())
      elements.push_back({&use, offset + extract.getStaticPosition()[0]});
  }
  return isAll;
}

static bool pipelineReciprocals(RewriterBase &rewriter, scf::ForOp loop,
                                vector::FromElementsOp group,
                                Prepared prepared) {
  Location loc = loop.getLoc();
  auto type = cast<VectorType>(group.getType());
  int64_t size = type.getNumElements();
  SmallVector<Value, 3> vectors = {prepared.reciprocals.front().getResult(),
                                   group.getResult()};
  SmallVector<Element> elements;
  if (type.getRank() != 1)
    return false;
  for (arith::DivFOp reciprocal : prepared.reciprocals)
    if (!addElements(reciprocal, 0, elements))
      return false;
  addElements(group, size, elements);
  for (arith::MulFOp limit : prepared.limits)
    addElements(limit, 2 * size, elements);
  if (!prepared.limits.empty())
    vectors.push_back(prepared.limits.front().getResult());
  llvm::SetVector<Operation *> ops;
  for (Value vector : vectors)
    if (!collect(vector, loop.getBody(), ops))
      return false;
  int64_t count = vectors.size() * size;
  Value buffer =
      makeBuffer(rewriter, loop, VectorType::get(count, type.getElementType()));
  auto index = [&](OpBuilder &builder, int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto add = [&](OpBuilder &builder, Value bufferStart,
                 int64_t offset) -> Value {
    return arith::AddIOp::create(builder, loc, bufferStart,
                                 index(builder, offset));
  };
  auto prepare = [&](OpBuilder &builder, Value position, Value bufferStart) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), position);
    for (Operation *op : ops)
      builder.clone(*op, mapping);
    for (auto [i, vector] : llvm::enumerate(vectors))
      vector::StoreOp::create(builder, loc, mapping.lookup(vector), buffer,
                              add(builder, bufferStart, i * size));
  };

  // The loop may have no iterations.
  rewriter.setInsertionPoint(loop);
  Value zero = index(rewriter, 0), bufferSize = index(rewriter, count);
  Value isSome =
      arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  scf::IfOp::create(rewriter, loc, isSome,
                    [&](OpBuilder &builder, Location loc) {
                      prepare(builder, loop.getLowerBound(), zero);
                      scf::YieldOp::create(builder, loc);
                    });
  // The body is moved to the new loop afterward.
  auto toggle = [&](OpBuilder &builder, Location loc,
                    ArrayRef<BlockArgument> arguments) -> SmallVector<Value> {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    Value at = loop.getInductionVar(), bufferStart = arguments.front();
    Value next = arith::AddIOp::create(builder, loc, at, loop.getStep());
    Value isInBounds = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt, next, loop.getUpperBound());
    next = arith::SelectOp::create(builder, loc, isInBounds, next, at);
    Value other = arith::SubIOp::create(builder, loc, bufferSize, bufferStart);
    prepare(builder, next, other);
    return {other};
  };
  FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
      rewriter, zero, /*replaceInitOperandUsesInLoop=*/false, toggle);
  if (failed(replaced))
    return true;
  auto round = cast<scf::ForOp>(replaced->getOperation());
  Value bufferStart = round.getRegionIterArgs().front();
  for (Element element : elements) {
    rewriter.setInsertionPoint(element.use->getOwner());
    Value at = add(rewriter, bufferStart, element.position);
    Value loaded = memref::LoadOp::create(rewriter, loc, buffer, at);
    rewriter.modifyOpInPlace(element.use->getOwner(),
                             [&] { element.use->set(loaded); });
  }
  return true;
}

static void pipelineReciprocals(RewriterBase &rewriter, scf::ForOp loop) {
  // Only one group of a loop is pipelined.
  if (loop.getInitArgs().empty())
    for (auto &[group, prepared] : findGroups(loop))
      if (pipelineReciprocals(rewriter, loop, group, prepared))
        return;
}

void x86::pipelineReciprocals(Operation *root) {
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  IRRewriter rewriter(root->getContext());
  for (scf::ForOp loop : loops)
    ::pipelineReciprocals(rewriter, loop);
}
