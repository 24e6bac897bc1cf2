//===- CopyShapesToHost.cpp - Copy data-dependent shapes to the host ------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "quant-float/EntryPoint/Passes.h"
#include "quant-float/IR/EntryPointInfo.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATCOPYSHAPESTOHOSTPASS
#include "quant-float/EntryPoint/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct CopyShapesToHost final
    : quant_float::impl::QuantFloatCopyShapesToHostPassBase<CopyShapesToHost> {
  void runOnOperation() override {
    func::FuncOp kernel = getOperation();
    if (!kernel->hasAttr(kEntryPointAttrName))
      return;
    FailureOr<EntryPointInfo> info = EntryPointInfo::get(kernel);
    if (failed(info))
      return signalPassFailure();
    if (!info->hasDataDependentSizes)
      return;
    // The attribute may come from a file.
    unsigned count = kernel.getArgumentTypes().size();
    auto type =
        count < 2 ? MemRefType()
                  : dyn_cast<MemRefType>(kernel.getArgumentTypes()[count - 2]);
    if (!type || !type.hasStaticShape() || kernel.isExternal()) {
      kernel.emitError("function '") << kernel.getSymName()
                                     << "': expected a body, and a buffer for "
                                        "data-dependent sizes before the "
                                        "last argument";
      return signalPassFailure();
    }
    Value sizes = kernel.getArgument(count - 2);
    Location loc = kernel.getLoc();
    OpBuilder builder(kernel.getBody());
    Value onDevice = memref::AllocOp::create(builder, loc, type);
    sizes.replaceAllUsesWith(onDevice);
    kernel.walk([&](cf::AssertOp op) {
      if (op.getMsg() != kSizesOnlyMessage)
        return;
      builder.setInsertionPoint(op);
      gpu::MemcpyOp::create(builder, loc, /*asyncToken=*/Type(), ValueRange(),
                            sizes, onDevice);
      memref::DeallocOp::create(builder, loc, onDevice);
    });
  }
};
} // namespace
