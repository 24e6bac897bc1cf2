//===- CastActions.h - Actions on cast cases --------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_CASTACTIONS_H
#define QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_CASTACTIONS_H

#include "CastCases.h"
#include "quant-float/Driver/Driver.h"

namespace mlir::quant_float::test {

struct Settings {
  CompileOptions compile;
  /// The number of random inputs for sources of more than 16 bits.
  size_t randomCount = 0;
  /// The number of functions in a module.
  size_t batchSize = 0;
  /// Run in every floating-point environment that a caller can have (E1),
  /// instead of at odd lengths.
  bool environments = false;
};

/// Compiles and runs each case in this process, on all inputs and on some of
/// them at odd lengths and addresses, and compares every bit with the
/// Reference. Returns the number of cases that failed.
FailureOr<size_t> runCases(ArrayRef<CastCase> cases, const Settings &settings,
                           MLIRContext &context);

/// Writes assembly, inputs and expected results to a folder for
/// Inputs/foreign-driver.c.
LogicalResult emitCases(ArrayRef<CastCase> cases, const Settings &settings,
                        StringRef folder, MLIRContext &context);

/// Inspects the assembly of every case: the main loop must be vectorized and
/// must not call functions. Returns the number of cases that failed.
FailureOr<size_t> checkLoops(ArrayRef<CastCase> cases, const Settings &settings,
                             MLIRContext &context);

/// Returns the results of the Reference.
std::vector<char> computeExpected(const CastCase &one, ArrayRef<char> inputs);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_CASTACTIONS_H
