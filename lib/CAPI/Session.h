//===- Session.h - Sessions and models behind handles -----------*- C++ -*-===//
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
#include "quant-float-c/Compiler.h"
#include "quant-float/Model/Model.h"
#include <atomic>
#include <mutex>
#include <thread>

namespace mlir::quant_float::capi {

/// A session that several threads may call.
struct SessionState {
  explicit SessionState(const QuantFloatSessionOptions &options);

  bool isUsedByThisThread() const {
    return owner.load(std::memory_order_relaxed) == std::this_thread::get_id();
  }

  Session session;
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

  ModelObject(std::shared_ptr<SessionState> state, Model model);
  ~ModelObject() override;

  /// Looks at the functions anew. Descriptions of what they were stay, because
  /// callers may hold them.
  void updateEntries();
  std::vector<const OwnedEntry *> getEntries() const;

  std::shared_ptr<SessionState> state;
  std::optional<Model> model;

private:
  /// Callers look at entries without waiting for the session.
  mutable std::mutex entriesMutex;
  std::vector<std::unique_ptr<OwnedEntry>> described;
  std::vector<const OwnedEntry *> entries;
};

/// Does something in a session, or with a model in its session, that belongs to
/// the handle and is held meanwhile.
llvm::Error inSession(QuantFloatSession session,
                      llvm::function_ref<llvm::Error(SessionObject &)> body);
llvm::Error withModel(QuantFloatModel model,
                      llvm::function_ref<llvm::Error(ModelObject &)> body);

/// The mode behind a QuantFloatFakeConvertMode; none for that of the model, an
/// error for a number that is none.
llvm::Expected<std::optional<FakeConvertMode>>
readFakeConvertMode(int32_t mode);

} // namespace mlir::quant_float::capi

#endif // QUANT_FLOAT_LIB_CAPI_SESSION_H
