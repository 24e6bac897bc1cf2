//===- ToolErrors.h - Errors and exit codes of tools ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_TOOLERRORS_H
#define QUANT_FLOAT_TOOLS_TOOLERRORS_H

#include "quant-float/Model/Session.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::quant_float {

/// Exit codes of the tools.
enum ToolExitCode {
  kToolDone = 0,
  /// The input is wrong or cannot be compiled.
  kToolWrongInput = 1,
  /// Wrong usage or an unreadable file.
  kToolWrongUsage = 2,
};

/// Prints diagnostics to standard error as they are emitted.
inline SessionOptions printDiagnostics() {
  SessionOptions options;
  options.onDiagnostic = [](const DiagnosticRecord &record) {
    printDiagnostic(llvm::errs(), record);
  };
  return options;
}

/// Prints the error, unless diagnostics have been printed for it, and returns
/// the matching exit code.
inline int report(StringRef model, llvm::Error error) {
  int exitCode = kToolDone;
  llvm::handleAllErrors(std::move(error), [&](const ModelError &error) {
    bool isUsage =
        error.kind == ErrorKind::File || error.kind == ErrorKind::Argument;
    exitCode = isUsage ? kToolWrongUsage : kToolWrongInput;
    for (const DiagnosticRecord &record : error.diagnostics)
      if (record.severity == DiagnosticSeverity::Error)
        return;
    llvm::errs() << (error.file.empty() ? model : StringRef(error.file))
                 << ": error: " << error.message << "\n";
  });
  return exitCode;
}

/// Parses the command line into the registered options. LLVM's own options must
/// have been removed before (cl::ResetCommandLineParser). Does not return for
/// --help and --version.
inline bool parseOptions(int argc, char **argv, StringRef tool,
                         const char *overview) {
  llvm::cl::SetVersionPrinter([=](llvm::raw_ostream &os) {
    os << tool
       << ", part of quant-float " QUANT_FLOAT_VERSION
          ", with LLVM " LLVM_VERSION_STRING "\n";
  });
  return llvm::cl::ParseCommandLineOptions(argc, argv, overview, &llvm::errs());
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_TOOLERRORS_H
