//===- ProductKernels.cpp - Products by tiles in shared memory ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// A block of 256 threads makes a tile of the result of 64 x 64 elements:
//
//   all: load the first elements of both factors, decoded
//   for each 16 summands:
//     all: store what was loaded in shared memory
//     barrier
//     all: load the elements of the next 16
//     each thread: for each summand, 4 + 4 elements make 16 products
//     barrier
//
// Each element of the result begins with what is there and adds its products in
// the order of the sum: the bits are those of the op's own loops.
//
//===----------------------------------------------------------------------===//

#include "GpuProduct.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr int64_t kTile = 64;
/// Summands of a tile.
static constexpr int64_t kDepth = 16;
/// Elements of the tile of a factor.
static constexpr int64_t kElements = kTile * kDepth;
/// Rows and columns of one thread.
static constexpr int64_t kShare = 4;
static constexpr int64_t kThreadsOfRow = kTile / kShare;
static constexpr int64_t kThreads = kThreadsOfRow * kThreadsOfRow;
/// Behind each row of a tile: neighbours along the sum are in other banks, and
/// vectors stay aligned.
static constexpr int64_t kPadding = 4;

namespace {
/// Summand by row; each share of a thread is one vector.
struct Tile {
  Value elements, shares;
};

class TiledKernel : GpuProductBuilder {
public:
  TiledKernel(KernelLaunches &launches, const GpuProduct &product)
      : GpuProductBuilder(launches, product), element(getElementType()),
        row(VectorType::get({kShare}, element)) {}

  void build();

private:
  Type getElementType() { return product.multiply->getResult(0).getType(); }

  /// Runs `body` for the elements of a tile that are this thread's, with the
  /// element's number and one that counts them.
  void forEachOfTile(llvm::function_ref<void(Value, int64_t)> body) {
    for (int64_t i = 0; i < kElements / kThreads; ++i)
      body(plus(index(i * kThreads), thread), i);
  }
  /// Line and summand of an element of the tile of a factor.
  std::pair<Value, Value> locate(const GpuFactor &factor, Value number);
  /// The elements of this thread in the tiles of both factors, from a summand
  /// on.
  SmallVector<Value> loadTiles(Value from);
  void storeTiles(ValueRange elements);
  /// Adds the products of the first `count` summands of the tiles, of all if it
  /// is null.
  SmallVector<Value> addProducts(Value count, ValueRange sums);
  SmallVector<Value> emitStep(Value summand, ValueRange sums);
  /// Runs `body` for the elements of this thread.
  void
  forEachOwn(llvm::function_ref<void(int64_t, int64_t, Value, Value)> body);

  Type element;
  VectorType row;
  Tile leftTile, rightTile;
  Value threadRow, threadColumn;
};
} // namespace

std::pair<Value, Value> TiledKernel::locate(const GpuFactor &factor,
                                            Value number) {
  // Neighbouring threads load neighbours in memory.
  if (factor.alongSum)
    return {divide(number, kDepth), modulo(number, kDepth)};
  return {modulo(number, kTile), divide(number, kTile)};
}

SmallVector<Value> TiledKernel::loadTiles(Value from) {
  SmallVector<Type> types(2 * kElements / kThreads, element);
  std::optional<int64_t> size = getConstantIntValue(depth);
  bool isWhole = size && *size % kDepth == 0;
  return loadFrom(from, types, [&] {
    SmallVector<Value> elements;
    for (const GpuFactor *factor : {&product.left, &product.right}) {
      Value first = factor == &product.left ? firstRow : firstColumn;
      forEachOfTile([&](Value number, int64_t) {
        auto [line, summand] = locate(*factor, number);
        Value row = plus(first, line);
        Value sum = plus(from, summand);
        elements.push_back(
            orZero(isElement(*factor, row, sum, isWhole), element, [&] {
              return emitFactor(*factor, factor->value, row, sum);
            }));
      });
    }
    return elements;
  });
}

void TiledKernel::storeTiles(ValueRange elements) {
  for (const GpuFactor *factor : {&product.left, &product.right}) {
    const Tile &tile = factor == &product.left ? leftTile : rightTile;
    forEachOfTile([&](Value number, int64_t i) {
      auto [line, summand] = locate(*factor, number);
      memref::StoreOp::create(rewriter, loc, elements[i], tile.elements,
                              ValueRange{summand, line});
    });
    elements = elements.drop_front(kElements / kThreads);
  }
  gpu::BarrierOp::create(rewriter, loc);
}

SmallVector<Value> TiledKernel::emitStep(Value summand, ValueRange sums) {
  Value lefts = memref::LoadOp::create(rewriter, loc, leftTile.shares,
                                       ValueRange{summand, threadRow});
  Value rights = memref::LoadOp::create(rewriter, loc, rightTile.shares,
                                        ValueRange{summand, threadColumn});
  bool isSwapped = product.multiply->getOperand(0) != product.left.value;
  bool isSumFirst =
      product.add->getOperand(1) == product.multiply->getResult(0);
  // The body's own operations, of vectors.
  auto emit = [&](Operation *op, Value first, Value second) {
    return rewriter
        .create(loc, op->getName().getIdentifier(), {first, second},
                TypeRange(row), op->getAttrs())
        ->getResult(0);
  };
  SmallVector<Value> results;
  for (int64_t i = 0; i < kShare; ++i) {
    Value left = vector::ExtractOp::create(rewriter, loc, lefts, i);
    left = vector::BroadcastOp::create(rewriter, loc, row, left);
    Value term = isSwapped ? emit(product.multiply, rights, left)
                           : emit(product.multiply, left, rights);
    results.push_back(isSumFirst ? emit(product.add, sums[i], term)
                                 : emit(product.add, term, sums[i]));
  }
  return results;
}

SmallVector<Value> TiledKernel::addProducts(Value count, ValueRange sums) {
  auto loop = scf::ForOp::create(rewriter, loc, index(0),
                                 count ? count : index(kDepth), index(1), sums);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next =
        emitStep(loop.getInductionVar(), loop.getRegionIterArgs());
    scf::YieldOp::create(rewriter, loc, next);
  }
  return loop.getResults();
}

void TiledKernel::forEachOwn(
    llvm::function_ref<void(int64_t, int64_t, Value, Value)> body) {
  Value top = plus(firstRow, times(threadRow, kShare));
  Value left = plus(firstColumn, times(threadColumn, kShare));
  for (int64_t i = 0; i < kShare; ++i)
    for (int64_t j = 0; j < kShare; ++j)
      body(i, j, plus(top, index(i)), plus(left, index(j)));
}

void TiledKernel::build() {
  beginTiles(kTile, kTile, kThreads);
  for (Tile *tile : {&leftTile, &rightTile}) {
    constexpr int64_t kWidth = kTile + kPadding;
    Value shared =
        makeShared(kDepth * kWidth * element.getIntOrFloatBitWidth() / 8);
    tile->elements = view(shared, {kDepth, kWidth}, element);
    tile->shares = view(shared, {kDepth, kWidth / kShare}, row);
  }
  threadRow = divide(thread, kThreadsOfRow);
  threadColumn = modulo(thread, kThreadsOfRow);

  SmallVector<Value> lines[kShare];
  forEachOwn([&](int64_t i, int64_t j, Value line, Value column) {
    lines[i].push_back(orZero(isResult(line, column), element, [&]() -> Value {
      return memref::LoadOp::create(rewriter, loc, getResult(),
                                    getPlace(line, column));
    }));
  });
  SmallVector<Value> sums;
  for (ArrayRef<Value> line : lines)
    sums.push_back(vector::FromElementsOp::create(rewriter, loc, row, line));

  Value whole = times(divide(depth, kDepth), kDepth);
  size_t numSums = sums.size();
  llvm::append_range(sums, loadTiles(index(0)));
  auto loop =
      scf::ForOp::create(rewriter, loc, index(0), whole, index(kDepth), sums);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    ValueRange before = loop.getRegionIterArgs();
    storeTiles(before.drop_front(numSums));
    SmallVector<Value> elements =
        loadTiles(plus(loop.getInductionVar(), index(kDepth)));
    SmallVector<Value> next = addProducts(Value(), before.take_front(numSums));
    gpu::BarrierOp::create(rewriter, loc);
    llvm::append_range(next, elements);
    scf::YieldOp::create(rewriter, loc, next);
  }
  ValueRange elements = loop.getResults().drop_front(numSums);
  sums = loop.getResults().take_front(numSums);
  std::optional<int64_t> size = getConstantIntValue(depth);
  if (!size || *size % kDepth != 0) {
    Value rest = minus(depth, whole);
    Value hasRest = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ne, rest, index(0));
    auto branch = scf::IfOp::create(rewriter, loc, TypeRange(ValueRange(sums)),
                                    hasRest, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    storeTiles(elements);
    scf::YieldOp::create(rewriter, loc, addProducts(rest, sums));
    rewriter.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(rewriter, loc, sums);
    sums = branch.getResults();
  }

  forEachOwn([&](int64_t i, int64_t j, Value line, Value column) {
    ifResult(line, column, [&] {
      Value sum = vector::ExtractOp::create(rewriter, loc, sums[i], j);
      memref::StoreOp::create(rewriter, loc, sum, getResult(),
                              getPlace(line, column));
    });
  });
  launches.endLaunch();
}

void quant_float::buildTiledKernel(KernelLaunches &launches,
                                   const GpuProduct &product) {
  TiledKernel(launches, product).build();
}
