//===- LegalizeArith.cpp - Upstream's narrow floats to quant_float --------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Obstacles.h"
#include "QuantTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/IR/QuantFloatDialect.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_QUANTFLOATLEGALIZEARITHPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct LegalizeArith final
    : quant_float::impl::QuantFloatLegalizeArithPassBase<LegalizeArith> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateLegalizeArithPatterns(patterns);
    populateLegalizeQuantPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));

    getOperation()->walk<WalkOrder::PostOrder, ReverseIterator>(
        [](Operation *op) {
          if (isFloat8StorageCast(op) && op->use_empty())
            op->erase();
        });
    getOperation()->walk([](Operation *op) {
      std::optional<std::string> obstacle = findArithObstacle(op);
      if (!obstacle)
        obstacle = findQuantObstacle(op);
      if (obstacle && !obstacle->empty())
        op->emitRemark("not legalized: ") << *obstacle;
    });
  }
};
} // namespace
