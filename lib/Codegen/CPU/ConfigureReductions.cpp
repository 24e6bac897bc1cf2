//===- ConfigureReductions.cpp - Choose the loops of reductions -----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionPlan.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/CPU/Passes.h"
#include "quant-float/IR/CodegenAttributes.h"
#include "quant-float/Lowering/ConversionPlan.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATCONFIGUREREDUCTIONSPASS
#include "quant-float/Codegen/CPU/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::GenericOp;

/// Emits the remark of --explain about a contraction: the config, and the
/// requirements of better instructions.
static void emitContractionRemark(const ReductionPlan &plan,
                                  LoweringConfigAttr config,
                                  const LoweringTarget &target) {
  GenericOp op = plan.op;
  if (!(plan.isPlainContraction || getDotTypes(op).size() == 2) ||
      !op->getContext()->getRemarkEngine())
    return;
  std::string message;
  llvm::raw_string_ostream os(message);
  os << "contraction by " << config;
  OpOperand &rows = plan.panel ? *plan.panel->unpacked : op->getOpOperand(0);
  std::vector<std::string> requirements =
      ReductionPlan::chooseMatrix(op, rows, target).lacks;
  if (!requirements.empty())
    os << ": " << llvm::join(requirements, ", ");
  auto options =
      remark::RemarkOpts::name("product").category(kConversionRemarks);
  bool isInstruction = !config.getInstruction().empty();
  if (auto remark = isInstruction ? remark::passed(op.getLoc(), options)
                                  : remark::missed(op.getLoc(), options))
    remark << message;
}

namespace {
struct ConfigureReductions final
    : quant_float::impl::QuantFloatConfigureReductionsPassBase<
          ConfigureReductions> {
  using QuantFloatConfigureReductionsPassBase::
      QuantFloatConfigureReductionsPassBase;

  void runOnOperation() override {
    FailureOr<VectorRegisters> vectors =
        VectorRegisters::get(getOperation(), vectorBytes, registers);
    if (failed(vectors))
      return signalPassFailure();
    LoweringTarget target = LoweringTarget::lookup(getOperation());
    getOperation()->walk([&](GenericOp op) {
      if (!isVectorizableReduction(op) || op->hasAttr(kLoweringConfigAttrName))
        return;
      ReductionPlan plan = ReductionPlan::choose(op, target, *vectors);
      LoweringConfigAttr config = plan.getConfig();
      op->setAttr(kLoweringConfigAttrName, config);
      emitContractionRemark(plan, config, target);
    });
  }
};
} // namespace
