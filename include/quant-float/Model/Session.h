//===- Session.h - Where models are read and what is said -------*- C++ -*-===//
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
#include "quant-float/Compiler/DiagnosticPrinter.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mlir::quant_float {

/// What went wrong. The numbers are those of QuantFloatStatus, the first ones
/// those of qf_status, whose words say more.
enum class ErrorKind {
  Null = 1,
  ElementType = 2,
  Rank = 3,
  Size = 4,
  Overlap = 5,
  Cpu = 6,
  Memory = 7,
  Value = 8,
  /// The device, or its driver, refused or is not there.
  Device = 9,
  Alignment = 10,
  /// An argument is not a possible one: a name, an index, an option.
  Argument = 17,
  /// The number of inputs or outputs is not that of the function.
  Count = 18,
  /// A file cannot be read or written.
  File = 19,
  /// The model is wrong or cannot be compiled; the diagnostics say where.
  Model = 20,
  /// What is asked for does not exist in this version or on this machine.
  Unsupported = 21,
  /// The progress callback asked for an end.
  Cancelled = 22,
};

/// The one error of everything in this folder.
class ModelError : public llvm::ErrorInfo<ModelError> {
public:
  static char ID;

  ModelError(ErrorKind kind, const Twine &message,
             std::vector<DiagnosticRecord> diagnostics = {})
      : kind(kind), message(message.str()),
        diagnostics(std::move(diagnostics)) {}

  void log(llvm::raw_ostream &os) const override {
    os << file << (file.empty() ? "" : ": ") << message;
  }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  ErrorKind kind;
  /// Of ErrorKind::File: its name, and the system's reason where it has one.
  std::string file;
  std::error_code code;
  /// With the place in the model where there is one.
  std::string message;
  /// In the order in which they came, warnings before the error included.
  std::vector<DiagnosticRecord> diagnostics;
};

/// An error of this kind; of another error with its words.
llvm::Error makeError(ErrorKind kind, const Twine &message);
llvm::Error makeError(ErrorKind kind, llvm::Error error);
llvm::Error makeFileError(StringRef file, const Twine &message,
                          std::error_code code = {});

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
