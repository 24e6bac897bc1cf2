//===- DiagnosticPrinter.h - Diagnostics on the terminal --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_COMPILER_DIAGNOSTICPRINTER_H
#define QUANT_FLOAT_COMPILER_DIAGNOSTICPRINTER_H

#include "mlir/IR/Diagnostics.h"
#include <string>
#include <vector>

namespace mlir::quant_float {

/// Prints `file:line:column: `, the innermost place in a file that `location`
/// has; nothing where it has none, no line where the file is binary.
void printPlace(llvm::raw_ostream &os, Location location);

/// What the compiler says about a place in a model, with its own memory.
struct DiagnosticRecord {
  explicit DiagnosticRecord(const Diagnostic &diagnostic);

  /// "file:line:column: message", as far as they are known.
  std::string describe() const;

  DiagnosticSeverity severity;
  /// From 1; 0 where the place is in no line, as of binary files.
  unsigned line = 0;
  unsigned column = 0;
  std::string message;
  /// Empty where no file is known.
  std::string file;
  /// The source model's name of the node; empty where it has none.
  std::string node;
  std::vector<DiagnosticRecord> notes;
};

/// Prints "file:line:column: error: message", and its notes.
void printDiagnostic(llvm::raw_ostream &os, const DiagnosticRecord &record);

/// Prints diagnostics as `file:line:column: error: message` while it lives.
class DiagnosticPrinter : public ScopedDiagnosticHandler {
public:
  explicit DiagnosticPrinter(MLIRContext *context);
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_COMPILER_DIAGNOSTICPRINTER_H
