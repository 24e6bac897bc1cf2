//===- Mutants.h - Mutation tests of lowerings ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Mutation tests verify that certification detects mistakes. Each mutant
// applies one mistake to the arith operations that convert-quant-float-to-arith
// creates.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_MUTANTS_H
#define QUANT_FLOAT_CERTIFY_MUTANTS_H

#include "quant-float/Certify/Certificate.h"
#include "quant-float/Certify/Conversion.h"
#include <functional>

namespace mlir::quant_float::certify {

/// The result of one mutant.
struct MutantReport {
  StringRef name;
  /// A description of the mistake.
  StringRef mistake;
  std::string conversion;
  /// The number of operations that were changed. Zero is a failure.
  size_t changes = 0;
  /// Whether a result differed, and the first difference.
  bool isCaught = false;
  Difference first;
  /// The number of inputs up to and including the wrong one, or of all inputs.
  uint64_t inputs = 0;
  double seconds = 0;
};

/// Compiles each mutant for the oldest x86-64 and runs it until a result
/// differs from the oracle's: first on a sample of the inputs, then on all.
/// Fails if code does not compile or run, and if the machine is not x86-64.
llvm::Error
runMutants(const std::function<bool(StringRef)> &filter,
           const std::function<void(const MutantReport &)> &onReport);

/// Converts the report to JSON.
llvm::json::Value toJSON(const MutantReport &report);

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_MUTANTS_H
