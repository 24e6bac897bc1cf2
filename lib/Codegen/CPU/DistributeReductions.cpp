//===- DistributeReductions.cpp - Distribute reductions among threads -----===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread computes some of the results, such as channels of a convolution
// or rows of a matmul, and accumulates each in the same order as a single
// thread, so that the bits do not depend on the number of threads.
//
//===----------------------------------------------------------------------===//

#include "../Common/LinalgUtils.h"
#include "TileCleanup.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/Indices.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/InterleavedRange.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATDISTRIBUTEREDUCTIONSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-distribute-reductions"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// The minimum number of iterations of all loops. Waking threads takes as long
/// as some ten thousand multiplications.
static constexpr int64_t kMinSteps = 1 << 19;
/// The maximum number of shares. More would only shorten the loops of each.
static constexpr int64_t kMaxShares = 64;

/// Whether the op has a reduction and its results can be distributed: no two
/// threads may write the same byte.
static bool canDistribute(GenericOp op) {
  return op.hasPureBufferSemantics() && op.getNumReductionLoops() > 0 &&
         !op->getParentOfType<scf::ForallOp>() && !op.hasIndexSemantics() &&
         llvm::all_of(op.getDpsInits(),
                      [](Value init) {
                        return !isPackedElementType(
                            cast<MemRefType>(init.getType()).getElementType());
                      }) &&
         llvm::all_of(op.getIndexingMapsArray().back().getResults(),
                      [](AffineExpr index) { return getLoop(index); });
}

/// Whether indices of a part of the loop differ from those of the full loop by
/// a constant offset. Block indices require that parts start at block
/// boundaries, or that a block consists of full parts.
static bool canSplit(GenericOp op, unsigned loop, int64_t share) {
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return llvm::all_of(map.getResults(), [&](AffineExpr index) {
      if (hasEqualSteps(index, loop))
        return true;
      std::optional<BlockIndex> block = getBlockIndex(index);
      return block && getLoop(block->position) == loop &&
             (share % block->size == 0 || block->size % share == 0);
    });
  });
}

/// Returns the number of iterations in each share. All shares are equal, and a
/// multiple of one of the units, of the first one if possible. There is one
/// share per thread; if that is impossible or the number of threads is unknown
/// (0), at least kMinShares shares, else as many as possible. Returns 0 if
/// the loop cannot be divided.
static int64_t getShare(GenericOp op, unsigned loop, ArrayRef<int64_t> units,
                        unsigned threads) {
  constexpr int64_t kMinShares = 8;
  int64_t extent = op.getStaticLoopRanges()[loop];
  auto isValid = [&](int64_t shares, int64_t unit) {
    return extent % shares == 0 && (extent / shares) % unit == 0 &&
           canSplit(op, loop, extent / shares);
  };
  if (threads > 1 && threads <= kMaxShares)
    for (int64_t unit : units)
      if (isValid(threads, unit))
        return extent / threads;
  int64_t share = 0;
  for (int64_t unit : units)
    for (int64_t shares = std::min(kMaxShares, extent / unit);
         shares > 1 && (!share || shares > extent / share); --shares)
      if (isValid(shares, unit)) {
        share = extent / shares;
        if (shares >= kMinShares)
          return share;
      }
  return share;
}

/// Returns the tile sizes that divide the op into shares; 0 for loops that are
/// not divided.
static SmallVector<int64_t> chooseShares(GenericOp op, unsigned threads) {
  // 16 rows share a packed panel (MatmulPanels.cpp), and 4 rows share loads.
  constexpr int64_t kRows[] = {16, 4, 1};
  constexpr int64_t kColumns[] = {64};
  const int64_t minShares = threads > 1 ? std::min(threads, 4u) : 4;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t steps = 1;
  for (int64_t range : ranges) {
    if (range == 0)
      return {};
    // A dynamic size counts as one iteration.
    if (ShapedType::isDynamic(range))
      continue;
    steps = std::min<int64_t>(steps * range, kMinSteps);
    if (range > kMinSteps)
      steps = kMinSteps;
  }
  AffineMap output = op.getIndexingMapsArray().back();
  if (steps < kMinSteps || output.getNumResults() == 0)
    return {};
  SmallVector<int64_t> shares(ranges.size(), 0);
  unsigned column = *getLoop(output.getResults().back());
  // Prefer outer dimensions: batches and groups share no operands, rows share
  // one. Columns are divided into multiples of full vectors.
  std::optional<unsigned> chosen;
  int64_t share = 0, best = 0;
  auto consider = [&](unsigned loop, ArrayRef<int64_t> units) {
    if (ShapedType::isDynamic(ranges[loop]))
      return;
    int64_t candidate = getShare(op, loop, units, threads);
    int64_t count = candidate ? ranges[loop] / candidate : 0;
    // Prefer loops that give all threads the same amount of work.
    if (threads > 1 && count % threads == 0)
      count *= kMaxShares;
    if (count <= best)
      return;
    chosen = loop;
    share = candidate;
    best = count;
  };
  for (AffineExpr index : output.getResults().drop_back())
    consider(*getLoop(index), kRows);
  if (best < minShares)
    consider(column, kColumns);
  if (!chosen)
    return {};
  shares[*chosen] = share;
  return shares;
}

namespace {
struct DistributeReductions final
    : quant_float::impl::QuantFloatDistributeReductionsPassBase<
          DistributeReductions> {
  using QuantFloatDistributeReductionsPassBase::
      QuantFloatDistributeReductionsPassBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (GenericOp op : collectGenericOps(getOperation(), canDistribute)) {
      SmallVector<int64_t> shares = chooseShares(op, threads);
      if (shares.empty()) {
        LDBG() << "one thread computes the reduction at " << op.getLoc();
        continue;
      }
      LDBG() << "distributing the reduction at " << op.getLoc()
             << " by tiles of " << llvm::interleaved_array(shares);
      scf::SCFTilingOptions options;
      options.setTileSizes(getAsIndexOpFoldResult(&getContext(), shares));
      options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
      rewriter.setInsertionPoint(op);
      FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
          rewriter, cast<TilingInterface>(op.getOperation()), options);
      if (failed(tiled))
        continue;
      ++numDistributed;
      for (Operation *tile : tiled->tiledOps)
        widenSlices(rewriter, cast<GenericOp>(tile),
                    [&](unsigned loop) { return shares[loop] != 0; });
      rewriter.eraseOp(op);
    }
  }
};
} // namespace
