//===- PrepareAhead.cpp - Reciprocals a round ahead of their loop ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A round over several blocks divides by their scales first, and all else waits
// for that: more instructions than a CPU looks ahead at. So that it comes to
// others meanwhile, each round makes the reciprocals of the next one:
//
//   for i:                          buffer[0] = f(from)
//     r = f(i)               ->     for i, k:
//     use r[0], r[1] ...              buffer[1 - k] = f(i + step)
//                                     use buffer[k][0], buffer[k][1] ...; k = 1
//                                     - k
//
// Memory broadcasts them, which registers do in the ports that other shuffles
// need, and keeps LLVM from moving a division to where its result is used. The
// last round makes its own again, for there are no scales behind it.
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

namespace {
/// The reciprocals in a loop, by the group of scales that they are of.
using Reciprocals = llvm::MapVector<Value, SmallVector<arith::SelectOp>>;
} // namespace

/// select %isOrdinary, 1 / from_elements %scales, NaN
static Reciprocals findReciprocals(scf::ForOp loop) {
  Reciprocals found;
  for (auto select : loop.getBody()->getOps<arith::SelectOp>()) {
    auto division = select.getTrueValue().getDefiningOp<arith::DivFOp>();
    APFloat one(0.0f), other(0.0f);
    if (!division || !matchPattern(division.getLhs(), m_ConstantFloat(&one)) ||
        !one.isExactlyValue(1.0) ||
        !matchPattern(select.getFalseValue(), m_ConstantFloat(&other)) ||
        !other.isNaN())
      continue;
    auto group = division.getRhs().getDefiningOp<vector::FromElementsOp>();
    if (group && group->getBlock() == loop.getBody())
      found[group.getResult()].push_back(select);
  }
  return found;
}

/// The ops of a loop's body that `value` comes from, in order; false where one
/// does more than read.
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

/// Room for the reciprocals of two rounds on the stack, once in the function or
/// in each thread: in a loop there would be more with every round.
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
      builder.getI64IntegerAttr(llvm::PowerOf2Ceil(bytes)));
}

/// The elements that are taken out of the reciprocals; nothing where these are
/// used otherwise.
static SmallVector<vector::ExtractOp>
getElements(ArrayRef<arith::SelectOp> selects) {
  SmallVector<vector::ExtractOp> elements;
  for (arith::SelectOp select : selects)
    for (Operation *user : select->getUsers()) {
      auto extract = dyn_cast<vector::ExtractOp>(user);
      if (!extract || extract.hasDynamicPosition() ||
          extract.getStaticPosition().size() != 1)
        return {};
      elements.push_back(extract);
    }
  return elements;
}

static void prepareAhead(RewriterBase &rewriter, scf::ForOp loop) {
  if (!loop.getInitArgs().empty())
    return;
  Location loc = loop.getLoc();
  for (auto &[group, selects] : findReciprocals(loop)) {
    Value value = selects.front();
    auto type = dyn_cast<VectorType>(value.getType());
    SmallVector<vector::ExtractOp> elements = getElements(selects);
    llvm::SetVector<Operation *> ops;
    if (!type || type.getRank() != 1 || elements.empty() ||
        !collect(value, loop.getBody(), ops))
      continue;
    Value buffer = makeBuffer(rewriter, loop, type);
    auto prepare = [&](OpBuilder &builder, Value position, Value place) {
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), position);
      for (Operation *op : ops)
        builder.clone(*op, mapping);
      vector::StoreOp::create(builder, loc, mapping.lookup(value), buffer,
                              place);
    };

    // There may be no round.
    rewriter.setInsertionPoint(loop);
    Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
    Value count =
        arith::ConstantIndexOp::create(rewriter, loc, type.getNumElements());
    Value isSome =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                              loop.getLowerBound(), loop.getUpperBound());
    scf::IfOp::create(rewriter, loc, isSome,
                      [&](OpBuilder &builder, Location loc) {
                        prepare(builder, loop.getLowerBound(), zero);
                        scf::YieldOp::create(builder, loc);
                      });
    // The body moves afterwards.
    auto toggle = [&](OpBuilder &builder, Location loc,
                      ArrayRef<BlockArgument> arguments) {
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(loop.getBody());
      Value at = loop.getInductionVar(), place = arguments.front();
      Value next = arith::AddIOp::create(builder, loc, at, loop.getStep());
      Value isThere = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::slt, next, loop.getUpperBound());
      next = arith::SelectOp::create(builder, loc, isThere, next, at);
      Value other = arith::SubIOp::create(builder, loc, count, place);
      prepare(builder, next, other);
      return SmallVector<Value>{other};
    };
    FailureOr<LoopLikeOpInterface> replaced = loop.replaceWithAdditionalYields(
        rewriter, zero, /*replaceInitOperandUsesInLoop=*/false, toggle);
    if (failed(replaced))
      return;
    auto round = cast<scf::ForOp>(replaced->getOperation());
    Value place = round.getRegionIterArgs().front();
    for (vector::ExtractOp element : elements) {
      rewriter.setInsertionPoint(element);
      Value index = arith::AddIOp::create(
          rewriter, loc, place,
          arith::ConstantIndexOp::create(rewriter, loc,
                                         element.getStaticPosition().front()));
      rewriter.replaceOpWithNewOp<memref::LoadOp>(element, buffer, index);
    }
    // One group is all there is.
    return;
  }
}

void x86::prepareAhead(Operation *root) {
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  IRRewriter rewriter(root->getContext());
  for (scf::ForOp loop : loops)
    ::prepareAhead(rewriter, loop);
}
