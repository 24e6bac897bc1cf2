//===- GpuProduct.h - Products of matrices for kernels -------- -*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_GPUPRODUCT_H
#define QUANT_FLOAT_LIB_TRANSFORMS_GPUPRODUCT_H

#include "KernelLaunches.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::quant_float {

/// One of the two that are multiplied.
struct GpuFactor {
  /// In the op's body: computed of what is loaded, of this factor alone.
  Value value;
  /// The loops of its rows, which are the result's rows or its columns; the
  /// last is the fastest.
  SmallVector<unsigned> rows;
  /// Whether neighbours in memory are neighbours along the sum.
  bool alongSum;
};

/// Sums of products, `out[b, m, n] += left(b, m, k) * right(b, k, n)`, where
/// either factor may be computed of several operands: codes, scales, zero
/// points. Each of the letters is any number of loops. Of a convolution `m` are
/// channels, `n` places of the windows, and `k` what a window has in it.
struct GpuProduct {
  /// None if the op is no such thing, or so small that its threads would have
  /// less to do than to wait for each other.
  static std::optional<GpuProduct> get(linalg::LinalgOp op);

  /// Whether a value of the body is different along the sum.
  bool dependsOnSum(Value value) const;
  /// Whether a map has the sum's index in it.
  bool isAlongSum(AffineExpr index) const;

  linalg::GenericOp op;
  Operation *multiply, *add;
  /// Of which the right one has the result's last loop.
  GpuFactor left, right;
  /// The loops of the sum; the last is the fastest.
  SmallVector<unsigned> sums;
  /// Whether there are less than eight rows or columns.
  bool hasFewLines = false;
  /// What the sums begin with; null if that is in the result's memory.
  Value start;
};

/// A row or a column of a result.
struct ResultLine {
  Value number;
  /// Null where that is known.
  Value isThere;
  /// What the factor's loops are there.
  SmallVector<unsigned> loops;
  SmallVector<Value> indices;
};

struct ProductTile;

/// What kernels of products have in common: tiles of the result, one for a
/// block, and the elements of the factors.
class GpuProductBuilder {
public:
  GpuProductBuilder(KernelLaunches &launches, const GpuProduct &product)
      : launches(launches), rewriter(launches.rewriter), loc(launches.loc),
        product(product) {}

protected:
  /// A launch of a block for each tile; sets `firstRow`, `firstColumn` and
  /// `thread`.
  void beginTiles(int64_t rows, int64_t columns, int64_t threads);
  /// Memory that the threads of a block share, and the same as an array of
  /// scalars or vectors.
  Value makeShared(int64_t bytes);
  Value view(Value shared, ArrayRef<int64_t> shape, Type element);

  /// A value of the body where the factor's row and the sum's index are these.
  Value emitFactor(const GpuFactor &factor, Value value, Value row, Value sum);
  /// Where the input of a block argument has the element of this row and
  /// summand.
  SmallVector<Value> getInputPlace(const GpuFactor &factor,
                                   BlockArgument argument, Value row,
                                   Value sum);
  /// Whether there are such a row and summand; of the latter nothing is asked
  /// in whole tiles. Null where that is known.
  Value isElement(const GpuFactor &factor, Value row, Value sum, bool isWhole);
  /// What `body` makes if `condition`, and else zero.
  Value orZero(Value condition, Type type, llvm::function_ref<Value()> body);
  /// Runs `body` for each of `count` elements of a tile, `threads` at once.
  void forEachElement(int64_t count, int64_t threads,
                      llvm::function_ref<void(Value)> body);
  /// What `body` loads of the tiles from a summand on; zeros if there is none.
  SmallVector<Value> loadFrom(Value from, ArrayRef<Type> types,
                              llvm::function_ref<SmallVector<Value>()> body);
  /// The result's row or column that a factor has at `number`.
  ResultLine getLine(const GpuFactor &factor, Value number);
  /// Whether the result has such an element; null where that is known.
  Value isResult(const ResultLine &row, const ResultLine &column) {
    return both(row.isThere, column.isThere);
  }
  /// Runs `body` if it has.
  void ifResult(const ResultLine &row, const ResultLine &column,
                llvm::function_ref<void()> body);
  /// Where an element of the result is.
  SmallVector<Value> getPlace(const ResultLine &row, const ResultLine &column);
  Value getResult() { return product.op.getDpsInits()[0]; }
  /// What the sum at a place of the result begins with.
  Value emitStart(ValueRange place);
  /// How many elements some loops have together.
  Value getExtent(ArrayRef<unsigned> loops);

  Value isBelow(Value value, Value extent);
  /// Null where both are.
  Value both(Value left, Value right);
  Value index(int64_t value) { return launches.index(value); }
  Value plus(Value left, Value right) { return launches.add(left, right); }
  Value times(Value left, int64_t right) {
    return launches.multiply(left, index(right));
  }
  Value divide(Value left, int64_t right);
  Value modulo(Value left, int64_t right);
  Value minus(Value left, Value right) {
    return rewriter.createOrFold<arith::SubIOp>(loc, left, right);
  }

  KernelLaunches &launches;
  IRRewriter &rewriter;
  Location loc;
  GpuProduct product;
  /// Of the op's loops; the block's in place of what all of it shares.
  SmallVector<Value> extents, indices;
  Value firstRow, firstColumn, thread;
  /// How many summands there are.
  Value depth;

private:
  Value emitValue(Value value, IRMapping &mapping);
  SmallVector<Value> getPlaceOf(OpOperand &operand);
  /// Sets what some loops are where `number` of their elements came before.
  void setIndices(SmallVectorImpl<Value> &all, ArrayRef<unsigned> loops,
                  Value number);
  void setPoint(const GpuFactor &factor, Value row, Value sum);
  /// Whether there is such a row of the factor; null if tiles end where rows
  /// do.
  Value hasRow(const GpuFactor &factor, Value row);

  /// Of the element that is made.
  SmallVector<Value> point;
  int64_t tileRows = 0, tileColumns = 0;
  Value numRows, numColumns;
};

/// A kernel that has tiles of both factors in shared memory; each thread adds
/// up a few elements of the result in the order of the sum, rounding as the
/// op's body does.
void buildTiledKernel(KernelLaunches &launches, const GpuProduct &product,
                      const ProductTile &shape);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_GPUPRODUCT_H
