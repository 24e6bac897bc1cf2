//===- TileCleanup.cpp - Cleanup after tiling -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCleanup.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "quant-float/Support/Indices.h"

using namespace mlir;
using namespace mlir::quant_float;

FailureOr<scf::SCFTileAndFuseResult> quant_float::tileAndFuse(
    RewriterBase &rewriter, linalg::GenericOp op,
    const scf::SCFTilingOptions &tilingOptions,
    llvm::function_ref<bool(tensor::ExtractSliceOp, OpResult, bool)>
        shouldFuse) {
  using Options = scf::SCFTileAndFuseOptions;
  Options options;
  options.setTilingOptions(tilingOptions);
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp slice, OpResult producer,
          bool isInit) -> std::optional<Options::ControlFnResult> {
        if (!shouldFuse(slice, producer, isInit))
          return std::nullopt;
        return Options::ControlFnResult{};
      });
  rewriter.setInsertionPoint(op);
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(op.getOperation()), options);
  if (succeeded(tiled))
    rewriter.replaceOp(op, llvm::map_to_vector(op->getResults(), [&](Value v) {
                         return tiled->replacements.lookup(v);
                       }));
  return tiled;
}

LogicalResult quant_float::cleanUpTiles(Operation *root) {
  MLIRContext *context = root->getContext();
  RewritePatternSet patterns(context);
  linalg::populateLinalgTilingCanonicalizationPatterns(patterns);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (isa_and_nonnull<tensor::TensorDialect>(&op.getDialect()))
      op.getCanonicalizationPatterns(patterns, context);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  // Tiled padding has a branch for empty slices.
  scf::IfOp::getCanonicalizationPatterns(patterns, context);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  return applyPatternsGreedily(root, std::move(patterns));
}

void quant_float::widenSlices(RewriterBase &rewriter, linalg::GenericOp tile,
                              llvm::function_ref<bool(unsigned)> isTiled) {
  auto stays = [&](AffineExpr index) {
    bool isUnequal = false;
    for (unsigned loop = 0, e = tile.getNumLoops(); loop < e; ++loop) {
      if (isTiled(loop) && index.isFunctionOfDim(loop))
        return false;
      isUnequal |= !hasEqualSteps(index, loop);
    }
    return isUnequal;
  };
  for (OpOperand *input : tile.getDpsInputOperands()) {
    Operation *op = input->get().getDefiningOp();
    if (!isa_and_present<tensor::ExtractSliceOp, memref::SubViewOp>(op))
      continue;
    auto slice = cast<OffsetSizeAndStrideOpInterface>(op);
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
    SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
    Value source = op->getOperand(0);
    Location loc = op->getLoc();
    bool isChanged = false;
    rewriter.setInsertionPoint(op);
    for (auto [dim, index] :
         llvm::enumerate(tile.getMatchingIndexingMap(input).getResults())) {
      if (!stays(index))
        continue;
      offsets[dim] = rewriter.getIndexAttr(0);
      sizes[dim] = isa<MemRefType>(source.getType())
                       ? memref::getMixedSize(rewriter, loc, source, dim)
                       : tensor::getMixedSize(rewriter, loc, source, dim);
      isChanged = true;
    }
    if (!isChanged)
      continue;
    SmallVector<OpFoldResult> strides = slice.getMixedStrides();
    Value wider;
    if (isa<MemRefType>(source.getType()))
      wider = memref::SubViewOp::create(rewriter, loc, source, offsets, sizes,
                                        strides);
    else
      wider = tensor::ExtractSliceOp::create(rewriter, loc, source, offsets,
                                             sizes, strides);
    rewriter.modifyOpInPlace(tile, [&] { input->set(wider); });
  }
}
