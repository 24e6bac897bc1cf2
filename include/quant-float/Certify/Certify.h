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
  /// The machine that runs the code. Null selects the host.
  std::shared_ptr<const Machine> machine;
  /// The CPUs to compile for, all of which the machine must support. For a GPU,
  /// its chip.
  std::vector<std::string> cpus;
  /// Whether to use a sample of the inputs (see Inputs.h).
  bool isSampled = false;
  /// Selects the conversions that exist.
  Standard standard = Standard::OnnxAndBlocks;
  /// Conversions that `standard` lacks, each of which is compiled separately.
  std::vector<Conversion> others;
  unsigned threads = 1;
  /// Selects conversions by name. Null selects all.
  std::function<bool(StringRef)> filter;
  /// Called after each conversion, by one thread at a time. Returning false
  /// skips the remaining conversions.
  std::function<bool(const Certificate &)> onCertificate;
};

/// Returns the levels of x86-64 that this machine supports, followed by "host",
/// which enables all features of this machine. Other architectures only have
/// "host".
std::vector<std::string> listCpus();

/// Compiles each conversion for each CPU as quant-float-compile does, runs it
/// on all of its inputs, and compares the outputs with the oracle. Fails if a
/// conversion does not compile or run. Wrong results are recorded in the
/// certificate and are not an error.
llvm::Error certifyAll(const CertifyOptions &options);

/// Returns the SHA-256 of the code of each selected conversion, compiled for
/// the first CPU.
llvm::Expected<llvm::StringMap<std::string>>
hashCode(const CertifyOptions &options);

/// Returns the SHA-256 of `bytes`.
std::string hashBytes(StringRef bytes);

/// The result of a search for a wrong result.
struct Finding {
  std::optional<Difference> first;
  /// The number of inputs up to and including the wrong one, or of all inputs.
  uint64_t inputs = 0;
  double seconds = 0;
};

/// Runs a compiled conversion until a result is wrong.
llvm::Expected<Finding> findMismatch(const Conversion &conversion, Code &code,
                                     Session &session, bool isSampled);

/// Describes this program, the machine, and the options.
Origin getOrigin(const CertifyOptions &options);

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_CERTIFY_H
