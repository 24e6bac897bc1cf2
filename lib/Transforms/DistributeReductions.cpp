//===- DistributeReductions.cpp - Sums of several threads -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread takes some of the results, channels of a convolution or rows of a
// product, and sums each of them as one thread would: the bits are the same
// with any number.
//
//===----------------------------------------------------------------------===//

#include "TileCleanup.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/Indices.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATDISTRIBUTEREDUCTIONSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Steps of all loops: waking threads takes as long as some ten thousand
/// products.
static constexpr int64_t kMinSteps = 1 << 19;
/// More shares than this only make the loops of each shorter.
static constexpr int64_t kMostShares = 64;

/// Whether the op sums, and several threads can write its results: each byte is
/// one's.
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

/// Whether such parts of the loop have the whole's indices, counted from where
/// they begin: blocks begin where parts do, or parts where blocks do.
static bool canCut(GenericOp op, unsigned loop, int64_t share) {
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

/// How much of the loop is a share, all alike: a multiple of one of the units,
/// of the first if possible. One share for each thread, whose number is 0 if it
/// is not known; or enough for most numbers of threads, or else as many as
/// there can be. 0 if there is none.
static int64_t getShare(GenericOp op, unsigned loop, ArrayRef<int64_t> units,
                        unsigned threads) {
  constexpr int64_t kEnoughShares = 8;
  int64_t extent = op.getStaticLoopRanges()[loop];
  auto canHave = [&](int64_t shares, int64_t unit) {
    return extent % shares == 0 && (extent / shares) % unit == 0 &&
           canCut(op, loop, extent / shares);
  };
  if (threads > 1 && threads <= kMostShares)
    for (int64_t unit : units)
      if (canHave(threads, unit))
        return extent / threads;
  int64_t found = 0;
  for (int64_t unit : units)
    for (int64_t shares = std::min(kMostShares, extent / unit);
         shares > 1 && (!found || shares > extent / found); --shares)
      if (canHave(shares, unit)) {
        found = extent / shares;
        if (shares >= kEnoughShares)
          return found;
      }
  return found;
}

/// Sizes of the tiles that are shares, 0 for loops that stay whole.
static SmallVector<int64_t> chooseShares(GenericOp op, unsigned threads) {
  // So many rows share copies of what all of them read (ProductPanels.cpp), or
  // at least loads.
  constexpr int64_t kRows[] = {16, 4, 1};
  constexpr int64_t kColumns[] = {64};
  const int64_t fewShares = threads > 1 ? std::min(threads, 4u) : 4;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  int64_t steps = 1;
  for (int64_t range : ranges) {
    if (range == 0)
      return {};
    // At least one, or nothing is done.
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
  // Images and groups share nothing, rows all that is not their own; columns
  // come in whole vectors.
  std::optional<unsigned> chosen;
  int64_t share = 0, best = 0;
  auto consider = [&](unsigned loop, ArrayRef<int64_t> units) {
    if (ShapedType::isDynamic(ranges[loop]))
      return;
    int64_t candidate = getShare(op, loop, units, threads);
    int64_t count = candidate ? ranges[loop] / candidate : 0;
    // All threads have as much to do.
    if (threads > 1 && count % threads == 0)
      count *= kMostShares;
    if (count <= best)
      return;
    chosen = loop;
    share = candidate;
    best = count;
  };
  for (AffineExpr index : output.getResults().drop_back())
    consider(*getLoop(index), kRows);
  if (best < fewShares)
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
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) {
      if (canDistribute(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (GenericOp op : ops) {
      SmallVector<int64_t> shares = chooseShares(op, threads);
      if (shares.empty())
        continue;
      scf::SCFTilingOptions options;
      options.setTileSizes(getAsIndexOpFoldResult(&getContext(), shares));
      options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
      rewriter.setInsertionPoint(op);
      FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
          rewriter, cast<TilingInterface>(op.getOperation()), options);
      if (failed(tiled))
        continue;
      for (Operation *tile : tiled->tiledOps)
        widenSlices(rewriter, cast<GenericOp>(tile),
                    [&](unsigned loop) { return shares[loop] != 0; });
      rewriter.eraseOp(op);
    }
  }
};
} // namespace
