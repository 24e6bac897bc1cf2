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

/// One conversion of a model.
struct AuditRow {
  std::string conversion;
  size_t nodes = 0;
  /// The file whose certificate is about the same code; empty: it was run now.
  std::string file;
  Certificate certificate;
  /// Of the inputs of 32 bits and the scales a part, then or now.
  bool isSampled = false;
};

/// Nodes that certificates are not about.
struct UncoveredNodes {
  /// What they are, and what vouches for them instead.
  std::string name, instead;
  size_t nodes = 0;
};

struct AuditReport {
  std::vector<AuditRow> rows;
  /// What converts without being a conversion that certificates are about.
  std::vector<UncoveredNodes> uncovered;
  Origin origin;

  /// Whether a release may rely on it.
  bool isRight() const;
};

/// A file of certificates, with its name.
struct NamedCertificates {
  std::string name;
  CertificateFile file;
};

/// Finds the conversions of a valid model, compiles them for this machine, and
/// looks for certificates of the same code; what has none is run. The options'
/// CPUs are not looked at.
llvm::Expected<AuditReport>
auditModel(Model &model, llvm::ArrayRef<NamedCertificates> certificates,
           const CertifyOptions &options);

/// The page in Markdown; `files` are the model's, with what is in them.
std::string
printAudit(const AuditReport &report, StringRef model,
           llvm::ArrayRef<std::pair<std::string, std::string>> files);

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_AUDIT_H
