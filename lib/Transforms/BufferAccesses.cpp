//===- BufferAccesses.cpp - What ops read and write -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferAccesses.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "quant-float/EntryPoint/EntryPointInfo.h"

using namespace mlir;
using namespace mlir::quant_float;

Value quant_float::getRoot(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>())
    buffer = view.getViewSource();
  return buffer;
}

/// Whether no other root is the same memory, or both are only read.
static bool isApart(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    Operation *parent = argument.getOwner()->getParentOp();
    return isa<FunctionOpInterface>(parent) &&
           parent->hasAttr(kEntryPointAttrName);
  }
  Operation *op = root.getDefiningOp();
  return isa<memref::GetGlobalOp>(op) ||
         hasEffect<MemoryEffects::Allocate>(op, root);
}

void BufferAccesses::add(Value buffer, bool isWrite) {
  Value root = getRoot(buffer);
  isUnknown |= !isApart(root);
  (isWrite ? writes : reads).insert(root);
}

void BufferAccesses::add(Operation *op) {
  op->walk([&](Operation *inner) {
    // Of no consequence.
    if (isa<memref::PrefetchOp>(inner))
      return;
    auto interface = dyn_cast<MemoryEffectOpInterface>(inner);
    if (!interface) {
      isUnknown |= !inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
                   !inner->hasTrait<OpTrait::IsTerminator>();
      return;
    }
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (MemoryEffects::EffectInstance &effect : effects) {
      bool isWrite = isa<MemoryEffects::Write>(effect.getEffect());
      if (effect.getValue() &&
          (isWrite || isa<MemoryEffects::Read>(effect.getEffect())))
        add(effect.getValue(), isWrite);
      else
        isUnknown = true;
    }
  });
}

void BufferAccesses::add(const BufferAccesses &others) {
  reads.insert_range(others.reads);
  writes.insert_range(others.writes);
  isUnknown |= others.isUnknown;
}

bool BufferAccesses::canRepeat() const {
  return !isUnknown && llvm::none_of(writes, [&](Value root) {
    return reads.contains(root);
  });
}

bool BufferAccesses::isIndependentOf(const BufferAccesses &others) const {
  auto isUsed = [](Value root, const BufferAccesses &accesses) {
    return accesses.reads.contains(root) || accesses.writes.contains(root);
  };
  return !isUnknown && !others.isUnknown && llvm::none_of(writes, [&](Value r) {
    return isUsed(r, others);
  }) && llvm::none_of(others.writes, [&](Value r) { return isUsed(r, *this); });
}
