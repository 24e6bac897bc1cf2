//===- Audit.h - Certificates for a model -----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_AUDIT_H
#define QUANT_FLOAT_CERTIFY_AUDIT_H

#include "quant-float/Certify/Certify.h"

namespace mlir::quant_float {
class Model;
} // namespace mlir::quant_float

namespace mlir::quant_float::certify {

/// One conversion that a model contains.
struct AuditRow {
  std::string conversion;
  size_t nodes = 0;
  /// The name of the file that certifies the same code. Empty if auditModel ran
  /// the conversion itself.
  std::string file;
  Certificate certificate;
  /// Whether the certificate covers only a sample of the 32-bit inputs and of
  /// the scales.
  bool isSampled = false;
};

/// A kind of node that no certificate covers.
struct UncoveredNodes {
  /// The kind of node, and what tests it instead.
  std::string name, instead;
  size_t nodes = 0;
};

struct AuditReport {
  std::vector<AuditRow> rows;
  /// Nodes that convert, but that no certificate covers.
  std::vector<UncoveredNodes> uncovered;
  Origin origin;

  /// Whether every conversion is covered and no result is wrong.
  bool passes() const;
};

/// A file of certificates and its name.
struct NamedCertificates {
  std::string name;
  CertificateFile file;
};

/// Finds the conversions of a valid model, compiles them for this machine, and
/// looks up certificates for the same code. Runs conversions that have no
/// certificate. Ignores `options.cpus`.
llvm::Expected<AuditReport>
auditModel(Model &model, llvm::ArrayRef<NamedCertificates> certificates,
           const CertifyOptions &options);

/// Returns the audit as a Markdown page. `files` are the files of the model
/// with their hashes.
std::string
printAudit(const AuditReport &report, StringRef model,
           llvm::ArrayRef<std::pair<std::string, std::string>> files);

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_AUDIT_H
