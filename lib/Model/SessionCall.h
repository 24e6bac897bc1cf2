//===- SessionCall.h - One call on a session --------------------*- C++ -*-===//
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

/// Gathers what is diagnosed while it lives and tells the session's callbacks.
class SessionCall {
public:
  explicit SessionCall(Session &session);
  ~SessionCall();
  SessionCall(const SessionCall &) = delete;
  SessionCall &operator=(const SessionCall &) = delete;

  /// Tells the progress callback; false once it has asked for an end.
  bool progress(const char *stage, StringRef detail);
  bool isCancelled() const { return cancelled; }

  /// What was diagnosed goes with it.
  llvm::Error fail(ErrorKind kind, const Twine &message);
  /// The first error that was diagnosed, or that the caller asked for an end.
  llvm::Error fail(ErrorKind kind = ErrorKind::Model);
  /// The same for a file that cannot be read, with what the system says of it.
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

/// What the system says of a file that is to be read; nothing where it gives
/// it.
std::error_code probeFile(StringRef path);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_MODEL_SESSIONCALL_H
