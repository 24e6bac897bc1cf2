//===- FuseParallelRegions.cpp - Fuse consecutive parallel regions --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Waking threads and waiting for them takes as long as some ten thousand
// elements. Consecutive parallel loops need it only once:
//
// omp.parallel { omp.wsloop {A} }        omp.parallel {
// omp.parallel { omp.wsloop {B} }   ->     omp.wsloop nowait {A}
//                                          omp.wsloop {B}
//                                        }
//
// Without `nowait`, a barrier at the end of a loop makes its results visible to
// the following loops.
//
//===----------------------------------------------------------------------===//

#include "../Common/BufferAccesses.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFUSEPARALLELREGIONSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-fuse-parallel-regions"

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the region is unconditional and has no private variables.
static bool isPlain(omp::ParallelOp op) {
  return op.getRegion().hasOneBlock() &&
         op.getRegion().getNumArguments() == 0 && !op.getIfExpr() &&
         op.getAllocateVars().empty();
}

/// Returns the next region that can be fused, or null. Moves the ops in between
/// before both regions; they must only read, and be independent of `region`.
static omp::ParallelOp findNext(omp::ParallelOp region) {
  SmallVector<Operation *> between;
  BufferAccesses accesses(region);
  for (Operation *op = region->getNextNode(); op; op = op->getNextNode()) {
    if (auto next = dyn_cast<omp::ParallelOp>(op)) {
      if (!isPlain(next) || next.getNumThreads() != region.getNumThreads())
        return {};
      for (Operation *other : between)
        other->moveBefore(region);
      return next;
    }
    BufferAccesses opAccesses(op);
    if (!opAccesses.isReading() || !opAccesses.isIndependentOf(accesses))
      return {};
    between.push_back(op);
  }
  return {};
}

/// Removes the barrier after each loop on which the next one does not depend.
static void relaxBarriers(omp::ParallelOp region) {
  // The accesses of all loops since the last barrier.
  BufferAccesses openAccesses;
  omp::WsloopOp last;
  for (Operation &op : region.getRegion().front()) {
    auto loop = dyn_cast<omp::WsloopOp>(op);
    BufferAccesses opAccesses(&op);
    if (!loop) {
      openAccesses.add(opAccesses);
      continue;
    }
    if (last && opAccesses.isIndependentOf(openAccesses))
      last.setNowait(true);
    else
      openAccesses = {};
    openAccesses.add(opAccesses);
    last = loop;
  }
}

namespace {
struct FuseParallelRegions final
    : quant_float::impl::QuantFloatFuseParallelRegionsPassBase<
          FuseParallelRegions> {
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
        LDBG() << "fusing the region at " << next.getLoc()
               << " into the one at " << region.getLoc();
        ++numFused;
        merged.insert(next);
        next->erase();
      }
      relaxBarriers(region);
    }
  }
};
} // namespace
