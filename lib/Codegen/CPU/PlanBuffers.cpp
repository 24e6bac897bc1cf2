//===- PlanBuffers.cpp - Merge allocations --------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// malloc maps large buffers and unmaps them when they are freed, so every page
// of the next buffer causes a page fault. This pass allocates all buffers that
// are live at the same time together. malloc adapts to this size and keeps the
// memory for the next call.
//
// Buffers of dynamic size remain separate. At the end, the function allocates
// and frees as much memory as was live at the same time, so that malloc adapts
// to that size as well.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/InlineAsm.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATPLANBUFFERSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-plan-buffers"

using namespace mlir;
using namespace mlir::quant_float;

/// Cache lines are not shared between buffers, and no vector load is longer.
static constexpr uint64_t kAlignment = 64;
/// The minimum size of the merged allocation. malloc does not map smaller
/// blocks.
static constexpr uint64_t kMinBytes = 1 << 17;
/// The maximum size that malloc can adapt to: 32 MiB, minus its own overhead.
static constexpr int64_t kMaxArenaBytes = (int64_t(1) << 25) - (1 << 13);

namespace {
/// A buffer that is live from one op of a block to another, as positions
/// in the block.
struct Buffer {
  memref::AllocOp alloc;
  memref::DeallocOp dealloc;
  int64_t from, to;
  uint64_t bytes, offset = 0;

  bool overlaps(const Buffer &other) const {
    return from < other.to && other.from < to;
  }
};

struct PlanBuffers final
    : quant_float::impl::QuantFloatPlanBuffersPassBase<PlanBuffers> {
  void runOnOperation() override;
};
} // namespace

/// Returns the only op that frees the buffer, or null if there is no such op in
/// the same block.
static memref::DeallocOp getDealloc(memref::AllocOp alloc) {
  memref::DeallocOp found;
  for (Operation *user : alloc->getUsers()) {
    if (isa<memref::ReallocOp>(user))
      return {};
    if (auto dealloc = dyn_cast<memref::DeallocOp>(user)) {
      if (found || dealloc->getBlock() != alloc->getBlock())
        return {};
      found = dealloc;
    }
  }
  return found;
}

static SmallVector<Buffer> collect(Block &block) {
  DenseMap<Operation *, int64_t> order;
  for (Operation &op : block)
    order[&op] = order.size();
  SmallVector<Buffer> buffers;
  for (auto alloc : block.getOps<memref::AllocOp>()) {
    MemRefType type = alloc.getType();
    memref::DeallocOp dealloc = getDealloc(alloc);
    if (!dealloc || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
        type.getMemorySpace() || isPackedElementType(type.getElementType()))
      continue;
    uint64_t bytes = getStaticBytes(type);
    // The sum of such sizes does not overflow 64 bits.
    if (bytes == 0 || bytes > uint64_t(1) << 40)
      continue;
    buffers.push_back({alloc, dealloc, order[alloc], order[dealloc],
                       llvm::alignTo(bytes, kAlignment)});
  }
  return buffers;
}

/// Assigns to each buffer the first offset that is free during its lifetime, in
/// order of decreasing size. Returns the total number of bytes.
static uint64_t assignOffsets(MutableArrayRef<Buffer> buffers) {
  llvm::sort(buffers, [](const Buffer &lhs, const Buffer &rhs) {
    return std::tie(rhs.bytes, lhs.from) < std::tie(lhs.bytes, rhs.from);
  });
  uint64_t total = 0;
  // The buffers with an offset, sorted by offset.
  SmallVector<Buffer *> assigned;
  for (Buffer &buffer : buffers) {
    for (Buffer *other : assigned) {
      if (!buffer.overlaps(*other))
        continue;
      if (buffer.offset + buffer.bytes <= other->offset)
        break;
      buffer.offset = std::max(buffer.offset, other->offset + other->bytes);
    }
    total = std::max(total, buffer.offset + buffer.bytes);
    auto *next = llvm::partition_point(
        assigned, [&](Buffer *other) { return other->offset < buffer.offset; });
    assigned.insert(next, &buffer);
  }
  return total;
}

/// Merges the static allocations of a block into one. Returns their number, or
/// 0 if they stay.
static size_t mergeBuffers(Block &block) {
  SmallVector<Buffer> buffers = collect(block);
  if (buffers.size() < 2)
    return 0;
  uint64_t bytes = assignOffsets(buffers);
  LDBG() << buffers.size() << " buffers occupy " << bytes << " bytes"
         << (bytes < kMinBytes ? ", which are too few to merge them" : "");
  if (bytes < kMinBytes)
    return 0;

  auto first =
      llvm::min_element(buffers, [](const Buffer &lhs, const Buffer &rhs) {
        return lhs.from < rhs.from;
      });
  auto last =
      llvm::max_element(buffers, [](const Buffer &lhs, const Buffer &rhs) {
        return lhs.to < rhs.to;
      });
  IRRewriter rewriter(block.getParentOp()->getContext());
  rewriter.setInsertionPoint(first->alloc);
  auto all = memref::AllocOp::create(
      rewriter, first->alloc.getLoc(),
      MemRefType::get({int64_t(bytes)}, rewriter.getI8Type()), ValueRange(),
      rewriter.getI64IntegerAttr(kAlignment));
  rewriter.setInsertionPointAfter(last->dealloc);
  memref::DeallocOp::create(rewriter, last->dealloc.getLoc(), all);
  for (Buffer &buffer : buffers) {
    rewriter.eraseOp(buffer.dealloc);
    rewriter.setInsertionPoint(buffer.alloc);
    Value offset = arith::ConstantIndexOp::create(
        rewriter, buffer.alloc.getLoc(), buffer.offset);
    rewriter.replaceOpWithNewOp<memref::ViewOp>(
        buffer.alloc, buffer.alloc.getType(), all, offset, ValueRange());
  }
  return buffers.size();
}

/// Returns the size of the buffer in bytes, modulo 2^64.
static Value computeBytes(ImplicitLocOpBuilder &b, memref::AllocOp alloc) {
  Value bytes = arith::ConstantIndexOp::create(
      b, int64_t(getStaticBytes(alloc.getType())));
  for (Value size : alloc.getDynamicSizes())
    bytes = arith::MulIOp::create(b, bytes, size);
  return bytes;
}

/// If some sizes are dynamic, allocates and frees at the end of the block as
/// many bytes as its buffers occupied at the same time.
static void reserveHeap(Block &block) {
  ImplicitLocOpBuilder b(block.getParentOp()->getLoc(), block.getTerminator());
  DenseMap<Value, Value> liveSizes;
  bool hasDynamicSize = false;
  SmallVector<Operation *> ops =
      llvm::map_to_vector(block, [](Operation &op) { return &op; });
  llvm::erase_if(ops, [&](Operation *op) {
    auto alloc = dyn_cast<memref::AllocOp>(op);
    if (alloc)
      hasDynamicSize |= !alloc.getDynamicSizes().empty();
    return !alloc && !isa<memref::DeallocOp>(op);
  });
  if (!hasDynamicSize)
    return;
  Value liveBytes = arith::ConstantIndexOp::create(b, 0),
        maxLiveBytes = liveBytes;
  for (Operation *op : ops) {
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      Value bytes = liveSizes[alloc] = computeBytes(b, alloc);
      liveBytes = arith::AddIOp::create(b, liveBytes, bytes);
      maxLiveBytes = arith::MaxUIOp::create(b, maxLiveBytes, liveBytes);
    } else if (Value bytes =
                   liveSizes.lookup(cast<memref::DeallocOp>(op).getMemref())) {
      liveBytes = arith::SubIOp::create(b, liveBytes, bytes);
    }
  }
  maxLiveBytes = arith::MinUIOp::create(
      b, maxLiveBytes, arith::ConstantIndexOp::create(b, kMaxArenaBytes));
  auto type = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  Value reserved = memref::AllocOp::create(b, type, maxLiveBytes,
                                           b.getI64IntegerAttr(kAlignment));
  // LLVM would remove an allocation that is not used.
  Value address = arith::IndexCastOp::create(
      b, b.getI64Type(),
      memref::ExtractAlignedPointerAsIndexOp::create(b, reserved));
  createInlineAsm(b, b.getLoc(), TypeRange(), address, /*text=*/"",
                  /*constraints=*/"r", /*hasSideEffects=*/true);
  memref::DeallocOp::create(b, reserved);
}

/// Plans the buffers of a block and of the branches of scf.if ops in it, which
/// may be subgraphs. Returns the number of merged allocations.
static size_t planBlock(Block &block) {
  size_t merged = mergeBuffers(block);
  reserveHeap(block);
  for (auto branch : block.getOps<scf::IfOp>())
    for (Region &region : branch->getRegions())
      for (Block &nested : region)
        merged += planBlock(nested);
  return merged;
}

void PlanBuffers::runOnOperation() {
  auto function = cast<FunctionOpInterface>(getOperation());
  if (!function.isExternal())
    numMerged += planBlock(function.getFunctionBody().front());
}
