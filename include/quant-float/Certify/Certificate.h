//===- Certificate.h - Certificates -----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_CERTIFICATE_H
#define QUANT_FLOAT_CERTIFY_CERTIFICATE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace mlir::quant_float::certify {

/// An element that came out otherwise than the oracle says. Codes.
struct Difference {
  uint64_t input = 0, scale = 0, zeroPoint = 0, expected = 0, made = 0;
};

/// What the code for one CPU gave otherwise.
struct Mismatches {
  uint64_t count = 0;
  Difference first;
};

/// One conversion.
struct Certificate {
  /// Conversion::getName().
  std::string name;
  uint64_t inputs = 0;
  /// Whether that is every code of the input's type.
  bool isComplete = false;
  /// SHA-256 of the inputs, and of the outputs as the oracle has them, as
  /// tensors have them in memory; of scales and zero points, 8 bytes each,
  /// before the inputs that they are used on.
  std::string inputHash, outputHash;
  /// For each CPU the SHA-256 of the shared library, and what it got wrong.
  std::vector<std::string> code;
  std::vector<Mismatches> mismatches;
  /// Some inputs on which the Reference has been asked, too.
  uint64_t referenceInputs = 0, referenceMismatches = 0;
  double seconds = 0;

  uint64_t countMismatches() const;
};

/// How and with what certificates were made.
struct Origin {
  std::string producer, llvm;
  /// SHA-256 of the program that made them.
  std::string program;
  /// Where the code ran, as Machine describes it.
  std::string machine, date;
  /// Machine's name of it, empty for the one that the program ran on.
  std::string runOn;
  /// What code was compiled for, as quant-float-compile's --cpu.
  std::vector<std::string> cpus;
  bool isSampled = false;
};

/// A file of certificates.
struct CertificateFile {
  Origin origin;
  std::vector<Certificate> certificates;
};

llvm::json::Value toJSON(const Certificate &certificate);
llvm::json::Value toJSON(const Origin &origin);
bool fromJSON(const llvm::json::Value &value, Certificate &certificate,
              llvm::json::Path path);
bool fromJSON(const llvm::json::Value &value, Origin &origin,
              llvm::json::Path path);

/// Parses JSON of certificates, from whoever made it.
llvm::Expected<llvm::json::Value> parseCertificates(StringRef text);
/// Fails, with the file's name, where it cannot be read or is none.
llvm::Expected<CertificateFile> readCertificates(StringRef path);
/// The file as text.
std::string printCertificates(const CertificateFile &file);

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_CERTIFICATE_H
