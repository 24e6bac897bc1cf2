//===- Session.cpp - Sessions behind handles ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::capi;

static SessionOptions getCallbacks(const QuantFloatSessionOptions &given) {
  SessionOptions options;
  if (given.onDiagnostic)
    options.onDiagnostic = [=](const DiagnosticRecord &record) {
      given.onDiagnostic(&DiagnosticView(record).get(),
                         given.diagnosticUserData);
    };
  if (given.onProgress)
    options.onProgress = [=](const Progress &progress) {
      std::string detail = progress.detail.str();
      QuantFloatProgress view = {progress.stage, detail.c_str(), progress.done};
      return given.onProgress(&view, given.progressUserData);
    };
  return options;
}

SessionState::SessionState(const QuantFloatSessionOptions &options)
    : session(getCallbacks(options)) {}

ModelObject::ModelObject(std::shared_ptr<SessionState> state, Model given)
    : state(std::move(state)), model(std::move(given)) {
  updateEntries();
}

ModelObject::~ModelObject() {
  // The last one to hold a model may be a call that holds the context.
  std::unique_lock<std::mutex> lock(state->mutex, std::defer_lock);
  if (!state->isUsedByThisThread())
    lock.lock();
  model.reset();
}

void ModelObject::updateEntries() {
  std::vector<EntryPointInfo> infos = model->getEntries();
  std::lock_guard<std::mutex> lock(entriesMutex);
  entries.clear();
  for (EntryPointInfo &info : infos) {
    auto known = llvm::find_if(
        described, [&](const auto &entry) { return entry->describes(info); });
    if (known == described.end()) {
      described.push_back(std::make_unique<OwnedEntry>(std::move(info)));
      known = std::prev(described.end());
    }
    entries.push_back(known->get());
  }
}

std::vector<const OwnedEntry *> ModelObject::getEntries() const {
  std::lock_guard<std::mutex> lock(entriesMutex);
  return entries;
}

namespace {
/// One call on a session, which others wait for.
class SessionLock {
public:
  explicit SessionLock(SessionState &state) : state(state) {
    if (state.isUsedByThisThread())
      return;
    lock = std::unique_lock<std::mutex>(state.mutex);
    state.owner = std::this_thread::get_id();
  }
  ~SessionLock() {
    if (lock)
      state.owner = std::thread::id();
  }
  SessionLock(const SessionLock &) = delete;
  SessionLock &operator=(const SessionLock &) = delete;

  /// Fails where a callback of the session made this call.
  llvm::Error check() const {
    return lock ? llvm::Error::success()
                : fail(QUANT_FLOAT_ERROR_BUSY,
                       "a callback must not call functions of the session that "
                       "calls it");
  }

private:
  SessionState &state;
  std::unique_lock<std::mutex> lock;
};
} // namespace

template <typename T>
static llvm::Error hold(uint64_t id,
                        llvm::function_ref<llvm::Error(T &)> body) {
  Ref<T> object(id);
  if (!object)
    return failHandle(T::kKind, id);
  SessionLock lock(*object->state);
  if (llvm::Error error = lock.check())
    return error;
  return body(*object);
}

llvm::Error
capi::inSession(QuantFloatSession session,
                llvm::function_ref<llvm::Error(SessionObject &)> body) {
  return hold<SessionObject>(session.id, body);
}

llvm::Error
capi::withModel(QuantFloatModel model,
                llvm::function_ref<llvm::Error(ModelObject &)> body) {
  return hold<ModelObject>(model.id, body);
}

llvm::Expected<std::optional<FakeConvertMode>>
capi::readFakeConvertMode(int32_t mode) {
  std::optional<FakeConvertMode> known =
      symbolizeFakeConvertMode(static_cast<uint32_t>(mode));
  if (known || mode == QUANT_FLOAT_FAKE_CONVERT_OF_MODEL)
    return known;
  return fail(QUANT_FLOAT_ERROR_ARGUMENT,
              "the mode of fakeconvert must be -1 to 2, but got " +
                  Twine(mode));
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

void quantFloatSessionOptionsInit(QuantFloatSessionOptions *options,
                                  size_t size) {
  initOptions(options, QuantFloatSessionOptions{}, size);
}

QuantFloatStatus
quantFloatSessionCreate(const QuantFloatSessionOptions *options,
                        QuantFloatSession *session, QuantFloatError *error) {
  return runFor(session, "session", error, [&]() -> llvm::Error {
    QuantFloatSessionOptions known = {};
    if (llvm::Error error = readOptions(options, known))
      return error;
    return give(session, std::make_unique<SessionObject>(
                             std::make_shared<SessionState>(known)));
  });
}

/// A callback must not destroy what calls it.
template <typename T> static QuantFloatStatus destroy(uint64_t id) {
  {
    Ref<T> object(id);
    if (object && object->state->isUsedByThisThread())
      return QUANT_FLOAT_ERROR_BUSY;
  }
  return destroyHandle(T::kKind, id);
}

QuantFloatStatus quantFloatSessionDestroy(QuantFloatSession session) {
  return destroy<SessionObject>(session.id);
}

QuantFloatStatus quantFloatModelDestroy(QuantFloatModel model) {
  return destroy<ModelObject>(model.id);
}
