//===- ModelError.h - Errors with locations ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_MODELERROR_H
#define QUANT_FLOAT_SUPPORT_MODELERROR_H

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mlir::quant_float {

/// The innermost file location of a Location.
struct FileLocation {
  explicit FileLocation(Location location);

  /// Empty if the file is unknown.
  std::string file;
  /// Starts at 1; 0 if the location has no line, as in binary files.
  unsigned line = 0;
  unsigned column = 0;
};

/// Prints "file:line:column: ", as far as known.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                              const FileLocation &location);

/// A message of the compiler about a location in a model. Owns its memory.
struct DiagnosticRecord : FileLocation {
  explicit DiagnosticRecord(const Diagnostic &diagnostic);

  DiagnosticSeverity severity;
  std::string message;
  /// The name of the node in the source model; empty if it has none.
  std::string node;
  std::vector<DiagnosticRecord> notes;
};

/// Prints "file:line:column: error: message" and the notes.
void printDiagnostic(llvm::raw_ostream &os, const DiagnosticRecord &record);

/// The kind of an error. The values are those of QuantFloatStatus, of which the
/// first equal qf_status; see there for descriptions.
enum class ErrorKind {
  Null = 1,
  ElementType = 2,
  Rank = 3,
  Size = 4,
  Overlap = 5,
  Cpu = 6,
  Memory = 7,
  Value = 8,
  /// The device or its driver reported an error or is not available.
  Device = 9,
  Alignment = 10,
  /// The strings of an output exceed its capacity.
  Capacity = 11,
  /// An argument, such as a name, an index or an option, is invalid.
  Argument = 17,
  /// The number of inputs or outputs does not match the function.
  Count = 18,
  /// A file cannot be read or written.
  File = 19,
  /// The model is invalid or cannot be compiled; the diagnostics have the
  /// locations.
  Model = 20,
  /// The request is not supported by this version or on this machine.
  Unsupported = 21,
  /// The progress callback requested cancellation.
  Cancelled = 22,
};

/// The error class of models, compiled models and tensors.
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
  /// For ErrorKind::File: the name of the file, and the system's error code if
  /// there is one.
  std::string file;
  std::error_code code;
  /// The message, including the location in the model if there is one.
  std::string message;
  /// In the order of emission, including the warnings before the error.
  std::vector<DiagnosticRecord> diagnostics;
};

/// Creates an error of this kind, from a message or from the messages of other
/// errors. If there is a ModelError among those, it keeps its kind and its
/// data.
llvm::Error makeError(ErrorKind kind, const Twine &message);
llvm::Error makeError(ErrorKind kind, llvm::Error error);
llvm::Error makeFileError(StringRef file, const Twine &message,
                          std::error_code code = {});
/// Creates the error "what must be below count, but got index".
llvm::Error makeIndexError(StringRef what, size_t count, size_t index);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_MODELERROR_H
