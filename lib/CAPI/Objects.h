//===- Objects.h - What handles stand for -----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CAPI_OBJECTS_H
#define QUANT_FLOAT_LIB_CAPI_OBJECTS_H

#include "Handles.h"
#include "quant-float-c/Compiler.h"
#include "quant-float/Model/Model.h"
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>

namespace mlir::quant_float::capi {

//===----------------------------------------------------------------------===//
// How functions report errors
//===----------------------------------------------------------------------===//

/// An error of the library's, or one that only the C API has.
llvm::Error fail(QuantFloatStatus status, const Twine &message);
/// For a handle that acquireObject refuses.
llvm::Error failHandle(HandleKind kind, uint64_t id);
/// For a pointer that must not be null.
llvm::Error failNull(const Twine &name);

/// Gives the caller the error, or says that there is none.
QuantFloatStatus finish(llvm::Error result, QuantFloatError *error);

/// The body of a function of the C API.
template <typename Body>
QuantFloatStatus run(QuantFloatError *error, Body body) {
  if (error)
    error->id = 0;
  llvm::Error result = body();
  return result ? finish(std::move(result), error) : QUANT_FLOAT_OK;
}

/// The same where a new object goes to `handle`, which is called `name`.
template <typename Handle, typename Body>
QuantFloatStatus runFor(Handle *handle, const char *name,
                        QuantFloatError *error, Body body) {
  return run(error, [&]() -> llvm::Error {
    if (!handle)
      return failNull(name);
    *handle = {};
    return body();
  });
}

/// Gives the caller an object.
template <typename T, typename Handle, typename... Args>
llvm::Error give(Handle *handle, Args &&...args) {
  handle->id =
      addObject(T::kKind, std::make_unique<T>(std::forward<Args>(args)...));
  return handle->id ? llvm::Error::success()
                    : fail(QUANT_FLOAT_ERROR_MEMORY,
                           "too many objects: destroy what is not needed any "
                           "more");
}

/// The same where what it is made of may have failed.
template <typename T, typename Handle, typename Made, typename... Args>
llvm::Error give(Handle *handle, llvm::Expected<Made> &&made, Args &&...args) {
  if (!made)
    return made.takeError();
  return give<T>(handle, std::move(*made), std::forward<Args>(args)...);
}

/// Writes the number of what the model or kernel calls so.
template <typename T>
llvm::Error findEntry(const T &where, const char *name, size_t *entry) {
  if (!name || !entry)
    return failNull(!name ? "name" : "entry");
  llvm::Expected<size_t> found = where.findEntry(name);
  if (found)
    *entry = *found;
  return found.takeError();
}

/// What the Destroy functions do.
inline QuantFloatStatus destroyHandle(HandleKind kind, uint64_t id) {
  return !id || destroyObject(kind, id) ? QUANT_FLOAT_OK
                                        : QUANT_FLOAT_ERROR_HANDLE;
}

/// The defaults, as far as the caller's struct goes; what is behind is zero.
template <typename Options>
void initOptions(Options *options, Options defaults, size_t size) {
  if (!options)
    return;
  memset(static_cast<void *>(options), 0, size);
  defaults.size = size;
  memcpy(static_cast<void *>(options), &defaults,
         std::min(size, sizeof defaults));
}

/// Options of the caller, whose struct may be of another version: `defaults`
/// with the fields that the caller knows, those behind them being zero.
template <typename Options>
llvm::Error readOptions(const Options *given, Options &options) {
  if (!given)
    return llvm::Error::success();
  if (given->size < sizeof(size_t) || given->size > 4096)
    return fail(QUANT_FLOAT_ERROR_ARGUMENT,
                "options must have their size in the first field, but got " +
                    Twine(given->size));
  const char *bytes = reinterpret_cast<const char *>(given);
  for (size_t i = sizeof(Options); i < given->size; ++i)
    if (bytes[i])
      return fail(QUANT_FLOAT_ERROR_UNSUPPORTED,
                  "options have fields that this version of the library does "
                  "not know");
  memcpy(static_cast<void *>(&options), given,
         std::min(given->size, sizeof(Options)));
  options.size = sizeof(Options);
  return llvm::Error::success();
}

/// Fails for what is no path of a file: the tools read standard input for "-",
/// and write to standard output.
llvm::Error checkPath(const char *path);

//===----------------------------------------------------------------------===//
// What C sees
//===----------------------------------------------------------------------===//

/// What C sees of a diagnostic.
class DiagnosticView {
public:
  /// `record` must neither move nor change.
  explicit DiagnosticView(const DiagnosticRecord &record);
  const QuantFloatDiagnostic &get() const { return view; }

private:
  std::vector<QuantFloatDiagnostic> notes;
  QuantFloatDiagnostic view = {};
};

/// An entry point with the memory of its strings and sizes; stays where it is.
class OwnedEntry {
public:
  explicit OwnedEntry(EntryPointInfo info);
  OwnedEntry(const OwnedEntry &) = delete;
  OwnedEntry &operator=(const OwnedEntry &) = delete;

  const QuantFloatEntry *get() const { return &entry; }
  /// Whether C would see the same.
  bool describes(const EntryPointInfo &other) const;

private:
  EntryPointInfo info;
  std::vector<QuantFloatArgument> inputs;
  std::vector<QuantFloatArgument> outputs;
  QuantFloatEntry entry;
};

//===----------------------------------------------------------------------===//
// The objects
//===----------------------------------------------------------------------===//

struct KernelObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Kernel;

  KernelObject(CompiledModel given, bool checkMemory);

  CompiledModel model;
  std::vector<std::unique_ptr<OwnedEntry>> entries;
  bool checkMemory;
};

struct TensorsObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Tensors;

  TensorsObject(std::vector<Tensor> given, Target target)
      : target(target), tensors(std::move(given)),
        descriptors(describe(tensors)) {}

  Target target;
  std::vector<Tensor> tensors;
  std::vector<qf_tensor> descriptors;
};

struct BufferObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Buffer;

  explicit BufferObject(std::string bytes) : bytes(std::move(bytes)) {}

  /// With a zero byte behind them.
  std::string bytes;
};

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

  ModelObject(Model model, std::shared_ptr<SessionState> state);
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

} // namespace mlir::quant_float::capi

#endif // QUANT_FLOAT_LIB_CAPI_OBJECTS_H
