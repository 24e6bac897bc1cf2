//===- Trial.h - Conversions on emulated CPUs -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_EMULATED_TRIAL_H
#define QUANT_FLOAT_TEST_CONFORMANCE_EMULATED_TRIAL_H

#include "mlir/IR/MLIRContext.h"
#include "quant-float/Certify/Conversion.h"
#include "quant-float/Certify/Inputs.h"
#include "llvm/Support/Error.h"
#include <optional>

namespace mlir::quant_float::test {

struct TrialResult {
  uint64_t inputs = 0, mismatches = 0;
  /// The SHA-256 digest of the outputs, or of the digests of several runs of
  /// the emulator.
  std::string digest;
};

/// Tests one conversion. Inputs are shuffled, because swapped lanes would not
/// be detected if neighbors have equal results.
///
/// - Casts from types of up to 16 bits: all encodings.
/// - Casts from 32-bit types: the encodings around every threshold at which the
///   result may change, if it has up to 16 bits; and 2^20 evenly spread
///   encodings, or all.
/// - All others: the inputs of a certificate.
///
/// Every result is compared with the oracle. Results of casts are also compared
/// with the Reference, for a subset of the evenly spread encodings and for all
/// others.
class Trial {
public:
  /// If `scale` is given, it is the only one that is tested, because it is a
  /// constant of the program.
  Trial(const certify::Conversion &conversion, bool isComplete,
        std::optional<uint64_t> scale, MLIRContext &context);

  /// Runs `command` with a program built from Inputs/program.c, whose table
  /// contains the conversion at this index. Prints the first mismatches. Fails
  /// if the program fails.
  llvm::Expected<TrialResult> run(ArrayRef<std::string> command, size_t index,
                                  unsigned threads) const;

private:
  size_t getNumCalls() const;
  /// Returns a call with at most 2^20 encodings.
  certify::Call getCall(size_t number) const;
  /// Runs several calls in one run of the emulator.
  llvm::Expected<TrialResult> runCalls(ArrayRef<std::string> command,
                                       size_t index, size_t first,
                                       size_t last) const;
  size_t compare(const certify::Call &call, ArrayRef<char> made) const;
  /// Returns whether the oracle and the Reference disagree.
  bool isDisputed(uint64_t encoding, uint64_t expected) const;

  const certify::Conversion &conversion;
  Type from, to;
  /// The inputs of casts from up to 32 bits.
  std::vector<uint64_t> encodings;
  size_t numSpread = 0;
  /// The inputs of all other conversions.
  std::optional<certify::Inputs> others;
};

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_EMULATED_TRIAL_H
