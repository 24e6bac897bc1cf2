//===- Mutants.h - Mutation tests of lowerings ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who says that certificates would find anything? Each mutant is one mistake in
// a lowering, made where arith ops come out of convert-quant-float-to-arith.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_MUTANTS_H
#define QUANT_FLOAT_CERTIFY_MUTANTS_H

#include "quant-float/Certify/Certificate.h"
#include "quant-float/Certify/Conversion.h"
#include <functional>

namespace mlir::quant_float::certify {

/// What became of one mutant.
struct MutantReport {
  StringRef name;
  /// What it breaks, in words.
  StringRef mistake;
  std::string conversion;
  /// How many ops were changed; none is a failure.
  size_t changes = 0;
  /// Whether a result differed, and the first one that did.
  bool isCaught = false;
  Difference first;
  /// How many inputs were tried up to that one, or in all.
  uint64_t inputs = 0;
  double seconds = 0;
};

/// How many there are.
size_t countMutants();

/// Makes each mutant's code, for the oldest x86-64, and runs it until a result
/// differs from the oracle's: on a sample of the inputs, and if that finds
/// nothing on all. Fails where something does not compile or run, and on other
/// machines than x86-64.
llvm::Error
runMutants(const std::function<bool(StringRef)> &isWanted,
           const std::function<void(const MutantReport &)> &onReport);

/// The reports as JSON.
llvm::json::Value toJSON(const MutantReport &report);

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_MUTANTS_H
