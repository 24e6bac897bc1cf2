//===- ContractSums.cpp - Fused multiply-adds in sums ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ContractSums.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Transforms/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATCONTRACTSUMSPASS
#include "quant-float/Transforms/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the op is in code that sums: that of an op that does not, a bias
/// after a scale perhaps, keeps its roundings.
static bool isInSum(Operation *op) {
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

void quant_float::contractSums(Operation *root) {
  root->walk([](arith::AddFOp sum) {
    if (!isInSum(sum))
      return;
    for (Value term : sum->getOperands()) {
      auto product = term.getDefiningOp<arith::MulFOp>();
      if (!product || !product->hasOneUse())
        continue;
      allowContraction(product);
      allowContraction(sum);
    }
  });
}

namespace {
struct ContractSums final
    : quant_float::impl::QuantFloatContractSumsPassBase<ContractSums> {
  void runOnOperation() override { contractSums(getOperation()); }
};
} // namespace
