//===- StringOps.cpp - Verifiers and effects of string ops ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/QuantFloatOps.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Verifies that all operands are tensors and the result has the type of the
/// last one, or that all operands are memrefs and there is no result.
static LogicalResult verifyForm(Operation *op) {
  Type init = op->getOperands().back().getType();
  bool isOnTensors = isa<TensorType>(init);
  for (Type type : op->getOperandTypes())
    if (isa<TensorType>(type) != isOnTensors)
      return op->emitOpError()
             << "expected only tensors or only memrefs, but got both, " << type
             << " and " << init;
  if (!isOnTensors && op->getNumResults())
    return op->emitOpError()
           << "expected no result for the memref " << init << ", but got one";
  if (!isOnTensors)
    return success();
  if (op->getNumResults() != 1)
    return op->emitOpError()
           << "expected a result for the tensor " << init << ", but got none";
  if (op->getResult(0).getType() != init)
    return op->emitOpError()
           << "expected a result with the type of init, " << init
           << ", but got " << op->getResult(0).getType();
  return success();
}

static void getEffectsOfForm(
    Operation *op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (op->getNumResults())
    return;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isInit = operand.getOperandNumber() + 1 == op->getNumOperands();
    if (isInit)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

LogicalResult CastStringsOp::verify() {
  if (isa<StringType>(getFrom()) == isa<StringType>(getTo()) ||
      !getElementKind(getFrom()) || !getElementKind(getTo()))
    return emitOpError()
           << "expected a numeric type and !quant_float.string, but got "
           << getFrom() << " and " << getTo();
  for (auto [value, type] :
       {std::pair(getInput(), getFrom()), std::pair(Value(getInit()), getTo())})
    if (getElementTypeOrSelf(value) != getStorageElementType(type))
      return emitOpError() << "expected elements of the storage type "
                           << getStorageElementType(type) << " of " << type
                           << ", but got " << value.getType();
  if (failed(verifyCompatibleShape(getInput().getType(), getInit().getType())))
    return emitOpError() << "expected the same sizes, but got "
                         << getInput().getType() << " and "
                         << getInit().getType();
  return verifyForm(*this);
}

void CastStringsOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  getEffectsOfForm(*this, effects);
}

LogicalResult LoadStringsOp::verify() {
  auto offsets = cast<ShapedType>(getOffsets().getType());
  auto init = cast<ShapedType>(getInit().getType());
  Type storage = getStorageElementType(StringType::get(getContext()));
  if (init.getElementType() != storage || !init.hasStaticShape() ||
      !offsets.hasStaticShape() ||
      offsets.getNumElements() != init.getNumElements() + 1)
    return emitOpError() << "expected one more offset than elements of "
                         << storage << ", but got " << offsets << " and "
                         << init;
  return verifyForm(*this);
}

void LoadStringsOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  getEffectsOfForm(*this, effects);
}
