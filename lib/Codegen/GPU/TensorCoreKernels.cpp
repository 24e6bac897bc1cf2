//===- TensorCoreKernels.cpp - Tensor-core matmuls ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread block computes a tile of the result, and each of its warps a
// share of the tile:
//
//   for each 64 bytes of K:
//     all: load the quantized values of both operands to workgroup memory, with
//          zeros past the end of K
//     barrier
//     each warp: multiply and accumulate
//     barrier
//
// If the chip has asynchronous copies to workgroup memory and the values of an
// operand need no conversion, the loop is software-pipelined:
//
//   all: begin to load all stages but one
//   for each 64 bytes of K:
//     all: wait for the oldest stage
//     barrier
//     each warp: multiply and accumulate this stage; meanwhile
//     all: begin to load into the previous stage
//
// There are two versions of the pipelined loop. The first one requires that
// each wide access is aligned, and either entirely in bounds or entirely out of
// bounds. It has no branches, so that a warp computes its next addresses
// between multiplications, and stores the values that go through registers
// after them. The second one handles all other sizes and loads element by
// element where necessary.
//
// Both operands are K-contiguous in workgroup memory, and ldmatrix loads them
// to registers: for every instruction, eight rows of 16 bytes are one matrix of
// ldmatrix. 16-bit values that are not K-contiguous are copied in rows of one
// index of K each, which ldmatrix transposes.
//
// Zero points are subtracted at the end. Like the accumulators, the
// correction is computed modulo 2^32:
//
//   sum((a - p) * (b - q)) = sum(a * b) - q * sum(a) - p * sum(b) + K * p * q
//
// The sums of one operand are its matmul with a matrix of ones.
//
//===----------------------------------------------------------------------===//

#include "TensorCoreResults.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The size of the workgroup memory that every chip has without opt-in, and the
/// maximum number of stages. More stages leave room for fewer thread blocks.
static constexpr int64_t kMaxSharedBytes = 48 * 1024, kMaxStages = 3;
/// ldmatrix loads matrices of eight rows of 16 bytes, whose rows must be in
/// different banks to avoid conflicts, and at most four matrices at once.
static constexpr int64_t kMatrixRows = 8, kMatrixBytes = 16;
static constexpr int64_t kMaxMatrices = 4;

namespace {
/// The registers of an operand or accumulator of one instruction.
using Registers = SmallVector<Value, 4>;

class TensorCoreKernel : TensorCoreResults {
public:
  TensorCoreKernel(KernelLaunches &launches, const GpuMatmul &matmul,
                   const TensorCorePlan &plan, const MatmulTile &shape)
      : TensorCoreResults(launches, matmul, plan, *plan.instruction, shape) {}

  void build();

private:
  /// Returns the type of a register of quantized values.
  Type getRegisterType();
  Value getOnes();

  /// Chooses the number of stages in workgroup memory.
  int64_t chooseStages();
  /// Begins to load the tiles of both operands at index `from` of K, if it is
  /// in bounds. If `areAlignedTiles`, values that are not copied asynchronously
  /// are loaded to `packed`, unless it is null, and endStage() stores them.
  void beginStage(Value from, Value inStage, bool areAlignedTiles,
                  SmallVector<Value> *packed);
  void endStage(Value inStage, ValueRange packed);
  /// Loads the thread's registers of `count` instructions' rows, for one step
  /// along K.
  SmallVector<Registers> loadRegisters(const WarpTile &tile, int64_t count,
                                       int64_t step);
  Registers multiply(ArrayRef<Value> a, ArrayRef<Value> b, ArrayRef<Value> c);
  /// Accumulates the products of a tile. `emitOverlapped` emits the code that
  /// overlaps with the loads of the first registers.
  SmallVector<Value> addTile(
      ValueRange accumulators,
      llvm::function_ref<void()> emitOverlapped = [] {});
  /// Accumulates all tiles, without or with software pipelining.
  SmallVector<Value> emitTiles(ValueRange accumulators);
  SmallVector<Value> emitStages(ValueRange accumulators, bool areAlignedTiles);
};
} // namespace

Type TensorCoreKernel::getRegisterType() {
  if (instruction.a == MatrixElement::Float16)
    return VectorType::get({2}, rewriter.getF16Type());
  return rewriter.getI32Type();
}

Value TensorCoreKernel::getOnes() {
  return arith::ConstantIntOp::create(rewriter, loc, 0x01010101, 32);
}

/// The registers of an instruction's operand are matrices of 8 rows, ordered by
/// rows first, then by K. Each quarter of the warp passes the row addresses of
/// one matrix to ldmatrix.
SmallVector<Registers> TensorCoreKernel::loadRegisters(const WarpTile &tile,
                                                       int64_t count,
                                                       int64_t step) {
  int64_t halves = tile.rows / kMatrixRows;
  int64_t pieces = instruction.k * getBytes() / kMatrixBytes;
  int64_t each = halves * pieces;
  int64_t together = std::min(kMaxMatrices / each, count);
  // ldmatrix moves bits: f16 stands for any 16 of them.
  Type f16 = rewriter.getF16Type();
  Value source = viewTile(tile, f16);
  Value lane = modulo(thread, kWarp);
  Value rowOfMatrix = modulo(lane, kMatrixRows);
  Value matrix = modulo(divide(lane, kMatrixRows), each * together);
  Value line = plus(times(divide(matrix, each), tile.rows),
                    times(modulo(matrix, halves), kMatrixRows));
  Value piece =
      plus(modulo(divide(matrix, halves), pieces), index(step * pieces));
  SmallVector<Registers> all;
  for (int64_t first = 0; first < count; first += together) {
    Value lineInTile = plus(tile.warpRow, plus(line, index(first * tile.rows)));
    Value row = plus(lineInTile, rowOfMatrix);
    Value number = times(piece, kMatrixRows);
    if (tile.isAcross) {
      row = plus(number, rowOfMatrix);
      number = lineInTile;
    }
    Value loaded = nvgpu::LdMatrixOp::create(
        rewriter, loc, VectorType::get({each * together, 2}, f16), source,
        getTileIndices(tile, f16, row, number), tile.isAcross, each * together);
    for (int64_t i = 0; i < each * together; ++i) {
      if (i % each == 0)
        all.emplace_back();
      Value pair = vector::ExtractOp::create(rewriter, loc, loaded, i);
      if (pair.getType() != getRegisterType())
        pair = LLVM::BitcastOp::create(rewriter, loc, getRegisterType(), pair);
      all.back().push_back(pair);
    }
  }
  return all;
}

Registers TensorCoreKernel::multiply(ArrayRef<Value> a, ArrayRef<Value> b,
                                     ArrayRef<Value> c) {
  SmallVector<Value> operands(a);
  llvm::append_range(operands, b);
  llvm::append_range(operands, c);
  auto type = LLVM::LLVMStructType::getLiteral(
      rewriter.getContext(), SmallVector<Type>(c.size(), getAccumulatorType()));
  StringRef suffix = instruction.name;
  suffix.consume_front("mma.sync.");
  StringAttr name = rewriter.getStringAttr("llvm.nvvm.mma." + suffix);
  Value result =
      LLVM::CallIntrinsicOp::create(rewriter, loc, type, name, operands)
          .getResult(0);
  Registers accumulators;
  for (int64_t i = 0; i < int64_t(c.size()); ++i)
    accumulators.push_back(
        LLVM::ExtractValueOp::create(rewriter, loc, result, i));
  return accumulators;
}

SmallVector<Value>
TensorCoreKernel::addTile(ValueRange accumulators,
                          llvm::function_ref<void()> emitOverlapped) {
  SmallVector<Registers> all;
  int64_t each = getAccumulatorRegisters();
  for (int64_t i = 0; i < getNumAccumulators(); ++i)
    all.emplace_back(accumulators.slice(i * each, each));
  int64_t rows = getRowsOfWarp(), columns = getColumnsOfWarp();
  int64_t steps = kDepthBytes / (instruction.k * getBytes());
  for (int64_t step = 0; step < steps; ++step) {
    SmallVector<Registers> a = loadRegisters(lhs, rows, step);
    SmallVector<Registers> b = loadRegisters(rhs, columns, step);
    if (step == 0)
      emitOverlapped();
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        Registers &accumulator = all[i * columns + j];
        accumulator = multiply(a[i], b[j], accumulator);
      }
    if (plan.rhs.subtracted)
      for (int64_t i = 0; i < rows; ++i) {
        Registers &accumulator = all[getLhsSumIndex() + i];
        accumulator =
            multiply(a[i], Registers(b[0].size(), getOnes()), accumulator);
      }
    if (plan.lhs.subtracted)
      for (int64_t j = 0; j < columns; ++j) {
        Registers &accumulator = all[getRhsSumIndex() + j];
        accumulator =
            multiply(Registers(a[0].size(), getOnes()), b[j], accumulator);
      }
  }
  SmallVector<Value> results;
  for (const Registers &registers : all)
    llvm::append_range(results, registers);
  return results;
}

SmallVector<Value> TensorCoreKernel::emitTiles(ValueRange accumulators) {
  stage = index(0);
  auto loop = scf::ForOp::create(rewriter, loc, index(0), depth,
                                 index(getStep()), accumulators);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  for (const OperandTile &tile : {lhs, rhs})
    loadTile(tile, loop.getInductionVar());
  gpu::BarrierOp::create(rewriter, loc);
  SmallVector<Value> next = addTile(loop.getRegionIterArgs());
  gpu::BarrierOp::create(rewriter, loc);
  scf::YieldOp::create(rewriter, loc, next);
  return loop.getResults();
}

int64_t TensorCoreKernel::chooseStages() {
  if (!plan.hasAsyncCopies ||
      (!canCopy(getPlainOperand(matmul.lhs, plan.lhs)) &&
       !canCopy(getPlainOperand(matmul.rhs, plan.rhs))))
    return 1;
  int64_t stages =
      std::min(kMaxStages,
               kMaxSharedBytes / ((shape.rows + shape.columns) * kDepthBytes));
  if (std::optional<int64_t> known = getConstantIntValue(depth))
    stages = std::min<int64_t>(stages, llvm::divideCeil(*known, getStep()));
  return std::max<int64_t>(stages, 1);
}

void TensorCoreKernel::beginStage(Value from, Value inStage,
                                  bool areAlignedTiles,
                                  SmallVector<Value> *packed) {
  stage = inStage;
  SmallVector<const OperandTile *> guarded;
  for (const OperandTile *tile : {&lhs, &rhs})
    if (areAlignedTiles && tile->isCopied)
      copyTile(*tile, from);
    else if (areAlignedTiles && packed)
      llvm::append_range(*packed, loadPacked(*tile, from));
    else
      guarded.push_back(tile);
  if (!guarded.empty())
    emitIf(rewriter, loc, isBelow(from, depth), [&] {
      for (const OperandTile *tile : guarded)
        loadTile(*tile, from);
    });
  // Commit a group even if it has no copies, because the wait counts groups.
  NVVM::CpAsyncCommitGroupOp::create(rewriter, loc);
}

void TensorCoreKernel::endStage(Value inStage, ValueRange packed) {
  stage = inStage;
  for (const OperandTile *tile : {&lhs, &rhs})
    if (!tile->isCopied && !packed.empty())
      packed = storePacked(*tile, packed);
}

SmallVector<Value> TensorCoreKernel::emitStages(ValueRange accumulators,
                                                bool areAlignedTiles) {
  int64_t prefetchDistance = numStages - 1;
  for (int64_t i = 0; i < prefetchDistance; ++i)
    beginStage(index(i * getStep()), index(i), areAlignedTiles,
               /*packed=*/nullptr);
  // The loop carries the stage to multiply and the stage to load.
  SmallVector<Value> before(accumulators);
  before.append({index(0), index(prefetchDistance)});
  auto loop = scf::ForOp::create(rewriter, loc, index(0), depth,
                                 index(getStep()), before);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  ValueRange stages = loop.getRegionIterArgs().take_back(2);
  NVVM::CpAsyncWaitGroupOp::create(rewriter, loc, prefetchDistance - 1);
  gpu::BarrierOp::create(rewriter, loc);
  stage = stages[0];
  SmallVector<Value> packed;
  Value later =
      plus(loop.getInductionVar(), index(prefetchDistance * getStep()));
  auto begin = [&] {
    beginStage(later, stages[1], areAlignedTiles, &packed);
    stage = stages[0];
  };
  auto nothing = [] {};
  // Without branches, loads overlap with the multiplication. With branches,
  // this would keep registers live on all of their paths.
  if (!areAlignedTiles)
    begin();
  ValueRange current = loop.getRegionIterArgs().drop_back(2);
  SmallVector<Value> next =
      areAlignedTiles ? addTile(current, begin) : addTile(current, nothing);
  endStage(stages[1], packed);
  Value following = plus(stages[0], index(1));
  Value isLast = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                       following, index(numStages));
  next.append(
      {arith::SelectOp::create(rewriter, loc, isLast, index(0), following),
       stages[0]});
  scf::YieldOp::create(rewriter, loc, next);
  return loop.getResults().drop_back(2);
}

void TensorCoreKernel::build() {
  beginTiles(shape.rows, shape.columns, threads);
  Value warp = locateThread();
  numStages = chooseStages();
  int64_t warpsOfRow = shape.columns / shape.partColumns;
  lhs = {makeTile(matmul.lhs, plan.lhs, shape.rows, firstRow),
         times(divide(warp, warpsOfRow), shape.partRows), instruction.m};
  rhs = {makeTile(matmul.rhs, plan.rhs, shape.columns, firstColumn),
         times(modulo(warp, warpsOfRow), shape.partColumns), instruction.n};

  SmallVector<Value> accumulators(getNumAccumulators() *
                                      getAccumulatorRegisters(),
                                  zero(getAccumulatorType()));
  if (numStages == 1) {
    accumulators = emitTiles(accumulators);
  } else {
    Value areAlignedTiles = both(isAlignedTile(lhs), isAlignedTile(rhs));
    accumulators = emitIfElse(
        rewriter, loc, TypeRange(ValueRange(accumulators)), areAlignedTiles,
        [&] { return emitStages(accumulators, true); },
        [&] { return emitStages(accumulators, false); });
  }
  storeAccumulators(accumulators);
  launches.endLaunch();
}

void quant_float::buildTensorCoreKernel(KernelLaunches &launches,
                                        const GpuMatmul &matmul,
                                        const TensorCorePlan &plan,
                                        const MatmulTile &shape) {
  TensorCoreKernel(launches, matmul, plan, shape).build();
}
