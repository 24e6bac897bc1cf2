//===- GpuLaunches.cpp - Launches of kernels
//-------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GpuLaunches.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::quant_float;

/// Views are made inside as well, of whole buffers, and of the device's copy of
/// constants. Returns null if nothing is to be made.
static Value cloneView(OpBuilder &builder, Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<memref::GetGlobalOp>(op))
    return builder.clone(*op)->getResult(0);
  if (!isa_and_nonnull<ViewLikeOpInterface>(op) || !isMemoryEffectFree(op))
    return nullptr;
  IRMapping mapping;
  if (Value source = cloneView(builder, op->getOperand(0)))
    mapping.map(op->getOperand(0), source);
  return builder.clone(*op, mapping)->getResult(0);
}

void quant_float::sinkViews(RewriterBase &rewriter, gpu::LaunchOp launch) {
  OpBuilder::InsertionGuard guard(rewriter);
  SetVector<Value> outside;
  launch.walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<MemRefType>(operand.getType()) &&
          !launch.getBody().isAncestor(operand.getParentRegion()))
        outside.insert(operand);
  });
  rewriter.setInsertionPointToStart(&launch.getBody().front());
  for (Value value : outside)
    if (Value view = cloneView(rewriter, value))
      rewriter.replaceUsesWithIf(value, view, [&](OpOperand &use) {
        return launch->isProperAncestor(use.getOwner());
      });
}

std::string quant_float::getKernelPrefix(StringRef function) {
  function.consume_back(".kernel");
  std::string prefix = function.str();
  // Names in PTX have no dots, those of other entry points no dollars.
  llvm::replace(prefix, '.', '$');
  return prefix;
}
