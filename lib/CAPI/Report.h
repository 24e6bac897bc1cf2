//===- Report.h - How functions of the C API report errors ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CAPI_REPORT_H
#define QUANT_FLOAT_LIB_CAPI_REPORT_H

#include "Handles.h"
#include "quant-float-c/Support.h"
#include "quant-float/Model/Session.h"
#include <cstring>

namespace mlir::quant_float::capi {

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
template <typename Handle, typename T>
llvm::Error give(Handle *handle, std::unique_ptr<T> object) {
  handle->id = addObject(T::kKind, std::move(object));
  return handle->id ? llvm::Error::success()
                    : fail(QUANT_FLOAT_ERROR_MEMORY,
                           "too many objects: destroy what is not needed any "
                           "more");
}

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

/// The bytes of a buffer of the C API, with a zero byte behind them.
llvm::Error giveBuffer(llvm::StringRef bytes, QuantFloatBuffer *buffer);

} // namespace mlir::quant_float::capi

#endif // QUANT_FLOAT_LIB_CAPI_REPORT_H
