//===- Loops.h - What the assembly of a loop looks like ---------*- C++ -*-===//
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
  /// Vectors are divided: each element has its own scale.
  bool mayDivide = false;
  /// There is work on single elements too: a round has a scale of its own.
  bool mayPrepare = false;
};

/// What is wrong with the main loop of the function `name` in x86-64
/// `assembly`; empty if it works on vectors, calls nothing, gathers nothing
/// and, unless it may, divides nothing but beside corrected products: as many
/// elements once more, in a branch, and with AVX2 a half of all.
std::string judgeMainLoop(StringRef assembly, StringRef name, LoopRules rules);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_LOOPS_H
