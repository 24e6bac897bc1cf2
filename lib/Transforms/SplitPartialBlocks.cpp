//===- SplitPartialBlocks.cpp - Separate full from partial blocks ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "quant-float/IR/QuantFloatOps.h"
#include "quant-float/Reference/Granularity.h"
#include "quant-float/Transforms/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATSPLITPARTIALBLOCKSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-split-partial-blocks"

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the last block along a dimension may be partial, and is not the only
/// one.
static bool mayBePartial(int64_t size, int64_t block) {
  if (block == 1 || block == reference::Granularity::kWholeDim)
    return false;
  return ShapedType::isDynamic(size) || (size > block && size % block != 0);
}

namespace {
/// Quantizes the full blocks along a dimension and the elements after them
/// separately.
class Split {
public:
  Split(RewriterBase &rewriter, BlockQuantizeOp op, unsigned dim)
      : b(rewriter), loc(op.getLoc()), op(op), dim(dim) {}

  /// Replaces the op and returns the new ones.
  std::pair<BlockQuantizeOp, BlockQuantizeOp> apply();

private:
  OpFoldResult compute(AffineExpr expression, OpFoldResult size) {
    return affine::makeComposedFoldedAffineApply(b, loc, expression, {size});
  }
  Value extract(Value whole, OpFoldResult offset, OpFoldResult size);
  Value insert(Value part, Value whole, OpFoldResult offset);
  BlockQuantizeOp quantize(OpFoldResult offset, OpFoldResult size,
                           OpFoldResult numBlocks);

  RewriterBase &b;
  Location loc;
  BlockQuantizeOp op;
  unsigned dim;
};
} // namespace

Value Split::extract(Value whole, OpFoldResult offset, OpFoldResult size) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, whole);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  offsets[dim] = offset;
  sizes[dim] = size;
  return tensor::ExtractSliceOp::create(b, loc, whole, offsets, sizes, strides);
}

Value Split::insert(Value part, Value whole, OpFoldResult offset) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, part);
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  offsets[dim] = offset;
  return tensor::InsertSliceOp::create(b, loc, part, whole, offsets, sizes,
                                       strides);
}

BlockQuantizeOp Split::quantize(OpFoldResult offset, OpFoldResult size,
                                OpFoldResult numBlocks) {
  Value input = extract(op.getInput(), offset, size);
  Value random =
      op.getRandom() ? extract(op.getRandom(), offset, size) : Value();
  auto getType = [&](Value like, OpFoldResult length) {
    auto type = cast<RankedTensorType>(like.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] = getConstantIntValue(length).value_or(ShapedType::kDynamic);
    return type.clone(shape);
  };
  return BlockQuantizeOp::create(
      b, loc, getType(op.getValues(), size), getType(op.getScales(), numBlocks),
      /*computed_tensor_scale=*/Type(), input, op.getTensorAmax(),
      op.getTensorScale(), random, op.getBlockAttr(), op.getRuleAttr(),
      op.getRoundModeAttr());
}

std::pair<BlockQuantizeOp, BlockQuantizeOp> Split::apply() {
  b.setInsertionPoint(op);
  int64_t block = op.getBlock()[dim];
  AffineExpr size = b.getAffineDimExpr(0);
  OpFoldResult whole = tensor::getMixedSize(b, loc, op.getInput(), dim);
  OpFoldResult zero = b.getIndexAttr(0);
  OpFoldResult numFull = compute(size.floorDiv(block), whole);
  OpFoldResult full = compute(size.floorDiv(block) * block, whole);
  OpFoldResult rest = compute(size % block, whole);
  OpFoldResult numRest = compute(size.ceilDiv(block), rest);
  BlockQuantizeOp first = quantize(zero, full, numFull);
  BlockQuantizeOp last = quantize(full, rest, numRest);

  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, loc, op.getInput());
  SmallVector<OpFoldResult> scaleSizes;
  for (auto [length, blockSize] : llvm::zip_equal(sizes, op.getBlock()))
    scaleSizes.push_back(blockSize == reference::Granularity::kWholeDim
                             ? OpFoldResult(b.getIndexAttr(1))
                             : compute(size.ceilDiv(blockSize), length));
  auto join = [&](Value own, ArrayRef<OpFoldResult> sizes, Value one,
                  Value other, OpFoldResult offset) -> Value {
    auto type = cast<RankedTensorType>(own.getType());
    Value result =
        tensor::EmptyOp::create(b, loc, sizes, type.getElementType());
    result = insert(one, result, zero);
    result = insert(other, result, offset);
    // The op's results may have other static sizes (V8).
    if (result.getType() != type)
      result = tensor::CastOp::create(b, loc, type, result);
    return result;
  };
  SmallVector<Value> results{
      join(op.getValues(), sizes, first.getValues(), last.getValues(), full),
      join(op.getScales(), scaleSizes, first.getScales(), last.getScales(),
           numFull)};
  b.replaceOp(op, results);
  return {first, last};
}

static unsigned splitFrom(RewriterBase &rewriter, BlockQuantizeOp op,
                          unsigned dim) {
  auto type = cast<RankedTensorType>(op.getInput().getType());
  for (; dim < type.getRank(); ++dim)
    if (mayBePartial(type.getDimSize(dim), op.getBlock()[dim])) {
      auto [first, last] = Split(rewriter, op, dim).apply();
      return 1 + splitFrom(rewriter, first, dim + 1) +
             splitFrom(rewriter, last, dim + 1);
    }
  return 0;
}

namespace {
struct SplitPartialBlocks final
    : quant_float::impl::QuantFloatSplitPartialBlocksPassBase<
          SplitPartialBlocks> {
  void runOnOperation() override {
    SmallVector<BlockQuantizeOp> ops;
    getOperation()->walk([&](BlockQuantizeOp op) {
      // The largest magnitude of the tensor is that of all blocks.
      if (!op.getComputedTensorScale() &&
          isa<RankedTensorType>(op.getInput().getType()))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (BlockQuantizeOp op : ops) {
      LDBG() << "splitting " << op;
      numSplit += splitFrom(rewriter, op, /*dim=*/0);
    }
  }
};
} // namespace
