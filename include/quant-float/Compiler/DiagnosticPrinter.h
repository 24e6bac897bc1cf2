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

namespace mlir::quant_float {

/// Prints `file:line:column: `, the innermost place in a file that `location`
/// has; nothing where it has none, no line where the file is binary.
void printPlace(llvm::raw_ostream &os, Location location);

/// Prints diagnostics as `file:line:column: error: message` while it lives.
class DiagnosticPrinter : public ScopedDiagnosticHandler {
public:
  explicit DiagnosticPrinter(MLIRContext *context);
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_COMPILER_DIAGNOSTICPRINTER_H
