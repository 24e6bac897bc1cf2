//===- Trial.h - A conversion on an emulated CPU ----------------*- C++ -*-===//
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
  /// SHA-256 of the outputs; of several runs of the emulator, of theirs.
  std::string digest;
};

/// One conversion on inputs that are in no order: in order, where neighbours
/// have the same results, lanes that change places do not show.
///
/// - Casts from types of up to 16 bits: every code.
/// - Casts from 32 bits: ±2 codes around every value where the result may
///   change, if it has up to 16 bits; 2^20 codes spread evenly, or all.
/// - All others: a certificate's inputs.
///
/// Every result is compared with the oracle. Of casts the Reference is asked,
/// too, about a part of the codes that are spread and about all others.
class Trial {
public:
  /// With `scale` that one alone, which the program knows.
  Trial(const certify::Conversion &conversion, bool isComplete,
        std::optional<uint64_t> scale, MLIRContext &context);

  /// Runs `command` with a program of Inputs/program.c, in whose table the
  /// conversion has this index. Prints the first mismatches. Fails where the
  /// program does.
  llvm::Expected<TrialResult> run(ArrayRef<std::string> command, size_t index,
                                  unsigned threads) const;

private:
  size_t getNumCalls() const;
  /// Calls have at most 2^20 codes.
  certify::Call getCall(size_t number) const;
  /// Of some calls, by one run of the emulator.
  llvm::Expected<TrialResult> runCalls(ArrayRef<std::string> command,
                                       size_t index, size_t first,
                                       size_t last) const;
  size_t compare(const certify::Call &call, ArrayRef<char> made) const;
  /// Whether the oracle and the Reference differ.
  bool isDisputed(uint64_t code, uint64_t expected) const;

  const certify::Conversion &conversion;
  Type from, to;
  /// Of casts from up to 32 bits.
  std::vector<uint64_t> codes;
  size_t numSpread = 0;
  /// Of all others.
  std::optional<certify::Inputs> others;
};

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_EMULATED_TRIAL_H
