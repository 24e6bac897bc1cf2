//===- Loops.h - Inspection of assembly -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_LOOPS_H
#define QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_LOOPS_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir::quant_float::test {

struct LoopRules {
  /// The loop may divide vectors, because each element has its own scale.
  bool mayDivide = false;
  /// The loop may contain scalar code, because each iteration has its own
  /// scale.
  bool mayPrepare = false;
};

/// Returns a description of the problem of the main loop of function `name` in
/// x86-64 `assembly`. Returns an empty string if the loop is vectorized, has no
/// calls and no gathers, and no divisions unless `rules` allow them. Next to
/// corrected products, divisions are allowed in the branch for exceptional
/// scales and, with AVX2, for half of the quotients.
std::string judgeMainLoop(StringRef assembly, StringRef name, LoopRules rules);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_LOOPS_H
