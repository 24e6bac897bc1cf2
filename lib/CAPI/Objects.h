//===- Objects.h - The objects behind handles -------------------*- C++ -*-===//
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
// Error handling
//===----------------------------------------------------------------------===//

/// Returns an error with a status of the library or one that only the C API
/// has.
llvm::Error fail(QuantFloatStatus status, const Twine &message);
/// Returns the error for a handle that acquireObject rejects.
llvm::Error failHandle(HandleKind kind, uint64_t id);
/// Returns the error for a pointer that must not be null.
llvm::Error failNull(const Twine &name);

/// Returns the status of `result` and, if it is an error and `error` is not
/// null, stores its handle there.
QuantFloatStatus finish(llvm::Error result, QuantFloatError *error);

/// Runs the body of a function of the C API.
template <typename Body>
QuantFloatStatus run(QuantFloatError *error, Body body) {
  if (error)
    error->id = 0;
  llvm::Error result = body();
  return result ? finish(std::move(result), error) : QUANT_FLOAT_OK;
}

/// Same, for functions that return a new object in `handle`, the argument
/// `name`.
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

/// Creates an object and returns its handle in `handle`.
template <typename T, typename Handle, typename... Args>
llvm::Error returnObject(Handle *handle, Args &&...args) {
  handle->id =
      addObject(T::kKind, std::make_unique<T>(std::forward<Args>(args)...));
  return handle->id ? llvm::Error::success()
                    : fail(QUANT_FLOAT_ERROR_MEMORY,
                           "too many objects: destroy objects that are no "
                           "longer needed");
}

/// Same, for an argument that may be an error.
template <typename T, typename Handle, typename Made, typename... Args>
llvm::Error returnObject(Handle *handle, llvm::Expected<Made> &&made,
                         Args &&...args) {
  if (!made)
    return made.takeError();
  return returnObject<T>(handle, std::move(*made), std::forward<Args>(args)...);
}

/// Writes the index of the entry with this name in a model or kernel.
template <typename T>
llvm::Error findEntry(const T &where, const char *name, size_t *entry) {
  if (!name || !entry)
    return failNull(!name ? "name" : "entry");
  llvm::Expected<size_t> found = where.findEntry(name);
  if (found)
    *entry = *found;
  return found.takeError();
}

/// Implements the Destroy functions. The null handle is valid.
inline QuantFloatStatus destroyHandle(HandleKind kind, uint64_t id) {
  return !id || destroyObject(kind, id) ? QUANT_FLOAT_OK
                                        : QUANT_FLOAT_ERROR_HANDLE;
}

/// Initializes the caller's struct of `size` bytes with the defaults. Fields
/// beyond `defaults` are zero.
template <typename Options>
void initOptions(Options *options, Options defaults, size_t size) {
  if (!options)
    return;
  memset(static_cast<void *>(options), 0, size);
  defaults.size = size;
  memcpy(static_cast<void *>(options), &defaults,
         std::min(size, sizeof defaults));
}

/// Copies the caller's options, whose struct may have another version. Fields
/// that the caller's struct lacks keep the values in `options`. Fails if fields
/// that this version lacks are not zero.
template <typename Options>
llvm::Error readOptions(const Options *source, Options &options) {
  if (!source)
    return llvm::Error::success();
  if (source->size < sizeof(size_t) || source->size > 4096)
    return fail(QUANT_FLOAT_ERROR_ARGUMENT,
                "the first field of the options must be their size, but got " +
                    Twine(source->size));
  const char *bytes = reinterpret_cast<const char *>(source);
  for (size_t i = sizeof(Options); i < source->size; ++i)
    if (bytes[i])
      return fail(QUANT_FLOAT_ERROR_UNSUPPORTED,
                  "the options set fields that this version of the library "
                  "does not support");
  memcpy(static_cast<void *>(&options), source,
         std::min(source->size, sizeof(Options)));
  options.size = sizeof(Options);
  return llvm::Error::success();
}

/// Fails if `path` is not the path of a file. "-" is rejected, because the
/// tools interpret it as a standard stream.
llvm::Error checkPath(const char *path);

//===----------------------------------------------------------------------===//
// C views
//===----------------------------------------------------------------------===//

/// A diagnostic as a C struct.
class DiagnosticView {
public:
  /// `record` must outlive the view and not be modified.
  explicit DiagnosticView(const DiagnosticRecord &record);
  const QuantFloatDiagnostic &get() const { return view; }

private:
  std::vector<QuantFloatDiagnostic> notes;
  QuantFloatDiagnostic view = {};
};

/// An entry point that owns its strings and sizes. Must not move.
class OwnedEntry {
public:
  explicit OwnedEntry(EntryPointInfo info);
  OwnedEntry(const OwnedEntry &) = delete;
  OwnedEntry &operator=(const OwnedEntry &) = delete;

  const QuantFloatEntry *get() const { return &entry; }
  /// Whether the C view of `other` would be equal.
  bool describes(const EntryPointInfo &other) const;

private:
  EntryPointInfo info;
  std::vector<QuantFloatArgument> inputs;
  std::vector<QuantFloatArgument> outputs;
  QuantFloatEntry entry;
};

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

struct KernelObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Kernel;

  KernelObject(CompiledModel source, bool checkMemory);

  CompiledModel model;
  std::vector<std::unique_ptr<OwnedEntry>> entries;
  bool checkMemory;
};

struct TensorsObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Tensors;

  TensorsObject(std::vector<Tensor> source, Target target)
      : target(target), tensors(std::move(source)),
        descriptors(describe(tensors)) {}

  Target target;
  std::vector<Tensor> tensors;
  std::vector<qf_tensor> descriptors;
};

struct BufferObject final : Object {
  static constexpr HandleKind kKind = HandleKind::Buffer;

  explicit BufferObject(std::string bytes) : bytes(std::move(bytes)) {}

  /// The bytes, followed by a null terminator.
  std::string bytes;
};

/// A session that several threads may use.
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

  /// Updates the entries after the model changed. Keeps the descriptions of
  /// earlier entries, which callers may refer to.
  void updateEntries();
  std::vector<const OwnedEntry *> getEntries() const;

  std::shared_ptr<SessionState> state;
  std::optional<Model> model;
  /// Whether the caller has the module and may change it between calls.
  std::atomic<bool> isModuleShared = false;

private:
  /// A separate mutex, so that callers can query entries without waiting for
  /// the session.
  mutable std::mutex entriesMutex;
  std::vector<std::unique_ptr<OwnedEntry>> described;
  std::vector<const OwnedEntry *> entries;
};

/// Runs `body` on a session, or on a model in its session, while keeping the
/// object alive and holding the mutex of the session.
llvm::Error inSession(QuantFloatSession session,
                      llvm::function_ref<llvm::Error(SessionObject &)> body);
llvm::Error withModel(QuantFloatModel model,
                      llvm::function_ref<llvm::Error(ModelObject &)> body);

} // namespace mlir::quant_float::capi

#endif // QUANT_FLOAT_LIB_CAPI_OBJECTS_H
