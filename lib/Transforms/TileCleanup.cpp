//===- TileCleanup.cpp - What tiling leaves behind ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileCleanup.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace mlir::quant_float;

LogicalResult quant_float::cleanUpTiles(Operation *root) {
  MLIRContext *context = root->getContext();
  RewritePatternSet patterns =
      linalg::getLinalgTilingCanonicalizationPatterns(context);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (isa_and_nonnull<tensor::TensorDialect>(&op.getDialect()))
      op.getCanonicalizationPatterns(patterns, context);
  linalg::GenericOp::getCanonicalizationPatterns(patterns, context);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  return applyPatternsGreedily(root, std::move(patterns));
}
