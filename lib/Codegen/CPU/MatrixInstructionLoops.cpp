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

#include "ReductionLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <numeric>

using namespace mlir;
using namespace mlir::quant_float;

/// Decides whether the target's matrix instruction is applicable to the panel
/// and its rows. All extents must be static: a dynamic K extent may be less
/// than a block, and tile registers are configured to static sizes.
void ReductionLoopNest::chooseMatrix() {
  if (hasOpen(*partLoop) || hasOpen(*vectorLoop) || hasOpen(*rowLoop))
    matrix = nullptr;
  if (!matrix)
    return;
  SmallVector<int64_t> strides;
  int64_t offset;
  bool isContiguous = succeeded(cast<MemRefType>(ownSteps.getType())
                                    .getStridesAndOffset(strides, offset)) &&
                      strides.back() == 1;
  bool hasTiles = matrix->hasTiles();
  int64_t range = ranges[*partLoop];
  // Clamp, because the product of a model's sizes may overflow.
  int64_t steps = std::min(range, kPanelBytes) * innerSteps;
  blockSteps =
      hasTiles ? std::min(matrix->blockSteps, steps) : matrix->blockSteps;
  // The pairs of rows that I8MM multiplies are formed from vectors of four
  // lanes.
  if (!isContiguous || steps < blockSteps ||
      (hasTiles ? !getRowSteps(own) || !getRowSteps(op.getDpsInitOperand(0))
                : registerLanes != 4)) {
    matrix = nullptr;
    return;
  }
  // Choose the parts of K again for the lanes of a tile. If possible, all parts
  // but the last consist of full blocks.
  vectorLanes = std::min(vectorLanes, matrix->tileLanes);
  int64_t most = kPanelBytes /
                 (llvm::alignTo(vectorLanes, registerLanes) * 4 * innerSteps);
  partSteps = llvm::divideCeil(range, llvm::divideCeil(range, most));
  int64_t aligned =
      llvm::alignTo(partSteps, blockSteps / std::gcd(blockSteps, innerSteps));
  if (partSteps < range && aligned <= most)
    partSteps = aligned;
  // The panel must have room for the zeros in the last block.
  if (llvm::alignTo(partSteps * innerSteps, blockSteps) *
          llvm::alignTo(vectorLanes, registerLanes) * 4 >
      kPanelBytes) {
    matrix = nullptr;
    return;
  }
  panelBuffer = panel;
}

bool ReductionLoopNest::hasMatrices(int64_t lanes) const {
  return matrix && lanes % registerLanes == 0;
}

std::pair<StringRef, bool> ReductionLoopNest::getMatrixIntrinsic() const {
  SmallVector<IntegerType> types = getDotTypes(op);
  unsigned rows = own->getOperandNumber();
  return matrix->getIntrinsic(!types[rows].isUnsigned(),
                              !types[1 - rows].isUnsigned());
}

/// Whether all parts of K consist of full blocks.
bool ReductionLoopNest::hasFullBlocks() const {
  return ranges[*partLoop] % blockSteps * innerSteps % blockSteps == 0 &&
         partSteps * innerSteps % blockSteps == 0;
}

/// Inserts zeros before the panel's last steps, so that the number of steps is
/// a multiple of the block size.
void ReductionLoopNest::emitGap(int64_t lanes) {
  int64_t block = blockSteps;
  if (hasFullBlocks())
    return;
  auto [from, to] = getPartRows();
  auto sub = [&](Value lhs, Value rhs) -> Value {
    return builder.createOrFold<arith::SubIOp>(lhs, rhs);
  };
  auto type = VectorType::get({std::min(lanes, registerLanes)},
                              getElementTypeOrSelf(shared->get()));
  Value steps = sub(to, from);
  Value rest = builder.createOrFold<arith::RemSIOp>(steps, getConstant(block));
  Value gap = builder.createOrFold<arith::RemSIOp>(
      sub(getConstant(block), rest), getConstant(block));
  auto forEach = [&](Value count, auto getRow,
                     function_ref<Value(Value, Value)> getVector) {
    auto forOp =
        scf::ForOp::create(builder, getConstant(0), count, getConstant(1));
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forOp.getBody());
    Value row = getRow(forOp.getInductionVar());
    for (int64_t lane = 0; lane < lanes; lane += registerLanes) {
      Value column = getConstant(lane);
      vector::StoreOp::create(builder, getVector(row, column), panel,
                              ValueRange{row, column});
    }
  };
  // Move the last step first, so that no step is overwritten before it moves.
  Value last =
      sub(builder.createOrFold<arith::AddIOp>(steps, gap), getConstant(1));
  forEach(
      rest, [&](Value index) { return sub(last, index); },
      [&](Value row, Value column) -> Value {
        return vector::LoadOp::create(builder, type, panel,
                                      ValueRange{sub(row, gap), column});
      });
  Value zeros = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  Value first = sub(steps, rest);
  forEach(
      gap,
      [&](Value index) -> Value {
        return arith::AddIOp::create(builder, first, index);
      },
      [&](Value, Value) { return zeros; });
}

/// Returns the number of blocks in the current part of K.
Value ReductionLoopNest::countBlocks() {
  auto [from, to] = getPartRows();
  Value steps = builder.createOrFold<arith::SubIOp>(to, from);
  return builder.createOrFold<arith::DivUIOp>(
      builder.createOrFold<arith::AddIOp>(steps, getConstant(blockSteps - 1)),
      getConstant(blockSteps));
}

/// Returns the first step of a block in the rows' operand.
Value ReductionLoopNest::getBlockStep(Value block) {
  auto [from, to] = getPartRows();
  Value step = arith::AddIOp::create(
      builder, from,
      arith::MulIOp::create(builder, block, getConstant(blockSteps)));
  if (hasFullBlocks())
    return step;
  Value last = arith::SubIOp::create(builder, to, getConstant(blockSteps));
  return arith::MinUIOp::create(builder, step, last);
}

/// Interleaves each two consecutive steps of the panel lane by lane, so that
/// each column's bytes of both steps are contiguous.
void ReductionLoopNest::emitPairs(int64_t lanes) {
  auto forOp = scf::ForOp::create(builder, getConstant(0),
                                  builder.createOrFold<arith::MulIOp>(
                                      countBlocks(), getConstant(blockSteps)),
                                  getConstant(2));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(forOp.getBody());
  Value rows[] = {
      forOp.getInductionVar(),
      arith::AddIOp::create(builder, forOp.getInductionVar(), getConstant(1))};
  auto type = VectorType::get({registerLanes}, builder.getI32Type());
  SmallVector<Value> pairs;
  for (int64_t lane = 0; lane < lanes; lane += registerLanes) {
    Value steps[2];
    for (auto [row, step] : llvm::zip(rows, steps))
      step = vector::LoadOp::create(builder, type, panel,
                                    ValueRange{row, getConstant(lane)});
    for (int64_t half : {int64_t(0), registerLanes / 2}) {
      SmallVector<int64_t> order;
      for (int64_t i = half; i < half + registerLanes / 2; ++i)
        order.append({i, registerLanes + i});
      pairs.push_back(
          vector::ShuffleOp::create(builder, steps[0], steps[1], order));
    }
  }
  for (auto [index, pair] : llvm::enumerate(pairs)) {
    int64_t flat = index * registerLanes;
    vector::StoreOp::create(
        builder, pair, panel,
        ValueRange{rows[flat / lanes], getConstant(flat % lanes)});
  }
}

void ReductionLoopNest::arrangePanel(int64_t lanes) {
  emitGap(lanes);
  if (matrix->hasTiles())
    configureTiles(std::min(ranges[*rowLoop], matrix->tileRows));
  else
    emitPairs(lanes);
}

/// Accumulates all rows and as many lanes at a time as there are accumulators.
/// Each accumulator register holds a tile of two rows and two lanes.
void ReductionLoopNest::emitMatrices(int64_t rows, int64_t lanes) {
  if (matrix->hasTiles())
    return emitTileMatmuls(rows, lanes);
  int64_t pairs = llvm::divideCeil(rows, 2);
  int64_t width = std::clamp<int64_t>(
      llvm::bit_floor<uint64_t>(2 * numAccumulators / pairs), registerLanes,
      lanes);
  OpFoldResult first = position[*vectorLoop];
  for (int64_t lane = 0; lane < lanes; lane += width) {
    SmallVector<Value> accumulators =
        emitMatrixInstructions(rows, lanes, lane, width);
    position[*vectorLoop] = affine::makeComposedFoldedAffineApply(
        builder, op.getLoc(), builder.getAffineDimExpr(0) + lane, {first});
    SmallVector<Value> before = initAccumulators(rows, width);
    for (auto [acc, start] : llvm::zip_equal(accumulators, before))
      acc = arith::AddIOp::create(builder, acc, start);
    storeAccumulators(rows, width, accumulators);
  }
  position[*vectorLoop] = first;
}

/// Multiplies `rows` rows by `width` lanes of the panel, from `lane` on.
/// Returns row-major vectors of the products of this part of K, without the
/// initial accumulators.
SmallVector<Value> ReductionLoopNest::emitMatrixInstructions(int64_t rows,
                                                             int64_t lanes,
                                                             int64_t lane,
                                                             int64_t width) {
  auto type = VectorType::get({4}, builder.getI32Type());
  auto bytes = VectorType::get({16}, builder.getI8Type());
  auto [intrinsic, isTurned] = getMatrixIntrinsic();
  Value zeros = arith::ConstantOp::create(builder, builder.getZeroAttr(type));
  int64_t pairs = llvm::divideCeil(rows, 2);
  SmallVector<Value> accumulators(pairs * width / 2, zeros);
  auto forOp = scf::ForOp::create(builder, getConstant(0), countBlocks(),
                                  getConstant(1), accumulators);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forOp.getBody());
    Value block = forOp.getInductionVar();
    Value step = getBlockStep(block);
    SmallVector<Value> steps;
    for (int64_t row = 0; row < rows; ++row)
      steps.push_back(vector::LoadOp::create(builder, type, ownSteps,
                                             getOwnIndices(row, step)));
    steps.resize(2 * pairs, zeros);
    Value panelRow =
        arith::MulIOp::create(builder, block, getConstant(blockSteps));
    accumulators.assign(forOp.getRegionIterArgs().begin(),
                        forOp.getRegionIterArgs().end());
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
        Value right = vector::LoadOp::create(
            builder, type, panel,
            ValueRange{arith::AddIOp::create(builder, panelRow,
                                             getConstant(half + flat / lanes)),
                       getConstant(flat % lanes)});
        right = vector::BitCastOp::create(builder, bytes, right);
        for (int64_t pair = 0; pair < pairs; ++pair) {
          Value &acc = accumulators[pair * width / 2 + column / 2];
          SmallVector<Value> operands{acc, left[pair], right};
          if (isTurned)
            std::swap(operands[1], operands[2]);
          acc = LLVM::CallIntrinsicOp::create(
                    builder, type, builder.getStringAttr(intrinsic), operands)
                    .getResult(0);
        }
      }
    }
    scf::YieldOp::create(builder, accumulators);
  }
  SmallVector<Value> results;
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < width; column += 4) {
      auto acc = forOp.result_begin() + row / 2 * width / 2 + column / 2;
      int64_t inner = row % 2 * (isTurned ? 1 : 2), step = isTurned ? 2 : 1;
      results.push_back(vector::ShuffleOp::create(
          builder, acc[0], acc[1],
          ArrayRef<int64_t>{inner, inner + step, inner + 4, inner + 4 + step}));
    }
  return results;
}
