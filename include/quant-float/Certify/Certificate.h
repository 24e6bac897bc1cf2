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

/// An element that differs from the oracle's result. All values are encodings.
struct Difference {
  uint64_t input = 0, scale = 0, zeroPoint = 0, random = 0, expected = 0,
           actual = 0;
};

/// The wrong results of the code for one CPU.
struct Mismatches {
  uint64_t count = 0;
  Difference first;
};

/// The result of running one conversion.
struct Certificate {
  /// Conversion::getName().
  std::string name;
  uint64_t inputs = 0;
  /// Whether the inputs are all encodings of the input type.
  bool isComplete = false;
  /// A description of the inputs (Inputs::describe). Empty in files of earlier
  /// versions.
  std::string coverage;
  /// SHA-256 of the inputs and of the oracle's outputs, in the memory layout of
  /// tensors. The scale and the zero point of each call precede its inputs,
  /// with 8 bytes each.
  std::string inputHash, outputHash;
  /// The SHA-256 of the shared library for each CPU, and its wrong results.
  std::vector<std::string> code;
  std::vector<Mismatches> mismatches;
  /// The number of inputs that were also compared with the Reference.
  uint64_t referenceInputs = 0, referenceMismatches = 0;
  double seconds = 0;

  uint64_t countMismatches() const;
};

/// How certificates were produced.
struct Origin {
  std::string producer, llvm;
  /// SHA-256 of the program that produced them.
  std::string program;
  /// The description of the machine that ran the code (Machine::description),
  /// and the date.
  std::string machine, date;
  /// The name of that machine (Machine::name). Empty for the host.
  std::string runOn;
  /// The CPUs to compile for, in the syntax of quant-float-compile's --cpu.
  std::vector<std::string> cpus;
  bool isSampled = false;
};

/// The contents of a certificate file.
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

/// Parses certificates in JSON. The input is untrusted.
llvm::Expected<llvm::json::Value> parseCertificates(StringRef text);
/// Reads a certificate file. Errors contain the file name.
llvm::Expected<CertificateFile> readCertificates(StringRef path);
/// Returns the contents of a certificate file as a string.
std::string printCertificates(const CertificateFile &file);

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_CERTIFICATE_H
