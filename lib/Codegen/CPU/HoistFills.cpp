//===- HoistFills.cpp - Hoist fills of padded buffers out of loops --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over the channels of a convolution pads one image after another in the
// same buffer: it fills the buffer and copies the image to the interior. The
// interior is the same in each iteration, so the border keeps its value.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "quant-float/Codegen/CPU/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATHOISTFILLSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the buffer that the op fills with a value from outside of the loop,
/// or null if the op is not a fill.
static Value getFilled(scf::ForOp loop, linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return {};
  Value value = op.getBlock()->getTerminator()->getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (argument.getOwner() == op.getBlock()) {
      OpOperand *operand = op.getMatchingOpOperand(argument);
      if (!op.isScalar(operand))
        return {};
      value = operand->get();
    }
  return loop.isDefinedOutsideOfLoop(value) ? op.getDpsInits()[0] : Value();
}

/// Whether the op writes all elements of its operand `target` and reads none of
/// them.
static bool overwrites(OpOperand &target) {
  Operation *op = target.getOwner();
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return target.get() == copy.getTarget() &&
           copy.getSource() != copy.getTarget();
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  return linalgOp && linalgOp.hasPureBufferSemantics() &&
         linalgOp.isDpsInit(&target) &&
         linalgOp.getNumParallelLoops() == linalgOp.getNumLoops() &&
         !linalgOp.payloadUsesValueFromOperand(&target) &&
         linalgOp.getMatchingIndexingMap(&target).isPermutation();
}

/// Whether the op only reads its operand.
static bool onlyReads(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto copy = dyn_cast<memref::CopyOp>(op))
    return operand.get() != copy.getTarget();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasPureBufferSemantics() && linalgOp.isDpsInput(&operand);
  return isa<memref::LoadOp, memref::DimOp>(op);
}

/// Whether the buffer has the same contents after the fill in each iteration,
/// except where the iteration overwrites it before it reads: all other writes
/// are to fixed parts, and reads follow.
static bool canHoist(scf::ForOp loop, Operation *fill, Value buffer) {
  Block *body = fill->getBlock();
  SmallVector<Value> views = {buffer};
  SmallVector<Operation *> writes, reads;
  for (size_t i = 0; i < views.size(); ++i)
    for (OpOperand &use : views[i].getUses()) {
      Operation *op = use.getOwner();
      if (op == fill || isa<memref::DeallocOp>(op))
        continue;
      Operation *ancestor = body->findAncestorOpInBlock(*op);
      if (auto view = dyn_cast<ViewLikeOpInterface>(op)) {
        views.push_back(view.getViewDest());
        continue;
      }
      if (!ancestor || !fill->isBeforeInBlock(ancestor))
        return false;
      if (onlyReads(use)) {
        reads.push_back(ancestor);
        continue;
      }
      // The part that is written must not depend on the iteration.
      for (Value view = use.get(); view != buffer;
           view = view.getDefiningOp<ViewLikeOpInterface>().getViewSource())
        if (!llvm::all_of(
                view.getDefiningOp()->getOperands().drop_front(),
                [&](Value size) { return loop.isDefinedOutsideOfLoop(size); }))
          return false;
      if (op->getBlock() != body || !overwrites(use))
        return false;
      writes.push_back(op);
    }
  return llvm::all_of(writes, [&](Operation *write) {
    return llvm::all_of(reads, [&](Operation *read) {
      return write != read && write->isBeforeInBlock(read);
    });
  });
}

namespace {
struct HoistFills final
    : quant_float::impl::QuantFloatHoistFillsPassBase<HoistFills> {
  void runOnOperation() override {
    // The fill of an inner loop may also leave the outer one.
    getOperation()->walk([&](scf::ForOp loop) {
      for (linalg::LinalgOp op :
           llvm::to_vector(loop.getBody()->getOps<linalg::LinalgOp>())) {
        Value buffer = getFilled(loop, op);
        if (buffer && buffer.getDefiningOp<memref::AllocOp>() &&
            loop.isDefinedOutsideOfLoop(buffer) && canHoist(loop, op, buffer)) {
          loop.moveOutOfLoop(op);
          ++numHoisted;
        }
      }
    });
  }
};
} // namespace
