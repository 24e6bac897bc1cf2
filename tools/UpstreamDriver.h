//===- UpstreamDriver.h - Around upstream's drivers -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_UPSTREAMDRIVER_H
#define QUANT_FLOAT_TOOLS_UPSTREAMDRIVER_H

#include "mlir/IR/MLIRContext.h"
#include "quant-float/Compiler/ReadMlir.h"
#include "quant-float/Support/InputFile.h"
#include "quant-float/Support/ModelError.h"
#include "quant-float/Support/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>

namespace mlir::quant_float {

/// Prints what is wrong with MLIR that upstream's parser would not stand. The
/// driver reads the text part by part where there is a marker of them.
inline LogicalResult checkForUpstream(llvm::MemoryBufferRef buffer,
                                      StringRef marker,
                                      const DialectRegistry &registry) {
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  // The driver says it where they are not allowed.
  context.allowUnregisteredDialects();
  ScopedDiagnosticHandler handler(&context, [](Diagnostic &diagnostic) {
    printDiagnostic(llvm::errs(), DiagnosticRecord(diagnostic));
    return success();
  });
  return checkMlir(buffer, marker, context);
}

/// Reads MLIR for one of upstream's drivers, or prints why not.
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

/// Calls one of upstream's drivers, which empty their output before they read
/// the input and remove it on failure, with a name beside that of the output.
inline LogicalResult
writeThrough(StringRef path, llvm::function_ref<LogicalResult(StringRef)> run) {
  if (path == "-")
    return run(path);
  OutputFile file(path.str());
  const std::string &name = file.getName();
  if (!name.empty()) {
    // An error of the driver's stream, rather than the end of the program.
    sigset_t limit;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, nullptr);
    // The driver makes the file, if there is anything to write, and does not
    // return from --help.
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
