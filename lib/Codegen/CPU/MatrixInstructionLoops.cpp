//===- MatrixInstructionLoops.cpp - Matmuls by matrix instructions --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix instructions multiply blocks of a packed panel (MatmulPanels.cpp) by
// blocks of rows of the other operand, several steps of K at once:
//
//   for a block of K:
//     acc += rows[block] * panel[block]
//
// If the number of steps is not a multiple of the block size, the last block of
// the rows overlaps the previous one, and the panel contains zeros for the
// steps that are already accumulated. No element behind a row is read:
//
//   rows    0 1 2 3 4 5  ->  0 1 2 3 | 2 3 4 5
//   panel   a b c d e f  ->  a b c d | 0 0 e f
//
//===----------------------------------------------------------------------===//

#include "MatmulPanels.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Inserts zeros before the panel's last steps, so that the number of steps is
/// a multiple of the block size.
void MatrixInstructionLoops::emitGap(int64_t lanes) {
  if (plan.hasFullBlocks())
    return;
  auto [from, to] = getPartRows();
  auto sub = [&](Value lhs, Value rhs) -> Value {
    return builder.createOrFold<arith::SubIOp>(lhs, rhs);
  };
  auto type = VectorType::get({std::min(lanes, plan.registerLanes)},
                              getElementTypeOrSelf(packed->get()));
  Value block = getConstant(blockSteps), steps = sub(to, from);
  Value rest = builder.createOrFold<arith::RemSIOp>(steps, block);
  Value gap = builder.createOrFold<arith::RemSIOp>(sub(block, rest), block);
  auto forEach = [&](Value count, function_ref<Value(Value)> getRow,
                     function_ref<Value(Value, Value)> getVector) {
    emitFor(getConstant(0), count, getConstant(1), [&](Value index) {
      Value row = getRow(index);
      for (int64_t lane = 0; lane < lanes; lane += plan.registerLanes) {
        Value column = getConstant(lane);
        storePanel(getVector(row, column), row, column);
      }
    });
  };
  // Move the last step first, so that no step is overwritten before it moves.
  Value last =
      sub(builder.createOrFold<arith::AddIOp>(steps, gap), getConstant(1));
  forEach(
      rest, [&](Value index) { return sub(last, index); },
      [&](Value row, Value column) {
        return loadPanel(type, sub(row, gap), column);
      });
  Value zeros = createZero(type), first = sub(steps, rest);
  forEach(
      gap,
      [&](Value index) -> Value {
        return arith::AddIOp::create(builder, first, index);
      },
      [&](Value, Value) { return zeros; });
}

Value MatrixInstructionLoops::countBlocks() {
  auto [from, to] = getPartRows();
  Value steps = builder.createOrFold<arith::SubIOp>(to, from);
  return builder.createOrFold<arith::DivUIOp>(
      builder.createOrFold<arith::AddIOp>(steps, getConstant(blockSteps - 1)),
      getConstant(blockSteps));
}

Value MatrixInstructionLoops::getBlockStep(Value block) {
  auto [from, to] = getPartRows();
  Value step = arith::AddIOp::create(
      builder, from,
      arith::MulIOp::create(builder, block, getConstant(blockSteps)));
  if (plan.hasFullBlocks())
    return step;
  Value last = arith::SubIOp::create(builder, to, getConstant(blockSteps));
  return arith::MinUIOp::create(builder, step, last);
}

/// Interleaves each two consecutive steps of the panel lane by lane, so that
/// each column's bytes of both steps are contiguous.
void MatrixInstructionLoops::emitPairs(int64_t lanes) {
  int64_t width = plan.registerLanes;
  Value end = builder.createOrFold<arith::MulIOp>(countBlocks(),
                                                  getConstant(blockSteps));
  emitFor(getConstant(0), end, getConstant(2), [&](Value index) {
    Value rows[] = {index,
                    arith::AddIOp::create(builder, index, getConstant(1))};
    auto type = VectorType::get({width}, builder.getI32Type());
    SmallVector<Value> pairs;
    for (int64_t lane = 0; lane < lanes; lane += width) {
      Value low = loadPanel(type, rows[0], getConstant(lane));
      Value high = loadPanel(type, rows[1], getConstant(lane));
      for (int64_t half : {int64_t(0), width / 2}) {
        SmallVector<int64_t> order;
        for (int64_t i = half; i < half + width / 2; ++i)
          order.append({i, width + i});
        pairs.push_back(vector::ShuffleOp::create(builder, low, high, order));
      }
    }
    for (auto [number, pair] : llvm::enumerate(pairs)) {
      int64_t flat = number * width;
      storePanel(pair, rows[flat / lanes], getConstant(flat % lanes));
    }
  });
}

void MatrixInstructionLoops::multiplyPanel(int64_t lanes) {
  if (plan.hasMatrices(lanes)) {
    emitGap(lanes);
    emitPairs(lanes);
  }
  PanelLoops::multiplyPanel(lanes);
}

/// Accumulates all rows and as many lanes at a time as there are accumulators.
/// Each accumulator register holds a tile of two rows and two lanes.
void MatrixInstructionLoops::accumulateSteps(int64_t rows, int64_t lanes) {
  if (!plan.hasMatrices(lanes))
    return PanelLoops::accumulateSteps(rows, lanes);
  int64_t width = plan.getMatrixLanes(rows, lanes);
  llvm::SaveAndRestore first(position[*plan.vectorLoop]);
  for (int64_t lane = 0; lane < lanes; lane += width) {
    SmallVector<Value> accumulators =
        emitMatrixInstructions(rows, lanes, lane, width);
    position[*plan.vectorLoop] = add(first.get(), lane);
    SmallVector<Value> before = initAccumulators(rows, width);
    for (auto [acc, start] : llvm::zip_equal(accumulators, before))
      acc = arith::AddIOp::create(builder, acc, start);
    storeAccumulators(rows, width, accumulators);
  }
}

/// Multiplies `rows` rows by `width` lanes of the panel, from `lane` on.
/// Returns row-major vectors of the products of this part of K, without the
/// initial accumulators.
SmallVector<Value>
MatrixInstructionLoops::emitMatrixInstructions(int64_t rows, int64_t lanes,
                                               int64_t lane, int64_t width) {
  auto type = VectorType::get({4}, builder.getI32Type());
  auto bytes = VectorType::get({16}, builder.getI8Type());
  bool swapsOperands = panelPlan.swapsOperands;
  Value zeros = createZero(type);
  int64_t pairs = llvm::divideCeil(rows, 2);
  auto emitBlock = [&](Value block, ValueRange current) {
    SmallVector<Value> accumulators(current);
    Value step = getBlockStep(block);
    SmallVector<Value> steps;
    for (int64_t row = 0; row < rows; ++row)
      steps.push_back(vector::LoadOp::create(builder, type, unpackedSteps,
                                             getUnpackedIndices(row, step)));
    steps.resize(2 * pairs, zeros);
    Value panelRow =
        arith::MulIOp::create(builder, block, getConstant(blockSteps));
    for (int64_t half : {0, 2}) {
      SmallVector<Value> left;
      for (int64_t pair = 0; pair < pairs; ++pair)
        left.push_back(vector::BitCastOp::create(
            builder, bytes,
            vector::ShuffleOp::create(
                builder, steps[2 * pair], steps[2 * pair + 1],
                ArrayRef<int64_t>{half, half + 1, half + 4, half + 5})));
      for (int64_t column = 0; column < width; column += 2) {
        int64_t flat = 2 * (lane + column);
        Value row = arith::AddIOp::create(builder, panelRow,
                                          getConstant(half + flat / lanes));
        Value right = vector::BitCastOp::create(
            builder, bytes, loadPanel(type, row, getConstant(flat % lanes)));
        for (int64_t pair = 0; pair < pairs; ++pair) {
          Value &acc = accumulators[pair * width / 2 + column / 2];
          SmallVector<Value> operands{acc, left[pair], right};
          if (swapsOperands)
            std::swap(operands[1], operands[2]);
          acc = LLVM::CallIntrinsicOp::create(
                    builder, type, builder.getStringAttr(matrix.name), operands)
                    .getResult(0);
        }
      }
    }
    return accumulators;
  };
  SmallVector<Value> tiles =
      emitFor(getConstant(0), countBlocks(), 1,
              SmallVector<Value>(pairs * width / 2, zeros), emitBlock);
  SmallVector<Value> results;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < width; column += 4) {
      auto *acc = tiles.begin() + row / 2 * width / 2 + column / 2;
      int64_t inner = row % 2 * (swapsOperands ? 1 : 2),
              step = swapsOperands ? 2 : 1;
      results.push_back(vector::ShuffleOp::create(
          builder, acc[0], acc[1],
          ArrayRef<int64_t>{inner, inner + step, inner + 4, inner + 4 + step}));
    }
  return results;
}
