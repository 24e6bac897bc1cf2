//===- KernelLaunches.cpp - Launches of kernels in a function -------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLaunches.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::quant_float;

Value KernelLaunches::beginBlocks(Value blocks, int64_t threads) {
  Value one = index(1);
  Value size = index(threads);
  // No driver launches an empty grid.
  blocks = rewriter.createOrFold<arith::MaxUIOp>(loc, blocks, one);
  launch =
      gpu::LaunchOp::create(rewriter, loc, blocks, one, one, size, one, one);
  launch.setModule(module);
  launch.setFunction((name + "_kernel_" + Twine(numLaunches++)).str());
  rewriter.setInsertionPointToStart(&launch.getBody().front());
  Operation *end = gpu::TerminatorOp::create(rewriter, loc);
  rewriter.setInsertionPoint(end);
  return launch.getBlockIds().x;
}

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

SmallVector<Value> KernelLaunches::delinearize(Value number,
                                               ArrayRef<Value> extents) {
  SmallVector<Value> indices(extents.size());
  for (size_t i = extents.size(); i-- > 0;) {
    if (isConstantIntValue(getAsOpFoldResult(extents[i]), 1)) {
      indices[i] = index(0);
      continue;
    }
    bool isLast = llvm::all_of(ArrayRef(extents).take_front(i), [](Value e) {
      return isConstantIntValue(getAsOpFoldResult(e), 1);
    });
    if (isLast) {
      indices[i] = number;
      number = index(0);
      continue;
    }
    indices[i] = arith::RemUIOp::create(rewriter, loc, number, extents[i]);
    number = arith::DivUIOp::create(rewriter, loc, number, extents[i]);
  }
  return indices;
}
