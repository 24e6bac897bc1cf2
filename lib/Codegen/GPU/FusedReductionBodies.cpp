//===- FusedReductionBodies.cpp - Bodies of fused reductions --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedReductionBuilder.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::LinalgOp;

Value FusedReductionBuilder::andIsBelow(Value isValid, unsigned slot,
                                        unsigned loop, Value extent) {
  Value position = slots[slot].indices[loop];
  if (loop == fused.getLast() && fused.width > 1) {
    auto type = VectorType::get({fused.width}, b.getIndexType());
    position = arith::AddIOp::create(b, broadcast(position),
                                     vector::StepOp::create(b, type));
    extent = broadcast(extent);
    if (isValid)
      isValid = broadcast(isValid);
  }
  return createAnd(isValid, isBelow(position, extent));
}

Value FusedReductionBuilder::broadcast(Value value) {
  if (fused.width == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(
      b, cast<VectorType>(vectorOf(value.getType())), value);
}

Value FusedReductionBuilder::createLike(Operation *op, ValueRange operands) {
  SmallVector<Value> newOperands(operands);
  Type type = op->getResult(0).getType();
  if (llvm::any_of(newOperands, [](Value operand) {
        return isa<VectorType>(operand.getType());
      })) {
    type = vectorOf(type);
    for (Value &operand : newOperands)
      operand = broadcast(operand);
  }
  return b
      .create(op->getLoc(), op->getName().getIdentifier(), newOperands, type,
              op->getAttrs())
      ->getResult(0);
}

void FusedReductionBuilder::clone(Operation *op, IRMapping &mapping) {
  if (op->getNumOperands() == 0) {
    b.clone(*op, mapping);
    return;
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(mapping.lookupOrDefault(operand));
  mapping.map(op->getResult(0), createLike(op, operands));
}

/// Returns the number of slots that have different arguments.
unsigned FusedReductionBuilder::mapArguments(const Member &member,
                                             SmallVectorImpl<Values> &values) {
  LinalgOp op = member.op;
  size_t count = 1;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    values.emplace_back();
    if (argument.use_empty() ||
        (op.isDpsInit(&operand) && op.getNumReductionLoops() != 0))
      continue;
    values.back() = read(operand);
    count = std::max(count, values.back().size());
  }
  for (Operation &bodyOp : *op.getBlock())
    if (auto number = dyn_cast<linalg::IndexOp>(bodyOp);
        number && variesBySlot(member.loops[number.getDim()]))
      count = fused.slots;
  return count;
}

void FusedReductionBuilder::computeBody(const Member &member, unsigned slot,
                                        IRMapping &mapping) {
  LinalgOp op = member.op;
  Operation *combiner = op.getNumReductionLoops() != 0
                            ? FusedReductions::getCombiner(op)
                            : nullptr;
  for (Operation &bodyOp : op.getBlock()->without_terminator()) {
    if (&bodyOp == combiner)
      continue;
    if (auto number = dyn_cast<linalg::IndexOp>(bodyOp)) {
      const Coordinate &coordinate = member.loops[number.getDim()];
      Value value = getIndex(coordinate, slot);
      if (fused.width > 1 && coordinate.loop == fused.getLast() &&
          (coordinate.kind == Coordinate::Loop ||
           coordinate.kind == Coordinate::InBlock)) {
        auto type = VectorType::get({fused.width}, b.getIndexType());
        Value lanes = vector::StepOp::create(b, type);
        value = arith::AddIOp::create(b, broadcast(value), lanes);
      }
      mapping.map(number.getResult(), value);
      continue;
    }
    clone(&bodyOp, mapping);
  }
}

void FusedReductionBuilder::evaluate(const Member &member) {
  LinalgOp op = member.op;
  SmallVector<Values> arguments;
  unsigned count = mapArguments(member, arguments);
  auto domain = dyn_cast_or_null<memref::SubViewOp>(member.domain);
  SmallVector<Values> results(op.getNumDpsInits());
  Values previous;
  Value buffer;
  bool isZeroPadded = false;
  if (domain) {
    buffer = FusedReductions::getBufferOfView(domain.getSource());
    previous = current.lookup(buffer);
    Value source = FusedReductions::getBufferOfView(op.getDpsInputs()[0]);
    // The loaded elements outside the domain are already zero.
    isZeroPadded = op.getNumDpsInputs() == 1 && zeroPadded.contains(source) &&
                   op.getBlock()->getTerminator()->getOperand(0) ==
                       op.getBlock()->getArgument(0) &&
                   previous.size() == 1 &&
                   (matchPattern(previous[0], m_Zero()) ||
                    matchPattern(previous[0], m_PosZeroFloat()));
    if (!isZeroPadded)
      count = fused.slots;
  }
  for (unsigned slot = 0; slot < count; ++slot) {
    IRMapping mapping;
    for (auto [argument, values] :
         llvm::zip_equal(op.getBlock()->getArguments(), arguments))
      if (!values.empty())
        mapping.map(argument, values[values.size() == 1 ? 0 : slot]);
    computeBody(member, slot, mapping);
    for (auto [result, value] : llvm::zip_equal(
             results, op.getBlock()->getTerminator()->getOperands()))
      result.push_back(mapping.lookupOrDefault(value));
    if (!domain || isZeroPadded)
      continue;
    // Elements of the domain replace those of the padded buffer.
    Value isValid;
    auto coordinates = fused.coordinates.lookup(buffer);
    for (auto [coordinate, size] :
         llvm::zip_equal(coordinates, domain.getMixedSizes())) {
      if (coordinate.kind != Coordinate::Loop)
        continue;
      Value extent = getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
      isValid = andIsBelow(isValid, slot, coordinate.loop, extent);
    }
    if (!isValid)
      continue;
    Value outer = previous[previous.size() == 1 ? 0 : slot];
    Value &value = results[0].back();
    if (isa<VectorType>(isValid.getType()) ||
        isa<VectorType>(value.getType()) || isa<VectorType>(outer.getType())) {
      isValid = broadcast(isValid);
      value = broadcast(value);
      outer = broadcast(outer);
    }
    value = arith::SelectOp::create(b, isValid, value, outer);
  }
  for (auto [output, values] : llvm::zip_equal(op.getDpsInits(), results)) {
    Value target =
        FusedReductions::getBufferOfView(domain ? domain.getSource() : output);
    current[target] = values;
    zeroPadded.erase(target);
  }
}
