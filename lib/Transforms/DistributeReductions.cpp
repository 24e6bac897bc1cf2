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

/// The part of `extent` that is a share, all alike: a multiple of one of the
/// units, of the first if possible. One share for each thread, whose number is
/// 0 if it is not known, or else as many as allowed; 0 if there is no such
/// part.
static int64_t getShare(int64_t extent, ArrayRef<int64_t> units,
                        unsigned threads) {
  constexpr int64_t kEnoughShares = 8;
  if (threads > 1 && threads <= kMostShares)
    for (int64_t unit : units)
      if (extent % threads == 0 && (extent / threads) % unit == 0)
        return extent / threads;
  int64_t found = 0;
  for (int64_t unit : units)
    for (int64_t shares = std::min(kMostShares, extent / unit);
         shares > 1 && (!found || shares > extent / found); --shares)
      if (extent % shares == 0 && (extent / shares) % unit == 0) {
        if (shares >= kEnoughShares)
          return extent / shares;
        found = extent / shares;
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
  int64_t share = 0;
  for (AffineExpr index : output.getResults().drop_back()) {
    unsigned loop = *getLoop(index);
    if (ShapedType::isDynamic(ranges[loop]))
      continue;
    int64_t candidate = getShare(ranges[loop], kRows, threads);
    if (candidate &&
        (!chosen || ranges[loop] / candidate > ranges[*chosen] / share)) {
      chosen = loop;
      share = candidate;
    }
  }
  if (!ShapedType::isDynamic(ranges[column]) &&
      (!chosen || ranges[*chosen] / share < fewShares)) {
    int64_t candidate = getShare(ranges[column], kColumns, threads);
    if (candidate &&
        (!chosen || ranges[column] / candidate > ranges[*chosen] / share)) {
      chosen = column;
      share = candidate;
    }
  }
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
