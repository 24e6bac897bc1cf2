//===- LowerVectorOps.cpp - Lower vector ops ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ApplyPatternsTo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "quant-float/Codegen/Common/Passes.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLOWERVECTOROPSPASS
#include "quant-float/Codegen/Common/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct LowerVectorOps final
    : quant_float::impl::QuantFloatLowerVectorOpsPassBase<LowerVectorOps> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    vector::populateVectorToVectorCanonicalizationPatterns(set);
    vector::populateVectorBitCastLoweringPatterns(set);
    vector::populateVectorBroadcastLoweringPatterns(set);
    vector::populateVectorContractLoweringPatterns(
        set, vector::VectorContractLowering::Dot);
    vector::populateVectorMaskOpLoweringPatterns(set);
    vector::populateVectorShapeCastLoweringPatterns(set);
    vector::populateVectorInterleaveLoweringPatterns(set);
    vector::populateVectorTransposeLoweringPatterns(
        set, vector::VectorTransposeLowering::EltWise);
    vector::populateVectorTransferLoweringPatterns(set, /*maxTransferRank=*/1);
    vector::populateVectorMaskMaterializationPatterns(
        set, /*force32BitVectorIndices=*/true);
    vector::populateVectorInsertExtractStridedSliceTransforms(set);
    vector::populateVectorStepLoweringPatterns(set);
    vector::populateVectorRankReducingFMAPattern(set);
    vector::populateVectorGatherLoweringPatterns(set);
    vector::populateVectorFromElementsUnrollPatterns(set);
    vector::populateVectorToElementsUnrollPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    applyPatternsTo(getOperation(), patterns, [](Operation *op) {
      return isa_and_present<vector::VectorDialect>(op->getDialect());
    });
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
