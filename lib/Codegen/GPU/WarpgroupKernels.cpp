//===- WarpgroupKernels.cpp - Matmuls by wgmma ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread block computes a tile of the result. One warp, the producer,
// loads both operands by TMA to a ring of stages in workgroup memory. One or
// two warpgroups, the consumers, multiply them and hold the accumulators. Two
// mbarriers of each stage synchronize them:
//
//   producer: for each 128 bytes of K:
//     wait until the stage is empty
//     begin to load both tiles; the loads complete a phase of `full`
//   consumers: for each 128 bytes of K:
//     wait until the stage is full
//     begin to multiply
//     wait for the multiplication before; each warp arrives at `empty` of its
//     stage
//
// TMA fills the end of K, of the rows and of the columns with zeros. A tile is
// contiguous along K, 128 bytes in each row, with the 128-byte swizzle: matrix
// descriptors select 32 bytes of all rows for each instruction.
//
// The kernel requires that the rows of the matrices, and their addresses, are
// multiples of 16 bytes, which the host checks before it launches the kernel.
//
//===----------------------------------------------------------------------===//

#include "TensorCoreResults.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "quant-float/Support/InlineAsm.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::quant_float;

/// The size of a tile along K in bytes, and the number of rows that the
/// 128-byte swizzle permutes.
static constexpr int64_t kTileBytes = 128, kSwizzleRows = 8;
static constexpr int64_t kSwizzleBytes = kSwizzleRows * kTileBytes;
/// The size of workgroup memory for the stages in bytes, which leaves room for
/// alignment and mbarriers in the 227 KB that a thread block may have, and the
/// maximum number of stages.
static constexpr int64_t kMaxStageBytes = 224 * 1024, kMaxStages = 6;
/// The number of nanoseconds after which a suspended thread checks the barrier
/// again.
static constexpr int64_t kTicks = 10000000;

namespace {
class WarpgroupKernel : TensorCoreResults {
public:
  WarpgroupKernel(KernelLaunches &launches, const GpuMatmul &matmul,
                  const TensorCorePlan &plan, const MatmulTile &shape)
      : TensorCoreResults(launches, matmul, plan, *plan.instruction, shape) {}

  Value canLoad();
  void build();

private:
  /// An operand's tile in workgroup memory, and its tensor map.
  struct TmaTile {
    /// The tensor map as an array, on the host, and its address in the kernel.
    Value array, map;
    nvgpu::TensorMapDescriptorType type;
    /// The offset in a stage, and the first row of the tile in global memory.
    int64_t offset;
    Value firstRow;
  };
  /// The state of a loop over K: its stage, and the parity of the stage's
  /// phase.
  struct Position {
    Value stage, parity;
  };

  Value getInput(const TensorCoreOperand &operand) {
    return matmul.op->getOperand(operand.getArgument(matmul.op).getArgNumber());
  }
  /// Returns the number of rows of all matrices of the operand.
  Value getRows(const TensorCoreOperand &operand);
  int64_t getElementsOfTile() const { return kTileBytes / getBytes(); }
  int64_t getStageBytes() const {
    return (shape.rows + shape.columns) * kTileBytes;
  }

  TmaTile makeMap(const TensorCoreOperand &operand, int64_t rows);
  /// Finds the tile in the kernel.
  void locate(TmaTile &tile, const GpuOperand &gpuOperand,
              const TensorCoreOperand &operand, Value first);
  void wait(Value barriers, const Position &position);
  Position next(const Position &position);
  void produce();
  LLVM::LLVMStructType getAccumulators();
  Value multiply(Value accumulators, Value a, Value b);
  /// Emits a fence or a wait that the accumulators depend on.
  Value synchronize(Value accumulators, StringRef instruction);
  SmallVector<Value> consume();

  TmaTile lhsTile, rhsTile;
  /// Aligned workgroup memory of all stages, and the mbarriers.
  Value memory, offset, full, empty;
};
} // namespace

/// The address of a matrix, its rows and its K extent in bytes must be
/// multiples of 16. Coordinates have 32 bits, and empty matrices have no tensor
/// map.
Value WarpgroupKernel::canLoad() {
  constexpr int64_t kAlignment = 16, kMinRows = 64;
  setExtents();
  auto compare = [&](arith::CmpIPredicate predicate, Value value,
                     int64_t other) -> Value {
    return rewriter.createOrFold<arith::CmpIOp>(loc, predicate, value,
                                                index(other));
  };
  constexpr int64_t kCoordinates = int64_t(1) << 31;
  Value addresses = times(depth, getBytes());
  Value condition = compare(arith::CmpIPredicate::ult, depth, kCoordinates);
  for (const TensorCoreOperand *operand : {&plan.lhs, &plan.rhs}) {
    Value address = memref::ExtractAlignedPointerAsIndexOp::create(
        rewriter, loc, getInput(*operand));
    addresses = rewriter.createOrFold<arith::OrIOp>(loc, addresses, address);
    condition = both(condition, compare(arith::CmpIPredicate::ult,
                                        getRows(*operand), kCoordinates));
  }
  Value rest = rewriter.createOrFold<arith::AndIOp>(loc, addresses,
                                                    index(kAlignment - 1));
  condition = both(condition, compare(arith::CmpIPredicate::eq, rest, 0));
  condition = both(condition, compare(arith::CmpIPredicate::ne, depth, 0));
  for (Value rows : {numRows, numColumns})
    condition =
        both(condition, compare(arith::CmpIPredicate::uge, rows, kMinRows));
  return condition;
}

Value WarpgroupKernel::getRows(const TensorCoreOperand &operand) {
  Value buffer = getInput(operand), rows = index(1);
  int64_t axes = cast<MemRefType>(buffer.getType()).getRank() -
                 matmul.contraction.k.size();
  for (int64_t axis = 0; axis < axes; ++axis)
    rows = launches.multiply(
        rows, memref::DimOp::create(rewriter, loc, buffer, axis));
  return rows;
}

/// Encodes the matrix with one row for each index of all axes but those of K.
WarpgroupKernel::TmaTile
WarpgroupKernel::makeMap(const TensorCoreOperand &operand, int64_t rows) {
  Value buffer = getInput(operand);
  auto type = cast<MemRefType>(buffer.getType());
  OpFoldResult sizes[] = {getRows(operand), depth};
  OpFoldResult strides[] = {depth, rewriter.getIndexAttr(1)};
  constexpr int64_t kDynamic = ShapedType::kDynamic;
  auto layout = StridedLayoutAttr::get(rewriter.getContext(), 0, {kDynamic, 1});
  Value matrix = memref::ReinterpretCastOp::create(
      rewriter, loc,
      MemRefType::get({kDynamic, kDynamic}, type.getElementType(), layout,
                      type.getMemorySpace()),
      buffer, rewriter.getIndexAttr(0), sizes, strides);
  Value tensor = memref::CastOp::create(
      rewriter, loc,
      UnrankedMemRefType::get(type.getElementType(), type.getMemorySpace()),
      matrix);
  auto space = gpu::AddressSpaceAttr::get(rewriter.getContext(),
                                          gpu::AddressSpace::Workgroup);
  TmaTile tile;
  tile.type = nvgpu::TensorMapDescriptorType::get(
      rewriter.getContext(),
      MemRefType::get({rows, getElementsOfTile()}, getStorageType(),
                      MemRefLayoutAttrInterface(), Attribute(space)),
      nvgpu::TensorMapSwizzleKind::SWIZZLE_128B,
      nvgpu::TensorMapL2PromoKind::L2PROMO_256B,
      nvgpu::TensorMapOOBKind::OOB_ZERO,
      nvgpu::TensorMapInterleaveKind::INTERLEAVE_NONE);
  Value map = nvgpu::TmaCreateDescriptorOp::create(
      rewriter, loc, tile.type, tensor,
      ValueRange{index(rows), index(getElementsOfTile())});
  // Kernels take tensor maps by value.
  constexpr int64_t kWords = 16;
  auto array = LLVM::LLVMArrayType::get(rewriter.getI64Type(), kWords);
  tile.array = UnrealizedConversionCastOp::create(rewriter, loc, array, map)
                   .getResult(0);
  return tile;
}

void WarpgroupKernel::locate(TmaTile &tile, const GpuOperand &gpuOperand,
                             const TensorCoreOperand &operand, Value first) {
  auto pointer = LLVM::LLVMPointerType::get(rewriter.getContext());
  Value address =
      UnrealizedConversionCastOp::create(rewriter, loc, pointer, tile.array)
          .getResult(0);
  tile.map =
      UnrealizedConversionCastOp::create(rewriter, loc, tile.type, address)
          .getResult(0);
  BlockArgument argument = operand.getArgument(matmul.op);
  AffineMap map = matmul.op.getMatchingIndexingMap(
      &matmul.op->getOpOperand(argument.getArgNumber()));
  Value buffer = getInput(operand);
  Value row = index(0);
  int64_t axes = map.getNumResults() - gpuOperand.rows.size() -
                 matmul.contraction.k.size();
  for (int64_t axis = 0; axis < axes; ++axis) {
    row = launches.multiply(row,
                            memref::DimOp::create(rewriter, loc, buffer, axis));
    if (auto dim = dyn_cast<AffineDimExpr>(map.getResult(axis)))
      row = plus(row, indices[dim.getPosition()]);
    else
      row = plus(
          row, index(cast<AffineConstantExpr>(map.getResult(axis)).getValue()));
  }
  bool isLhs = gpuOperand.rows == matmul.lhs.rows;
  row = launches.multiply(row, isLhs ? numRows : numColumns);
  tile.firstRow = plus(row, first);
}

void WarpgroupKernel::wait(Value barriers, const Position &position) {
  nvgpu::MBarrierTryWaitParityOp::create(
      rewriter, loc, barriers, position.parity, index(kTicks), position.stage);
}

WarpgroupKernel::Position WarpgroupKernel::next(const Position &position) {
  Value following = plus(position.stage, index(1));
  Value isLast = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                       following, index(numStages));
  return {arith::SelectOp::create(rewriter, loc, isLast, index(0), following),
          arith::XOrIOp::create(rewriter, loc, position.parity, isLast)};
}

void WarpgroupKernel::produce() {
  // The phase before the first one is complete.
  Value before = arith::ConstantIntOp::create(rewriter, loc, 1, 1);
  auto loop = scf::ForOp::create(rewriter, loc, index(0), depth,
                                 index(getElementsOfTile()),
                                 ValueRange{index(0), before});
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  Position position = {loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  wait(empty, position);
  nvgpu::MBarrierArriveExpectTxOp::create(
      rewriter, loc, full, index(getStageBytes()), position.stage,
      /*predicate=*/Value());
  for (const TmaTile *tile : {&lhsTile, &rhsTile}) {
    Value start = plus(plus(offset, times(position.stage, getStageBytes())),
                       index(tile->offset));
    Value target = memref::ViewOp::create(rewriter, loc, tile->type.getTensor(),
                                          memory, start, ValueRange());
    nvgpu::TmaAsyncLoadOp::create(
        rewriter, loc, target, full, tile->map,
        ValueRange{loop.getInductionVar(), tile->firstRow}, position.stage,
        /*multicastMask=*/Value(), /*predicate=*/Value());
  }
  Position following = next(position);
  scf::YieldOp::create(rewriter, loc,
                       ValueRange{following.stage, following.parity});
}

LLVM::LLVMStructType WarpgroupKernel::getAccumulators() {
  int64_t count = getNumAccumulators() * getAccumulatorRegisters();
  return LLVM::LLVMStructType::getLiteral(
      rewriter.getContext(), SmallVector<Type>(count, getAccumulatorType()));
}

Value WarpgroupKernel::multiply(Value accumulators, Value a, Value b) {
  MLIRContext *context = rewriter.getContext();
  auto scale = NVVM::WGMMAScaleInAttr::get(context, NVVM::WGMMAScaleIn::one);
  auto getType = [&](MatrixElement element) {
    return NVVM::WGMMATypesAttr::get(
        context, *NVVM::symbolizeWGMMATypes(getPtxType(element)));
  };
  return NVVM::WgmmaMmaAsyncOp::create(
      rewriter, loc, accumulators.getType(), accumulators, a, b,
      NVVM::MMAShapeAttr::get(context, instruction.m, shape.columns,
                              instruction.k),
      getType(instruction.a), getType(instruction.b),
      getType(instruction.accumulator),
      NVVM::WGMMAScaleOutAttr::get(context, NVVM::WGMMAScaleOut::one), scale,
      scale, NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::row),
      NVVM::MMALayoutAttr::get(context, NVVM::MMALayout::col),
      /*satfinite=*/nullptr);
}

/// The NVVM ops for fences and waits have no operands, so that LLVM could write
/// the accumulators after the fence, and read them before the wait.
Value WarpgroupKernel::synchronize(Value accumulators, StringRef instruction) {
  SmallVector<Value> values;
  SmallVector<std::string> constraints;
  int64_t count = getAccumulators().getBody().size();
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(
        LLVM::ExtractValueOp::create(rewriter, loc, accumulators, i));
    constraints.push_back(isFloat() ? "=f" : "=r");
  }
  for (int64_t i = 0; i < count; ++i)
    constraints.push_back(std::to_string(i));
  return createInlineAsm(rewriter, loc, accumulators.getType(), values,
                         instruction, llvm::join(constraints, ","),
                         /*hasSideEffects=*/true)
      .getResult(0);
}

/// Returns the accumulators.
SmallVector<Value> WarpgroupKernel::consume() {
  // A descriptor has addresses and distances in units of 16 bytes.
  constexpr int64_t kUnit = 16, kAddressBits = 18;
  Type i64 = rewriter.getI64Type();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(rewriter, loc, value, 64);
  };
  auto add = [&](Value x, Value y) -> Value {
    return arith::AddIOp::create(rewriter, loc, x, y);
  };
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(rewriter, loc, memory);
  Value warpgroup = divide(divide(thread, kWarp), 4);
  auto describe = [&](Value start) -> Value {
    Value address =
        arith::IndexCastOp::create(rewriter, loc, i64, plus(base, start));
    address = arith::AndIOp::create(rewriter, loc, address,
                                    constant((1 << kAddressBits) - 1));
    address = arith::ShRUIOp::create(rewriter, loc, address, constant(4));
    // The swizzle, the distance between its atoms, and a field that is unused
    // with this swizzle.
    uint64_t rest =
        uint64_t(1) << 62 | uint64_t(kSwizzleBytes / kUnit) << 32 | 1 << 16;
    return arith::OrIOp::create(rewriter, loc, address, constant(rest));
  };
  Value lhs = describe(plus(plus(offset, index(lhsTile.offset)),
                            times(warpgroup, instruction.m * kTileBytes)));
  Value rhs = describe(plus(offset, index(rhsTile.offset)));

  LLVM::LLVMStructType type = getAccumulators();
  Value start = LLVM::ZeroOp::create(rewriter, loc, type);
  Value first = arith::ConstantIntOp::create(rewriter, loc, 0, 1);
  Value isFirstLane = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::eq, modulo(thread, kWarp), index(0));
  // The last value is the stage of the multiplication before.
  auto loop = scf::ForOp::create(rewriter, loc, index(0), depth,
                                 index(getElementsOfTile()),
                                 ValueRange{start, index(0), first, index(0)});
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    Value accumulators = loop.getRegionIterArg(0);
    Position position = {loop.getRegionIterArg(1), loop.getRegionIterArg(2)};
    wait(full, position);
    accumulators = synchronize(accumulators, "wgmma.fence.sync.aligned;");
    Value stage = arith::IndexCastOp::create(
        rewriter, loc, i64, times(position.stage, getStageBytes() / kUnit));
    for (int64_t byte = 0; byte < kTileBytes;
         byte += instruction.k * getBytes()) {
      Value inStage = add(stage, constant(byte / kUnit));
      accumulators =
          multiply(accumulators, add(lhs, inStage), add(rhs, inStage));
    }
    NVVM::WgmmaGroupSyncAlignedOp::create(rewriter, loc);
    NVVM::WgmmaWaitGroupSyncOp::create(rewriter, loc, 1);
    Value isLater =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ne,
                              loop.getInductionVar(), index(0));
    auto release = scf::IfOp::create(rewriter, loc, both(isFirstLane, isLater));
    Position following = next(position);
    scf::YieldOp::create(rewriter, loc,
                         ValueRange{accumulators, following.stage,
                                    following.parity, position.stage});
    rewriter.setInsertionPointToStart(release.thenBlock());
    nvgpu::MBarrierArriveOp::create(
        rewriter, loc, nvgpu::MBarrierTokenType::get(rewriter.getContext()),
        empty, loop.getRegionIterArg(3));
  }
  Value done =
      synchronize(loop.getResult(0), "wgmma.wait_group.sync.aligned 0;");
  SmallVector<Value> values;
  for (int64_t i = 0, count = type.getBody().size(); i < count; ++i)
    values.push_back(LLVM::ExtractValueOp::create(rewriter, loc, done, i));
  return values;
}

void WarpgroupKernel::build() {
  setExtents();
  lhsTile = makeMap(plan.lhs, shape.rows);
  rhsTile = makeMap(plan.rhs, shape.columns);
  lhsTile.offset = 0;
  rhsTile.offset = shape.rows * kTileBytes;
  numStages = std::min(kMaxStages, kMaxStageBytes / getStageBytes());
  if (std::optional<int64_t> known = getConstantIntValue(depth))
    numStages = std::clamp<int64_t>(
        llvm::divideCeil(*known, getElementsOfTile()), 1, numStages);
  beginTiles(shape.rows, shape.columns, threads + kWarp,
             numStages * getStageBytes() + kSwizzleBytes);
  Value warp = locateThread();
  lhs = {{&matmul.lhs,
          &plan.lhs,
          {},
          false,
          false,
          {},
          0,
          0,
          shape.rows,
          firstRow},
         times(warp, instruction.getRowsOfWarp()),
         instruction.getRowsOfWarp()};
  rhs = {{&matmul.rhs,
          &plan.rhs,
          {},
          false,
          false,
          {},
          0,
          0,
          shape.columns,
          firstColumn},
         index(0),
         instruction.n};
  locate(lhsTile, matmul.lhs, plan.lhs, firstRow);
  locate(rhsTile, matmul.rhs, plan.rhs, firstColumn);

  auto space = gpu::AddressSpaceAttr::get(rewriter.getContext(),
                                          gpu::AddressSpace::Workgroup);
  memory = gpu::DynamicSharedMemoryOp::create(
      rewriter, loc,
      MemRefType::get({ShapedType::kDynamic}, rewriter.getI8Type(),
                      MemRefLayoutAttrInterface(), Attribute(space)));
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(rewriter, loc, memory);
  offset = arith::AndIOp::create(rewriter, loc, minus(index(0), base),
                                 index(kSwizzleBytes - 1));
  auto group = nvgpu::MBarrierGroupType::get(rewriter.getContext(),
                                             Attribute(space), numStages);
  full = nvgpu::MBarrierCreateOp::create(rewriter, loc, group);
  empty = nvgpu::MBarrierCreateOp::create(rewriter, loc, group);
  Value isFirst = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq,
                                        thread, index(0));
  auto init = scf::IfOp::create(rewriter, loc, isFirst);
  gpu::BarrierOp::create(rewriter, loc);
  Value isProducer = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::eq, warp, index(shape.getShares()));
  auto branch = scf::IfOp::create(rewriter, loc, isProducer,
                                  /*withElseRegion=*/true);
  rewriter.setInsertionPointToStart(init.thenBlock());
  for (int64_t stage = 0; stage < numStages; ++stage) {
    nvgpu::MBarrierInitOp::create(rewriter, loc, full, index(1), index(stage),
                                  /*predicate=*/Value());
    nvgpu::MBarrierInitOp::create(rewriter, loc, empty,
                                  index(shape.getShares()), index(stage),
                                  /*predicate=*/Value());
  }
  MLIRContext *context = rewriter.getContext();
  NVVM::FenceProxyOp::create(
      rewriter, loc, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(context, NVVM::SharedSpace::shared_cta));
  rewriter.setInsertionPointToStart(branch.thenBlock());
  Value isLoader = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::eq, modulo(thread, kWarp), index(0));
  auto loader = scf::IfOp::create(rewriter, loc, isLoader);
  rewriter.setInsertionPointToStart(loader.thenBlock());
  produce();
  rewriter.setInsertionPointToStart(branch.elseBlock());
  storeAccumulators(consume());
  launches.endLaunch();
}

Value quant_float::canLoadByTma(KernelLaunches &launches,
                                const GpuMatmul &matmul,
                                const TensorCorePlan &plan) {
  // The result does not depend on the tile.
  constexpr MatmulTile kNone = {LoweringStrategy::Warpgroup, 64, 64, 16, 64};
  return WarpgroupKernel(launches, matmul, plan, kNone).canLoad();
}

void quant_float::buildWarpgroupKernel(KernelLaunches &launches,
                                       const GpuMatmul &matmul,
                                       const TensorCorePlan &plan,
                                       const MatmulTile &shape) {
  WarpgroupKernel(launches, matmul, plan, shape).build();
}
