//===- PrivatizeDpsInits.cpp - Separate inits of writers ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATPRIVATIZEDPSINITSPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-privatize-dps-inits"

using namespace mlir;
using namespace mlir::quant_float;
using bufferization::MaterializeInDestinationOp;

/// Whether the op only fills a tensor, with one value or with a broadcast of
/// another tensor.
static bool isFill(Operation *op) {
  auto generic = dyn_cast<linalg::GenericOp>(op);
  return isa<linalg::FillOp, linalg::BroadcastOp>(op) ||
         (generic && generic.getNumReductionLoops() == 0 &&
          generic.getBody()->getOperations().size() == 1);
}

/// Creates a separate tensor for the use: a clone of the fill, or a copy.
static Value separate(OpOperand &use) {
  Operation *source = use.get().getDefiningOp();
  OpBuilder builder(use.getOwner());
  if (isFill(source))
    return builder.clone(*source)->getResult(
        cast<OpResult>(use.get()).getResultNumber());
  return bufferization::AllocTensorOp::create(
      builder, use.getOwner()->getLoc(),
      cast<RankedTensorType>(use.get().getType()),
      /*dynamicSizes=*/ValueRange(), /*copy=*/use.get());
}

/// Clones empty tensors for each of their users. Skips tensors with dynamic
/// sizes, which buffer planning does not place, and users in loops, where each
/// iteration would have a tensor. Returns the number of clones.
static unsigned separateEmpty(Operation *root) {
  unsigned clones = 0;
  SmallVector<tensor::EmptyOp> ops;
  root->walk([&](tensor::EmptyOp op) { ops.push_back(op); });
  for (tensor::EmptyOp op : ops) {
    if (!op.getType().hasStaticShape())
      continue;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      Operation *user = use.getOwner();
      if (op->hasOneUse() || user->getBlock() != op->getBlock())
        continue;
      OpBuilder builder(user);
      use.set(builder.clone(*op)->getResult(0));
      ++clones;
    }
  }
  return clones;
}

namespace {
struct PrivatizeDpsInits final
    : quant_float::impl::QuantFloatPrivatizeDpsInitsPassBase<
          PrivatizeDpsInits> {
  using QuantFloatPrivatizeDpsInitsPassBase::
      QuantFloatPrivatizeDpsInitsPassBase;

  void runOnOperation() override {
    bufferization::BufferizationOptions options;
    bufferization::AnalysisState state(options);
    auto isWritten = [&](OpOperand &use) {
      return isa<RankedTensorType>(use.get().getType()) &&
             state.bufferizesToMemoryWrite(use);
    };
    SmallVector<OpOperand *> written;
    getOperation()->walk([&](Operation *op) {
      for (OpOperand &use : op->getOpOperands())
        if (Operation *source = use.get().getDefiningOp();
            source && !isa<tensor::EmptyOp>(source) && isWritten(use))
          written.push_back(&use);
    });
    // If a fill has several writers, clone it for all of them, including the
    // last one: a fill is best right before its use.
    llvm::SmallSetVector<Operation *, 8> fills;
    for (OpOperand *use : written) {
      bool isShared = llvm::any_of(use->get().getUses(), [&](OpOperand &other) {
        return &other != use &&
               (isa<MaterializeInDestinationOp>(other.getOwner()) ||
                isWritten(other));
      });
      Operation *source = use->get().getDefiningOp();
      if (isShared && isFill(source))
        fills.insert(source);
      if (isShared || fills.contains(source)) {
        LDBG() << (isFill(source) ? "cloning " : "copying ") << source->getLoc()
               << " for " << use->getOwner()->getLoc();
        use->set(separate(*use));
        ++numPrivatized;
      }
    }
    for (Operation *fill : fills)
      if (isOpTriviallyDead(fill))
        fill->erase();
    if (empty)
      numPrivatized += separateEmpty(getOperation());
  }
};
} // namespace
