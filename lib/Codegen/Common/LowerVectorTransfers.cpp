//===- LowerVectorTransfers.cpp - Lower multi-dim transfers ---------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatternsTo.h"
#include "mlir/Conversion/VectorToSCF/VectorToSCF.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/Common/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERVECTORTRANSFERSPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct LowerVectorTransfers final
    : quant_float::impl::QuantFloatLowerVectorTransfersPassBase<
          LowerVectorTransfers> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet maps(context), dimensions(context);
    vector::populateVectorTransferPermutationMapLoweringPatterns(maps);
    populateVectorToSCFConversionPatterns(dimensions);
    steps[0] = std::move(maps);
    steps[1] = std::move(dimensions);
    return success();
  }

  void runOnOperation() override {
    for (const FrozenRewritePatternSet &patterns : steps)
      applyPatternsTo(getOperation(), patterns, [](Operation *op) {
        return isa<vector::TransferReadOp, vector::TransferWriteOp>(op);
      });
  }

  FrozenRewritePatternSet steps[2];
};
} // namespace
