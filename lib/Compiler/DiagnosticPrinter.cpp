//===- DiagnosticPrinter.cpp - Diagnostics on the terminal ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Compiler/DiagnosticPrinter.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;

static StringRef getSeverity(const Diagnostic &diagnostic) {
  switch (diagnostic.getSeverity()) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  return "error";
}

void quant_float::printPlace(llvm::raw_ostream &os, Location location) {
  // Ops have it under names and fusions.
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place)
    return;
  os << place.getFilename().getValue() << ":";
  // Binary files have no lines.
  if (place.getLine())
    os << place.getLine() << ":" << place.getColumn() << ":";
  os << " ";
}

static void print(llvm::raw_ostream &os, const Diagnostic &diagnostic) {
  printPlace(os, diagnostic.getLocation());
  os << getSeverity(diagnostic) << ": " << diagnostic << "\n";
}

DiagnosticPrinter::DiagnosticPrinter(MLIRContext *context)
    : ScopedDiagnosticHandler(context, [](Diagnostic &diagnostic) {
        print(llvm::errs(), diagnostic);
        for (const Diagnostic &note : diagnostic.getNotes())
          print(llvm::errs(), note);
        return success();
      }) {}
