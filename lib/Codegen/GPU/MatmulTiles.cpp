//===- MatmulTiles.cpp - Tile sizes of GPU matmuls ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Large tiles load less for each multiplication. Small tiles fit small results
// and occupy all multiprocessors of the chip. The cost of a tile is
//
//   max(blocks, multiprocessors) * (rows * columns + weight * (rows + columns))
//
// where `weight` is the number of multiplications that take as long as a load.
//
//===----------------------------------------------------------------------===//

#include "MatmulTiles.h"
#include "../Common/LinalgUtils.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr MatmulTile kTiles[] = {
#define QUANT_FLOAT_MATMUL_TILE(Strategy, Rows, Columns, PartRows,             \
                                PartColumns)                                   \
  {LoweringStrategy::Strategy, Rows, Columns, PartRows, PartColumns},
#include "MatmulTiles.def"
};

/// The approximate number of multiprocessors of large chips, which have 108 to
/// 148.
static constexpr int64_t kMultiprocessors = 128;
/// The maximum size of a thread's accumulators in bytes, which leaves registers
/// for the operands.
static constexpr int64_t kMaxAccumulatorBytes = 64 * 4;
/// The values that stand for dynamic sizes in the choice at compile time.
static constexpr int64_t kLarge = 1 << 16, kSmall = 64;
/// Sizes are clamped to this value to avoid overflow.
static constexpr int64_t kMaxSize = 1 << 20;

const MatmulTile *MatmulTile::find(LoweringStrategy strategy,
                                   ArrayRef<int64_t> sizes) {
  for (const MatmulTile &tile : kTiles)
    if (tile.strategy == strategy && ArrayRef(tile.getSizes()) == sizes)
      return &tile;
  return nullptr;
}

int64_t MatmulTile::getCost() const {
  int64_t weight = strategy == LoweringStrategy::Warpgroup    ? 128
                   : strategy == LoweringStrategy::TensorCore ? 64
                                                              : 32;
  return rows * columns + weight * (rows + columns);
}

namespace {
/// The size of a result: the number of matrices, and their rows and columns.
struct Extents {
  int64_t matrices = 1, rows = 1, columns = 1;
};
} // namespace

static Extents getExtents(const GpuMatmul &matmul, int64_t dynamicSize) {
  linalg::GenericOp op = matmul.op;
  Extents extents;
  ArrayRef<int64_t> ranges = matmul.contraction.ranges;
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  for (unsigned loop : parallel) {
    bool isRow = llvm::is_contained(matmul.lhs.rows, loop);
    bool isColumn = llvm::is_contained(matmul.rhs.rows, loop);
    int64_t range = ranges[loop];
    // Dynamic rows and columns have the assumed size. A dynamic batch size may
    // be small, so it counts as 1.
    if (ShapedType::isDynamic(range))
      range = isRow || isColumn ? dynamicSize : 1;
    int64_t &extent = isRow      ? extents.rows
                      : isColumn ? extents.columns
                                 : extents.matrices;
    extent = std::min(extent * std::min(range, kMaxSize), kMaxSize);
  }
  return extents;
}

static const MatmulTile *chooseTile(const GpuMatmul &matmul,
                                    LoweringStrategy strategy,
                                    int64_t accumulatorBytes,
                                    int64_t dynamicSize) {
  Extents extents = getExtents(matmul, dynamicSize);
  const MatmulTile *best = nullptr;
  double minCost = 0;
  for (const MatmulTile &tile : kTiles) {
    bool hasRegisters = strategy == LoweringStrategy::TensorCore ||
                        strategy == LoweringStrategy::Warpgroup ||
                        tile.partRows * tile.partColumns * accumulatorBytes <=
                            kMaxAccumulatorBytes;
    if (tile.strategy != strategy || !hasRegisters)
      continue;
    double blocks = double(extents.matrices) *
                    llvm::divideCeil(extents.rows, tile.rows) *
                    llvm::divideCeil(extents.columns, tile.columns);
    double cost = std::max<double>(blocks, kMultiprocessors) * tile.getCost();
    if (best && cost >= minCost)
      continue;
    best = &tile;
    minCost = cost;
  }
  return best;
}

SmallVector<const MatmulTile *, 2>
quant_float::chooseTiles(const GpuMatmul &matmul, LoweringStrategy strategy,
                         int64_t accumulatorBytes) {
  SmallVector<const MatmulTile *, 2> tiles;
  for (int64_t dynamicSize : {kLarge, kSmall}) {
    const MatmulTile *tile =
        chooseTile(matmul, strategy, accumulatorBytes, dynamicSize);
    if (!llvm::is_contained(tiles, tile))
      tiles.push_back(tile);
  }
  return tiles;
}

Value quant_float::isCheaper(KernelLaunches &launches, const GpuMatmul &matmul,
                             const MatmulTile &first,
                             const MatmulTile &second) {
  IRRewriter &rewriter = launches.rewriter;
  Location loc = launches.loc;
  linalg::GenericOp op = matmul.op;
  SmallVector<Value> extents = createLoopExtents(rewriter, loc, op);
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  auto getCost = [&](const MatmulTile &tile) -> Value {
    Value rows = launches.index(1), columns = launches.index(1);
    Value blocks = launches.index(1);
    for (unsigned loop : parallel) {
      Value &extent = llvm::is_contained(matmul.lhs.rows, loop)   ? rows
                      : llvm::is_contained(matmul.rhs.rows, loop) ? columns
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
    return launches.multiply(blocks, launches.index(tile.getCost()));
  };
  return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                               getCost(first), getCost(second));
}
