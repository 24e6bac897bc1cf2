//===- AllowFmaContraction.cpp - Allow fused multiply-adds ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AllowFmaContraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/Common/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATALLOWFMACONTRACTIONPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the op may be fused. Bodies of elementwise ops keep their roundings,
/// such as those of a bias that is added after a scale.
static bool isAddOperand(Operation *op) {
  auto parent = op->getParentOfType<linalg::LinalgOp>();
  return !parent || parent.getNumReductionLoops() > 0;
}

static void allowContraction(Operation *op) {
  auto arithmetic = cast<arith::ArithFastMathInterface>(op);
  arith::FastMathFlags flags = arithmetic.getFastMathFlagsAttr().getValue();
  op->setAttr(arithmetic.getFastMathAttrName(),
              arith::FastMathFlagsAttr::get(
                  op->getContext(), flags | arith::FastMathFlags::contract));
}

void quant_float::allowFmaContraction(Operation *root) {
  root->walk([](arith::AddFOp add) {
    if (!isAddOperand(add))
      return;
    for (Value term : add->getOperands()) {
      auto multiply = term.getDefiningOp<arith::MulFOp>();
      if (!multiply || !multiply->hasOneUse())
        continue;
      allowContraction(multiply);
      allowContraction(add);
    }
  });
}

namespace {
struct AllowFmaContraction final
    : quant_float::impl::QuantFloatAllowFmaContractionPassBase<
          AllowFmaContraction> {
  void runOnOperation() override { allowFmaContraction(getOperation()); }
};
} // namespace
