//===- ModelError.h - What went wrong, and where ----------------*- C++ -*-===//
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

/// The innermost place in a file that a location has.
struct Place {
  explicit Place(Location location);

  /// Empty where no file is known.
  std::string file;
  /// From 1; 0 where the place is in no line, as of binary files.
  unsigned line = 0;
  unsigned column = 0;
};

/// "file:line:column: ", as far as they are known.
llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Place &place);

/// What the compiler says about a place in a model, with its own memory.
struct DiagnosticRecord : Place {
  explicit DiagnosticRecord(const Diagnostic &diagnostic);

  DiagnosticSeverity severity;
  std::string message;
  /// The source model's name of the node; empty where it has none.
  std::string node;
  std::vector<DiagnosticRecord> notes;
};

/// Prints "file:line:column: error: message", and its notes.
void printDiagnostic(llvm::raw_ostream &os, const DiagnosticRecord &record);

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
  /// The texts of an output need more room than there is.
  Capacity = 11,
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

/// The one error of models, what is compiled of them, and tensors.
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

/// An error of this kind; of other errors with their words, unless there is one
/// of models among them: that keeps its kind, and whatever else it tells.
llvm::Error makeError(ErrorKind kind, const Twine &message);
llvm::Error makeError(ErrorKind kind, llvm::Error error);
llvm::Error makeFileError(StringRef file, const Twine &message,
                          std::error_code code = {});
/// "what must be below count, but got index"
llvm::Error makeIndexError(StringRef what, size_t count, size_t index);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_MODELERROR_H
