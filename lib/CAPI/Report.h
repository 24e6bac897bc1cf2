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
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstring>
#include <vector>

namespace mlir {
class Diagnostic;
} // namespace mlir

namespace mlir::quant_float::capi {

/// A diagnostic with the memory of its strings.
struct OwnedDiagnostic {
  explicit OwnedDiagnostic(const Diagnostic &diagnostic);

  /// "file:line:column: message", as far as they are known.
  std::string describe() const;
  /// Points into this object, which must neither move nor change.
  QuantFloatDiagnostic getView();

  int32_t severity;
  int32_t line = 0;
  int32_t column = 0;
  std::string message;
  std::string file;
  std::string node;
  std::vector<OwnedDiagnostic> notes;

private:
  std::vector<QuantFloatDiagnostic> noteViews;
};

/// Where a function of the C API says what went wrong; it says nothing yet.
class ErrorReport {
public:
  explicit ErrorReport(QuantFloatError *error) : error(error) {
    if (error)
      error->id = 0;
  }

  /// Makes the caller's error and returns `status`.
  QuantFloatStatus makeError(QuantFloatStatus status,
                             const llvm::Twine &message);
  QuantFloatStatus makeError(QuantFloatStatus status, llvm::Error error);
  QuantFloatStatus makeError(QuantFloatStatus status,
                             const llvm::Twine &message,
                             std::vector<OwnedDiagnostic> diagnostics);

  /// For a handle that acquireObject refuses.
  QuantFloatStatus makeBadHandle(HandleKind kind, uint64_t id) {
    return makeError(QUANT_FLOAT_ERROR_HANDLE, describeBadHandle(kind, id));
  }
  /// For a pointer that must not be null.
  QuantFloatStatus makeNull(const llvm::Twine &name) {
    return makeError(QUANT_FLOAT_ERROR_NULL, name + " must not be null");
  }
  /// Gives the caller an object.
  template <typename Handle>
  QuantFloatStatus give(Handle *handle, HandleKind kind,
                        std::unique_ptr<Object> object) {
    handle->id = addObject(kind, std::move(object));
    return handle->id ? QUANT_FLOAT_OK : makeTooMany();
  }

private:
  QuantFloatStatus makeTooMany();

  QuantFloatError *error;
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
QuantFloatStatus readOptions(const Options *given, Options &options,
                             ErrorReport &report) {
  if (!given)
    return QUANT_FLOAT_OK;
  if (given->size < sizeof(size_t) || given->size > 4096)
    return report.makeError(QUANT_FLOAT_ERROR_ARGUMENT,
                            "options must have their size in the first field, "
                            "but got " +
                                llvm::Twine(given->size));
  const char *bytes = reinterpret_cast<const char *>(given);
  for (size_t i = sizeof(Options); i < given->size; ++i)
    if (bytes[i])
      return report.makeError(QUANT_FLOAT_ERROR_UNSUPPORTED,
                              "options have fields that this version of the "
                              "library does not know");
  memcpy(static_cast<void *>(&options), given,
         std::min(given->size, sizeof(Options)));
  options.size = sizeof(Options);
  return QUANT_FLOAT_OK;
}

/// The bytes of a buffer of the C API, with a zero byte behind them.
QuantFloatStatus giveBuffer(llvm::StringRef bytes, QuantFloatBuffer *buffer,
                            ErrorReport &report);

} // namespace mlir::quant_float::capi

#endif // QUANT_FLOAT_LIB_CAPI_REPORT_H
