//===- Certify.h - Certification against the oracle -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_CERTIFY_H
#define QUANT_FLOAT_CERTIFY_CERTIFY_H

#include "quant-float/Certify/Certificate.h"
#include "quant-float/Certify/Conversion.h"
#include "quant-float/Certify/Machine.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <optional>

namespace mlir::quant_float {
class Session;
} // namespace mlir::quant_float

namespace mlir::quant_float::certify {

struct CertifyOptions {
  /// Where the code runs; this machine if null.
  std::shared_ptr<const Machine> machine;
  /// The CPUs to compile for, all of which the machine must be able to run; for
  /// a GPU its chip.
  std::vector<std::string> cpus;
  /// A part of the inputs (Inputs.h).
  bool isSampled = false;
  unsigned threads = 1;
  /// Which conversions, by their names; all of them if empty.
  std::function<bool(StringRef)> isWanted;
  /// Is told of each conversion as it is done, by one thread at a time. With
  /// false the rest is left.
  std::function<bool(const Certificate &)> onCertificate;
};

/// The levels of x86-64 that this machine runs, or just "host", which is the
/// last one everywhere: this machine with all that it has.
std::vector<std::string> listCpus();

/// Compiles each conversion for each CPU as quant-float-compile does, runs it
/// on all of its inputs and compares with the oracle. Fails where something
/// does not compile or run; differences are no failure.
llvm::Error certifyAll(const CertifyOptions &options);

/// For each conversion that is wanted the SHA-256 of the code for the first
/// CPU.
llvm::Expected<llvm::StringMap<std::string>>
hashCode(const CertifyOptions &options);

/// The SHA-256 of bytes.
std::string hashBytes(StringRef bytes);

/// What a search for a wrong result came to.
struct Finding {
  std::optional<Difference> first;
  /// How many inputs were tried up to that one, or in all.
  uint64_t inputs = 0;
  double seconds = 0;
};

/// Runs the compiled function of a conversion until a result is wrong.
llvm::Expected<Finding> findMismatch(const Conversion &conversion, Code &code,
                                     Session &session, bool isSampled);

/// What this is, and on which machine.
Origin getOrigin(const CertifyOptions &options);

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_CERTIFY_H
