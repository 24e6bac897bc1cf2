//===- FuseWeights.cpp - Weights decoded inside of products ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightProduct.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFUSEWEIGHTSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Whether so few elements of the result belong to a channel that each weight
/// is decoded a few times at most.
static bool hasFewRows(GenericOp op, OpOperand &weights) {
  AffineMap map = op.getMatchingIndexingMap(&weights);
  int64_t rows = 1;
  for (auto [loop, range] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!map.isFunctionOfDim(loop)) {
      if (ShapedType::isDynamic(range) || range > kMostVectors)
        return false;
      rows *= range;
    }
  return rows <= kMostVectors;
}

/// Whether the codes of the fused product are what the decoder reads. A product
/// may widen elements of its other operand itself, as that of QLinearMatMul
/// does: where what the decoder reads is no code, they would count as weights.
static bool readsCodes(GenericOp decoder, const WeightProduct &product) {
  unsigned uses = llvm::count_if(
      GenericOp(product.op).getDpsInputOperands(),
      [&](OpOperand *input) { return input->get() == product.codes->get(); });
  return uses == 1 &&
         llvm::is_contained(decoder.getInputs(), product.codes->get());
}

namespace {
struct FuseWeights final
    : quant_float::impl::QuantFloatFuseWeightsPassBase<FuseWeights> {
  using QuantFloatFuseWeightsPassBase::QuantFloatFuseWeightsPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (llvm::is_contained({0u, 8u, 16u}, unsigned(xBits)))
      return success();
    return emitError(UnknownLoc::get(context))
           << "x-bits must be 0, 8 or 16, not " << unsigned(xBits);
  }

  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation()->walk([&](GenericOp op) {
      if (op.hasPureTensorSemantics() && op.getNumReductionLoops() == 1)
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (GenericOp op : ops)
      fuse(rewriter, op);
  }

  void fuse(RewriterBase &rewriter, GenericOp op) {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto decoder = operand->get().getDefiningOp<GenericOp>();
      if (!decoder || !decoder->hasOneUse() || !hasFewRows(op, *operand) ||
          !linalg::areElementwiseOpsFusable(operand))
        continue;
      rewriter.setInsertionPoint(op);
      FailureOr<linalg::ElementwiseOpFusionResult> fused =
          linalg::fuseElementwiseOps(rewriter, operand);
      if (failed(fused))
        continue;
      auto product = cast<GenericOp>(fused->fusedOp);
      std::optional<WeightProduct> found =
          WeightProduct::get(product, xBits != 0);
      if (!found || !readsCodes(decoder, *found)) {
        rewriter.eraseOp(product);
        continue;
      }
      product->setAttr(kSumOrderAttrName,
                       found->getOrder(xBits).toAttribute(&getContext()));
      rewriter.replaceOp(op, fused->replacements.lookup(op->getResult(0)));
      if (decoder->use_empty())
        rewriter.eraseOp(decoder);
      return;
    }
  }
};
} // namespace
