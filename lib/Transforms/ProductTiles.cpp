//===- ProductTiles.cpp - Tiles of products of matrices -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A large tile reads less for each product, a small one fits small results and
// leaves none of the chip's multiprocessors without a block. Counted is
//
//   max(blocks, multiprocessors) * (rows * columns + weight * (rows + columns))
//
// where `weight` is how many products take as long as reading one element.
//
//===----------------------------------------------------------------------===//

#include "ProductTiles.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr ProductTile kTiles[] = {
#define QUANT_FLOAT_PRODUCT_TILE(Kind, Rows, Columns, ShareRows, ShareColumns) \
  {TileKind::Kind, Rows, Columns, ShareRows, ShareColumns},
#include "ProductTiles.def"
};

/// About as many as large chips have: 108 to 148.
static constexpr int64_t kMultiprocessors = 128;
/// Bytes of sums that a thread has registers for, beside what it multiplies.
static constexpr int64_t kMostSumBytes = 64 * 4;
/// What open sizes are taken for, where the choice is made when compiling.
static constexpr int64_t kLarge = 1 << 16, kSmall = 64;
/// Beyond that a size is large, whatever the exact one is.
static constexpr int64_t kLargest = 1 << 20;

int64_t ProductTile::getWork() const {
  int64_t weight = kind == TileKind::Warps ? 64 : 32;
  return rows * columns + weight * (rows + columns);
}

namespace {
/// How large a result is: of how many matrices, and of which size.
struct Extents {
  int64_t matrices = 1, rows = 1, columns = 1;
};
} // namespace

static Extents getExtents(const GpuProduct &product, int64_t open) {
  linalg::GenericOp op = product.op;
  Extents extents;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  for (unsigned loop : parallel) {
    bool isRow = llvm::is_contained(product.left.rows, loop);
    bool isColumn = llvm::is_contained(product.right.rows, loop);
    int64_t range = ranges[loop];
    // One open size of several may be small: the others tell enough.
    if (ShapedType::isDynamic(range))
      range = isRow || isColumn ? open : 1;
    int64_t &extent = isRow      ? extents.rows
                      : isColumn ? extents.columns
                                 : extents.matrices;
    extent = std::min(extent * std::min(range, kLargest), kLargest);
  }
  return extents;
}

static const ProductTile *chooseTile(const GpuProduct &product, TileKind kind,
                                     int64_t sumBytes, int64_t open) {
  Extents extents = getExtents(product, open);
  const ProductTile *best = nullptr;
  double least = 0;
  for (const ProductTile &tile : kTiles) {
    bool hasRegisters =
        kind == TileKind::Warps ||
        tile.shareRows * tile.shareColumns * sumBytes <= kMostSumBytes;
    if (tile.kind != kind || !hasRegisters)
      continue;
    double blocks = double(extents.matrices) *
                    llvm::divideCeil(extents.rows, tile.rows) *
                    llvm::divideCeil(extents.columns, tile.columns);
    double work = std::max<double>(blocks, kMultiprocessors) * tile.getWork();
    if (best && work >= least)
      continue;
    best = &tile;
    least = work;
  }
  return best;
}

SmallVector<const ProductTile *, 2>
quant_float::chooseTiles(const GpuProduct &product, TileKind kind,
                         int64_t sumBytes) {
  SmallVector<const ProductTile *, 2> tiles;
  for (int64_t open : {kLarge, kSmall}) {
    const ProductTile *tile = chooseTile(product, kind, sumBytes, open);
    if (!llvm::is_contained(tiles, tile))
      tiles.push_back(tile);
  }
  return tiles;
}

Value quant_float::isLessWork(KernelLaunches &launches,
                              const GpuProduct &product,
                              const ProductTile &first,
                              const ProductTile &second) {
  IRRewriter &rewriter = launches.rewriter;
  Location loc = launches.loc;
  linalg::GenericOp generic = product.op;
  auto op = cast<linalg::LinalgOp>(generic.getOperation());
  SmallVector<Value> extents;
  for (Range range : op.createLoopRanges(rewriter, loc))
    extents.push_back(
        getValueOrCreateConstantIndexOp(rewriter, loc, range.size));
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  auto getWork = [&](const ProductTile &tile) -> Value {
    Value rows = launches.index(1), columns = launches.index(1);
    Value blocks = launches.index(1);
    for (unsigned loop : parallel) {
      Value &extent = llvm::is_contained(product.left.rows, loop)    ? rows
                      : llvm::is_contained(product.right.rows, loop) ? columns
                                                                     : blocks;
      extent = launches.multiply(extent, extents[loop]);
    }
    for (auto [extent, size] :
         {std::pair(rows, tile.rows), std::pair(columns, tile.columns)})
      blocks =
          launches.multiply(blocks, rewriter.createOrFold<arith::CeilDivUIOp>(
                                        loc, extent, launches.index(size)));
    blocks = rewriter.createOrFold<arith::MaxUIOp>(
        loc, blocks, launches.index(kMultiprocessors));
    return launches.multiply(blocks, launches.index(tile.getWork()));
  };
  return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                               getWork(first), getWork(second));
}
