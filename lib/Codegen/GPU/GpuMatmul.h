//===- GpuMatmul.h - Matmuls for GPU kernels --------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_GPU_GPUMATMUL_H
#define QUANT_FLOAT_LIB_CODEGEN_GPU_GPUMATMUL_H

#include "../Common/Conditionals.h"
#include "../Common/Contraction.h"
#include "KernelLaunches.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::quant_float {

/// The lhs or rhs of a matmul.
struct GpuOperand : ContractionOperand {
  /// The loops of the operand's rows, which are the rows or the columns of the
  /// result. The last one varies fastest.
  SmallVector<unsigned> rows;
  /// Whether the operand is K-contiguous.
  bool isKContiguous;
};

/// A matmul `out[b, m, n] += lhs(b, m, k) * rhs(b, k, n)`. Either operand
/// may be computed from several inputs, such as quantized values, scales and
/// zero points. Each letter stands for any number of loops. In a convolution,
/// `m` are channels, `n` are the output positions, and `k` are the elements of
/// a window.
struct GpuMatmul {
  /// Returns nullopt if the op is not a matmul.
  static std::optional<GpuMatmul> get(linalg::LinalgOp op);

  /// Whether the matmul is large enough that tiles outweigh the synchronization
  /// of threads.
  bool isProfitableToTile() const;

  linalg::GenericOp op;
  /// Of the reduction loops, `contraction.k`, the last one varies fastest.
  Contraction contraction;
  /// `rhs` has the last dimension of the result.
  GpuOperand lhs, rhs;
  /// Whether the result has fewer than eight rows or columns.
  bool isSkinny = false;
  /// The initial value of the accumulators; null if it is in the result's
  /// memory.
  Value start = {};
};

/// A row or a column of the result.
struct ResultLine {
  Value number;
  /// Whether the row or column is in bounds; null if it is known to be.
  Value isInBounds;
  /// The operand's loops, and their indices in this row or column.
  SmallVector<unsigned> loops;
  SmallVector<Value> indices;
};

struct MatmulTile;

/// Base class of the builders of matmul kernels. Each thread block computes a
/// tile of the result.
class GpuMatmulBuilder {
public:
  GpuMatmulBuilder(KernelLaunches &launches, const GpuMatmul &matmul)
      : launches(launches), rewriter(launches.rewriter), loc(launches.loc),
        matmul(matmul) {}

protected:
  /// Sets `extents` and `depth`, on the host.
  void setExtents();
  /// Creates a launch with a thread block for each tile, with workgroup memory
  /// of a dynamic size. Sets `extents`, `firstRow`, `firstColumn` and `thread`.
  void beginTiles(int64_t rows, int64_t columns, int64_t threads,
                  int64_t dynamicBytes = 0);
  /// Allocates workgroup memory of a thread block.
  Value makeShared(int64_t bytes) {
    return launches.allocateWorkgroupMemory(bytes);
  }
  Value view(Value shared, ArrayRef<int64_t> shape, Type element) {
    return viewWorkgroupMemory(rewriter, loc, shared, shape, element);
  }

  /// Computes a value of the body at a row of the operand and an index of K.
  Value emitOperand(const GpuOperand &operand, Value value, Value row, Value k);
  /// Returns the indices of the input of a block argument at a row of the
  /// operand and an index of K.
  SmallVector<Value> getInputIndices(const GpuOperand &operand,
                                     BlockArgument argument, Value row,
                                     Value k);
  /// Whether a row and an index of K are in bounds; null if they are known to
  /// be. The index of K is not checked if `isKInBounds`.
  Value isElement(const GpuOperand &operand, Value row, Value k,
                  bool isKInBounds);
  /// Returns the result of `body` if `condition` is null or true, else zero.
  Value orZero(Value condition, Type type, llvm::function_ref<Value()> body);
  /// Runs `body` for each of `count` elements of a tile, distributed over
  /// `threads` threads.
  void forEachElement(int64_t count, int64_t threads,
                      llvm::function_ref<void(Value)> body);
  /// Returns the result of `body` if the index `from` of K is in bounds, else
  /// zeros.
  SmallVector<Value> loadFrom(Value from, ArrayRef<Type> types,
                              llvm::function_ref<SmallVector<Value>()> body);
  /// Returns the row or column of the result at row `number` of the operand.
  ResultLine getLine(const GpuOperand &operand, Value number);
  /// Whether an element of the result is in bounds; null if it is known to be.
  Value isResult(const ResultLine &row, const ResultLine &column) {
    return both(row.isInBounds, column.isInBounds);
  }
  /// Runs `body` if the element is in bounds.
  void ifResult(const ResultLine &row, const ResultLine &column,
                llvm::function_ref<void()> body);
  /// Returns the indices of an element of the result.
  SmallVector<Value> getResultIndices(const ResultLine &row,
                                      const ResultLine &column);
  Value getResult() { return matmul.op.getDpsInits()[0]; }
  /// Returns the initial value of the accumulator of an element of the result.
  Value emitStart(ValueRange resultIndices);
  /// Returns the product of the extents of `loops`.
  Value getExtent(ArrayRef<unsigned> loops);

  Value isBelow(Value value, Value extent);
  /// Returns the conjunction of two conditions; null means true.
  Value both(Value lhs, Value rhs);
  Value index(int64_t value) { return launches.index(value); }
  Value zero(Type type) {
    return arith::ConstantOp::create(rewriter, loc, type,
                                     rewriter.getZeroAttr(type));
  }
  Value plus(Value lhs, Value rhs) { return launches.add(lhs, rhs); }
  Value times(Value lhs, int64_t rhs) {
    return launches.multiply(lhs, index(rhs));
  }
  Value divide(Value lhs, int64_t rhs);
  Value modulo(Value lhs, int64_t rhs);
  Value minus(Value lhs, Value rhs) {
    return rewriter.createOrFold<arith::SubIOp>(loc, lhs, rhs);
  }

  KernelLaunches &launches;
  IRRewriter &rewriter;
  Location loc;
  GpuMatmul matmul;
  /// The extents of the op's loops, and the indices of the loops that are the
  /// same for the entire thread block (null for the others).
  SmallVector<Value> extents, indices;
  Value firstRow, firstColumn, thread;
  /// The K extent, and the numbers of rows of the operands.
  Value depth, numRows, numColumns;

private:
  Value emitValue(Value value, IRMapping &mapping);
  SmallVector<Value> getIndices(OpOperand &operand);
  /// Sets the indices of `loops` to those of linear index `number`.
  void setIndices(SmallVectorImpl<Value> &all, ArrayRef<unsigned> loops,
                  Value number);
  void setPoint(const GpuOperand &operand, Value row, Value k);
  /// Whether a row of the operand is in bounds; null if the extent is a
  /// multiple of the tile size.
  Value hasRow(const GpuOperand &operand, Value row);

  /// The indices of all loops at the element that is being emitted.
  SmallVector<Value> point;
  int64_t tileRows = 0, tileColumns = 0;
};

/// Builds a kernel that stages tiles of both operands in workgroup memory. Each
/// thread accumulates a few elements of the result in the order of K and rounds
/// as the op's body does.
void buildTiledKernel(KernelLaunches &launches, const GpuMatmul &matmul,
                      const MatmulTile &shape);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_GPU_GPUMATMUL_H
