//===- Session.h - Sessions -------------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session owns or refers to the MLIRContext of its models, and calls back
// with diagnostics and progress. Sessions are independent of each other. A
// session and its models must not be used by several threads at the same time.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_MODEL_SESSION_H
#define QUANT_FLOAT_MODEL_SESSION_H

#include "mlir/IR/MLIRContext.h"
#include "quant-float/Support/ModelError.h"
#include <functional>
#include <memory>

namespace mlir::quant_float {

/// The progress of a long call.
struct Progress {
  /// The stage: "read", "lower" or "generate".
  const char *stage;
  /// The step that begins, such as the argument of a pass. May be empty.
  StringRef detail;
  /// The number of completed steps of the stage.
  uint64_t done;
};

struct SessionOptions {
  /// Called for every diagnostic as it is emitted, even if the call succeeds.
  std::function<void(const DiagnosticRecord &)> onDiagnostic;
  /// Called before each step. Returning false ends the call as soon as possible
  /// with ErrorKind::Cancelled.
  std::function<bool(const Progress &)> onProgress;
};

class SessionCall;

class Session {
public:
  /// Creates a single-threaded context with all dialects.
  explicit Session(SessionOptions options = {});
  /// Uses the caller's context, which must outlive the session and all models
  /// that are compiled in it, and must have the dialects of
  /// registerAllDialects.
  Session(MLIRContext &context, SessionOptions options = {});
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  MLIRContext &getContext() const { return *context; }

private:
  friend class Model;
  friend class SessionCall;

  /// Shared with compiled models that use weights in place.
  std::shared_ptr<MLIRContext> context;
  SessionOptions options;
  SessionCall *innermost = nullptr;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_MODEL_SESSION_H
