//===- ReadMlir.cpp - MLIR from strangers ---------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadMlir.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::quant_float;

/// Reads, and looks at the nesting before anything else does.
static OwningOpRef<ModuleOp> read(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                  MLIRContext &context, bool verify) {
  bool isText = !isBytecode(buffer->getMemBufferRef());
  if (isText && failed(checkNesting(buffer->getMemBufferRef(), context)))
    return nullptr;
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  ParserConfig config(&context, /*verifyAfterParse=*/isText && verify);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sourceMgr, config);
  if (!module || isText)
    return module;
  if (failed(checkNesting(*module)) ||
      (verify && failed(mlir::verify(*module))))
    return nullptr;
  return module;
}

/// Whether bytecode can be read, or is refused with an error, at all: tried in
/// a process of its own. That one takes no lock of this process but those of
/// MLIR's tables, which other threads hold for moments; should one have been
/// held when the process began, its time ends.
static bool survivesReading(llvm::MemoryBufferRef bytes, MLIRContext &context,
                            bool verify) {
  int ends[2];
  if (pipe(ends))
    return true;
  pid_t child = fork();
  if (child == 0) {
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    for (int number : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGXCPU})
      signal(number, SIG_DFL);
    // Far more than any model of this size takes.
    rlim_t seconds = 5 + (bytes.getBufferSize() >> 20);
    rlimit time = {seconds, seconds}, core = {0, 0};
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_CORE, &core);
    {
      MLIRContext own(context.getDialectRegistry(),
                      MLIRContext::Threading::DISABLED);
      own.allowUnregisteredDialects(context.allowsUnregisteredDialects());
      ScopedDiagnosticHandler quiet(&own,
                                    [](Diagnostic &) { return success(); });
      read(llvm::MemoryBuffer::getMemBuffer(bytes, false), own, verify);
    }
    ssize_t written = write(ends[1], "", 1);
    _exit(written != 1);
  }
  close(ends[1]);
  bool survived = child < 0;
  if (child > 0) {
    // The status may be taken by whoever waits for children in this process;
    // the byte is not.
    auto end = std::chrono::steady_clock::now() +
               std::chrono::seconds(60 + (bytes.getBufferSize() >> 18));
    pollfd answer = {ends[0], POLLIN, 0};
    int ready;
    do {
      auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          end - std::chrono::steady_clock::now());
      ready = poll(&answer, 1, std::max<int64_t>(left.count(), 0));
    } while (ready < 0 && errno == EINTR);
    char byte;
    survived = ready > 0 && ::read(ends[0], &byte, 1) == 1;
    if (!survived)
      kill(child, SIGKILL);
    while (waitpid(child, nullptr, 0) < 0 && errno == EINTR)
      ;
  }
  close(ends[0]);
  return survived;
}

OwningOpRef<ModuleOp>
quant_float::readMlir(std::unique_ptr<llvm::MemoryBuffer> buffer,
                      MLIRContext &context, bool verify) {
  llvm::MemoryBufferRef bytes = buffer->getMemBufferRef();
  if (isBytecode(bytes) && !survivesReading(bytes, context, verify)) {
    emitError(FileLineColLoc::get(&context, bytes.getBufferIdentifier(), 0, 0))
        << "is damaged: bytecode that cannot be read";
    return nullptr;
  }
  return read(std::move(buffer), context, verify);
}
