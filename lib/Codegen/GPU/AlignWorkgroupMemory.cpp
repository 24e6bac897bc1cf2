//===- AlignWorkgroupMemory.cpp - Align workgroup memory ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "quant-float/Codegen/GPU/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATALIGNWORKGROUPMEMORYPASS
#include "quant-float/Codegen/GPU/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;

namespace {
struct AlignWorkgroupMemory final
    : quant_float::impl::QuantFloatAlignWorkgroupMemoryPassBase<
          AlignWorkgroupMemory> {
  void runOnOperation() override {
    gpu::GPUFuncOp function = getOperation();
    OpBuilder builder(&getContext());
    for (unsigned i = 0; i < function.getNumWorkgroupAttributions(); ++i)
      function.setWorkgroupAttributionAttr(
          i, LLVM::LLVMDialect::getAlignAttrName(),
          builder.getI64IntegerAttr(kBytes));
  }

private:
  /// The size of the widest vector that kernels access in workgroup memory:
  /// four f64.
  static constexpr int64_t kBytes = 32;
};
} // namespace
