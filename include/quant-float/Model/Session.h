//===- Session.h - Sessions -------------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A session has the context that models are read into, and tells whoever asks
// of diagnostics and progress. Everything of one session, its models included,
// is for one thread at a time; sessions do not know of each other.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_MODEL_SESSION_H
#define QUANT_FLOAT_MODEL_SESSION_H

#include "mlir/IR/MLIRContext.h"
#include "quant-float/Support/ModelError.h"
#include <functional>
#include <memory>

namespace mlir::quant_float {

/// How far a long call has come.
struct Progress {
  /// "read", "lower" or "generate".
  const char *stage;
  /// What begins now, such as the flag of a pass; may be empty.
  StringRef detail;
  /// How many steps of the stage are done.
  uint64_t done;
};

struct SessionOptions {
  /// Is told of every diagnostic as it is emitted, whether or not it ends in an
  /// error.
  std::function<void(const DiagnosticRecord &)> onDiagnostic;
  /// Is told of progress. With false the call ends as soon as possible, with
  /// ErrorKind::Cancelled.
  std::function<bool(const Progress &)> onProgress;
};

class SessionCall;

class Session {
public:
  /// With a context of its own, which has all dialects and no threads.
  explicit Session(SessionOptions options = {});
  /// With the caller's context, which outlives the session and whatever was
  /// compiled in it, and in which registerAllDialects' are.
  Session(MLIRContext &context, SessionOptions options = {});
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  MLIRContext &getContext() const { return *context; }

private:
  friend class Model;
  friend class SessionCall;

  /// Weights that compiled models use where they are hold it too.
  std::shared_ptr<MLIRContext> context;
  SessionOptions options;
  SessionCall *innermost = nullptr;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_MODEL_SESSION_H
