//===- QuantFloatToNVVM.cpp - Lowering of GPU modules ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ResolveChip.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/Lowering/ExpandQuantFloatOps.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTQUANTFLOATTONVVMPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct ConvertQuantFloatToNVVM final
    : quant_float::impl::ConvertQuantFloatToNVVMPassBase<
          ConvertQuantFloatToNVVM> {
  using ConvertQuantFloatToNVVMPassBase::ConvertQuantFloatToNVVMPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> modules;
    getOperation()->walk([&](gpu::GPUModuleOp op) { modules.push_back(op); });
    if (modules.empty())
      modules.push_back(getOperation());
    for (Operation *op : modules) {
      FailureOr<NvidiaChip> target = resolveChip(op, chip, ptx);
      if (failed(target) || failed(prepare(*target).apply(op)))
        return signalPassFailure();
    }
  }

private:
  /// Returns the expansion for a chip. It is cached because the modules usually
  /// have the same target.
  const QuantFloatExpansion &prepare(const NvidiaChip &target) {
    std::string name = target.name + target.getFeatures();
    if (name != prepared) {
      expansion.emplace(&getContext(), LoweringTarget::get(target));
      prepared = std::move(name);
    }
    return *expansion;
  }

  std::string prepared;
  std::optional<QuantFloatExpansion> expansion;
};
} // namespace
