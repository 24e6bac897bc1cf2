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

#include "MatrixDots.h"
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

/// The greatest part of `extent` that is a multiple of `unit` and leaves as few
/// shares as allowed, all alike; 0 if there is none.
static int64_t getShare(int64_t extent, int64_t unit) {
  for (int64_t shares = std::min(kMostShares, extent / unit); shares > 1;
       --shares)
    if (extent % shares == 0 && (extent / shares) % unit == 0)
      return extent / shares;
  return 0;
}

/// Sizes of the tiles that are shares, 0 for loops that stay whole.
static SmallVector<int64_t> chooseShares(GenericOp op,
                                         const EmulationTarget &target) {
  constexpr int64_t kRows = 4, kColumns = 64, kMatrixRows = 16;
  // Instructions for matrices are for no fewer rows.
  SmallVector<int64_t> units = {kRows, 1};
  if (const MatrixDots *matrix = MatrixDots::find(target, op))
    units = {std::max(matrix->tileRows, kMatrixRows), kMatrixRows, kRows, 1};
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
    int64_t candidate = 0;
    for (int64_t unit : units)
      if ((candidate = getShare(ranges[loop], unit)))
        break;
    if (candidate &&
        (!chosen || ranges[loop] / candidate > ranges[*chosen] / share)) {
      chosen = loop;
      share = candidate;
    }
  }
  if (!ShapedType::isDynamic(ranges[column]) &&
      (!chosen || ranges[*chosen] / share < 4)) {
    int64_t candidate = getShare(ranges[column], kColumns);
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

  LogicalResult initialize(MLIRContext *context) override {
    FailureOr<EmulationTarget> known =
        EmulationTarget::get(context, triple, cpu, features);
    if (succeeded(known))
      target = *known;
    return known;
  }

  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) {
      if (canDistribute(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (GenericOp op : ops) {
      SmallVector<int64_t> shares = chooseShares(op, target);
      if (shares.empty())
        continue;
      scf::SCFTilingOptions options;
      options.setTileSizes(getAsIndexOpFoldResult(&getContext(), shares));
      options.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp);
      rewriter.setInsertionPoint(op);
      if (succeeded(scf::tileUsingSCF(
              rewriter, cast<TilingInterface>(op.getOperation()), options)))
        rewriter.eraseOp(op);
    }
  }

  EmulationTarget target;
};
} // namespace
