//===- CollapseWeightDecoders.cpp - Decode weights without a reshape ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files store weights with blocks as tensors that have a dimension for the
// elements of a block, and reshape the decoded tensor to a matrix. Decoding the
// matrix directly, with scales indexed by `k floordiv block`, lets the matmul
// fuse the decoder.
//
//===----------------------------------------------------------------------===//

#include "CollapseWeightDecoders.h"

#include "Contraction.h"
#include "LinalgUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "quant-float/Support/Indices.h"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Rewrites a division of a division as one.
static AffineExpr mergeDivisions(AffineExpr index) {
  std::optional<BlockIndex> block = getBlockIndex(index);
  return block ? block->position.floorDiv(block->size) : index;
}

/// Returns the index of the dimension that two adjacent dimensions collapse to,
/// or null if the elements are not read in order.
static AffineExpr collapse(AffineExpr outer, int64_t outerSize,
                           AffineExpr inner, int64_t innerSize) {
  if (innerSize == 1)
    return outer;
  if (outerSize == 1)
    return inner;
  std::optional<BlockIndex> block = getBlockIndex(outer);
  return block && block->size == innerSize &&
                 inner == block->position % innerSize
             ? block->position
             : AffineExpr();
}

/// Returns a tensor with collapsed dimensions. Constants are reshaped.
static Value collapseTensor(PatternRewriter &rewriter, Location loc,
                            Value value,
                            ArrayRef<ReassociationIndices> groups) {
  if (groups.size() == size_t(cast<ShapedType>(value.getType()).getRank()))
    return value;
  auto type = tensor::CollapseShapeOp::inferCollapsedType(
      cast<RankedTensorType>(value.getType()),
      getSymbolLessAffineMaps(
          convertReassociationIndicesToExprs(rewriter.getContext(), groups)));
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant))) {
    if (auto resource = dyn_cast<DenseResourceElementsAttr>(constant))
      return arith::ConstantOp::create(
          rewriter, loc,
          DenseResourceElementsAttr::get(type, resource.getRawHandle()));
    if (auto elements = dyn_cast<DenseElementsAttr>(constant))
      return arith::ConstantOp::create(rewriter, loc, elements.reshape(type));
  }
  return tensor::CollapseShapeOp::create(rewriter, loc, type, value, groups);
}

namespace {
/// An indexing map with collapsed dimensions, and the dimensions of the operand
/// that each result stands for.
struct CollapsedMap {
  SmallVector<AffineExpr> indices;
  SmallVector<ReassociationIndices> groups;

  CollapsedMap(AffineMap map, ArrayRef<int64_t> shape,
               ArrayRef<AffineExpr> dims) {
    int64_t size = 1;
    for (auto [dim, index] : llvm::enumerate(map.getResults())) {
      AffineExpr next = mergeDivisions(index.replaceDims(dims));
      AffineExpr both =
          dim ? collapse(indices.back(), size, next, shape[dim]) : AffineExpr();
      if (both) {
        indices.back() = both;
        groups.back().push_back(dim);
        size *= shape[dim];
      } else {
        indices.push_back(next);
        groups.push_back({int64_t(dim)});
        size = shape[dim];
      }
    }
  }
};

struct CollapseWeightDecoder final : OpRewritePattern<tensor::CollapseShapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tensor::CollapseShapeOp op,
                                PatternRewriter &rewriter) const override;
};
} // namespace

/// Whether the op decodes weights: one operand has all elements of the result,
/// in at most 8 bits.
static bool isWeightDecoder(GenericOp op) {
  if (!op || !isElementwiseOnTensors(op) || !op->hasOneUse() ||
      op->getNumResults() != 1 || op.hasIndexSemantics() ||
      op.hasDynamicShape() || !op.getIndexingMapsArray().back().isIdentity() ||
      op.payloadUsesValueFromOperand(op.getDpsInitOperand(0)))
    return false;
  return llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    Type element = getElementTypeOrSelf(input->get());
    return op.getMatchingIndexingMap(input).isIdentity() &&
           element.isIntOrFloat() && element.getIntOrFloatBitWidth() <= 8 &&
           isWeight(input->get());
  });
}

LogicalResult
CollapseWeightDecoder::matchAndRewrite(tensor::CollapseShapeOp op,
                                       PatternRewriter &rewriter) const {
  auto decoder = op.getSrc().getDefiningOp<GenericOp>();
  if (!isWeightDecoder(decoder))
    return rewriter.notifyMatchFailure(op, "not a decoder of weights");
  // The loops of the decoder as functions of the loops of the new op.
  SmallVector<AffineExpr> dims(decoder.getNumLoops());
  ArrayRef<int64_t> sizes = op.getSrcType().getShape();
  for (auto [loop, group] : llvm::enumerate(op.getReassociationIndices())) {
    AffineExpr rest = rewriter.getAffineDimExpr(loop);
    for (int64_t dim : llvm::reverse(group)) {
      if (dim == group.front())
        dims[dim] = rest;
      else if (sizes[dim] == 1)
        dims[dim] = rewriter.getAffineConstantExpr(0);
      else
        dims[dim] = rest % sizes[dim];
      if (sizes[dim] != 1)
        rest = mergeDivisions(rest.floorDiv(sizes[dim]));
    }
  }
  unsigned rank = op.getResultType().getRank();
  SmallVector<CollapsedMap> collapsed;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : decoder.getDpsInputOperands()) {
    ArrayRef<int64_t> shape;
    if (auto type = dyn_cast<RankedTensorType>(input->get().getType()))
      shape = type.getShape();
    const CollapsedMap &map = collapsed.emplace_back(
        decoder.getMatchingIndexingMap(input), shape, dims);
    auto isRemainder = [](AffineExpr index) {
      return index.getKind() == AffineExprKind::Mod;
    };
    if (llvm::any_of(map.indices, isRemainder))
      return rewriter.notifyMatchFailure(op, "an operand varies in a block");
    maps.push_back(AffineMap::get(rank, 0, map.indices, rewriter.getContext()));
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(rank));

  SmallVector<Value> inputs;
  for (auto [input, map] : llvm::zip_equal(decoder.getInputs(), collapsed))
    inputs.push_back(
        isa<RankedTensorType>(input.getType())
            ? collapseTensor(rewriter, input.getLoc(), input, map.groups)
            : input);
  Value init = tensor::EmptyOp::create(rewriter, decoder.getLoc(),
                                       op.getResultType(), ValueRange());
  auto result = GenericOp::create(
      rewriter, decoder.getLoc(), op.getResultType(), inputs, init, maps,
      SmallVector<utils::IteratorType>(rank, utils::IteratorType::parallel));
  rewriter.cloneRegionBefore(decoder.getRegion(), result.getRegion(),
                             result.getRegion().begin());
  rewriter.replaceOp(op, result.getResults());
  return success();
}

void quant_float::populateCollapseWeightDecodersPatterns(
    RewritePatternSet &patterns) {
  patterns.add<CollapseWeightDecoder>(patterns.getContext());
}
