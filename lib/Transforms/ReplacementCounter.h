//===- ReplacementCounter.h - Count replaced ops ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_REPLACEMENTCOUNTER_H
#define QUANT_FLOAT_LIB_TRANSFORMS_REPLACEMENTCOUNTER_H

#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/Pass.h"

namespace mlir::quant_float {

/// Counts the ops of one type that patterns replace. Populate functions have no
/// access to the statistics of a pass, so the pass gives this listener to the
/// pattern driver.
template <typename OpTy>
class ReplacementCounter final : public RewriterBase::Listener {
public:
  explicit ReplacementCounter(Pass::Statistic &count) : count(count) {}

  using RewriterBase::Listener::notifyOperationReplaced;
  void notifyOperationReplaced(Operation *op, ValueRange) override {
    if (isa<OpTy>(op))
      ++count;
  }

private:
  Pass::Statistic &count;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_REPLACEMENTCOUNTER_H
