//===- AmxTiles.cpp - Tiled matmul with Intel AMX tile registers ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// AMX has eight tile registers of up to 16 rows of 64 bytes. LDTILECFG sets the
// shapes of all of them at once and clears their contents. Four tiles are
// accumulators: C is blocked into two tiles along M by two tiles along N, so
// that each operand tile is used twice:
//
//             6     7     B: the packed panel
//         4   0     1
//         5   2     3
//     A: rows of the other operand
//
// The tile registers are numbered explicitly. LLVM's register allocation for
// tiles supports no more tile shapes in a function than fit into one
// configuration, and would configure the tiles again inside of loops.
//
//===----------------------------------------------------------------------===//

#include "ReductionLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The number of tiles along M and along N, and the first tile registers of the
/// operands A and B.
enum : int64_t { kTiles = 2, kRowRegisters = 4, kLaneRegisters = 6 };

static void call(ImplicitLocOpBuilder &b, StringRef intrinsic,
                 ArrayRef<int64_t> registers, ValueRange operands = {}) {
  SmallVector<Value> all;
  for (int64_t number : registers)
    all.push_back(LLVM::ConstantOp::create(b, b.getI8IntegerAttr(number)));
  llvm::append_range(all, operands);
  LLVM::CallIntrinsicOp::create(b, b.getStringAttr(intrinsic), all);
}

static Value getAddress(ImplicitLocOpBuilder &b, Value buffer) {
  return memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
}

static Value makeLong(ImplicitLocOpBuilder &b, Value index) {
  return arith::IndexCastOp::create(b, b.getI64Type(), index);
}

static Value makePointer(ImplicitLocOpBuilder &b, Value address) {
  return LLVM::IntToPtrOp::create(b, LLVM::LLVMPointerType::get(b.getContext()),
                                  makeLong(b, address));
}

static Value add(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(lhs, rhs);
}

static Value multiply(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return b.createOrFold<arith::MulIOp>(lhs, rhs);
}

static int64_t countTiles(int64_t all, int64_t most) {
  return llvm::divideCeil(all, most);
}

/// Returns, for each dimension of the operand, the difference of the indices of
/// two consecutive rows of the row loop. Returns nullopt if a difference
/// depends on the row.
std::optional<SmallVector<int64_t>>
ReductionLoopNest::getRowSteps(OpOperand *operand) const {
  AffineMap map = linalg::GenericOp(op).getMatchingIndexingMap(operand);
  AffineExpr row = getAffineDimExpr(*rowLoop, map.getContext());
  SmallVector<int64_t> steps;
  for (AffineExpr index : map.getResults()) {
    auto step = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(index.replace(row, row + 1) - index,
                           map.getNumDims(), map.getNumSymbols()));
    if (!step)
      return std::nullopt;
    steps.push_back(step.getValue());
  }
  return steps;
}

/// Returns the address of an element of a buffer of 32-bit elements, and the
/// number of bytes between the rows of the row loop.
static std::pair<Value, Value> locate(ImplicitLocOpBuilder &b, Value buffer,
                                      ValueRange indices,
                                      ArrayRef<int64_t> rowSteps) {
  auto getConstant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
  Value offset = metadata.getOffset(), rowElements = getConstant(0);
  for (auto [index, stride, step] :
       llvm::zip(indices, metadata.getStrides(), rowSteps)) {
    offset = add(b, offset, multiply(b, index, stride));
    if (step)
      rowElements = add(b, rowElements, multiply(b, getConstant(step), stride));
  }
  Value bytes = getConstant(4);
  return {add(b, getAddress(b, buffer), multiply(b, offset, bytes)),
          multiply(b, rowElements, bytes)};
}

/// Configures the tile registers for `rows` rows and the valid lanes.
void ReductionLoopNest::configureTiles(int64_t rows) {
  constexpr size_t rowBytes = 16, rowCounts = 48;
  std::array<int8_t, kTileSizesBytes> sizes = {1};
  auto set = [&](int64_t number, int64_t rows, int64_t columns) {
    sizes[rowBytes + 2 * number] = 4 * columns;
    sizes[rowCounts + number] = rows;
  };
  auto getPart = [](int64_t all, int64_t tile, int64_t most) {
    return std::min(all - tile * most, most);
  };
  for (int64_t i = 0; i < countTiles(rows, matrix->rows); ++i) {
    int64_t rowsHere = getPart(rows, i, matrix->rows);
    set(kRowRegisters + i, rowsHere, blockSteps);
    for (int64_t j = 0; j < countTiles(present, matrix->lanes); ++j) {
      int64_t lanesHere = getPart(present, j, matrix->lanes);
      set(kLaneRegisters + j, blockSteps, lanesHere);
      set(kTiles * i + j, rowsHere, lanesHere);
    }
  }
  auto type = VectorType::get({kTileSizesBytes}, builder.getI8Type());
  Value constant = arith::ConstantOp::create(
      builder, DenseElementsAttr::get(type, ArrayRef<int8_t>(sizes)));
  Value offset = getConstant(kPanelBytes);
  vector::StoreOp::create(builder, constant, panelBuffer, offset);
  call(builder, "llvm.x86.ldtilecfg", {},
       makePointer(builder,
                   add(builder, getAddress(builder, panelBuffer), offset)));
  tileRows = rows;
}

void ReductionLoopNest::releaseTiles() {
  call(builder, "llvm.x86.tilerelease", {});
}

/// Calls `body` for each accumulator tile with the number of the register, and
/// with the address of its part of the output and the number of bytes between
/// rows in memory.
void ReductionLoopNest::forEachAccumulator(
    int64_t rows, llvm::function_ref<void(int64_t, ArrayRef<Value>)> body) {
  OpOperand *output = op.getDpsInitOperand(0);
  for (int64_t i = 0; i < countTiles(rows, matrix->rows); ++i) {
    auto [address, rowBytes] =
        locate(builder, output->get(), getIndices(output, i * matrix->rows),
               *getRowSteps(output));
    for (int64_t j = 0; j < countTiles(present, matrix->lanes); ++j)
      body(kTiles * i + j,
           {makePointer(builder, add(builder, address,
                                     getConstant(4 * j * matrix->lanes))),
            makeLong(builder, rowBytes)});
  }
}

/// Initializes the accumulator tiles. Zeros are set in registers. Other initial
/// values are first written to the output, because tiles can only be loaded
/// from memory.
void ReductionLoopNest::beginTiles(int64_t rows, int64_t lanes) {
  auto loadAll = [&] {
    forEachAccumulator(
        rows, [&](int64_t number, ArrayRef<Value> pointerAndStride) {
          call(builder, "llvm.x86.tileloadd64", number, pointerAndStride);
        });
  };
  if (!start)
    return loadAll();
  // If the initial value is zero, it does not depend on the row.
  bool isZero =
      matchPattern(start->build(builder, getOutputPosition(0)), m_Zero());
  auto beginAll = [&] {
    if (isZero)
      return forEachAccumulator(rows, [&](int64_t number, ArrayRef<Value>) {
        call(builder, "llvm.x86.tilezero", number);
      });
    auto forOp = scf::ForOp::create(builder, getConstant(0), getConstant(rows),
                                    getConstant(1));
    OpFoldResult first = position[*rowLoop];
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forOp.getBody());
    position[*rowLoop] = add(
        builder, getValueOrCreateConstantIndexOp(builder, op.getLoc(), first),
        forOp.getInductionVar());
    SmallVector<Value> accumulators(
        llvm::divideCeil(lanes, registerLanes),
        broadcast(start->build(builder, getOutputPosition(0)), registerLanes));
    storeAccumulators(/*rows=*/1, lanes, accumulators);
    position[*rowLoop] = first;
  };
  if (partSteps < ranges[*partLoop]) {
    Value isFirst = arith::CmpIOp::create(builder, arith::CmpIPredicate::eq,
                                          partStart, getConstant(0));
    auto choice =
        scf::IfOp::create(builder, isFirst, /*withElseRegion=*/isZero);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(choice.thenBlock());
    beginAll();
    if (isZero) {
      builder.setInsertionPointToStart(choice.elseBlock());
      loadAll();
    }
  } else {
    beginAll();
  }
  if (!isZero)
    loadAll();
}

/// Accumulates `rows` rows by the valid lanes over one part of K in tile
/// registers.
void ReductionLoopNest::emitTileMatmuls(int64_t rows, int64_t lanes) {
  if (rows != tileRows)
    configureTiles(rows);
  int64_t rowTiles = countTiles(rows, matrix->rows);
  int64_t laneTiles = countTiles(present, matrix->lanes);
  beginTiles(rows, lanes);
  auto forOp = scf::ForOp::create(builder, getConstant(0), countBlocks(),
                                  getConstant(1));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(forOp.getBody());
    Value block = forOp.getInductionVar(), step = getBlockStep(block);
    Value lanesAddress =
        add(builder, getAddress(builder, panel),
            multiply(builder, block, getConstant(4 * lanes * blockSteps)));
    for (int64_t j = 0; j < laneTiles; ++j)
      call(builder, "llvm.x86.tileloadd64", kLaneRegisters + j,
           {makePointer(builder, add(builder, lanesAddress,
                                     getConstant(4 * j * matrix->lanes))),
            makeLong(builder, getConstant(4 * lanes))});
    SmallVector<int64_t> rowSteps = *getRowSteps(own);
    rowSteps.resize(cast<MemRefType>(ownSteps.getType()).getRank() - 1);
    rowSteps.push_back(0);
    StringRef intrinsic = getMatrixIntrinsic().first;
    for (int64_t i = 0; i < rowTiles; ++i) {
      auto [address, rowBytes] = locate(
          builder, ownSteps, getOwnIndices(i * matrix->rows, step), rowSteps);
      call(builder, "llvm.x86.tileloadd64", kRowRegisters + i,
           {makePointer(builder, address), makeLong(builder, rowBytes)});
      for (int64_t j = 0; j < laneTiles; ++j)
        call(builder, intrinsic,
             {kTiles * i + j, kRowRegisters + i, kLaneRegisters + j});
    }
  }
  forEachAccumulator(
      rows, [&](int64_t number, ArrayRef<Value> pointerAndStride) {
        call(builder, "llvm.x86.tilestored64", number, pointerAndStride);
      });
}
