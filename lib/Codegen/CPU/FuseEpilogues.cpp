//===- FuseEpilogues.cpp - Fuse epilogues into blocks of reductions -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If the accumulators of a layer do not fit into a cache, its activation or
// requantization reads all of them from memory again. This pass fuses the
// reduction and the elementwise op into a loop over blocks of accumulators.
//
// The buffer of accumulators has the size of one block. A matmul that processes
// K in several parts (MatmulPanels.cpp) also finds its accumulators in the
// cache.
//
// The loop over blocks surrounds the function that equal layers share
// (OutlineDuplicateReductions.cpp). If the epilogue were fused into the
// tiles of the reduction, each requantization scale would need another
// function. Upstream fuses consumers on tensors, but not through the views that
// flattened convolutions create (FlattenConvSpatialDims.cpp).
//
//===----------------------------------------------------------------------===//

#include "../Common/BufferAccesses.h"
#include "../Common/LinalgUtils.h"
#include "AccumulatorInit.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/BufferSize.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFUSEEPILOGUESPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-fuse-epilogues"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

namespace {
/// Equal blocks of one dimension of the accumulators. A block has `steps`
/// iterations of the epilogue's loop, each of which covers `unit` indices of
/// the dimension.
struct Blocks {
  unsigned dim, loop;
  int64_t unit, steps, extent;

  int64_t getSize() const { return unit * steps; }
};

/// A reduction and the elementwise op that reads its results.
class Epilogue {
public:
  static std::optional<Epilogue> match(GenericOp reduction);
  std::optional<Blocks> choose(int64_t blockBytes, int64_t vectorBytes);
  void fuse(const Blocks &blocks);

private:
  explicit Epilogue(GenericOp reduction) : reduction(reduction) {}
  bool findReader();
  bool canMove();
  bool writesAreDisjoint();
  std::optional<std::pair<unsigned, int64_t>> getLoop(unsigned dim);
  bool canSplit(const Blocks &blocks);
  bool isPrivate(unsigned dim);
  Value makeViews(ImplicitLocOpBuilder &b, Value block, const Blocks &blocks);

  GenericOp reduction, fill, reader;
  memref::AllocOp buffer;
  memref::DeallocOp dealloc;
  /// The chain of views through which the reader accesses the buffer.
  SmallVector<Operation *> views;
  OpOperand *read = nullptr;
  /// Deallocations of the reduction's inputs between the reduction and its
  /// reader.
  SmallVector<Operation *> freeing;
};
} // namespace

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

static bool isStatic(GenericOp op) {
  return llvm::none_of(op.getStaticLoopRanges(), [](int64_t range) {
    return ShapedType::isDynamic(range) || range == 0;
  });
}

/// Whether the op computes a single output elementwise, with an identity map.
static bool isEpilogue(GenericOp op) {
  return op.hasPureBufferSemantics() && isElementwise(op) &&
         op.getNumDpsInits() == 1 && !op.hasIndexSemantics() &&
         !op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)) &&
         op.getIndexingMapsArray().back().isIdentity() && isStatic(op);
}

/// Whether the op is a view that only expands dimensions or truncates them at
/// the end.
static bool isPlainView(Operation *op) {
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(op))
    return expand.getResultType().hasStaticShape();
  auto part = dyn_cast<memref::SubViewOp>(op);
  return part && part.getType().hasStaticShape() &&
         part.getType().getRank() == part.getSourceType().getRank() &&
         llvm::all_of(
             part.getMixedOffsets(),
             [](OpFoldResult at) { return isConstantIntValue(at, 0); }) &&
         llvm::all_of(part.getMixedStrides(), [](OpFoldResult stride) {
           return isConstantIntValue(stride, 1);
         });
}

/// Finds the only reader of the results, through views without other users.
bool Epilogue::findReader() {
  Operation *source = buffer;
  while (true) {
    Operation *next = nullptr;
    for (Operation *user : source->getUsers()) {
      if (user == next || user == fill || user == reduction)
        continue;
      if (auto frees = dyn_cast<memref::DeallocOp>(user)) {
        if (dealloc || frees->getBlock() != buffer->getBlock())
          return false;
        dealloc = frees;
        continue;
      }
      if (next)
        return false;
      next = user;
    }
    if (!next || next->getBlock() != buffer->getBlock() ||
        !reduction->isBeforeInBlock(next))
      return false;
    if (isPlainView(next)) {
      views.push_back(next);
      source = next;
      continue;
    }
    reader = dyn_cast<GenericOp>(next);
    if (!reader || !dealloc || !isEpilogue(reader))
      return false;
    for (OpOperand &operand : reader->getOpOperands())
      if (operand.get() == source->getResult(0)) {
        if (read || !reader.isDpsInput(&operand))
          return false;
        read = &operand;
      }
    return reader.getMatchingIndexingMap(read).isIdentity();
  }
}

/// Whether the ops between the initialization and the reader may be executed
/// before the initialization, except deallocations of inputs, which move behind
/// the loop.
bool Epilogue::canMove() {
  BufferAccesses accesses(fill);
  llvm::SmallPtrSet<Value, 4> roots;
  for (GenericOp op : {fill, reduction})
    for (Value input : op.getDpsInputs())
      if (isa<MemRefType>(input.getType()))
        roots.insert(getRoot(input));
  for (Operation *op = fill->getNextNode(); op != reader;
       op = op->getNextNode()) {
    if (op == reduction) {
      accesses.add(reduction);
      continue;
    }
    auto frees = dyn_cast<memref::DeallocOp>(op);
    if (frees && roots.contains(getRoot(frees.getMemref()))) {
      freeing.push_back(op);
      continue;
    }
    if (!BufferAccesses(op).isIndependentOf(accesses))
      return false;
  }
  return true;
}

/// Whether the reader writes no memory that later blocks read.
bool Epilogue::writesAreDisjoint() {
  BufferAccesses written, read;
  written.add(reader.getDpsInits().front(), /*isWrite=*/true);
  for (GenericOp op : {fill, reduction})
    for (Value input : op.getDpsInputs())
      if (isa<MemRefType>(input.getType()))
        read.add(input, /*isWrite=*/false);
  read.add(buffer, /*isWrite=*/true);
  return written.isIndependentOf(read);
}

std::optional<Epilogue> Epilogue::match(GenericOp reduction) {
  if (!reduction.hasPureBufferSemantics() ||
      reduction.getNumReductionLoops() == 0 ||
      reduction.getNumDpsInits() != 1 || reduction.hasIndexSemantics() ||
      !isStatic(reduction))
    return std::nullopt;
  AffineMap output = reduction.getIndexingMapsArray().back();
  Epilogue epilogue(reduction);
  epilogue.buffer =
      reduction.getDpsInits().front().getDefiningOp<memref::AllocOp>();
  if (!output.isProjectedPermutation() || output.getNumResults() == 0 ||
      output.getNumResults() != reduction.getNumParallelLoops() ||
      !epilogue.buffer ||
      epilogue.buffer->getBlock() != reduction->getBlock() ||
      !epilogue.buffer.getType().getLayout().isIdentity() ||
      isPackedElementType(epilogue.buffer.getType().getElementType()))
    return std::nullopt;
  std::optional<AccumulatorInit> start =
      AccumulatorInit::find(reduction, std::nullopt);
  if (!start || !isStatic(start->getFill()))
    return std::nullopt;
  epilogue.fill = start->getFill();
  if (!epilogue.findReader() || !epilogue.canMove() ||
      !epilogue.writesAreDisjoint()) {
    LDBG() << "no epilogue that can be fused at " << reduction.getLoc();
    return std::nullopt;
  }
  return epilogue;
}

//===----------------------------------------------------------------------===//
// Blocking
//===----------------------------------------------------------------------===//

/// Returns the reader's loop along a dimension of the accumulators, and the
/// number of indices of the dimension that one iteration covers.
std::optional<std::pair<unsigned, int64_t>> Epilogue::getLoop(unsigned dim) {
  unsigned loop = dim;
  int64_t unit = 1;
  for (Operation *view : views) {
    if (auto part = dyn_cast<memref::SubViewOp>(view)) {
      if (part.getType().getDimSize(loop) !=
          part.getSourceType().getDimSize(loop))
        return std::nullopt;
      continue;
    }
    auto expand = cast<memref::ExpandShapeOp>(view);
    ReassociationIndices group = expand.getReassociationIndices()[loop];
    // Blocks consist of full rows.
    if (unit != 1 || group.size() > 2)
      return std::nullopt;
    loop = group.front();
    if (group.size() == 2)
      unit = expand.getResultType().getDimSize(group.back());
  }
  return std::pair(loop, unit);
}

/// Returns the increment of an index per iteration of the loop. Returns nullopt
/// if it is not constant or is negative.
static std::optional<int64_t> getStep(AffineExpr index, unsigned loop,
                                      unsigned numLoops) {
  AffineExpr dim = getAffineDimExpr(loop, index.getContext());
  auto step = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(index.replace(dim, dim + 1) - index, numLoops, 0));
  if (!step || step.getValue() < 0)
    return std::nullopt;
  return step.getValue();
}

/// Whether all operands can be replaced by subviews for a loop that has
/// `without` fewer iterations.
static bool canSplit(GenericOp op, unsigned loop, int64_t without) {
  return llvm::all_of(op->getOpOperands(), [&](OpOperand &operand) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!type || !map.isFunctionOfDim(loop))
      return true;
    return llvm::all_of(llvm::enumerate(map.getResults()), [&](auto entry) {
      std::optional<int64_t> step =
          getStep(entry.value(), loop, map.getNumDims());
      int64_t size = type.getDimSize(entry.index());
      return step && !isPackedElementType(type.getElementType()) &&
             !ShapedType::isDynamic(size) &&
             (*step == 0 || without * *step < size);
    });
  });
}

bool Epilogue::canSplit(const Blocks &blocks) {
  AffineMap output = reduction.getIndexingMapsArray().back();
  int64_t without = blocks.extent - blocks.getSize();
  return ::canSplit(reduction, output.getDimPosition(blocks.dim), without) &&
         ::canSplit(fill, blocks.dim, without) &&
         ::canSplit(reader, blocks.loop, without / blocks.unit);
}

/// Whether no operand that varies along the last dimension is shared by several
/// indices of this dimension. Otherwise each block would pack or load it again.
bool Epilogue::isPrivate(unsigned dim) {
  AffineMap output = reduction.getIndexingMapsArray().back();
  unsigned loop = output.getDimPosition(dim);
  unsigned vectorLoop = output.getDimPosition(output.getNumResults() - 1);
  return llvm::none_of(reduction.getIndexingMapsArray(), [&](AffineMap map) {
    return map.isFunctionOfDim(vectorLoop) && !map.isFunctionOfDim(loop);
  });
}

std::optional<Blocks> Epilogue::choose(int64_t blockBytes,
                                       int64_t vectorBytes) {
  MemRefType type = buffer.getType();
  uint64_t bytes = getStaticBytes(type);
  if (bytes <= uint64_t(blockBytes))
    return std::nullopt;
  unsigned last = type.getRank() - 1;
  // With at least this many columns, few vectors are partial and rows are not
  // read again too often.
  int64_t minColumns = 3 * vectorBytes;
  for (unsigned dim = 0; dim <= last; ++dim) {
    int64_t extent = type.getDimSize(dim);
    std::optional<std::pair<unsigned, int64_t>> subscript = getLoop(dim);
    if (extent == 1 || !subscript || (dim != last && !isPrivate(dim)))
      continue;
    auto [loop, unit] = *subscript;
    int64_t maxSteps = std::min<uint64_t>(
        uint64_t(blockBytes) / (bytes / extent) / unit, extent / unit / 2);
    for (int64_t steps = maxSteps; steps > 0; --steps) {
      Blocks blocks{dim, loop, unit, steps, extent};
      if (dim == last && blocks.getSize() < minColumns)
        break;
      if (extent % blocks.getSize() == 0 && canSplit(blocks))
        return blocks;
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

/// Replaces the operands of the op other than `accumulators` by their subviews
/// for a block.
static void cut(ImplicitLocOpBuilder &b, GenericOp op, unsigned loop,
                Value offset, int64_t without, OpOperand &accumulators) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (&operand == &accumulators || !type || !map.isFunctionOfDim(loop))
      continue;
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0)),
        ones(type.getRank(), b.getIndexAttr(1)),
        sizes = memref::getMixedSizes(b, b.getLoc(), operand.get());
    for (auto [dim, index] : llvm::enumerate(map.getResults())) {
      int64_t step = *getStep(index, loop, map.getNumDims());
      if (step == 0)
        continue;
      offsets[dim] = affine::makeComposedFoldedAffineApply(
          b, b.getLoc(), b.getAffineDimExpr(0) * step, {offset});
      sizes[dim] = b.getIndexAttr(type.getDimSize(dim) - step * without);
    }
    operand.set(
        memref::SubViewOp::create(b, operand.get(), offsets, sizes, ones));
  }
}

/// Creates the reader's views of a block.
Value Epilogue::makeViews(ImplicitLocOpBuilder &b, Value block,
                          const Blocks &blocks) {
  unsigned dim = blocks.dim;
  int64_t size = blocks.getSize();
  for (Operation *view : views) {
    SmallVector<int64_t> shape(
        cast<MemRefType>(view->getResult(0).getType()).getShape());
    if (auto expand = dyn_cast<memref::ExpandShapeOp>(view)) {
      SmallVector<ReassociationIndices> groups =
          expand.getReassociationIndices();
      if (groups[dim].size() == 2)
        size = blocks.steps;
      dim = groups[dim].front();
      shape[dim] = size;
      block = memref::ExpandShapeOp::create(b, shape, block, groups);
      continue;
    }
    // The subview contains the full dimension.
    shape[dim] = size;
    SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)),
        ones(shape.size(), b.getIndexAttr(1));
    block = memref::SubViewOp::create(
        b, block, offsets, getAsIndexOpFoldResult(b.getContext(), shape), ones);
  }
  return block;
}

void Epilogue::fuse(const Blocks &blocks) {
  ImplicitLocOpBuilder b(reader.getLoc(), reader);
  MemRefType type = buffer.getType();
  SmallVector<int64_t> shape(type.getShape());
  shape[blocks.dim] = blocks.getSize();
  Value block =
      memref::AllocOp::create(b, MemRefType::get(shape, type.getElementType()),
                              ValueRange(), buffer.getAlignmentAttr());
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  auto loop = scf::ForOp::create(
      b, index(0), index(blocks.extent / blocks.unit), index(blocks.steps));
  loop->setAttr(kTileLoopAttrName, b.getUnitAttr());
  memref::DeallocOp::create(b, block);
  for (Operation *op : freeing)
    op->moveBefore(reader);

  b.setInsertionPointToStart(loop.getBody());
  Value step = loop.getInductionVar();
  OpFoldResult first = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0) * blocks.unit, {step});
  Value offset = getValueOrCreateConstantIndexOp(b, b.getLoc(), first);
  int64_t without = blocks.extent - blocks.getSize();
  unsigned reductionLoop =
      reduction.getIndexingMapsArray().back().getDimPosition(blocks.dim);
  Value seen = makeViews(b, block, blocks);
  for (GenericOp op : {fill, reduction, reader})
    op->moveBefore(loop.getBody()->getTerminator());
  auto replace = [&](GenericOp op, OpOperand &accumulators, Value value,
                     unsigned loop, Value offset, int64_t without) {
    b.setInsertionPoint(op);
    cut(b, op, loop, offset, without, accumulators);
    accumulators.set(value);
  };
  replace(fill, fill.getDpsInitsMutable()[0], block, blocks.dim, offset,
          without);
  replace(reduction, reduction.getDpsInitsMutable()[0], block, reductionLoop,
          offset, without);
  replace(reader, *read, seen, blocks.loop, step, without / blocks.unit);
  dealloc.erase();
  for (Operation *view : llvm::reverse(views))
    view->erase();
  buffer.erase();
}

namespace {
struct FuseEpilogues final
    : quant_float::impl::QuantFloatFuseEpiloguesPassBase<FuseEpilogues> {
  using QuantFloatFuseEpiloguesPassBase::QuantFloatFuseEpiloguesPassBase;

  void runOnOperation() override {
    for (GenericOp op : collectGenericOps(getOperation())) {
      std::optional<Epilogue> epilogue = Epilogue::match(op);
      if (!epilogue)
        continue;
      std::optional<Blocks> blocks = epilogue->choose(blockBytes, vectorBytes);
      if (!blocks) {
        LDBG() << "one block, or no block size, at " << op.getLoc();
        continue;
      }
      LDBG() << "fusing the epilogue at " << op.getLoc() << " in blocks of "
             << blocks->getSize() << " along dimension " << blocks->dim;
      epilogue->fuse(*blocks);
      ++numFused;
    }
  }
};
} // namespace
