//===- TiledMatmulKernels.cpp - SIMT matmuls ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread block computes a tile of the result, and each thread a share of
// the tile:
//
//   all: load and dequantize the first elements of both operands
//   for each 16 indices of K, or 64:
//     all: store the loaded elements to workgroup memory
//     barrier
//     all: load the next elements
//     each thread: for each index of K, multiply its rows by its columns
//     barrier
//
// The accumulator of each element of the result starts from the initial value
// and accumulates in the order of K. The bits are those of the op's own loops.
//
//===----------------------------------------------------------------------===//

#include "MatmulTiles.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The maximum number of adjacent elements of a share, which are loaded as one
/// vector. The other vectors of a larger share are a full row of threads
/// away, in other banks.
static constexpr int64_t kMaxAdjacent = 4;
/// The K extent of a tile. It is larger for skinny matmuls, so that their
/// thread blocks have as many loads in flight as others. Their warp unrolls K,
/// so that loads from workgroup memory overlap.
static constexpr int64_t kDepth = 16, kSkinnyDepth = 64;
static constexpr int64_t kSkinnyThreads = 128, kSkinnyUnroll = 8;

namespace {
/// The elements of an operand, indexed by K and row, and the same memory as
/// vectors.
struct Tile {
  Value elements, shares;
  /// The number of rows of the tile, and for each thread the number of adjacent
  /// rows in a vector and the number of vectors.
  int64_t lines, adjacent, vectors;
  /// The index of the thread's first vector, and the distance between its
  /// vectors.
  Value first;
  int64_t step;
};

class TiledKernel : GpuMatmulBuilder {
public:
  TiledKernel(KernelLaunches &launches, const GpuMatmul &matmul,
              const MatmulTile &shape)
      : GpuMatmulBuilder(launches, matmul), shape(shape),
        isSkinny(shape.strategy == LoweringStrategy::Skinny),
        threads(isSkinny ? kSkinnyThreads : shape.getShares()),
        tileDepth(isSkinny ? kSkinnyDepth : kDepth), element(getElementType()),
        row(VectorType::get({getAdjacent(shape.partColumns)}, element)) {}

  void build();

private:
  Type getElementType() { return matmul.contraction.body.getType(); }
  static int64_t getAdjacent(int64_t share) {
    return std::min(kMaxAdjacent, share);
  }

  Tile makeTile(int64_t lines, int64_t share, Value number);
  int64_t getElements(const Tile &tile) const {
    return llvm::divideCeil(tile.lines * tileDepth, threads);
  }
  /// Runs `body` for the thread's elements of a tile, with the row, the index
  /// of K, and a counter.
  void forEachTileElement(const GpuOperand &operand, const Tile &tile,
                          llvm::function_ref<void(Value, Value, int64_t)> body);
  /// Whether the thread loads elements of a tile; null if all threads do.
  Value hasElements(const Tile &tile);
  /// Whether the thread has a share of the result; null if all threads have.
  Value hasShare();
  /// Loads the thread's elements of the tiles of both operands at an index of
  /// K.
  SmallVector<Value> loadTiles(Value from);
  void storeTiles(ValueRange elements);
  /// Accumulates the products of the first `count` indices of K of the tiles,
  /// or of all if it is null.
  SmallVector<Value> accumulateTiles(Value count, ValueRange accumulators);
  SmallVector<Value> emitStep(Value kInTile, ValueRange accumulators);
  /// Returns the thread's rows or columns of the result.
  SmallVector<ResultLine> getThreadLines(const GpuOperand &operand,
                                         const Tile &tile, Value first);
  /// Runs `body` for the thread's elements of the result, with the index of the
  /// accumulator vector and the position in it.
  void
  forEachAssigned(llvm::function_ref<void(int64_t, int64_t, const ResultLine &,
                                          const ResultLine &)>
                      body);

  const MatmulTile &shape;
  bool isSkinny;
  int64_t threads, tileDepth;
  Type element;
  VectorType row;
  Tile lhsTile, rhsTile;
};
} // namespace

Tile TiledKernel::makeTile(int64_t lines, int64_t share, Value number) {
  int64_t adjacent = getAdjacent(share);
  // The padding of each row puts elements that are adjacent along K into
  // different banks, and keeps vectors aligned.
  int64_t width = lines + adjacent;
  Value shared =
      makeShared(tileDepth * width * element.getIntOrFloatBitWidth() / 8);
  Tile tile = {};
  tile.elements = view(shared, {tileDepth, width}, element);
  tile.shares = view(shared, {tileDepth, width / adjacent},
                     VectorType::get({adjacent}, element));
  tile.lines = lines;
  tile.adjacent = adjacent;
  tile.vectors = share / adjacent;
  tile.first = number;
  tile.step = lines / share;
  return tile;
}

void TiledKernel::forEachTileElement(
    const GpuOperand &operand, const Tile &tile,
    llvm::function_ref<void(Value, Value, int64_t)> body) {
  for (int64_t i = 0; i < getElements(tile); ++i) {
    Value number = plus(index(i * threads), thread);
    // Adjacent threads load adjacent elements.
    if (operand.isKContiguous)
      body(divide(number, tileDepth), modulo(number, tileDepth), i);
    else
      body(modulo(number, tile.lines), divide(number, tile.lines), i);
  }
}

Value TiledKernel::hasElements(const Tile &tile) {
  int64_t count = tile.lines * tileDepth;
  return count % threads == 0 ? Value() : isBelow(thread, index(count));
}

Value TiledKernel::hasShare() {
  int64_t shares = shape.getShares();
  return shares == threads ? Value() : isBelow(thread, index(shares));
}

SmallVector<Value> TiledKernel::loadTiles(Value from) {
  SmallVector<Type> types(getElements(lhsTile) + getElements(rhsTile), element);
  std::optional<int64_t> size = getConstantIntValue(depth);
  bool isKInBounds = size && *size % tileDepth == 0;
  return loadFrom(from, types, [&] {
    SmallVector<Value> elements;
    for (const GpuOperand *operand : {&matmul.lhs, &matmul.rhs}) {
      bool isLhs = operand == &matmul.lhs;
      Value first = isLhs ? firstRow : firstColumn;
      const Tile &tile = isLhs ? lhsTile : rhsTile;
      Value isInBounds = hasElements(tile);
      forEachTileElement(
          *operand, tile, [&](Value line, Value kInTile, int64_t) {
            Value row = plus(first, line);
            Value k = plus(from, kInTile);
            Value condition =
                both(isInBounds, isElement(*operand, row, k, isKInBounds));
            elements.push_back(orZero(condition, element, [&] {
              return emitOperand(*operand, operand->value, row, k);
            }));
          });
    }
    return elements;
  });
}

void TiledKernel::storeTiles(ValueRange elements) {
  for (const GpuOperand *operand : {&matmul.lhs, &matmul.rhs}) {
    const Tile &tile = operand == &matmul.lhs ? lhsTile : rhsTile;
    emitIf(rewriter, loc, hasElements(tile), [&] {
      forEachTileElement(
          *operand, tile, [&](Value line, Value kInTile, int64_t i) {
            memref::StoreOp::create(rewriter, loc, elements[i], tile.elements,
                                    ValueRange{kInTile, line});
          });
    });
    elements = elements.drop_front(getElements(tile));
  }
  gpu::BarrierOp::create(rewriter, loc);
}

SmallVector<Value> TiledKernel::emitStep(Value kInTile,
                                         ValueRange accumulators) {
  auto load = [&](const Tile &tile) {
    SmallVector<Value> vectors;
    for (int64_t i = 0; i < tile.vectors; ++i)
      vectors.push_back(memref::LoadOp::create(
          rewriter, loc, tile.shares,
          ValueRange{kInTile, plus(tile.first, index(i * tile.step))}));
    return vectors;
  };
  SmallVector<Value> lhs = load(lhsTile), rhs = load(rhsTile);
  bool isSwapped = matmul.contraction.body.lhs != matmul.lhs.value;
  SmallVector<Value> results;
  for (int64_t i = 0; i < shape.partRows; ++i) {
    int64_t adjacent = lhsTile.adjacent;
    Value lhsRow = vector::ExtractOp::create(rewriter, loc, lhs[i / adjacent],
                                             i % adjacent);
    lhsRow = vector::BroadcastOp::create(rewriter, loc, row, lhsRow);
    for (Value rhsColumn : rhs) {
      Value accumulator = accumulators[results.size()];
      results.push_back(matmul.contraction.body.create(
          rewriter, accumulator, isSwapped ? rhsColumn : lhsRow,
          isSwapped ? lhsRow : rhsColumn));
    }
  }
  return results;
}

SmallVector<Value> TiledKernel::accumulateTiles(Value count,
                                                ValueRange accumulators) {
  auto emitLoop = [&]() -> SmallVector<Value> {
    int64_t steps = isSkinny && !count ? kSkinnyUnroll : 1;
    auto loop = scf::ForOp::create(rewriter, loc, index(0),
                                   count ? count : index(tileDepth),
                                   index(steps), accumulators);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next(loop.getRegionIterArgs());
    for (int64_t i = 0; i < steps; ++i)
      next = emitStep(plus(loop.getInductionVar(), index(i)), next);
    scf::YieldOp::create(rewriter, loc, next);
    return loop.getResults();
  };
  return emitIfElse(rewriter, loc, TypeRange(accumulators), hasShare(),
                    emitLoop, [&] { return SmallVector<Value>(accumulators); });
}

SmallVector<ResultLine> TiledKernel::getThreadLines(const GpuOperand &operand,
                                                    const Tile &tile,
                                                    Value first) {
  SmallVector<ResultLine> own;
  for (int64_t i = 0; i < tile.vectors; ++i)
    for (int64_t j = 0; j < tile.adjacent; ++j) {
      Value vector = plus(tile.first, index(i * tile.step));
      Value line = plus(times(vector, tile.adjacent), index(j));
      own.push_back(getLine(operand, plus(first, line)));
    }
  return own;
}

void TiledKernel::forEachAssigned(
    llvm::function_ref<void(int64_t, int64_t, const ResultLine &,
                            const ResultLine &)>
        body) {
  SmallVector<ResultLine> rows = getThreadLines(matmul.lhs, lhsTile, firstRow);
  SmallVector<ResultLine> columns =
      getThreadLines(matmul.rhs, rhsTile, firstColumn);
  int64_t number = 0, width = row.getNumElements();
  for (const ResultLine &line : rows)
    for (const ResultLine &column : columns) {
      body(number / width, number % width, line, column);
      ++number;
    }
}

void TiledKernel::build() {
  beginTiles(shape.rows, shape.columns, threads);
  int64_t threadsOfRow = shape.columns / shape.partColumns;
  lhsTile = makeTile(shape.rows, shape.partRows, divide(thread, threadsOfRow));
  rhsTile =
      makeTile(shape.columns, shape.partColumns, modulo(thread, threadsOfRow));

  SmallVector<Value> elements, accumulators;
  Value isActive = hasShare();
  forEachAssigned(
      [&](int64_t, int64_t, const ResultLine &line, const ResultLine &column) {
        elements.push_back(
            matmul.start
                ? matmul.start
                : orZero(both(isActive, isResult(line, column)), element, [&] {
                    return emitStart(getResultIndices(line, column));
                  }));
        if (int64_t(elements.size()) < row.getNumElements())
          return;
        accumulators.push_back(
            vector::FromElementsOp::create(rewriter, loc, row, elements));
        elements.clear();
      });

  Value fullDepth = times(divide(depth, tileDepth), tileDepth);
  size_t numAccumulators = accumulators.size();
  llvm::append_range(accumulators, loadTiles(index(0)));
  auto loop = scf::ForOp::create(rewriter, loc, index(0), fullDepth,
                                 index(tileDepth), accumulators);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    ValueRange before = loop.getRegionIterArgs();
    storeTiles(before.drop_front(numAccumulators));
    SmallVector<Value> elements =
        loadTiles(plus(loop.getInductionVar(), index(tileDepth)));
    SmallVector<Value> next =
        accumulateTiles(Value(), before.take_front(numAccumulators));
    gpu::BarrierOp::create(rewriter, loc);
    llvm::append_range(next, elements);
    scf::YieldOp::create(rewriter, loc, next);
  }
  ValueRange loaded = loop.getResults().drop_front(numAccumulators);
  accumulators = loop.getResults().take_front(numAccumulators);
  std::optional<int64_t> size = getConstantIntValue(depth);
  if (!size || *size % tileDepth != 0) {
    Value remainder = minus(depth, fullDepth);
    Value hasRemainder = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ne, remainder, index(0));
    accumulators = emitIfElse(
        rewriter, loc, TypeRange(ValueRange(accumulators)), hasRemainder,
        [&] {
          storeTiles(loaded);
          return accumulateTiles(remainder, accumulators);
        },
        [&] { return accumulators; });
  }

  emitIf(rewriter, loc, isActive, [&] {
    forEachAssigned([&](int64_t i, int64_t j, const ResultLine &line,
                        const ResultLine &column) {
      ifResult(line, column, [&] {
        Value accumulator =
            vector::ExtractOp::create(rewriter, loc, accumulators[i], j);
        memref::StoreOp::create(rewriter, loc, accumulator, getResult(),
                                getResultIndices(line, column));
      });
    });
  });
  launches.endLaunch();
}

void quant_float::buildTiledKernel(KernelLaunches &launches,
                                   const GpuMatmul &matmul,
                                   const MatmulTile &shape) {
  TiledKernel(launches, matmul, shape).build();
}
