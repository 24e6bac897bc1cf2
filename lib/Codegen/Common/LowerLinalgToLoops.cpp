//===- LowerLinalgToLoops.cpp - Lower linalg ops to scalar loops ----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's convert-linalg-to-loops rewrites the entire function greedily and
// simplifies its regions after each iteration, which takes a quarter of the
// time of MLIR's passes for a network of a thousand blocks. This pass visits
// each op once.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/Common/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERLINALGTOLOOPSPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct LowerLinalgToLoops final
    : quant_float::impl::QuantFloatLowerLinalgToLoopsPassBase<
          LowerLinalgToLoops> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (op.hasPureBufferSemantics())
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops) {
      rewriter.setInsertionPoint(op);
      if (succeeded(linalg::linalgOpToLoops(rewriter, op)))
        rewriter.eraseOp(op);
    }
  }
};
} // namespace
