//===- FuseGpuReductions.cpp - Reductions and users in one kernel ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts reductions and the elementwise ops that use their results to one
// kernel each. ConfigureGpuKernels.cpp chooses the ops.
//
//===----------------------------------------------------------------------===//

#include "FusedReductions.h"
#include "KernelLaunches.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/GPU/Passes.h"
#include "quant-float/IR/CodegenAttributes.h"
#include "quant-float/IR/QuantFloatAttributes.h"
#include "llvm/Support/InterleavedRange.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATFUSEGPUREDUCTIONSPASS
#include "quant-float/Codegen/GPU/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using linalg::LinalgOp;

namespace {
struct FuseGpuReductions final
    : quant_float::impl::QuantFloatFuseGpuReductionsPassBase<
          FuseGpuReductions> {
  using QuantFloatFuseGpuReductionsPassBase::
      QuantFloatFuseGpuReductionsPassBase;

  void runOnOperation() override;
};
} // namespace

void FuseGpuReductions::runOnOperation() {
  FunctionOpInterface function = getOperation();
  KernelLaunches launches(function, module, "reduction");
  SmallVector<LinalgOp> ops;
  function.walk([&](LinalgOp op) {
    auto config =
        op->getAttrOfType<LoweringConfigAttr>(kLoweringConfigAttrName);
    if (config && config.getStrategy() == LoweringStrategy::FusedReduction)
      ops.push_back(op);
  });
  // The kernels that are built before contain their ops already.
  FusedOps others;
  for (LinalgOp op : llvm::reverse(ops)) {
    auto config =
        op->getAttrOfType<LoweringConfigAttr>(kLoweringConfigAttrName);
    std::optional<FusedReductions> fused =
        FusedReductions::match(op, reassociate, others);
    if (!fused) {
      op->emitOpError("has no kernel of the strategy 'fused_reduction': "
                      "expected an elementwise op that uses reductions before "
                      "it");
      return signalPassFailure();
    }
    if (fused->getTile() != config.getTile(0)) {
      op->emitOpError("has no kernel of the strategy 'fused_reduction': "
                      "expected a tile of ")
          << llvm::interleaved_array(fused->getTile()) << ", but got "
          << llvm::interleaved_array(config.getTile(0));
      return signalPassFailure();
    }
    op->removeAttr(kLoweringConfigAttrName);
    fused->build(launches);
    ++numFused;
  }
}
