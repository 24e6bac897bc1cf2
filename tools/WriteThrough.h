//===- WriteThrough.h - Outputs of upstream's drivers -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_WRITETHROUGH_H
#define QUANT_FLOAT_TOOLS_WRITETHROUGH_H

#include "mlir/Support/LLVM.h"
#include "quant-float/Support/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>

namespace mlir::quant_float {

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
    llvm::sys::fs::remove(name);
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

#endif // QUANT_FLOAT_TOOLS_WRITETHROUGH_H
