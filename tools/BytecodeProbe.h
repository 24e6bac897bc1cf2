//===- BytecodeProbe.h - Damaged bytecode kept from a tool ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_BYTECODEPROBE_H
#define QUANT_FLOAT_TOOLS_BYTECODEPROBE_H

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/BuiltinOps.h"
#include "quant-float/Compiler/DiagnosticPrinter.h"
#include "quant-float/Compiler/Driver.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace mlir::quant_float {

/// Reads standard input and puts a file in its place, which can be read again;
/// null if that fails, with `error` set where something has been read.
inline std::unique_ptr<llvm::MemoryBuffer> keepStandardInput(int &error) {
  FILE *file = tmpfile();
  auto buffer = file ? llvm::MemoryBuffer::getSTDIN()
                     : std::make_error_code(std::errc::io_error);
  if (buffer) {
    StringRef bytes = (*buffer)->getBuffer();
    if (fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() ||
        fflush(file) || dup2(fileno(file), STDIN_FILENO) < 0)
      error = errno;
    lseek(STDIN_FILENO, 0, SEEK_SET);
  }
  if (file)
    fclose(file);
  return buffer && !error ? std::move(*buffer) : nullptr;
}

/// What loadModel would exit with for bytecode in a file that it refuses, after
/// the errors; kToolDone for any other model. Upstream's reader believes the
/// numbers in bytecode and crashes or does not end on some that are damaged, so
/// a process of its own reads it first. For tools, before they have threads.
inline int probeBytecode(StringRef path, const DialectRegistry &registry,
                         const LoadOptions &options) {
  std::unique_ptr<llvm::MemoryBuffer> file;
  if (path == "-") {
    int error = 0;
    file = keepStandardInput(error);
    if (error) {
      llvm::errs() << path << ": error: " << strerror(error) << "\n";
      return kToolWrongUsage;
    }
  } else if (auto opened = openRegularFile(path)) {
    file = std::move(*opened);
  } else {
    llvm::consumeError(opened.takeError());
  }
  if (!file || !isBytecode(file->getMemBufferRef()))
    return kToolDone;
  FILE *errors = tmpfile();
  pid_t child = errors ? fork() : -1;
  if (child == 0) {
    dup2(fileno(errors), STDERR_FILENO);
    for (int number : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGXCPU})
      signal(number, SIG_DFL);
    // Far more than any model of this size takes.
    rlim_t seconds = 5 + (file->getBufferSize() >> 20);
    rlimit time = {seconds, seconds}, core = {0, 0};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &core);
    int exitCode = kToolDone;
    {
      MLIRContext context(registry, MLIRContext::Threading::DISABLED);
      context.printOpOnDiagnostic(false);
      DiagnosticPrinter printer(&context);
      if (loadModel(path, context, exitCode, options))
        exitCode = kToolDone;
    }
    llvm::errs().flush();
    _exit(exitCode);
  }
  int status = 0, exitCode = kToolDone;
  if (child > 0 && waitpid(child, &status, 0) == child) {
    // The child has moved the place in it.
    if (path == "-")
      lseek(STDIN_FILENO, 0, SEEK_SET);
    if (WIFSIGNALED(status)) {
      llvm::errs() << path
                   << ": error: is damaged: bytecode that cannot be read\n";
      exitCode = kToolWrongInput;
    } else if ((exitCode = WEXITSTATUS(status))) {
      char text[4096];
      rewind(errors);
      while (size_t size = fread(text, 1, sizeof(text), errors))
        llvm::errs().write(text, size);
    }
  }
  if (errors)
    fclose(errors);
  return exitCode;
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_BYTECODEPROBE_H
