//===- Session.h - Contexts and models behind handles -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CAPI_SESSION_H
#define QUANT_FLOAT_LIB_CAPI_SESSION_H

#include "Entries.h"
#include "Report.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "quant-float-c/Compiler.h"
#include "quant-float/IR/QuantFloatAttributes.h"
#include <atomic>
#include <mutex>
#include <thread>

namespace mlir::quant_float::capi {

/// What a session and its models share: the context, and who uses it.
struct SessionState {
  explicit SessionState(const QuantFloatSessionOptions &options);

  bool isUsedByThisThread() const {
    return owner.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }

  QuantFloatSessionOptions options;
  MLIRContext context;
  std::mutex mutex;
  /// The thread that holds the mutex.
  std::atomic<std::thread::id> owner{};
};

struct SessionObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Session;

  explicit SessionObject(std::shared_ptr<SessionState> state)
      : state(std::move(state)) {}

  std::shared_ptr<SessionState> state;
};

struct ModelObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Model;

  ModelObject(std::shared_ptr<SessionState> state, OwningOpRef<ModuleOp> module,
              bool isVerified);
  ~ModelObject() override;

  /// Looks at the functions anew.
  void updateEntries();

  std::shared_ptr<SessionState> state;
  OwningOpRef<ModuleOp> module;
  std::vector<std::unique_ptr<OwnedEntry>> entries;
  /// Off while nobody has verified the ops.
  bool isVerified;
  /// A pipeline failed on it half way.
  bool isBroken = false;
};

/// One call on a session: holds its context, gathers what is diagnosed and
/// tells the callbacks.
class SessionCall {
public:
  SessionCall(SessionState &state, ErrorReport &report);
  ~SessionCall();
  SessionCall(const SessionCall &) = delete;
  SessionCall &operator=(const SessionCall &) = delete;

  /// Whether a callback of the session made this call; makeBusy reports it.
  bool isBusy() const { return !lock; }
  QuantFloatStatus makeBusy();

  /// Tells the progress callback; false once it has asked for an end.
  bool progress(const char *stage, StringRef detail);
  bool isCancelled() const { return cancelled; }

  /// Reports `message`, with what was diagnosed.
  QuantFloatStatus makeError(QuantFloatStatus status, const Twine &message);
  /// Reports the first error that was diagnosed, or that the caller asked for
  /// an end.
  QuantFloatStatus makeDiagnosed(QuantFloatStatus status);

private:
  SessionState &state;
  ErrorReport &report;
  std::unique_lock<std::mutex> lock;
  std::optional<ScopedDiagnosticHandler> handler;
  std::vector<OwnedDiagnostic> diagnostics;
  const char *lastStage = nullptr;
  uint64_t done = 0;
  bool cancelled = false;
};

/// Does something in a session, or with a model in its session, that belongs to
/// the handle and is held meanwhile.
QuantFloatStatus inSession(
    QuantFloatSession session, ErrorReport &report,
    llvm::function_ref<QuantFloatStatus(SessionObject &, SessionCall &)> body);
QuantFloatStatus withModel(
    QuantFloatModel model, ErrorReport &report,
    llvm::function_ref<QuantFloatStatus(ModelObject &, SessionCall &)> body);
/// The same where the ops have to be verified; if nobody has done so, that
/// comes first. A model that a pipeline failed on is refused.
QuantFloatStatus withValidModel(
    QuantFloatModel model, ErrorReport &report,
    llvm::function_ref<QuantFloatStatus(ModelObject &, SessionCall &)> body);

/// Gives the caller a model.
QuantFloatStatus giveModel(const std::shared_ptr<SessionState> &state,
                           OwningOpRef<ModuleOp> module, bool isVerified,
                           QuantFloatModel *model, ErrorReport &report);

/// The mode behind a QuantFloatFakeConvertMode; none for that of the model.
std::optional<FakeConvertMode> getFakeConvertMode(int32_t mode);
/// Refuses a number that is none.
QuantFloatStatus checkFakeConvertMode(int32_t mode, ErrorReport &report);

} // namespace mlir::quant_float::capi

#endif // QUANT_FLOAT_LIB_CAPI_SESSION_H
