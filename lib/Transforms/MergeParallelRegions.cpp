//===- MergeParallelRegions.cpp - Threads go on to the next loop ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To wake threads and to wait for them takes as long as some ten thousand
// elements. Loops that follow each other need it once:
//
// omp.parallel { omp.wsloop {A} }        omp.parallel {
// omp.parallel { omp.wsloop {B} }   ->     omp.wsloop nowait {A}
//                                          omp.wsloop {B}
//                                        }
//
// Without `nowait` all threads meet after a loop, so that what comes next sees
// what it wrote.
//
//===----------------------------------------------------------------------===//

#include "BufferAccesses.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATMERGEPARALLELREGIONSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the threads are these, and nobody has variables of their own.
static bool isPlain(omp::ParallelOp op) {
  return op.getRegion().hasOneBlock() &&
         op.getRegion().getNumArguments() == 0 && !op.getIfExpr() &&
         op.getAllocateVars().empty();
}

/// The region next to it, in whose way nothing is but what can come before
/// both.
static omp::ParallelOp findNext(omp::ParallelOp region) {
  SmallVector<Operation *> between;
  BufferAccesses accesses;
  accesses.add(region);
  for (Operation *op = region->getNextNode(); op; op = op->getNextNode()) {
    if (auto next = dyn_cast<omp::ParallelOp>(op)) {
      if (!isPlain(next) || next.getNumThreads() != region.getNumThreads())
        return {};
      for (Operation *other : between)
        other->moveBefore(region);
      return next;
    }
    BufferAccesses own;
    own.add(op);
    if (!own.isReading() || !own.isIndependentOf(accesses))
      return {};
    between.push_back(op);
  }
  return {};
}

/// Lets threads go on where what follows does not depend on what they wait for.
static void relaxBarriers(omp::ParallelOp region) {
  // All loops since threads met.
  BufferAccesses open;
  omp::WsloopOp last;
  for (Operation &op : region.getRegion().front()) {
    auto loop = dyn_cast<omp::WsloopOp>(op);
    BufferAccesses own;
    own.add(&op);
    if (!loop) {
      open.add(own);
      continue;
    }
    if (last && own.isIndependentOf(open))
      last.setNowait(true);
    else
      open = {};
    open.add(own);
    last = loop;
  }
}

namespace {
struct MergeParallelRegions final
    : quant_float::impl::QuantFloatMergeParallelRegionsPassBase<
          MergeParallelRegions> {
  void runOnOperation() override {
    SmallVector<omp::ParallelOp> regions;
    getOperation()->walk([&](omp::ParallelOp op) { regions.push_back(op); });
    llvm::SmallPtrSet<Operation *, 8> merged;
    for (omp::ParallelOp region : regions) {
      if (merged.contains(region) || !isPlain(region))
        continue;
      Block &body = region.getRegion().front();
      while (omp::ParallelOp next = findNext(region)) {
        Block &more = next.getRegion().front();
        body.getTerminator()->erase();
        body.getOperations().splice(body.end(), more.getOperations());
        merged.insert(next);
        next->erase();
      }
      relaxBarriers(region);
    }
  }
};
} // namespace
