//===- CastActions.h - What to do with the cases ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_CASTACTIONS_H
#define QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_CASTACTIONS_H

#include "CastCases.h"
#include "quant-float/Compiler/Driver.h"

namespace mlir::quant_float::test {

struct Settings {
  CompileOptions compile;
  /// Random patterns for sources of more than 16 bits.
  size_t randomCount = 0;
  /// Functions of one module.
  size_t batchSize = 0;
  /// Run in every floating-point environment that a caller can have (E1),
  /// instead of at odd lengths.
  bool environments = false;
};

/// Compiles the cases into this process, runs each on all its inputs, and on
/// few of them at odd lengths and addresses, and compares every bit with the
/// Reference. Returns the number of cases that failed.
FailureOr<size_t> runCases(ArrayRef<CastCase> cases, const Settings &settings,
                           MLIRContext &context);

/// Writes assembly, what it is to be run on and what that gives into a
/// folder, for Inputs/foreign-driver.c.
LogicalResult emitCases(ArrayRef<CastCase> cases, const Settings &settings,
                        StringRef folder, MLIRContext &context);

/// Reads the assembly of every case: the main loop must work on vectors and
/// call nothing. Returns the number of cases that failed.
FailureOr<size_t> checkLoops(ArrayRef<CastCase> cases, const Settings &settings,
                             MLIRContext &context);

/// The Reference's results.
std::vector<char> computeExpected(const CastCase &one, ArrayRef<char> inputs);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_CASTACTIONS_H
