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
#include "quant-float/Support/Locations.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;

static StringRef getSeverity(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Remark:
    return "remark";
  case DiagnosticSeverity::Error:
    break;
  }
  return "error";
}

DiagnosticRecord::DiagnosticRecord(const Diagnostic &diagnostic)
    : severity(diagnostic.getSeverity()), message(diagnostic.str()),
      node(getNodeName(diagnostic.getLocation())) {
  // Ops have it under names and fusions.
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
    file = place.getFilename().str();
    // Binary files have no lines.
    line = place.getLine();
    column = line ? place.getColumn() : 0;
  }
  for (const Diagnostic &note : diagnostic.getNotes())
    notes.emplace_back(note);
}

static void printPlace(llvm::raw_ostream &os, const DiagnosticRecord &record) {
  if (record.file.empty())
    return;
  os << record.file << ":";
  if (record.line)
    os << record.line << ":" << record.column << ":";
  os << " ";
}

std::string DiagnosticRecord::describe() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  ::printPlace(os, *this);
  os << message;
  return text;
}

void quant_float::printDiagnostic(llvm::raw_ostream &os,
                                  const DiagnosticRecord &record) {
  ::printPlace(os, record);
  os << getSeverity(record.severity) << ": " << record.message << "\n";
  for (const DiagnosticRecord &note : record.notes)
    printDiagnostic(os, note);
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

DiagnosticPrinter::DiagnosticPrinter(MLIRContext *context)
    : ScopedDiagnosticHandler(context, [](Diagnostic &diagnostic) {
        printDiagnostic(llvm::errs(), DiagnosticRecord(diagnostic));
        return success();
      }) {}
