//===- ApplyPatternsTo.h - Rewrite selected ops -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_COMMON_APPLYPATTERNSTO_H
#define QUANT_FLOAT_LIB_CODEGEN_COMMON_APPLYPATTERNSTO_H

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlir::quant_float {

/// Applies the patterns to the ops inside `root` for which `filter` is true,
/// and to the ops that these patterns create. A greedy rewrite of all ops would
/// also fold the others and simplify regions, which takes most of its time.
inline void applyPatternsTo(Operation *root,
                            const FrozenRewritePatternSet &patterns,
                            function_ref<bool(Operation *)> filter) {
  SmallVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (filter(op))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  (void)applyOpPatternsGreedily(ops, patterns, config);
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_COMMON_APPLYPATTERNSTO_H
