//===- RequireLowered.cpp - Report ops that are not lowered ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/Support/FloatFormat.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATREQUIRELOWEREDPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Whether an arith op computes with a narrow float, which no target supports.
static bool isNarrowArith(Operation *op) {
  if (!isa<arith::ArithDialect>(op->getDialect()) ||
      isa<arith::ConstantOp, arith::BitcastOp, arith::SelectOp>(op))
    return false;
  auto isNarrow = [](Type type) {
    return isNarrowFloat(getElementTypeOrSelf(type));
  };
  return llvm::any_of(op->getOperandTypes(), isNarrow) ||
         llvm::any_of(op->getResultTypes(), isNarrow);
}

namespace {
struct RequireLowered final
    : quant_float::impl::QuantFloatRequireLoweredPassBase<RequireLowered> {
  using QuantFloatRequireLoweredPassBase::QuantFloatRequireLoweredPassBase;

  void runOnOperation() override {
    bool isLeft = false;
    getOperation()->walk([&](Operation *op) {
      bool isQuantFloatOp =
          isa_and_present<QuantFloatDialect>(op->getDialect());
      if (!isQuantFloatOp && (!op->getDialect() || !isNarrowArith(op)))
        return;
      InFlightDiagnostic diagnostic = op->emitOpError()
                                      << "is not lowered for the target '"
                                      << target << "'";
      diagnostic.attachNote(op->getLoc())
          << "no lowering converts (" << op->getOperandTypes() << ") to ("
          << op->getResultTypes() << ")";
      isLeft = true;
    });
    if (isLeft)
      signalPassFailure();
  }
};
} // namespace
