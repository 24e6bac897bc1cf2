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
// accumulators: C is divided into two tiles along M by two tiles along N, so
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

#include "MatmulPanels.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/SaveAndRestore.h"

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

static Value createAdd(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return b.createOrFold<arith::AddIOp>(lhs, rhs);
}

static Value createMul(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  return b.createOrFold<arith::MulIOp>(lhs, rhs);
}

static int64_t countTiles(int64_t all, int64_t size) {
  return llvm::divideCeil(all, size);
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
    offset = createAdd(b, offset, createMul(b, index, stride));
    if (step)
      rowElements =
          createAdd(b, rowElements, createMul(b, getConstant(step), stride));
  }
  Value bytes = getConstant(4);
  return {createAdd(b, getAddress(b, buffer), createMul(b, offset, bytes)),
          createMul(b, rowElements, bytes)};
}

namespace {
class AmxTileLoops final : public MatrixInstructionLoops {
public:
  using MatrixInstructionLoops::MatrixInstructionLoops;

protected:
  void multiplyPanel(int64_t lanes) override;
  void accumulateSteps(int64_t rows, int64_t lanes) override;

private:
  SmallVector<int64_t> getRowSteps(OpOperand *operand) {
    return *getSteps(op.getMatchingIndexingMap(operand), *plan.rowLoop);
  }
  void configureTiles(int64_t rows);
  void beginTiles(int64_t rows, int64_t lanes);
  void
  forEachAccumulator(int64_t rows,
                     llvm::function_ref<void(int64_t, ArrayRef<Value>)> body);

  /// The number of rows that the tile registers are configured for.
  int64_t tileRows = 0;
};
} // namespace

std::unique_ptr<ReductionLoops>
quant_float::createAmxTileLoops(const ReductionPlan &plan,
                                const ReductionContext &context) {
  return std::make_unique<AmxTileLoops>(plan, context);
}

/// Configures the tile registers for `rows` rows and the valid lanes.
void AmxTileLoops::configureTiles(int64_t rows) {
  constexpr size_t rowBytes = 16, rowCounts = 48;
  std::array<int8_t, kTileConfigBytes> sizes = {1};
  auto set = [&](int64_t number, int64_t rows, int64_t columns) {
    sizes[rowBytes + 2 * number] = 4 * columns;
    sizes[rowCounts + number] = rows;
  };
  auto getPart = [](int64_t all, int64_t tile, int64_t size) {
    return std::min(all - tile * size, size);
  };
  for (int64_t i = 0; i < countTiles(rows, matrix.m); ++i) {
    int64_t rowsHere = getPart(rows, i, matrix.m);
    set(kRowRegisters + i, rowsHere, blockSteps);
    for (int64_t j = 0; j < countTiles(validLanes, matrix.n); ++j) {
      int64_t lanesHere = getPart(validLanes, j, matrix.n);
      set(kLaneRegisters + j, blockSteps, lanesHere);
      set(kTiles * i + j, rowsHere, lanesHere);
    }
  }
  auto type = VectorType::get({kTileConfigBytes}, builder.getI8Type());
  Value constant = arith::ConstantOp::create(
      builder, DenseElementsAttr::get(type, ArrayRef<int8_t>(sizes)));
  Value offset = getConstant(reduction_limits::kPanelBytes);
  vector::StoreOp::create(builder, constant, buffer, offset);
  call(builder, "llvm.x86.ldtilecfg", {},
       makePointer(builder,
                   createAdd(builder, getAddress(builder, buffer), offset)));
  tileRows = rows;
}

void AmxTileLoops::multiplyPanel(int64_t lanes) {
  if (!plan.hasMatrices(lanes))
    return PanelLoops::multiplyPanel(lanes);
  emitGap(lanes);
  configureTiles(std::min(plan.ranges[*plan.rowLoop], plan.tileRows));
  PanelLoops::multiplyPanel(lanes);
  call(builder, "llvm.x86.tilerelease", {});
}

/// Calls `body` for each accumulator tile with the number of the register, and
/// with the address of its part of the output and the number of bytes between
/// rows in memory.
void AmxTileLoops::forEachAccumulator(
    int64_t rows, llvm::function_ref<void(int64_t, ArrayRef<Value>)> body) {
  OpOperand *output = op.getDpsInitOperand(0);
  for (int64_t i = 0; i < countTiles(rows, matrix.m); ++i) {
    auto [address, rowBytes] =
        locate(builder, output->get(), getIndices(output, i * matrix.m),
               getRowSteps(output));
    for (int64_t j = 0; j < countTiles(validLanes, matrix.n); ++j)
      body(kTiles * i + j,
           {makePointer(builder, createAdd(builder, address,
                                           getConstant(4 * j * matrix.n))),
            makeLong(builder, rowBytes)});
  }
}

/// Initializes the accumulator tiles. Zeros are set in registers. Other initial
/// values are first written to the output, because tiles can only be loaded
/// from memory.
void AmxTileLoops::beginTiles(int64_t rows, int64_t lanes) {
  auto loadAll = [&] {
    forEachAccumulator(
        rows, [&](int64_t number, ArrayRef<Value> pointerAndStride) {
          call(builder, "llvm.x86.tileloadd64", number, pointerAndStride);
        });
  };
  if (!accumulatorInit)
    return loadAll();
  // If the initial value is zero, it does not depend on the row.
  bool isZero = matchPattern(
      accumulatorInit->build(builder, getOutputPosition(0)), m_Zero());
  auto beginAll = [&] {
    if (isZero)
      return forEachAccumulator(rows, [&](int64_t number, ArrayRef<Value>) {
        call(builder, "llvm.x86.tilezero", number);
      });
    llvm::SaveAndRestore first(position[*plan.rowLoop]);
    emitFor(getConstant(0), getConstant(rows), getConstant(1), [&](Value row) {
      position[*plan.rowLoop] =
          ::createAdd(builder, getValue(first.get()), row);
      SmallVector<Value> accumulators(
          llvm::divideCeil(lanes, plan.registerLanes),
          createInit(/*row=*/0, plan.registerLanes));
      storeAccumulators(/*rows=*/1, lanes, accumulators);
    });
  };
  if (Value isFirst = isFirstPart()) {
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
void AmxTileLoops::accumulateSteps(int64_t rows, int64_t lanes) {
  if (!plan.hasMatrices(lanes))
    return PanelLoops::accumulateSteps(rows, lanes);
  if (rows != tileRows)
    configureTiles(rows);
  int64_t rowTiles = countTiles(rows, matrix.m);
  int64_t laneTiles = countTiles(validLanes, matrix.n);
  beginTiles(rows, lanes);
  emitFor(getConstant(0), countBlocks(), getConstant(1), [&](Value block) {
    Value step = getBlockStep(block);
    Value lanesAddress = ::createAdd(
        builder, getAddress(builder, panel),
        createMul(builder, block, getConstant(4 * lanes * blockSteps)));
    for (int64_t j = 0; j < laneTiles; ++j)
      call(builder, "llvm.x86.tileloadd64", kLaneRegisters + j,
           {makePointer(builder, ::createAdd(builder, lanesAddress,
                                             getConstant(4 * j * matrix.n))),
            makeLong(builder, getConstant(4 * lanes))});
    SmallVector<int64_t> rowSteps = getRowSteps(unpacked);
    rowSteps.resize(cast<MemRefType>(unpackedSteps.getType()).getRank() - 1);
    rowSteps.push_back(0);
    for (int64_t i = 0; i < rowTiles; ++i) {
      auto [address, rowBytes] =
          locate(builder, unpackedSteps, getUnpackedIndices(i * matrix.m, step),
                 rowSteps);
      call(builder, "llvm.x86.tileloadd64", kRowRegisters + i,
           {makePointer(builder, address), makeLong(builder, rowBytes)});
      for (int64_t j = 0; j < laneTiles; ++j)
        call(builder, matrix.name,
             {kTiles * i + j, kRowRegisters + i, kLaneRegisters + j});
    }
  });
  forEachAccumulator(
      rows, [&](int64_t number, ArrayRef<Value> pointerAndStride) {
        call(builder, "llvm.x86.tilestored64", number, pointerAndStride);
      });
}
