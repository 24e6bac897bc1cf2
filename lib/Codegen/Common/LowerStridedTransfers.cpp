//===- LowerStridedTransfers.cpp - Lower strided transfers ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatternsTo.h"
#include "LinalgUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/Common/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERSTRIDEDTRANSFERSPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the transfer is one-dimensional, in bounds, not masked, and has a
/// non-unit or dynamic stride.
static bool isStrided(VectorTransferOpInterface op) {
  auto type = dyn_cast<MemRefType>(op.getBase().getType());
  if (!type || op.getVectorType().getRank() != 1 || op.getMask() ||
      op.hasOutOfBoundsDim() || !op.getPermutationMap().isMinorIdentity() ||
      isa<vector::MaskOp>(op->getParentOp()))
    return false;
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         strides.back() != 1;
}

/// Returns the indices of element `lane` of the vector.
static SmallVector<Value>
getIndices(OpBuilder &builder, VectorTransferOpInterface op, int64_t lane) {
  SmallVector<Value> indices(op.getIndices());
  indices.back() = createAffineApply(builder, op.getLoc(),
                                     builder.getAffineSymbolExpr(0) + lane,
                                     {OpFoldResult(indices.back())});
  return indices;
}

namespace {
struct LowerStridedTransfers final
    : quant_float::impl::QuantFloatLowerStridedTransfersPassBase<
          LowerStridedTransfers> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    vector::populateVectorMaskLoweringPatternsForSideEffectingOps(set);
    masks = std::move(set);
    return success();
  }

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<VectorTransferOpInterface> ops;
    getOperation()->walk([&](VectorTransferOpInterface op) {
      if (isStrided(op))
        ops.push_back(op);
    });
    for (VectorTransferOpInterface op : ops) {
      rewriter.setInsertionPoint(op);
      Location loc = op.getLoc();
      VectorType type = op.getVectorType();
      auto write = dyn_cast<vector::TransferWriteOp>(op.getOperation());
      SmallVector<Value> elements;
      for (int64_t lane = 0; lane < type.getNumElements(); ++lane) {
        SmallVector<Value> indices = getIndices(rewriter, op, lane);
        if (write) {
          Value element =
              vector::ExtractOp::create(rewriter, loc, write.getVector(), lane);
          memref::StoreOp::create(rewriter, loc, element, op.getBase(),
                                  indices);
        } else {
          elements.push_back(
              memref::LoadOp::create(rewriter, loc, op.getBase(), indices));
        }
      }
      if (write)
        rewriter.eraseOp(op);
      else
        rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, elements);
    }
    applyPatternsTo(getOperation(), masks,
                    [](Operation *op) { return isa<vector::MaskOp>(op); });
  }

  FrozenRewritePatternSet masks;
};
} // namespace
