//===- Diagnostics.h - Emission of importer diagnostics ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_INTERCHANGE_DIAGNOSTICS_H
#define QUANT_FLOAT_LIB_INTERCHANGE_DIAGNOSTICS_H

#include "Subject.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::quant_float::target {

/// A row of an importer's Diagnostics.def.
struct DiagnosticInfo {
  DiagnosticSeverity severity;
  const char *format;
};

/// Emits the diagnostic `id` of an importer, whose table `getInfo` looks up.
/// Always returns failure, so that callers can return the result of an error.
template <typename DiagT, typename... Args>
LogicalResult diagnose(const Subject &subject, DiagT id, Args &&...args) {
  const DiagnosticInfo &info = getInfo(id);
  beginDiagnostic(subject, info.severity)
      << llvm::formatv(info.format, std::forward<Args>(args)...).str();
  return failure();
}

/// Emits a warning and returns success. If `isStrict` is set, emits an error
/// and returns failure instead.
template <typename DiagT, typename... Args>
LogicalResult warn(bool isStrict, const Subject &subject, DiagT id,
                   Args &&...args) {
  if (!isStrict) {
    (void)diagnose(subject, id, std::forward<Args>(args)...);
    return success();
  }
  beginDiagnostic(subject, DiagnosticSeverity::Error)
      << llvm::formatv(getInfo(id).format, std::forward<Args>(args)...).str();
  return failure();
}

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_INTERCHANGE_DIAGNOSTICS_H
