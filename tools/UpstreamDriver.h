//===- UpstreamDriver.h - Support for upstream's drivers --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_UPSTREAMDRIVER_H
#define QUANT_FLOAT_TOOLS_UPSTREAMDRIVER_H

#include "mlir/IR/MLIRContext.h"
#include "quant-float/Support/InputFile.h"
#include "quant-float/Support/ModelError.h"
#include "quant-float/Support/OutputFile.h"
#include "quant-float/Support/ReadMlir.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>

namespace mlir::quant_float {

/// Calls `check` with a context that prints diagnostics.
inline LogicalResult
printDiagnostics(const DialectRegistry &registry,
                 llvm::function_ref<LogicalResult(MLIRContext &)> check) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // The driver itself reports dialects that are not allowed.
  context.allowUnregisteredDialects();
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &diagnostic) {
    printDiagnostic(llvm::errs(), DiagnosticRecord(diagnostic));
    return success();
  });
  return check(context);
}

/// Reports MLIR that upstream's parser would crash on. If `marker` is not
/// empty, the parts between markers are checked separately, as the driver reads
/// them.
inline LogicalResult checkForUpstream(llvm::MemoryBufferRef buffer,
                                      StringRef marker,
                                      const DialectRegistry &registry) {
  return printDiagnostics(registry, [&](MLIRContext &context) {
    return checkMlir(buffer, marker, context);
  });
}

/// Reports why upstream's parser does not accept MLIR of newer versions, after
/// its own errors.
inline void reportNewerSyntax(llvm::MemoryBufferRef buffer,
                              const DialectRegistry &registry) {
  (void)printDiagnostics(registry, [&](MLIRContext &context) {
    reportNewerSyntax(buffer, context);
    return success();
  });
}

/// Reads MLIR for one of upstream's drivers. Returns null after printing an
/// error.
inline std::unique_ptr<llvm::MemoryBuffer>
readForUpstream(StringRef path, StringRef marker,
                const DialectRegistry &registry) {
  auto buffer = openText(path);
  if (!buffer) {
    llvm::errs() << "cannot open input file '" << path
                 << "': " << llvm::toString(buffer.takeError()) << "\n";
    return nullptr;
  }
  return succeeded(checkForUpstream(**buffer, marker, registry))
             ? std::move(*buffer)
             : nullptr;
}

/// Runs one of upstream's drivers with the name of a temporary file, and
/// renames that file on success. The drivers truncate their output before they
/// read the input, and delete it on failure.
inline LogicalResult
writeThrough(StringRef path, llvm::function_ref<LogicalResult(StringRef)> run) {
  if (path == "-")
    return run(path);
  OutputFile file(path.str());
  const std::string &name = file.getName();
  if (!name.empty()) {
    // Report exceeding the file size limit as an error of the driver's stream
    // instead of by SIGXFSZ.
    sigset_t limit;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, nullptr);
    // The driver creates the file if there is output. It does not return for
    // --help, so the file must not exist already.
    (void)llvm::sys::fs::remove(name);
    if (failed(run(name)))
      return failure();
    if (!llvm::sys::fs::exists(name))
      return success();
  }
  if (file.commit())
    return success();
  llvm::errs() << path
               << ": error: cannot be written: " << file.getError().message()
               << "\n";
  return failure();
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_UPSTREAMDRIVER_H
