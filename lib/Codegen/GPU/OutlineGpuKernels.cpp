//===- OutlineGpuKernels.cpp - Map linalg ops to GPU kernels --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts each linalg op to a gpu.launch with a one-dimensional grid,
// according to its lowering config (ConfigureGpuKernels.cpp). Elementwise ops
// become
//
//   number = block * 256 + thread
//   if number < ceil(elements / V):
//     process V elements
//     if they are in one row, and all addresses are aligned:
//       vectors
//     else:
//       a scalar loop
//
// TiledMatmulKernels.cpp, TensorCoreKernels.cpp and WarpgroupKernels.cpp build
// the kernels of matmuls and convolutions. RowMatvecKernels.cpp and
// ColumnMatvecKernels.cpp build those of matvecs with low-bit weights.
//
//===----------------------------------------------------------------------===//

#include "../Common/LinalgUtils.h"
#include "ElementwiseWidth.h"
#include "KernelLaunches.h"
#include "MatmulTiles.h"
#include "MatvecKernels.h"
#include "TensorCoreInstructions.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/GPU/Passes.h"
#include "quant-float/IR/CodegenAttributes.h"
#include "quant-float/Lowering/LoweringTarget.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/DebugLog.h"
#include "llvm/Support/InterleavedRange.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATOUTLINEGPUKERNELSPASS
#include "quant-float/Codegen/GPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-outline-gpu-kernels"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;
using linalg::LinalgOp;

/// The number of threads per block: a multiple of the warp size that allows
/// full occupancy on every chip.
static constexpr int64_t kThreads = 256;
namespace {
/// Builds the kernels of one function.
class KernelBuilder : KernelLaunches {
public:
  KernelBuilder(FunctionOpInterface function, StringRef module)
      : KernelLaunches(function, module), chip(lookupChip(function)) {}

  /// Converts `op` to the kernel that its lowering config describes. Emits an
  /// error if there is no such kernel.
  LogicalResult map(LinalgOp op);
  unsigned getNumTensorCoreMatmuls() const { return numTensorCoreMatmuls; }

private:
  /// Creates a launch of at least `count` threads and sets the insertion point
  /// to code that runs in the first `count` of them. Returns the thread's
  /// index.
  Value beginLaunch(Value count);

  /// Maps an elementwise op. `width` is the number of elements of the innermost
  /// loop per thread.
  void mapRows(GenericOp op, ElementwiseLoopNest &nest, int64_t width);
  /// Whether `width` elements at `offset` are in one row and in one block of a
  /// scale.
  Value fitsInRow(const ElementwiseLoopNest &nest, Value offset, Value extent,
                  int64_t width);
  /// Builds the op for `size` elements of the innermost loop.
  GenericOp buildTile(ElementwiseLoopNest &nest, ValueRange indices,
                      int64_t size);
  /// Whether all accesses of a tile of `width` elements are aligned for
  /// vectors.
  Value isAligned(GenericOp tile, int64_t width);
  void vectorize(GenericOp tile, int64_t width);
  LogicalResult mapElementwise(LinalgOp op, LoweringConfigAttr config);
  /// Maps an op to one thread for each element of the output.
  void mapElements(LinalgOp op);
  /// Maps a reduction to one thread for each element of the output, with
  /// accumulators in registers. Returns false if `op` is not a reduction.
  bool mapReduction(GenericOp op);
  /// Folds an op that fills a buffer into the accumulator initialization of the
  /// reduction that follows. Returns false if this is not possible.
  bool mapInit(LinalgOp fill);
  LogicalResult mapMatmul(LinalgOp op, LoweringConfigAttr config);
  /// Builds the kernels of a matmul: one, or several among which the host
  /// chooses at run time.
  LogicalResult buildMatmul(const GpuMatmul &matmul, LoweringConfigAttr config);
  /// Maps a matvec that has a reduction schedule.
  LogicalResult mapMatvec(LinalgOp op, LoweringStrategy strategy);
  /// Maps an op to threads, each of which computes one element of the result.
  LogicalResult mapScalar(LinalgOp op);

  std::optional<NvidiaChip> chip;
  unsigned numTensorCoreMatmuls = 0;
  /// The initial values of the accumulators of reductions whose fill was
  /// folded.
  DenseMap<Operation *, Value> starts;
};

struct OutlineGpuKernels final
    : quant_float::impl::QuantFloatOutlineGpuKernelsPassBase<
          OutlineGpuKernels> {
  using QuantFloatOutlineGpuKernelsPassBase::
      QuantFloatOutlineGpuKernelsPassBase;

  void runOnOperation() override;
};
} // namespace

Value KernelBuilder::beginLaunch(Value count) {
  Value blocks =
      rewriter.createOrFold<arith::CeilDivUIOp>(loc, count, index(kThreads));
  Value block = beginBlocks(blocks, kThreads);
  Value first = multiply(block, index(kThreads));
  Value number =
      arith::AddIOp::create(rewriter, loc, first, launch.getThreadIds().x);
  Value isInside = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::ult, number, count);
  auto inside = scf::IfOp::create(rewriter, loc, isInside);
  rewriter.setInsertionPointToStart(inside.thenBlock());
  return number;
}

//===----------------------------------------------------------------------===//
// Elementwise ops
//===----------------------------------------------------------------------===//

Value KernelBuilder::isAligned(GenericOp tile, int64_t width) {
  Value all;
  for (Value operand : tile->getOperands()) {
    // Packed elements are accessed as bytes, which need no alignment.
    if (!isa<MemRefType>(operand.getType()) || hasPackedElements(operand))
      continue;
    auto metadata =
        memref::ExtractStridedMetadataOp::create(rewriter, loc, operand);
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(
        rewriter, loc, metadata.getBaseBuffer());
    Value offset =
        multiply(metadata.getOffset(), index(getElementBytes(operand)));
    Value address = arith::AddIOp::create(rewriter, loc, base, offset);
    Value rest = arith::AndIOp::create(
        rewriter, loc, address, index(getAccessBytes(operand, width) - 1));
    all = all ? arith::OrIOp::create(rewriter, loc, all, rest) : rest;
  }
  if (!all)
    return arith::ConstantIntOp::create(rewriter, loc, 1, 1);
  return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, all,
                               index(0));
}

/// Replaces a transfer of a full vector with a load or store that has an
/// alignment.
static void setAlignment(RewriterBase &rewriter, Operation *transfer,
                         int64_t width) {
  rewriter.setInsertionPoint(transfer);
  if (auto read = dyn_cast<vector::TransferReadOp>(transfer)) {
    auto load =
        vector::LoadOp::create(rewriter, read.getLoc(), read.getVectorType(),
                               read.getBase(), read.getIndices());
    load.setAlignment(getAccessBytes(read.getBase(), width));
    rewriter.replaceOp(read, load);
  } else if (auto write = dyn_cast<vector::TransferWriteOp>(transfer)) {
    auto store =
        vector::StoreOp::create(rewriter, write.getLoc(), write.getVector(),
                                write.getBase(), write.getIndices());
    store.setAlignment(getAccessBytes(write.getBase(), width));
    rewriter.eraseOp(write);
  }
}

void KernelBuilder::vectorize(GenericOp tile, int64_t width) {
  if (failed(linalg::vectorizeOpPrecondition(tile)))
    return;
  rewriter.setInsertionPoint(tile);
  Block *block = tile->getBlock();
  FailureOr<linalg::VectorizationResult> vectorized =
      linalg::vectorize(rewriter, tile);
  if (failed(vectorized))
    return;
  rewriter.replaceOp(tile, vectorized->replacements);
  SmallVector<Operation *> transfers;
  for (Operation &op : *block)
    if (auto transfer = dyn_cast<VectorTransferOpInterface>(op);
        transfer && !hasPackedElements(transfer.getBase()))
      transfers.push_back(&op);
  for (Operation *transfer : transfers)
    setAlignment(rewriter, transfer, width);
}

Value KernelBuilder::fitsInRow(const ElementwiseLoopNest &nest, Value offset,
                               Value extent, int64_t width) {
  Value remaining = arith::SubIOp::create(rewriter, loc, extent, offset);
  Value fits = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::uge,
                                     remaining, index(width));
  int64_t block = nest.getBlockSize();
  if (!block)
    return fits;
  // If the row size is not a multiple of the tile size, tiles begin at any
  // offset in a block.
  Value inBlock = arith::RemUIOp::create(rewriter, loc, offset, index(block));
  Value isInOneBlock = arith::CmpIOp::create(
      rewriter, loc, arith::CmpIPredicate::ule, inBlock, index(block - width));
  return arith::AndIOp::create(rewriter, loc, fits, isInOneBlock);
}

GenericOp KernelBuilder::buildTile(ElementwiseLoopNest &nest,
                                   ValueRange indices, int64_t size) {
  for (auto [loop, value] : llvm::enumerate(indices))
    if (loop != nest.getInner())
      nest.setIndex(loop, value);
  return nest.buildTile(indices[nest.getInner()], rewriter.getIndexAttr(size));
}

void KernelBuilder::mapRows(GenericOp op, ElementwiseLoopNest &nest,
                            int64_t width) {
  int64_t elementsOfBytes = *getElementsOfBytes(op);
  if (width % elementsOfBytes != 0)
    width = 1;
  // The number of elements per thread.
  int64_t share = std::max(width, elementsOfBytes);
  unsigned inner = nest.getInner();
  SmallVector<Value> extents;
  Value size = index(1);
  for (unsigned loop = 0; loop < nest.getRanges().size(); ++loop) {
    extents.push_back(nest.getExtent(loop));
    size = multiply(size, extents.back());
  }
  Value extent = extents[inner];
  // Linearize such that adjacent indices are adjacent in a row.
  std::swap(extents[inner], extents.back());
  auto getIndices = [&](Value element) {
    SmallVector<Value> indices = delinearize(element, extents);
    std::swap(indices[inner], indices.back());
    return indices;
  };
  Value count =
      rewriter.createOrFold<arith::CeilDivUIOp>(loc, size, index(share));
  Value first = multiply(beginLaunch(count), index(share));
  auto buildEach = [&] {
    Value end = arith::AddIOp::create(rewriter, loc, first, index(share));
    end = arith::MinUIOp::create(rewriter, loc, end, size);
    auto loop = scf::ForOp::create(rewriter, loc, first, end, index(1));
    rewriter.setInsertionPoint(loop.getBody()->getTerminator());
    buildTile(nest, getIndices(loop.getInductionVar()), 1);
  };
  if (width < share)
    return buildEach();
  SmallVector<Value> indices = getIndices(first);
  GenericOp tile = buildTile(nest, indices, width);
  if (width == 1)
    return;
  rewriter.setInsertionPoint(tile);
  Value isWide = isAligned(tile, width);
  int64_t range = nest.getRanges()[inner];
  if (ShapedType::isDynamic(range) || range % width != 0)
    isWide = arith::AndIOp::create(
        rewriter, loc, fitsInRow(nest, indices[inner], extent, width), isWide);
  auto branch =
      scf::IfOp::create(rewriter, loc, isWide, /*withElseRegion=*/true);
  rewriter.moveOpBefore(tile, branch.thenBlock()->getTerminator());
  rewriter.setInsertionPointToStart(branch.elseBlock());
  buildEach();
  vectorize(tile, width);
}

//===----------------------------------------------------------------------===//
// Reductions and other ops
//===----------------------------------------------------------------------===//

void KernelBuilder::mapElements(LinalgOp op) {
  SmallVector<Range> ranges = op.createLoopRanges(rewriter, loc);
  SmallVector<Value> extents;
  SmallVector<OpFoldResult> offsets, sizes;
  Value count = index(1);
  for (auto [range, kind] :
       llvm::zip_equal(ranges, op.getIteratorTypesArray())) {
    offsets.push_back(rewriter.getIndexAttr(0));
    sizes.push_back(range.size);
    if (kind != utils::IteratorType::parallel)
      continue;
    extents.push_back(
        getValueOrCreateConstantIndexOp(rewriter, loc, range.size));
    count = multiply(count, extents.back());
  }
  SmallVector<Value> indices = delinearize(beginLaunch(count), extents);
  size_t next = 0;
  for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::parallel) {
      offsets[i] = indices[next++];
      sizes[i] = rewriter.getIndexAttr(1);
    }
  (void)cast<TilingInterface>(op.getOperation())
      .getTiledImplementation(rewriter, offsets, sizes);
}

/// Whether no output depends on a reduction loop, so that one thread can
/// compute each element.
static bool isReduction(GenericOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  auto isReduced = [&](OpOperand &output) {
    return llvm::none_of(reductions, [&](unsigned loop) {
      return op.getMatchingIndexingMap(&output).isFunctionOfDim(loop);
    });
  };
  return !reductions.empty() &&
         llvm::all_of(op.getDpsInitsMutable(), isReduced);
}

/// Returns the value that the op fills an entire buffer with; null if the op
/// does something else.
static Value getFilledWith(LinalgOp op) {
  if (auto fill = dyn_cast<linalg::FillOp>(op.getOperation()))
    return fill.value();
  auto generic = dyn_cast<GenericOp>(op.getOperation());
  if (!generic || generic.getNumDpsInputs() != 0 ||
      generic.getNumDpsInits() != 1 ||
      !generic.getIndexingMapsArray()[0].isPermutation())
    return nullptr;
  Value value = generic.getBody()->getTerminator()->getOperand(0);
  bool isOutside = !op->isAncestor(value.getParentBlock()->getParentOp());
  return isOutside ? value : Value();
}

/// Returns the next op that may access the buffer that the op initializes.
static Operation *getNextAccess(LinalgOp fill) {
  Value buffer = fill.getDpsInits()[0];
  Operation *next = fill->getNextNode();
  if (!buffer.getDefiningOp<memref::AllocOp>() ||
      llvm::any_of(buffer.getUsers(), llvm::IsaPred<ViewLikeOpInterface>)) {
    while (next && (isMemoryEffectFree(next) || isa<memref::AllocOp>(next)))
      next = next->getNextNode();
    return next;
  }
  // Nothing but its users accesses a local buffer without views.
  auto usesBuffer = [&](Operation *op) {
    return op
        ->walk([&](Operation *nested) {
          return llvm::is_contained(nested->getOperands(), buffer)
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  };
  while (next && !usesBuffer(next))
    next = next->getNextNode();
  return next;
}

bool KernelBuilder::mapInit(LinalgOp fill) {
  Value value = getFilledWith(fill);
  if (!value)
    return false;
  auto reduction = dyn_cast_or_null<GenericOp>(getNextAccess(fill));
  Value buffer = fill.getDpsInits()[0];
  // Kernels with a reduction schedule load their initial values from memory. A
  // reduction that does not write the entire buffer must keep the other
  // elements filled.
  if (!reduction || !isReduction(reduction) ||
      reduction.getNumDpsInits() != 1 ||
      !reduction.getIndexingMapsArray().back().isProjectedPermutation() ||
      reduction.getDpsInits()[0] != buffer ||
      reduction->hasAttr(kReductionScheduleAttrName) ||
      llvm::is_contained(reduction.getInputs(), buffer))
    return false;
  LDBG() << "the reduction at " << reduction.getLoc() << " starts from "
         << value;
  starts[reduction] = value;
  return true;
}

bool KernelBuilder::mapReduction(GenericOp op) {
  if (!isReduction(op))
    return false;
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  SmallVector<Value> all = createLoopExtents(rewriter, loc, op);
  SmallVector<Value> extents, indices;
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  Value count = index(1);
  for (unsigned loop : parallel) {
    extents.push_back(all[loop]);
    count = multiply(count, all[loop]);
  }
  indices.assign(all.size(), index(0));
  for (auto [loop, value] :
       llvm::zip_equal(parallel, delinearize(beginLaunch(count), extents)))
    indices[loop] = value;

  auto getIndices = [&](OpOperand &operand) {
    SmallVector<OpFoldResult> numbers(indices.begin(), indices.end());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<Value> operandIndices;
    for (unsigned i = 0; i < map.getNumResults(); ++i)
      operandIndices.push_back(affine::makeComposedAffineApply(
          rewriter, loc, map.getSubMap({i}), numbers));
    return operandIndices;
  };
  SmallVector<Value> values;
  if (Value start = starts.lookup(op))
    values.push_back(start);
  else
    for (OpOperand &output : op.getDpsInitsMutable())
      values.push_back(memref::LoadOp::create(rewriter, loc, output.get(),
                                              getIndices(output)));
  SmallVector<scf::ForOp> loops;
  for (unsigned loop : reductions) {
    auto inner = scf::ForOp::create(rewriter, loc, index(0), all[loop],
                                    index(1), values);
    loops.push_back(inner);
    indices[loop] = inner.getInductionVar();
    values.assign(inner.getRegionIterArgs().begin(),
                  inner.getRegionIterArgs().end());
    rewriter.setInsertionPointToStart(inner.getBody());
  }
  IRMapping mapping;
  mapping.map(op.getBody()->getArguments().take_back(values.size()), values);
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(input);
    // The window operand of a pooling op is unused: only its shape matters.
    if (argument.use_empty())
      continue;
    Value value = input->get();
    if (isa<MemRefType>(value.getType()))
      value = memref::LoadOp::create(rewriter, loc, value, getIndices(*input));
    mapping.map(argument, value);
  }
  for (Operation &each : op.getBody()->without_terminator()) {
    if (auto number = dyn_cast<linalg::IndexOp>(each)) {
      mapping.map(number.getResult(), indices[number.getDim()]);
      continue;
    }
    rewriter.clone(each, mapping)->walk([&](linalg::IndexOp number) {
      rewriter.replaceOp(number, indices[number.getDim()]);
    });
  }
  values = llvm::map_to_vector(
      op.getBody()->getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
  for (scf::ForOp inner : llvm::reverse(loops)) {
    rewriter.setInsertionPointToEnd(inner.getBody());
    scf::YieldOp::create(rewriter, loc, values);
    values.assign(inner.getResults().begin(), inner.getResults().end());
  }
  rewriter.setInsertionPointAfter(loops.front());
  for (auto [output, value] : llvm::zip_equal(op.getDpsInitsMutable(), values))
    memref::StoreOp::create(rewriter, loc, value, output.get(),
                            getIndices(output));
  return true;
}

/// Emits an error that no kernel has the strategy of the op's config.
static InFlightDiagnostic emitConfigError(Operation *op,
                                          LoweringConfigAttr config) {
  return op->emitOpError("has no kernel of the strategy '")
         << stringifyLoweringStrategy(config.getStrategy()) << "': ";
}

LogicalResult KernelBuilder::mapElementwise(LinalgOp op,
                                            LoweringConfigAttr config) {
  GenericOp generic = collapseElementwise(rewriter, op);
  if (!generic)
    return emitConfigError(op, config) << "expected an elementwise op";
  rewriter.setInsertionPoint(generic);
  ElementwiseLoopNest nest(rewriter, generic);
  if (!nest.analyze())
    return emitConfigError(generic, config) << "expected an elementwise op";
  int64_t width = config.getTile(0)[0], maxWidth = getMaxWidth(generic, nest);
  if (maxWidth % width != 0)
    return emitConfigError(generic, config)
           << "expected a divisor of " << maxWidth << ", but got " << width;
  mapRows(generic, nest, width);
  endLaunch();
  rewriter.eraseOp(generic);
  return success();
}

LogicalResult KernelBuilder::mapMatmul(LinalgOp op, LoweringConfigAttr config) {
  std::optional<GpuMatmul> matmul = GpuMatmul::get(op);
  if (!matmul)
    return emitConfigError(op, config) << "expected a matmul";
  matmul->start = starts.lookup(op);
  if (failed(buildMatmul(*matmul, config)))
    return failure();
  numTensorCoreMatmuls += !config.getInstruction().empty();
  rewriter.eraseOp(op);
  return success();
}

LogicalResult KernelBuilder::buildMatmul(const GpuMatmul &matmul,
                                         LoweringConfigAttr config) {
  auto emitError = [&] { return emitConfigError(matmul.op, config); };
  OpBuilder::InsertionGuard guard(rewriter);
  LoweringStrategy strategy = config.getStrategy();
  TensorCorePlan plan;
  switch (strategy) {
  case LoweringStrategy::TensorCore:
  case LoweringStrategy::Warpgroup: {
    FailureOr<TensorCorePlan> found =
        TensorCorePlan::get(matmul, config, chip, emitError);
    if (failed(found))
      return failure();
    plan = *found;
    break;
  }
  case LoweringStrategy::Simt:
  case LoweringStrategy::Skinny:
    break;
  default:
    return emitError() << "expected one for matmuls";
  }
  SmallVector<const MatmulTile *> tiles;
  for (DenseI64ArrayAttr sizes : config.getTiles()) {
    tiles.push_back(MatmulTile::find(strategy, sizes));
    if (!tiles.back())
      return emitError() << "expected a tile of MatmulTiles.def, but got "
                         << llvm::interleaved_array(sizes.asArrayRef());
  }
  // Emits a condition on the host, and kernels for both of its values.
  auto buildEither = [&](Value condition, auto ifTrue, auto ifFalse) {
    auto branch =
        scf::IfOp::create(rewriter, loc, condition, /*withElseRegion=*/true);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    ifTrue();
    rewriter.setInsertionPointToStart(branch.elseBlock());
    return ifFalse();
  };
  auto build = [&](const MatmulTile &tile) {
    OpBuilder::InsertionGuard guard(rewriter);
    if (strategy == LoweringStrategy::Warpgroup)
      buildWarpgroupKernel(*this, matmul, plan, tile);
    else if (plan.instruction)
      buildTensorCoreKernel(*this, matmul, plan, tile);
    else
      buildTiledKernel(*this, matmul, tile);
  };
  auto buildTiles = [&] {
    OpBuilder::InsertionGuard guard(rewriter);
    if (tiles.size() == 1)
      return build(*tiles[0]);
    // The sizes are known on the host at run time.
    buildEither(
        isCheaper(*this, matmul, *tiles[0], *tiles[1]),
        [&] { build(*tiles[0]); }, [&] { build(*tiles[1]); });
  };
  if (config.getOtherwise())
    return buildEither(canLoadByTma(*this, matmul, plan), buildTiles, [&] {
      return buildMatmul(matmul, config.getOtherwise());
    });
  buildTiles();
  return success();
}

LogicalResult KernelBuilder::mapMatvec(LinalgOp op, LoweringStrategy strategy) {
  std::optional<WeightContraction> contraction = getMatvec(op);
  if (!contraction || strategy != getStrategy(*contraction))
    return op->emitOpError(
        "has no kernel that preserves its accumulation order");
  buildMatvecKernel(*this, *contraction);
  rewriter.eraseOp(op);
  return success();
}

LogicalResult KernelBuilder::mapScalar(LinalgOp op) {
  if (GenericOp generic = collapseElementwise(rewriter, op)) {
    op = cast<LinalgOp>(generic.getOperation());
    rewriter.setInsertionPoint(op);
  }
  for (Value output : op.getDpsInits())
    if (hasPackedElements(output))
      return op->emitOpError()
             << "has no kernel: expected an elementwise op that writes "
                "packed results in row-major order, but got "
             << output.getType() << ", whose bytes several threads would write";
  auto generic = dyn_cast<GenericOp>(op.getOperation());
  if (!generic || !mapReduction(generic)) {
    LDBG() << "one thread for each element of " << op->getName() << " at "
           << loc;
    mapElements(op);
  }
  endLaunch();
  rewriter.eraseOp(op);
  return success();
}

LogicalResult KernelBuilder::map(LinalgOp op) {
  loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  auto config = op->getAttrOfType<LoweringConfigAttr>(kLoweringConfigAttrName);
  LoweringStrategy strategy =
      config ? config.getStrategy() : LoweringStrategy::Scalar;
  // The ops of the kernel are copies of this one.
  op->removeAttr(kLoweringConfigAttrName);
  if (op->hasAttr(kReductionScheduleAttrName))
    return mapMatvec(op, strategy);
  if (mapInit(op)) {
    rewriter.eraseOp(op);
    return success();
  }
  switch (strategy) {
  case LoweringStrategy::Scalar:
    return mapScalar(op);
  case LoweringStrategy::Elementwise:
    return mapElementwise(op, config);
  case LoweringStrategy::TensorCore:
  case LoweringStrategy::Warpgroup:
  case LoweringStrategy::Simt:
  case LoweringStrategy::Skinny:
    return mapMatmul(op, config);
  case LoweringStrategy::RowMatvec:
  case LoweringStrategy::ColumnMatvec:
    return emitConfigError(op, config) << "expected a reduction schedule";
  default:
    return emitConfigError(op, config) << "expected one of a single op on GPUs";
  }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Whether the op may remain in host code, which must not access device memory.
static bool isAllowedOnHost(Operation *op) {
  auto isOnHost = [](Value buffer) {
    return buffer.getDefiningOp<memref::AllocaOp>();
  };
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return isOnHost(load.getMemref());
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return isOnHost(store.getMemref());
  return isMemoryEffectFree(op) ||
         isa<nvgpu::TmaCreateDescriptorOp, gpu::AllocOp, gpu::DeallocOp,
             gpu::MemcpyOp, memref::AllocaOp, memref::GetGlobalOp, cf::AssertOp,
             func::CallOp>(op);
}

/// Emits an error for integers of more than 64 bits and returns true if there
/// are any. LLVM cannot select some arithmetic on them, and aborts.
static bool refuseWideIntegers(gpu::LaunchOp launch) {
  constexpr unsigned kMaxBits = 64;
  WalkResult result = launch.walk([&](Operation *op) {
    for (Type type : op->getResultTypes()) {
      Type element = getElementTypeOrSelf(type);
      if (!element.isInteger() || element.getIntOrFloatBitWidth() <= kMaxBits)
        continue;
      op->emitOpError() << "has no kernel: expected integers of at most "
                        << kMaxBits << " bits, but got " << type;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return result.wasInterrupted();
}

void OutlineGpuKernels::runOnOperation() {
  FunctionOpInterface function = getOperation();
  IRRewriter rewriter(&getContext());
  SmallVector<LinalgOp> ops;
  function.walk([&](LinalgOp op) {
    if (op.hasPureBufferSemantics())
      ops.push_back(op);
  });
  KernelBuilder kernels(function, module);
  for (LinalgOp op : ops)
    if (failed(kernels.map(op)))
      return signalPassFailure();
  numOutlined += ops.size();
  numTensorCoreMatmuls += kernels.getNumTensorCoreMatmuls();

  function.walk([&](Operation *op) {
    rewriter.setInsertionPoint(op);
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      auto onDevice = gpu::AllocOp::create(
          rewriter, op->getLoc(), alloc.getType(), /*asyncToken=*/Type(),
          /*asyncDependencies=*/ValueRange(), alloc.getDynamicSizes(),
          alloc.getSymbolOperands());
      rewriter.replaceOp(op, onDevice.getMemref());
    } else if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      gpu::DeallocOp::create(rewriter, op->getLoc(), /*asyncToken=*/Type(),
                             /*asyncDependencies=*/ValueRange(),
                             dealloc.getMemref());
      rewriter.eraseOp(op);
    }
  });

  bool isLeft = false;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto launch = dyn_cast<gpu::LaunchOp>(op)) {
      isLeft |= refuseWideIntegers(launch);
      return WalkResult::skip();
    }
    if (op == function || op->getNumRegions() || isAllowedOnHost(op) ||
        op->hasTrait<OpTrait::IsTerminator>())
      return WalkResult::advance();
    op->emitOpError() << "has no kernel: expected a linalg op on memrefs, "
                         "because the host cannot access device memory";
    isLeft = true;
    return WalkResult::advance();
  });
  if (isLeft)
    signalPassFailure();
}
