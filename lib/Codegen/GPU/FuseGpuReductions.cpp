//===- FuseGpuReductions.cpp - Reductions and users in one kernel ---------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts reductions and the elementwise ops that use their results to one
// kernel each. FusedReductions.cpp matches the ops.
//
//===----------------------------------------------------------------------===//

#include "FusedReductions.h"
#include "KernelLaunches.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/GPU/Passes.h"

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
  IRRewriter &rewriter = launches.rewriter;
  // Tensors are padded by copies.
  SmallVector<memref::CopyOp> copies;
  function.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    rewriter.setInsertionPoint(copy);
    if (FusedReductions::getBufferOfView(copy.getSource()) !=
        FusedReductions::getBufferOfView(copy.getTarget()))
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
    rewriter.eraseOp(copy);
  }
  SmallVector<LinalgOp> ops;
  function.walk([&](LinalgOp op) {
    if (op.hasPureBufferSemantics())
      ops.push_back(op);
  });
  llvm::SmallPtrSet<Operation *, 16> fusedOps;
  // The last op of a chain fuses all ops before it.
  for (LinalgOp op : llvm::reverse(ops)) {
    if (fusedOps.contains(op))
      continue;
    std::optional<FusedReductions> fused =
        FusedReductions::match(op, reassociate);
    if (!fused)
      continue;
    for (LinalgOp each : fused->getOps())
      fusedOps.insert(each);
    fused->build(launches);
    ++numFused;
  }
}
