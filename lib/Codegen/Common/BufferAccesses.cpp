//===- BufferAccesses.cpp - Memory accesses of ops ------------------------===//
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
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/Support/BufferSize.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the view if `buffer` is one of several buffers in an allocation by
/// PlanBuffers, else null. Such a view is a root as well.
static memref::ViewOp getPart(Value buffer) {
  auto view = buffer.getDefiningOp<memref::ViewOp>();
  return view && view.getType().hasStaticShape() &&
                 getConstantIntValue(view.getByteShift()) &&
                 view.getSource().getDefiningOp<memref::AllocOp>()
             ? view
             : memref::ViewOp();
}

Value quant_float::getRoot(Value buffer) {
  while (auto view = buffer.getDefiningOp<ViewLikeOpInterface>()) {
    if (getPart(buffer))
      return buffer;
    buffer = view.getViewSource();
  }
  return buffer;
}

/// Whether two roots overlap.
static bool overlap(Value lhs, Value rhs) {
  if (lhs == rhs)
    return true;
  memref::ViewOp parts[] = {getPart(lhs), getPart(rhs)};
  if (!parts[0] || !parts[1])
    return (parts[0] && parts[0].getSource() == rhs) ||
           (parts[1] && parts[1].getSource() == lhs);
  if (parts[0].getSource() != parts[1].getSource())
    return false;
  uint64_t from[2], to[2];
  for (unsigned i : {0, 1}) {
    from[i] = *getConstantIntValue(parts[i].getByteShift());
    to[i] = from[i] + getStaticBytes(parts[i].getType());
  }
  return from[0] < to[1] && from[1] < to[0];
}

static bool overlapAny(Value root, const llvm::SmallPtrSet<Value, 4> &roots) {
  return llvm::any_of(roots, [&](Value other) { return overlap(root, other); });
}

/// Whether no other root aliases this one, unless both are only read.
static bool isUnaliased(Value root) {
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    Operation *parent = argument.getOwner()->getParentOp();
    return isa<FunctionOpInterface>(parent) &&
           (parent->hasAttr(kEntryPointAttrName) ||
            parent->hasAttr(kNoAliasAttrName));
  }
  Operation *op = root.getDefiningOp();
  return isa<memref::GetGlobalOp>(op) || getPart(root) ||
         hasEffect<MemoryEffects::Allocate>(op, root);
}

void BufferAccesses::add(Value buffer, bool isWrite) {
  Value root = getRoot(buffer);
  isUnknown |= !isUnaliased(root);
  (isWrite ? writes : reads).insert(root);
}

void BufferAccesses::add(Operation *op) {
  op->walk([&](Operation *inner) {
    // Prefetches do not change results.
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
      if (isa<MemoryEffects::Allocate>(effect.getEffect()))
        continue;
      // A deallocation counts as a write.
      bool isWrite =
          isa<MemoryEffects::Write, MemoryEffects::Free>(effect.getEffect());
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
    return overlapAny(root, reads);
  });
}

bool BufferAccesses::areDisjoint(ValueRange buffers) const {
  SmallVector<Value> roots;
  for (Value buffer : buffers)
    if (isa<BaseMemRefType>(buffer.getType()))
      roots.push_back(getRoot(buffer));
  for (auto [i, root] : llvm::enumerate(roots))
    for (Value other : ArrayRef(roots).drop_front(i + 1))
      if (overlap(root, other) &&
          (overlapAny(root, writes) || overlapAny(other, writes)))
        return false;
  return !isUnknown;
}

bool BufferAccesses::isIndependentOf(const BufferAccesses &others) const {
  auto isUsed = [](Value root, const BufferAccesses &accesses) {
    return overlapAny(root, accesses.reads) ||
           overlapAny(root, accesses.writes);
  };
  return !isUnknown && !others.isUnknown && llvm::none_of(writes, [&](Value r) {
    return isUsed(r, others);
  }) && llvm::none_of(others.writes, [&](Value r) { return isUsed(r, *this); });
}
