//===- FuseWeightDequantization.cpp - Fuse dequantization -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WeightContraction.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFUSEWEIGHTDEQUANTIZATIONPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

#define DEBUG_TYPE "quant-float-fuse-weight-dequantization"

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Whether each weight is used for at most kMaxMatvecRows elements of the
/// result, so that it is dequantized a few times at most.
static bool hasFewRows(GenericOp op, OpOperand &weights) {
  AffineMap map = op.getMatchingIndexingMap(&weights);
  int64_t rows = 1;
  for (auto [loop, range] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!map.isFunctionOfDim(loop)) {
      if (ShapedType::isDynamic(range) || range > kMaxMatvecRows)
        return false;
      rows *= range;
    }
  return rows <= kMaxMatvecRows;
}

/// Whether the quantized values of the fused matmul are an input of the
/// decoder. A matmul may convert elements of its other operand itself, as that
/// of QLinearMatMul does. These would count as weights if the decoder's input
/// does not have quantized values.
static bool readsCodes(GenericOp decoder,
                       const WeightContraction &contraction) {
  unsigned uses = llvm::count_if(
      GenericOp(contraction.op).getDpsInputOperands(), [&](OpOperand *input) {
        return input->get() == contraction.codes->get();
      });
  return uses == 1 &&
         llvm::is_contained(decoder.getInputs(), contraction.codes->get());
}

namespace {
struct FuseWeightDequantization final
    : quant_float::impl::QuantFloatFuseWeightDequantizationPassBase<
          FuseWeightDequantization> {
  using QuantFloatFuseWeightDequantizationPassBase::
      QuantFloatFuseWeightDequantizationPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (llvm::is_contained({0u, 8u, 16u}, unsigned(xBits)))
      return success();
    return emitError(UnknownLoc::get(context))
           << "x-bits: expected 0, 8 or 16, but got " << unsigned(xBits);
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
      auto contraction = cast<GenericOp>(fused->fusedOp);
      std::optional<WeightContraction> found =
          WeightContraction::get(contraction, xBits != 0);
      if (!found || !readsCodes(decoder, *found)) {
        LDBG() << "no contraction of weights at " << op.getLoc();
        rewriter.eraseOp(contraction);
        continue;
      }
      contraction->setAttr(kReductionScheduleAttrName,
                           found->getOrder(xBits).toAttribute(&getContext()));
      LDBG() << "fusing the dequantization at " << decoder.getLoc()
             << " into the matmul at " << op.getLoc();
      ++numFused;
      rewriter.replaceOp(op, fused->replacements.lookup(op->getResult(0)));
      if (decoder->use_empty())
        rewriter.eraseOp(decoder);
      return;
    }
  }
};
} // namespace
