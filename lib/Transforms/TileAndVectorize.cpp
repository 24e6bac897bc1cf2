//===- TileAndVectorize.cpp - Loops and vectors for elementwise ops -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ElementwiseLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Transforms/Passes.h"
#include <numeric>

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATTILEANDVECTORIZEPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Elements of a thread's chunk: far more than it costs to hand it out.
static constexpr int64_t kChunkSize = 32768;
/// Below so many elements one thread is faster than several.
static constexpr int64_t kMinParallel = 8 * kChunkSize;

static bool isElementwise(GenericOp op) {
  return op.hasPureBufferSemantics() && op.getNumLoops() > 0 &&
         op.getNumParallelLoops() == op.getNumLoops();
}

static FailureOr<scf::SCFTilingResult>
tile(RewriterBase &rewriter, GenericOp op, int64_t size,
     scf::SCFTilingOptions::LoopType loopType) {
  scf::SCFTilingOptions options;
  options.setTileSizes({rewriter.getIndexAttr(size)});
  options.setLoopType(loopType);
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (succeeded(tiled))
    rewriter.eraseOp(op);
  return tiled;
}

/// Whether there are enough elements for several threads, or that only shows at
/// run time.
static bool mayBeLarge(GenericOp op) {
  int64_t size = 1;
  for (int64_t range : op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(range))
      return true;
    size *= range;
  }
  return size >= kMinParallel;
}

/// Whether the value is a buffer of packed elements.
static bool holdsPacked(Value value) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return type && isPackedElementType(type.getElementType());
}

/// How many indices of the outermost loop one thread takes together, so that no
/// two write elements of the same byte; none where that does not help.
static std::optional<int64_t> getRowsOfThread(GenericOp op) {
  int64_t rows = 1;
  for (OpOperand &output : op.getDpsInitsMutable()) {
    if (!holdsPacked(output.get()))
      continue;
    auto type = cast<MemRefType>(output.get().getType());
    if (!type.getLayout().isIdentity() ||
        !op.getMatchingIndexingMap(&output).isIdentity())
      return std::nullopt;
    // Bits of a row, but for what is a multiple of bytes anyway. A first
    // dimension of one has no loop.
    ArrayRef<int64_t> sizes =
        type.getShape().drop_while([](int64_t size) { return size == 1; });
    int64_t rowBits = type.getElementTypeBitWidth();
    for (int64_t size : sizes.drop_front(!sizes.empty()))
      if (!ShapedType::isDynamic(size))
        rowBits = rowBits * (size % 8) % 8;
    rows = std::lcm(rows, 8 / std::gcd<int64_t>(rowBits, 8));
  }
  return rows;
}

namespace {
struct TileAndVectorize final
    : quant_float::impl::QuantFloatTileAndVectorizePassBase<TileAndVectorize> {
  using QuantFloatTileAndVectorizePassBase::QuantFloatTileAndVectorizePassBase;

  void runOnOperation() override;
  LogicalResult distribute(RewriterBase &rewriter, GenericOp op);
  LogicalResult tileInThreads(RewriterBase &rewriter, GenericOp op);
  LogicalResult tileInOne(RewriterBase &rewriter, GenericOp op);
  LogicalResult tileAndPeel(RewriterBase &rewriter, GenericOp op);
  void simplify();
  void vectorize(RewriterBase &rewriter, GenericOp op);
};
} // namespace

/// Over so many threads that there is work for each; small sizes, which only
/// show at run time, in one: waking threads takes longer than they do.
LogicalResult TileAndVectorize::distribute(RewriterBase &rewriter,
                                           GenericOp op) {
  if (!mayBeLarge(op) || !getRowsOfThread(op))
    return tileInOne(rewriter, op);
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<Range> ranges =
      cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(rewriter, loc);
  Value size;
  for (const Range &range : ranges) {
    Value extent = getValueOrCreateConstantIndexOp(rewriter, loc, range.size);
    size =
        size ? rewriter.createOrFold<arith::MulIOp>(loc, size, extent) : extent;
  }
  if (getConstantIntValue(size))
    return tileInThreads(rewriter, op);
  Value enough = arith::ConstantIndexOp::create(rewriter, loc, kMinParallel);
  Value isLarge = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::sge, size, enough);
  auto branch = scf::IfOp::create(rewriter, loc, isLarge,
                                  /*withElseRegion=*/true);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  auto distributed = cast<GenericOp>(rewriter.clone(*op));
  rewriter.moveOpBefore(op, branch.elseBlock()->getTerminator());
  return failure(failed(tileInOne(rewriter, op)) ||
                 failed(tileInThreads(rewriter, distributed)));
}

/// The size of a single loop's chunks, which begin where blocks and bytes do;
/// none of other loops.
static std::optional<int64_t> getChunkSize(GenericOp op) {
  if (op.getNumLoops() != 1)
    return std::nullopt;
  int64_t unit = 8;
  for (AffineMap map : op.getIndexingMapsArray())
    for (AffineExpr index : map.getResults()) {
      if (isa<AffineDimExpr, AffineConstantExpr>(index))
        continue;
      auto block = dyn_cast<AffineBinaryOpExpr>(index);
      auto size =
          block ? dyn_cast<AffineConstantExpr>(block.getRHS()) : nullptr;
      if (!size || block.getKind() != AffineExprKind::FloorDiv ||
          !isa<AffineDimExpr>(block.getLHS()) || size.getValue() > kChunkSize)
        return std::nullopt;
      unit = std::lcm(unit, size.getValue());
      if (unit > kMinParallel)
        return std::nullopt;
    }
  return llvm::alignTo(kChunkSize, unit);
}

/// One loop in chunks; of several, the outermost.
LogicalResult TileAndVectorize::tileInThreads(RewriterBase &rewriter,
                                              GenericOp op) {
  std::optional<int64_t> chunkSize = getChunkSize(op);
  if (needsLoopsAround(op) && !chunkSize) {
    for (GenericOp inner : buildLoopsAround(rewriter, op, *getRowsOfThread(op)))
      if (failed(tileAndPeel(rewriter, inner)))
        return failure();
    return success();
  }
  FailureOr<scf::SCFTilingResult> chunks =
      tile(rewriter, op, chunkSize.value_or(kChunkSize),
           scf::SCFTilingOptions::LoopType::ForallOp);
  if (failed(chunks))
    return failure();
  return tileInOne(rewriter, cast<GenericOp>(chunks->tiledOps.front()));
}

LogicalResult TileAndVectorize::tileInOne(RewriterBase &rewriter,
                                          GenericOp op) {
  if (!needsLoopsAround(op))
    return tileAndPeel(rewriter, op);
  for (GenericOp inner : buildLoopsAround(rewriter, op))
    if (failed(tileAndPeel(rewriter, inner)))
      return failure();
  return success();
}

LogicalResult TileAndVectorize::tileAndPeel(RewriterBase &rewriter,
                                            GenericOp op) {
  int64_t extent = op.getStaticLoopRanges().back();
  // One vector does for a small op.
  if (!ShapedType::isDynamic(extent) && extent <= tileSize)
    return success();
  FailureOr<scf::SCFTilingResult> tiles =
      tile(rewriter, op, tileSize, scf::SCFTilingOptions::LoopType::ForOp);
  if (failed(tiles))
    return failure();
  auto loop = dyn_cast<scf::ForOp>(tiles->loops.back().getOperation());
  scf::ForOp rest;
  // A loop that has no rest is left alone.
  if (loop)
    (void)scf::peelForLoopAndSimplifyBounds(rewriter, loop, rest);
  return success();
}

/// Brings the static sizes of full tiles into the types.
void TileAndVectorize::simplify() {
  RewritePatternSet patterns =
      linalg::getLinalgTilingCanonicalizationPatterns(&getContext());
  memref::SubViewOp::getCanonicalizationPatterns(patterns, &getContext());
  memref::CastOp::getCanonicalizationPatterns(patterns, &getContext());
  memref::ExpandShapeOp::getCanonicalizationPatterns(patterns, &getContext());
  memref::CollapseShapeOp::getCanonicalizationPatterns(patterns, &getContext());
  GenericOp::getCanonicalizationPatterns(patterns, &getContext());
  (void)applyPatternsGreedily(getOperation(), std::move(patterns));
}

void TileAndVectorize::vectorize(RewriterBase &rewriter, GenericOp op) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  bool isStatic = llvm::none_of(ranges, ShapedType::isDynamic);
  SmallVector<int64_t> sizes;
  if (!isStatic) {
    if (!maskedTail)
      return;
    for (int64_t range : ranges)
      sizes.push_back(ShapedType::isDynamic(range) ? tileSize : range);
  }
  if (failed(linalg::vectorizeOpPrecondition(
          op, sizes, SmallVector<bool>(sizes.size(), false))))
    return;
  rewriter.setInsertionPoint(op);
  FailureOr<linalg::VectorizationResult> vectorized = linalg::vectorize(
      rewriter, op, sizes, SmallVector<bool>(sizes.size(), false));
  if (succeeded(vectorized))
    rewriter.replaceOp(op, vectorized->replacements);
}

void TileAndVectorize::runOnOperation() {
  if (tileSize < 1) {
    getOperation()->emitError()
        << "tile-size: expected 1 or more, but got " << tileSize.getValue();
    return signalPassFailure();
  }
  IRRewriter rewriter(&getContext());
  SmallVector<GenericOp> ops;
  getOperation()->walk([&](GenericOp op) {
    if (isElementwise(op))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  for (GenericOp op : ops) {
    op = collapseLoops(rewriter, loadInvariantInputs(rewriter, op));
    if (failed(parallel ? distribute(rewriter, op) : tileInOne(rewriter, op)))
      return signalPassFailure();
  }
  simplify();
  SmallVector<GenericOp> tiles;
  getOperation()->walk([&](GenericOp op) {
    if (isElementwise(op))
      tiles.push_back(op);
  });
  for (GenericOp op : tiles)
    vectorize(rewriter, op);
}
