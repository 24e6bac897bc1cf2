//===- PlanBuffers.cpp - One allocation for what a network computes -------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// malloc gives large buffers back to the system, call by call, and each page of
// the next ones is a fault. One buffer for all that is alive at the same time
// is a size that malloc soon knows and keeps.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATPLANBUFFERSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Nothing that a CPU loads at once is longer, and no two threads' lines of a
/// cache are shared.
static constexpr uint64_t kAlignment = 64;
/// What malloc keeps anyway.
static constexpr uint64_t kFewBytes = 1 << 17;

namespace {
/// A buffer that is there from one op of a block to another.
struct Buffer {
  memref::AllocOp alloc;
  memref::DeallocOp dealloc;
  int64_t from, to;
  uint64_t bytes, offset = 0;

  bool meets(const Buffer &other) const {
    return from < other.to && other.from < to;
  }
};

struct PlanBuffers final
    : quant_float::impl::QuantFloatPlanBuffersPassBase<PlanBuffers> {
  void runOnOperation() override;
};
} // namespace

/// The only op that frees the buffer; null where it is not known.
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
  DenseMap<Operation *, int64_t> places;
  for (Operation &op : block)
    places[&op] = places.size();
  SmallVector<Buffer> buffers;
  for (auto alloc : block.getOps<memref::AllocOp>()) {
    MemRefType type = alloc.getType();
    memref::DeallocOp dealloc = getDealloc(alloc);
    if (!dealloc || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
        type.getMemorySpace() || isPackedElementType(type.getElementType()))
      continue;
    uint64_t bytes = getStaticBytes(type);
    // Sums of such sizes fit into 64 bits.
    if (bytes == 0 || bytes > uint64_t(1) << 40)
      continue;
    buffers.push_back({alloc, dealloc, places[alloc], places[dealloc],
                       llvm::alignTo(bytes, kAlignment)});
  }
  return buffers;
}

/// Gives each buffer the first place that is free while it is there, large ones
/// first; returns the bytes of all.
static uint64_t place(MutableArrayRef<Buffer> buffers) {
  llvm::sort(buffers, [](const Buffer &one, const Buffer &other) {
    return std::tie(other.bytes, one.from) < std::tie(one.bytes, other.from);
  });
  uint64_t total = 0;
  // Placed ones, by their offsets.
  SmallVector<Buffer *> placed;
  for (Buffer &buffer : buffers) {
    for (Buffer *other : placed) {
      if (!buffer.meets(*other))
        continue;
      if (buffer.offset + buffer.bytes <= other->offset)
        break;
      buffer.offset = std::max(buffer.offset, other->offset + other->bytes);
    }
    total = std::max(total, buffer.offset + buffer.bytes);
    auto *next = llvm::partition_point(
        placed, [&](Buffer *other) { return other->offset < buffer.offset; });
    placed.insert(next, &buffer);
  }
  return total;
}

void PlanBuffers::runOnOperation() {
  auto function = cast<FunctionOpInterface>(getOperation());
  if (function.isExternal())
    return;
  SmallVector<Buffer> buffers = collect(function.getFunctionBody().front());
  if (buffers.size() < 2)
    return;
  uint64_t bytes = place(buffers);
  if (bytes < kFewBytes)
    return;

  auto first =
      llvm::min_element(buffers, [](const Buffer &one, const Buffer &other) {
        return one.from < other.from;
      });
  auto last =
      llvm::max_element(buffers, [](const Buffer &one, const Buffer &other) {
        return one.to < other.to;
      });
  IRRewriter rewriter(&getContext());
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
}
