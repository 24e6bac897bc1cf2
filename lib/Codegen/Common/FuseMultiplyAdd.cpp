//===- FuseMultiplyAdd.cpp - Round products and their sums once -----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/Common/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFUSEMULTIPLYADDPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Returns the product that the addition adds to an accumulator of the op; null
/// if there is none, or if it has other uses.
static arith::MulFOp getProduct(linalg::LinalgOp op, arith::AddFOp add) {
  // f16 and bf16 have no exact lowering on most CPUs.
  if (!add.getType().isF32() && !add.getType().isF64())
    return nullptr;
  ArrayRef<BlockArgument> accumulators = op.getRegionOutputArgs();
  for (unsigned i = 0; i < 2; ++i) {
    auto multiply = add->getOperand(1 - i).getDefiningOp<arith::MulFOp>();
    if (multiply && multiply->hasOneUse() &&
        multiply->getBlock() == op.getBlock() &&
        llvm::is_contained(accumulators, add->getOperand(i)))
      return multiply;
  }
  return nullptr;
}

namespace {
struct FuseMultiplyAdd final
    : quant_float::impl::QuantFloatFuseMultiplyAddPassBase<FuseMultiplyAdd> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // The bodies of named ops are fixed.
    SmallVector<linalg::LinalgOp> named;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::GenericOp>(op) && op.getNumReductionLoops() > 0 &&
          llvm::any_of(op.getBlock()->getOps<arith::AddFOp>(),
                       [&](arith::AddFOp add) { return getProduct(op, add); }))
        named.push_back(op);
    });
    for (linalg::LinalgOp op : named) {
      rewriter.setInsertionPoint(op);
      (void)linalg::generalizeNamedOp(rewriter, op);
    }
    getOperation().walk([&](linalg::GenericOp op) {
      if (op.getNumReductionLoops() == 0)
        return;
      for (auto add :
           llvm::make_early_inc_range(op.getBody()->getOps<arith::AddFOp>())) {
        arith::MulFOp multiply = getProduct(op, add);
        if (!multiply)
          continue;
        bool isFirst = add.getRhs() == multiply.getResult();
        rewriter.setInsertionPoint(add);
        rewriter.replaceOpWithNewOp<math::FmaOp>(
            add, multiply.getLhs(), multiply.getRhs(),
            isFirst ? add.getLhs() : add.getRhs());
        rewriter.eraseOp(multiply);
        ++numFused;
      }
    });
  }
};
} // namespace
