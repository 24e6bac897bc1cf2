//===- ModelError.cpp - Errors with locations -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/ModelError.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "quant-float/Support/Locations.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::quant_float;

FileLocation::FileLocation(Location location) {
  // Ops have file locations inside of names and fused locations.
  if (auto fileLoc = location->findInstanceOf<FileLineColLoc>()) {
    file = fileLoc.getFilename().str();
    // Locations in binary files have no lines.
    line = fileLoc.getLine();
    column = line ? fileLoc.getColumn() : 0;
  }
}

llvm::raw_ostream &quant_float::operator<<(llvm::raw_ostream &os,
                                           const FileLocation &location) {
  if (location.file.empty())
    return os;
  os << location.file << ":";
  if (location.line)
    os << location.line << ":" << location.column << ":";
  return os << " ";
}

DiagnosticRecord::DiagnosticRecord(const Diagnostic &diagnostic)
    : FileLocation(diagnostic.getLocation()),
      severity(diagnostic.getSeverity()), message(diagnostic.str()),
      node(getNodeName(diagnostic.getLocation())) {
  for (const Diagnostic &note : diagnostic.getNotes())
    notes.emplace_back(note);
}

void quant_float::printDiagnostic(llvm::raw_ostream &os,
                                  const DiagnosticRecord &record) {
  // In the order of DiagnosticSeverity.
  static constexpr StringLiteral kNames[] = {"note", "warning", "error",
                                             "remark"};
  os << record << kNames[static_cast<unsigned>(record.severity)] << ": "
     << record.message << "\n";
  for (const DiagnosticRecord &note : record.notes)
    printDiagnostic(os, note);
}

char ModelError::ID = 0;

llvm::Error quant_float::makeError(ErrorKind kind, const Twine &message) {
  return llvm::make_error<ModelError>(kind, message);
}

llvm::Error quant_float::makeError(ErrorKind kind, llvm::Error error) {
  std::unique_ptr<ModelError> known;
  // In the order of the error list.
  std::vector<std::string> messages;
  llvm::handleAllErrors(
      std::move(error),
      [&](std::unique_ptr<ModelError> other) {
        messages.push_back(other->message);
        if (!known) {
          known = std::move(other);
          return;
        }
        llvm::append_range(known->diagnostics, other->diagnostics);
      },
      [&](const llvm::ErrorInfoBase &other) {
        messages.push_back(other.message());
      });
  std::string joined = llvm::join(messages, "\n");
  if (!known)
    return makeError(kind, joined);
  known->message = std::move(joined);
  return llvm::Error(std::move(known));
}

llvm::Error quant_float::makeFileError(StringRef file, const Twine &message,
                                       std::error_code code) {
  auto error = std::make_unique<ModelError>(ErrorKind::File, message);
  error->file = file.str();
  error->code = code;
  return llvm::Error(std::move(error));
}

llvm::Error quant_float::makeIndexError(StringRef what, size_t count,
                                        size_t index) {
  return makeError(ErrorKind::Argument, what + " must be less than " +
                                            Twine(count) + ", but got " +
                                            Twine(index));
}
