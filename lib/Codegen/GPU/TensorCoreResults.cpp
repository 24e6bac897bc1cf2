//===- TensorCoreResults.cpp - Store tensor-core accumulators ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorCoreResults.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The number of threads that hold a row of a fragment.
static constexpr int64_t kThreadsPerRow = 4;

Value TensorCoreResults::locateThread() {
  Value lane = modulo(thread, kWarp);
  group = divide(lane, kThreadsPerRow);
  inGroup = modulo(lane, kThreadsPerRow);
  return divide(thread, kWarp);
}

Type TensorCoreResults::getAccumulatorType() {
  return isFloat() ? Type(rewriter.getF32Type()) : rewriter.getI32Type();
}

TensorCoreResults::ScaledLine
TensorCoreResults::getScaledLine(const WarpTile &tile, Value inWarp) {
  ScaledLine line;
  line.line =
      getLine(*tile.gpuOperand, plus(plus(tile.first, tile.warpRow), inWarp));
  auto emit = [&](Value value) -> Value {
    if (!value)
      return nullptr;
    return orZero(line.line.isInBounds, value.getType(), [&] {
      return emitOperand(*tile.gpuOperand, value, line.line.number, index(0));
    });
  };
  line.subtracted = emit(tile.operand->subtracted);
  line.scale = emit(tile.operand->scale);
  return line;
}

void TensorCoreResults::storeAccumulators(ValueRange accumulators) {
  int64_t each = getAccumulatorRegisters(), columns = getColumnsOfWarp();
  Type i32 = rewriter.getI32Type();
  auto multiplyI32 = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(rewriter, loc, x, y);
  };
  Value count = arith::IndexCastOp::create(rewriter, loc, i32, depth);
  // The accumulators of a thread are two adjacent columns, then the same
  // columns eight rows below.
  SmallVector<ScaledLine> rowLines, columnLines;
  for (int64_t row = 0; row < shape.partRows; row += 8)
    rowLines.push_back(getScaledLine(lhs, plus(group, index(row))));
  for (int64_t column = 0; column < shape.partColumns; column += 8)
    for (int64_t next = 0; next < 2; ++next)
      columnLines.push_back(
          getScaledLine(rhs, plus(times(inGroup, 2), index(column + next))));
  for (int64_t i = 0; i < getRowsOfWarp(); ++i)
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t k = 0; k < each; ++k) {
        const ScaledLine &row =
            rowLines[i * (instruction.getRowsOfWarp() / 8) + k / 2];
        const ScaledLine &column = columnLines[j * 2 + k % 2];
        ifResult(row.line, column.line, [&] {
          Value accumulator = accumulators[(i * columns + j) * each + k];
          Value p = row.subtracted, q = column.subtracted;
          if (p) {
            Value rhsSum = accumulators[(getRhsSumIndex() + j) * each + k];
            accumulator = minus(accumulator, multiplyI32(p, rhsSum));
          }
          if (q) {
            Value lhsSum = accumulators[(getLhsSumIndex() + i) * each + k];
            accumulator = minus(accumulator, multiplyI32(q, lhsSum));
          }
          if (p && q)
            accumulator =
                plus(accumulator, multiplyI32(count, multiplyI32(p, q)));
          for (Value scale : {row.scale, column.scale})
            if (scale)
              accumulator =
                  arith::MulFOp::create(rewriter, loc, accumulator, scale);
          SmallVector<Value> resultIndices =
              getResultIndices(row.line, column.line);
          Value before = emitStart(resultIndices);
          accumulator = isFloat() ? Value(arith::AddFOp::create(
                                        rewriter, loc, before, accumulator))
                                  : plus(before, accumulator);
          memref::StoreOp::create(rewriter, loc, accumulator, getResult(),
                                  resultIndices);
        });
      }
}
