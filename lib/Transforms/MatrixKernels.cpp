//===- MatrixKernels.cpp - Products by instructions of a warp -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block makes a tile of the result, each of its warps a share of it:
//
//   for each 64 bytes of summands:
//     all: load the codes of both factors into shared memory, zeros behind the
//          end of the sum
//     barrier
//     each warp: multiplies them
//     barrier
//
// Where the chip copies to shared memory by itself, and codes lie there as they
// do in memory, some tiles are on their way while one is multiplied:
//
//   all: begin to load the first tiles but one
//   for each 64 bytes of summands:
//     all: wait for the oldest tile
//     barrier
//     each warp: multiplies this one; meanwhile
//     all: begin to load a tile in place of the one before this
//
// There are two such loops. In one, all that is loaded at once is aligned, and
// there as a whole or not at all: there are no branches then, so that a warp's
// next addresses are computed between its products, and what goes through
// registers is stored behind them. The other is for matrices of odd sizes,
// whose codes are taken one by one where they must be.
//
// Both factors have their summands next to each other there, and ldmatrix takes
// them into registers: whatever the instruction, eight rows of 16 bytes are one
// of its matrices. Codes of 16 bits that lie across the sum in memory are
// copied in rows of one summand each, which ldmatrix turns around on their way.
//
// Zero points come off in the end, modulo 2^32 as the products and sums are:
//
//   sum((a - p) * (b - q)) = sum(a * b) - q * sum(a) - p * sum(b) + K * p * q
//
// where the sums of one factor are its products with ones.
//
//===----------------------------------------------------------------------===//

#include "MatrixTiles.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr int64_t kWarp = 32;
/// Of a block's shared memory, which all chips have without being asked; and
/// tiles in it at once: more leave room for fewer blocks.
static constexpr int64_t kMostSharedBytes = 48 * 1024, kMostStages = 3;
/// Words of 16 bytes: the threads of one row have one each.
static constexpr int64_t kThreadsOfRow = 4;
/// What ldmatrix loads: rows of 16 bytes, all of them from different banks, and
/// at most so many matrices at once.
static constexpr int64_t kMatrixRows = 8, kMatrixBytes = 16;
static constexpr int64_t kMostMatrices = 4;

namespace {
/// Registers of one of the instruction's matrices.
using Registers = SmallVector<Value, 4>;

class MatrixKernel : MatrixTiles {
public:
  MatrixKernel(KernelLaunches &launches, const GpuProduct &product,
               const MatrixPlan &plan, const ProductTile &shape)
      : MatrixTiles(launches, product, *plan.instruction,
                    shape.getShares() * kWarp),
        plan(plan), shape(shape) {}

  void build();

private:
  /// A factor's tile, and where in it the warp's rows begin.
  struct WarpTile : CodeTile {
    Value warpRow;
    /// Of the instruction.
    int64_t rows;
  };

  /// What codes are in registers.
  Type getRegisterType();
  Type getSumType();
  Value getOnes();

  /// How many tiles are in shared memory at once.
  int64_t chooseStages();
  /// Begins to load the tiles of both factors, if there are summands from there
  /// on. Of whole tiles what is not copied is in `words`, unless that is null,
  /// and stored in the end.
  void beginStage(Value from, Value inStage, bool areWhole,
                  SmallVector<Value> *words);
  void endStage(Value inStage, ValueRange words);
  /// What a thread has of the warp's rows, `count` times as many as the
  /// instruction has, of one step.
  SmallVector<Registers> loadRegisters(const WarpTile &tile, int64_t count,
                                       int64_t step);
  Registers multiply(ArrayRef<Value> a, ArrayRef<Value> b, ArrayRef<Value> c);
  /// Adds the products of a tile to all registers of sums; `meanwhile` emits
  /// what is to be done while the first registers are loaded.
  SmallVector<Value>
  addTile(ValueRange sums, llvm::function_ref<void()> meanwhile = [] {});
  /// The sums of all tiles, one after the other, or several at once.
  SmallVector<Value> emitTiles(ValueRange sums);
  SmallVector<Value> emitStages(ValueRange sums, bool areWhole);
  /// A row or column of the result, and what makes values of its sums.
  struct SumLine {
    ResultLine line;
    Value subtracted, scale;
  };
  SumLine getSumLine(const WarpTile &tile, Value inWarp);
  void storeSums(ValueRange sums);

  int64_t getRowsOfWarp() const { return shape.shareRows / instruction.m; }
  int64_t getColumnsOfWarp() const {
    return shape.shareColumns / instruction.n;
  }
  int64_t getSumRegisters() const {
    return instruction.m * instruction.n / kWarp;
  }
  /// Where sums of one factor are among the registers, in units of matrices.
  int64_t getSumsOfLeft() const { return getRowsOfWarp() * getColumnsOfWarp(); }
  int64_t getSumsOfRight() const {
    return getSumsOfLeft() + (plan.right.subtracted ? getRowsOfWarp() : 0);
  }
  int64_t getNumSums() const {
    return getSumsOfRight() + (plan.left.subtracted ? getColumnsOfWarp() : 0);
  }

  const MatrixPlan &plan;
  const ProductTile &shape;
  WarpTile left, right;
  /// The thread's number in its warp, by four and the rest.
  Value group, inGroup;
};
} // namespace

Type MatrixKernel::getRegisterType() {
  if (instruction.a == MatrixElement::Float16)
    return VectorType::get({2}, rewriter.getF16Type());
  return rewriter.getI32Type();
}

Type MatrixKernel::getSumType() {
  return isFloat() ? Type(rewriter.getF32Type()) : rewriter.getI32Type();
}

Value MatrixKernel::getOnes() {
  return arith::ConstantIntOp::create(rewriter, loc, 0x01010101, 32);
}

/// The instruction's registers are matrices one after the other, first those of
/// other rows, then those of other summands. The threads of a quarter of the
/// warp have the addresses of the rows of one of them.
SmallVector<Registers>
MatrixKernel::loadRegisters(const WarpTile &tile, int64_t count, int64_t step) {
  int64_t halves = tile.rows / kMatrixRows;
  int64_t pieces = instruction.k * getBytes() / kMatrixBytes;
  int64_t each = halves * pieces;
  int64_t together = std::min(kMostMatrices / each, count);
  // Bits as they are, whatever 16 of them stand for.
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
        getPlaceInTile(tile, f16, row, number), tile.isAcross, each * together);
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

Registers MatrixKernel::multiply(ArrayRef<Value> a, ArrayRef<Value> b,
                                 ArrayRef<Value> c) {
  SmallVector<Value> operands(a);
  llvm::append_range(operands, b);
  llvm::append_range(operands, c);
  auto type = LLVM::LLVMStructType::getLiteral(
      rewriter.getContext(), SmallVector<Type>(c.size(), getSumType()));
  StringAttr name =
      rewriter.getStringAttr("llvm.nvvm.mma." + instruction.intrinsic);
  Value result =
      LLVM::CallIntrinsicOp::create(rewriter, loc, type, name, operands)
          .getResult(0);
  Registers sums;
  for (int64_t i = 0; i < int64_t(c.size()); ++i)
    sums.push_back(LLVM::ExtractValueOp::create(rewriter, loc, result, i));
  return sums;
}

SmallVector<Value> MatrixKernel::addTile(ValueRange sums,
                                         llvm::function_ref<void()> meanwhile) {
  SmallVector<Registers> all;
  int64_t each = getSumRegisters();
  for (int64_t i = 0; i < getNumSums(); ++i)
    all.emplace_back(sums.slice(i * each, each));
  int64_t rows = getRowsOfWarp(), columns = getColumnsOfWarp();
  int64_t steps = kDepthBytes / (instruction.k * getBytes());
  for (int64_t step = 0; step < steps; ++step) {
    SmallVector<Registers> a = loadRegisters(left, rows, step);
    SmallVector<Registers> b = loadRegisters(right, columns, step);
    if (step == 0)
      meanwhile();
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        Registers &sum = all[i * columns + j];
        sum = multiply(a[i], b[j], sum);
      }
    if (plan.right.subtracted)
      for (int64_t i = 0; i < rows; ++i) {
        Registers &sum = all[getSumsOfLeft() + i];
        sum = multiply(a[i], Registers(b[0].size(), getOnes()), sum);
      }
    if (plan.left.subtracted)
      for (int64_t j = 0; j < columns; ++j) {
        Registers &sum = all[getSumsOfRight() + j];
        sum = multiply(Registers(a[0].size(), getOnes()), b[j], sum);
      }
  }
  SmallVector<Value> results;
  for (const Registers &registers : all)
    llvm::append_range(results, registers);
  return results;
}

SmallVector<Value> MatrixKernel::emitTiles(ValueRange sums) {
  stage = index(0);
  auto loop = scf::ForOp::create(rewriter, loc, index(0), depth,
                                 index(getStep()), sums);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  for (const CodeTile &tile : {left, right})
    loadTile(tile, loop.getInductionVar());
  gpu::BarrierOp::create(rewriter, loc);
  SmallVector<Value> next = addTile(loop.getRegionIterArgs());
  gpu::BarrierOp::create(rewriter, loc);
  scf::YieldOp::create(rewriter, loc, next);
  return loop.getResults();
}

int64_t MatrixKernel::chooseStages() {
  if (!plan.hasAsyncCopies ||
      (!canCopy(getPlainCodes(product.left, plan.left)) &&
       !canCopy(getPlainCodes(product.right, plan.right))))
    return 1;
  int64_t stages =
      std::min(kMostStages,
               kMostSharedBytes / ((shape.rows + shape.columns) * kDepthBytes));
  if (std::optional<int64_t> known = getConstantIntValue(depth))
    stages = std::min<int64_t>(stages, llvm::divideCeil(*known, getStep()));
  return std::max<int64_t>(stages, 1);
}

void MatrixKernel::beginStage(Value from, Value inStage, bool areWhole,
                              SmallVector<Value> *words) {
  stage = inStage;
  SmallVector<const CodeTile *> others;
  for (const CodeTile *tile : {&left, &right})
    if (areWhole && tile->isCopied)
      copyTile(*tile, from);
    else if (areWhole && words)
      llvm::append_range(*words, loadWords(*tile, from));
    else
      others.push_back(tile);
  if (!others.empty()) {
    OpBuilder::InsertionGuard guard(rewriter);
    auto branch = scf::IfOp::create(rewriter, loc, isBelow(from, depth));
    rewriter.setInsertionPointToStart(branch.thenBlock());
    for (const CodeTile *tile : others)
      loadTile(*tile, from);
  }
  // Without copies, too: those of how many tiles may be on their way counts.
  NVVM::CpAsyncCommitGroupOp::create(rewriter, loc);
}

void MatrixKernel::endStage(Value inStage, ValueRange words) {
  stage = inStage;
  for (const CodeTile *tile : {&left, &right})
    if (!tile->isCopied && !words.empty())
      words = storeWords(*tile, words);
}

SmallVector<Value> MatrixKernel::emitStages(ValueRange sums, bool areWhole) {
  int64_t ahead = numStages - 1;
  for (int64_t i = 0; i < ahead; ++i)
    beginStage(index(i * getStep()), index(i), areWhole, /*words=*/nullptr);
  // Which tile is multiplied, and which is loaded.
  SmallVector<Value> before(sums);
  before.append({index(0), index(ahead)});
  auto loop = scf::ForOp::create(rewriter, loc, index(0), depth,
                                 index(getStep()), before);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  ValueRange stages = loop.getRegionIterArgs().take_back(2);
  NVVM::CpAsyncWaitGroupOp::create(rewriter, loc, ahead - 1);
  gpu::BarrierOp::create(rewriter, loc);
  stage = stages[0];
  SmallVector<Value> words;
  Value later = plus(loop.getInductionVar(), index(ahead * getStep()));
  auto begin = [&] {
    beginStage(later, stages[1], areWhole, &words);
    stage = stages[0];
  };
  auto nothing = [] {};
  // Branches would keep registers for all of their ways.
  if (!areWhole)
    begin();
  ValueRange sumsBefore = loop.getRegionIterArgs().drop_back(2);
  SmallVector<Value> next =
      areWhole ? addTile(sumsBefore, begin) : addTile(sumsBefore, nothing);
  endStage(stages[1], words);
  Value following = plus(stages[0], index(1));
  Value isLast = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                       following, index(numStages));
  next.append(
      {arith::SelectOp::create(rewriter, loc, isLast, index(0), following),
       stages[0]});
  scf::YieldOp::create(rewriter, loc, next);
  return loop.getResults().drop_back(2);
}

MatrixKernel::SumLine MatrixKernel::getSumLine(const WarpTile &tile,
                                               Value inWarp) {
  SumLine line;
  line.line =
      getLine(*tile.factor, plus(plus(tile.first, tile.warpRow), inWarp));
  auto emit = [&](Value value) -> Value {
    if (!value)
      return nullptr;
    return orZero(line.line.isThere, value.getType(), [&] {
      return emitFactor(*tile.factor, value, line.line.number, index(0));
    });
  };
  line.subtracted = emit(tile.operand->subtracted);
  line.scale = emit(tile.operand->scale);
  return line;
}

void MatrixKernel::storeSums(ValueRange sums) {
  int64_t each = getSumRegisters(), columns = getColumnsOfWarp();
  Type i32 = rewriter.getI32Type();
  auto times32 = [&](Value x, Value y) -> Value {
    return arith::MulIOp::create(rewriter, loc, x, y);
  };
  Value count = arith::IndexCastOp::create(rewriter, loc, i32, depth);
  // Two neighbours, then those of eight rows below.
  SmallVector<SumLine> lines, places;
  for (int64_t row = 0; row < shape.shareRows; row += 8)
    lines.push_back(getSumLine(left, plus(group, index(row))));
  for (int64_t column = 0; column < shape.shareColumns; column += 8)
    for (int64_t next = 0; next < 2; ++next)
      places.push_back(
          getSumLine(right, plus(times(inGroup, 2), index(column + next))));
  for (int64_t i = 0; i < getRowsOfWarp(); ++i)
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t k = 0; k < each; ++k) {
        const SumLine &row = lines[i * (instruction.m / 8) + k / 2];
        const SumLine &column = places[j * 2 + k % 2];
        ifResult(row.line, column.line, [&] {
          Value sum = sums[(i * columns + j) * each + k];
          Value p = row.subtracted, q = column.subtracted;
          if (p) {
            Value ofRight = sums[(getSumsOfRight() + j) * each + k];
            sum = minus(sum, times32(p, ofRight));
          }
          if (q) {
            Value ofLeft = sums[(getSumsOfLeft() + i) * each + k];
            sum = minus(sum, times32(q, ofLeft));
          }
          if (p && q)
            sum = plus(sum, times32(count, times32(p, q)));
          for (Value scale : {row.scale, column.scale})
            if (scale)
              sum = arith::MulFOp::create(rewriter, loc, sum, scale);
          SmallVector<Value> place = getPlace(row.line, column.line);
          Value before = emitStart(place);
          sum = isFloat()
                    ? Value(arith::AddFOp::create(rewriter, loc, before, sum))
                    : plus(before, sum);
          memref::StoreOp::create(rewriter, loc, sum, getResult(), place);
        });
      }
}

void MatrixKernel::build() {
  beginTiles(shape.rows, shape.columns, threads);
  Value warp = divide(thread, kWarp);
  Value lane = modulo(thread, kWarp);
  group = divide(lane, kThreadsOfRow);
  inGroup = modulo(lane, kThreadsOfRow);
  numStages = chooseStages();
  int64_t warpsOfRow = shape.columns / shape.shareColumns;
  left = {makeTile(product.left, plan.left, shape.rows, firstRow),
          times(divide(warp, warpsOfRow), shape.shareRows), instruction.m};
  right = {makeTile(product.right, plan.right, shape.columns, firstColumn),
           times(modulo(warp, warpsOfRow), shape.shareColumns), instruction.n};

  Value zero = arith::ConstantOp::create(rewriter, loc, getSumType(),
                                         rewriter.getZeroAttr(getSumType()));
  SmallVector<Value> sums(getNumSums() * getSumRegisters(), zero);
  if (numStages == 1) {
    sums = emitTiles(sums);
  } else {
    Value areWhole = both(isWhole(left), isWhole(right));
    auto branch = scf::IfOp::create(rewriter, loc, TypeRange(ValueRange(sums)),
                                    areWhole, /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    for (bool whole : {true, false}) {
      rewriter.setInsertionPointToStart(whole ? branch.thenBlock()
                                              : branch.elseBlock());
      scf::YieldOp::create(rewriter, loc, emitStages(sums, whole));
    }
    sums = branch.getResults();
  }
  storeSums(sums);
  launches.endLaunch();
}

void quant_float::buildMatrixKernel(KernelLaunches &launches,
                                    const GpuProduct &product,
                                    const MatrixPlan &plan,
                                    const ProductTile &shape) {
  MatrixKernel(launches, product, plan, shape).build();
}
