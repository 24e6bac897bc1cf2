//===- LowerCopies.cpp - Lower copies of strided memrefs ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/Common/Passes.h"
#include "quant-float/IR/ElementTypes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERCOPIESPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

/// Whether the elements are contiguous in memory and not packed.
static bool isContiguous(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return !type || (type.getLayout().isIdentity() &&
                   !isPackedElementType(type.getElementType()));
}

namespace {
struct LowerCopies final
    : quant_float::impl::QuantFloatLowerCopiesPassBase<LowerCopies> {
  void runOnOperation() override {
    SmallVector<memref::CopyOp> copies;
    SmallVector<linalg::MapOp> fills;
    getOperation()->walk([&](Operation *op) {
      auto copy = dyn_cast<memref::CopyOp>(op);
      if (copy &&
          (!isContiguous(copy.getSource()) || !isContiguous(copy.getTarget())))
        copies.push_back(copy);
      // The padding of a tensor.
      if (auto fill = dyn_cast<linalg::MapOp>(op);
          fill && fill.hasPureBufferSemantics())
        fills.push_back(fill);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::MapOp fill : fills) {
      rewriter.setInsertionPoint(fill);
      // A fill that cannot be generalized is lowered to scalar loops.
      (void)linalg::generalizeNamedOp(rewriter, fill);
    }
    for (memref::CopyOp copy : copies) {
      rewriter.setInsertionPoint(copy);
      linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(),
                               copy.getTarget());
      rewriter.eraseOp(copy);
    }
  }
};
} // namespace
