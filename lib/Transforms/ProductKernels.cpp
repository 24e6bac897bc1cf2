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
//   for each 16 summands:
//     all: load the elements of both factors, decoded, into shared memory
//     barrier
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

  void loadTile(const GpuFactor &factor, const Tile &tile, Value first,
                Value from, bool isWhole);
  /// The products of `count` summands from `from` on; `count` is all of a tile
  /// if it is null.
  SmallVector<Value> emitTile(Value from, Value count, ValueRange sums);
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

void TiledKernel::loadTile(const GpuFactor &factor, const Tile &tile,
                           Value first, Value from, bool isWhole) {
  forEachElement(kTile * kDepth, kThreads, [&](Value number) {
    // Neighbouring threads load neighbours in memory.
    Value summand =
        factor.alongSum ? modulo(number, kDepth) : divide(number, kTile);
    Value line =
        factor.alongSum ? divide(number, kDepth) : modulo(number, kTile);
    Value place = plus(first, line);
    Value sum = plus(from, summand);
    Value value = orZero(isElement(factor, place, sum, isWhole), element, [&] {
      return emitFactor(factor, factor.value, place, sum);
    });
    memref::StoreOp::create(rewriter, loc, value, tile.elements,
                            ValueRange{summand, line});
  });
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

SmallVector<Value> TiledKernel::emitTile(Value from, Value count,
                                         ValueRange sums) {
  loadTile(product.left, leftTile, firstRow, from, !count);
  loadTile(product.right, rightTile, firstColumn, from, !count);
  gpu::BarrierOp::create(rewriter, loc);
  auto loop = scf::ForOp::create(rewriter, loc, index(0),
                                 count ? count : index(kDepth), index(1), sums);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next =
        emitStep(loop.getInductionVar(), loop.getRegionIterArgs());
    scf::YieldOp::create(rewriter, loc, next);
  }
  // Nobody writes to tiles behind the last one.
  if (!count)
    gpu::BarrierOp::create(rewriter, loc);
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
  auto loop =
      scf::ForOp::create(rewriter, loc, index(0), whole, index(kDepth), sums);
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> next =
        emitTile(loop.getInductionVar(), Value(), loop.getRegionIterArgs());
    scf::YieldOp::create(rewriter, loc, next);
  }
  sums = loop.getResults();
  std::optional<int64_t> size = getConstantIntValue(depth);
  if (!size || *size % kDepth != 0) {
    Value rest = minus(depth, whole);
    Value hasRest = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ne, rest, index(0));
    auto branch = scf::IfOp::create(rewriter, loc, TypeRange(ValueRange(sums)),
                                    hasRest, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(rewriter, loc, emitTile(whole, rest, sums));
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
