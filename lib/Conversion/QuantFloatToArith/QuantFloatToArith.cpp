//===- QuantFloatToArith.cpp - Lowering of scalars and vectors ------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/EntryPointInfo.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/Lowering/ExpandQuantFloatOps.h"
#include "quant-float/Lowering/LoweringTarget.h"
#include "quant-float/TargetInfo/TargetCpu.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTQUANTFLOATTOARITHPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct ConvertQuantFloatToArith final
    : quant_float::impl::ConvertQuantFloatToArithPassBase<
          ConvertQuantFloatToArith> {
  using ConvertQuantFloatToArithPassBase::ConvertQuantFloatToArithPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    // The options override the attribute of the module.
    if (cpu.empty())
      return success();
    llvm::Expected<TargetCpu> known = TargetCpu::get(triple, cpu, features);
    if (!known)
      return emitError(UnknownLoc::get(context))
             << llvm::toString(known.takeError());
    prepare(context, LoweringTarget::get(*known));
    return success();
  }

  void runOnOperation() override {
    if (cpu.empty())
      lookup();
    bool flushes = getOperation()->hasAttr(kFlushesSubnormalsAttrName);
    if (failed((flushes ? flushing : expansion)->apply(getOperation())))
      signalPassFailure();
  }

private:
  void prepare(MLIRContext *context, LoweringTarget target) {
    expansion.emplace(context, target);
    target.flushesSubnormals = true;
    flushing.emplace(context, target);
  }

  /// Prepares for the target of the module. All functions have the same, and
  /// patterns take longer to build than most functions to convert.
  void lookup() {
    Attribute found;
    for (Operation *op = getOperation(); op && !found; op = op->getParentOp())
      found = op->getAttr(kTargetAttrName);
    if (expansion && found == prepared)
      return;
    prepared = found;
    prepare(&getContext(), LoweringTarget::lookup(getOperation()));
  }

  Attribute prepared;
  std::optional<QuantFloatExpansion> expansion;
  /// For functions that run in an environment that flushes subnormals.
  std::optional<QuantFloatExpansion> flushing;
};
} // namespace
