//===- TileReshapes.cpp - Reshapes of tiles -------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileReshapes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"

using namespace mlir;
using namespace mlir::quant_float;

bool quant_float::isReshape(Operation *op) {
  return isa<tensor::CastOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(
      op);
}

SmallVector<int64_t> quant_float::getLargeDims(RankedTensorType type,
                                               ArrayRef<int64_t> group) {
  return llvm::filter_to_vector(
      group, [&](int64_t dim) { return type.getDimSize(dim) != 1; });
}

bool quant_float::keepsTiles(Operation *reshape) {
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape))
    return llvm::all_of(
        expand.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
          auto dims = getLargeDims(expand.getResultType(), group);
          return dims.size() < 2 ||
                 (dims.size() == 2 &&
                  !expand.getResultType().isDynamicDim(dims.back()));
        });
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape))
    return llvm::all_of(
        collapse.getReassociationIndices(), [&](ArrayRef<int64_t> group) {
          return getLargeDims(collapse.getSrcType(), group).size() < 2;
        });
  return true;
}

Value quant_float::reshapeTile(RewriterBase &rewriter, Operation *reshape,
                               Value tile) {
  Location loc = reshape->getLoc();
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape))
    return tensor::CollapseShapeOp::create(rewriter, loc, tile,
                                           collapse.getReassociationIndices());
  auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape);
  if (!expand)
    return tile;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(rewriter, loc, tile);
  RankedTensorType fullType = expand.getResultType();
  SmallVector<OpFoldResult> expanded(fullType.getRank(),
                                     rewriter.getIndexAttr(1));
  for (auto [size, group] :
       llvm::zip_equal(sizes, expand.getReassociationIndices())) {
    SmallVector<int64_t> dims = getLargeDims(fullType, group);
    if (dims.empty())
      continue;
    if (dims.size() == 2) {
      int64_t block = fullType.getDimSize(dims.back());
      expanded[dims.back()] = rewriter.getIndexAttr(block);
      size = affine::makeComposedFoldedAffineApply(
          rewriter, loc, rewriter.getAffineDimExpr(0).floorDiv(block), {size});
    }
    expanded[dims.front()] = size;
  }
  SmallVector<int64_t> shape;
  for (OpFoldResult size : expanded)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return tensor::ExpandShapeOp::create(rewriter, loc, fullType.clone(shape),
                                       tile, expand.getReassociationIndices(),
                                       expanded);
}

TileBounds quant_float::getSourceTile(RewriterBase &rewriter,
                                      Operation *reshape,
                                      const TileBounds &tile) {
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  TileBounds source;
  auto add = [&](OpFoldResult offset, OpFoldResult size) {
    source.offsets.push_back(offset);
    source.sizes.push_back(size);
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(reshape)) {
    for (ArrayRef<int64_t> group : expand.getReassociationIndices()) {
      SmallVector<int64_t> dims = getLargeDims(expand.getResultType(), group);
      if (dims.empty()) {
        add(zero, one);
        continue;
      }
      OpFoldResult offset = tile.offsets[dims.front()];
      OpFoldResult size = tile.sizes[dims.front()];
      if (dims.size() == 2) {
        AffineExpr scaled = rewriter.getAffineDimExpr(0) *
                            expand.getResultType().getDimSize(dims.back());
        offset = affine::makeComposedFoldedAffineApply(
            rewriter, expand.getLoc(), scaled, {offset});
        size = affine::makeComposedFoldedAffineApply(rewriter, expand.getLoc(),
                                                     scaled, {size});
      }
      add(offset, size);
    }
    return source;
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape)) {
    for (auto [index, group] :
         llvm::enumerate(collapse.getReassociationIndices()))
      for (int64_t dim : group) {
        bool isLarge = collapse.getSrcType().getDimSize(dim) != 1;
        add(isLarge ? tile.offsets[index] : zero,
            isLarge ? tile.sizes[index] : one);
      }
    return source;
  }
  return tile;
}
