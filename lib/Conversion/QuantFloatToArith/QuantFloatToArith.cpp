//===- QuantFloatToArith.cpp - Scalars and vectors to arith ---------------===//
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
#include "quant-float/Emulation/EmulationTarget.h"
#include "quant-float/Emulation/ExpandQuantFloatOps.h"
#include "quant-float/EntryPoint/EntryPointInfo.h"

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
    FailureOr<EmulationTarget> target =
        EmulationTarget::get(context, triple, cpu, features);
    if (failed(target))
      return failure();
    expansion.emplace(context, *target);
    target->flushesSubnormals = true;
    flushing.emplace(context, *target);
    return success();
  }

  void runOnOperation() override {
    bool flushes = getOperation()->hasAttr(kFlushesSubnormalsAttrName);
    if (failed((flushes ? flushing : expansion)->apply(getOperation())))
      signalPassFailure();
  }

private:
  std::optional<QuantFloatExpansion> expansion;
  /// In functions that run with subnormals taken for zero.
  std::optional<QuantFloatExpansion> flushing;
};
} // namespace
