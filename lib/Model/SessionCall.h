//===- SessionCall.h - A call on a session ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_MODEL_SESSIONCALL_H
#define QUANT_FLOAT_LIB_MODEL_SESSIONCALL_H

#include "quant-float/Model/Session.h"

namespace mlir::quant_float {

/// Collects diagnostics during a call, and invokes the callbacks of the
/// session.
class SessionCall {
public:
  explicit SessionCall(Session &session);
  ~SessionCall();
  SessionCall(const SessionCall &) = delete;
  SessionCall &operator=(const SessionCall &) = delete;

  /// Invokes the progress callback. Returns false once the call is cancelled.
  bool progress(const char *stage, StringRef detail);
  bool isCancelled() const { return cancelled; }

  /// Returns an error that contains the diagnostics.
  llvm::Error fail(ErrorKind kind, const Twine &message);
  /// Returns the first error diagnostic, or the cancellation, as an error.
  llvm::Error fail(ErrorKind kind = ErrorKind::Model);
  /// Same, for a file that cannot be read. Includes the error of the system.
  llvm::Error failFile(StringRef path);

private:
  Session &session;
  SessionCall *outer;
  ScopedDiagnosticHandler handler;
  std::vector<DiagnosticRecord> diagnostics;
  const char *lastStage = nullptr;
  uint64_t done = 0;
  bool cancelled = false;
};

/// Returns the error of the system when the file is opened for reading, or
/// success.
std::error_code probeFile(StringRef path);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_MODEL_SESSIONCALL_H
