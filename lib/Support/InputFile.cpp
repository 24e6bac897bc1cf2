//===- InputFile.cpp - Input files ----------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/InputFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace mlir;
namespace fs = llvm::sys::fs;

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
quant_float::openRegularFile(const Twine &path) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return llvm::errorCodeToError(error);
  // Opening a pipe would wait for a writer, and a device may have no end.
  if (!llvm::sys::fs::is_regular_file(status))
    return llvm::createStringError("it is not a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::errorCodeToError(buffer.getError());
  return std::move(*buffer);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
quant_float::readToEnd(fs::file_t file, StringRef name) {
  constexpr size_t kStep = size_t(1) << 16;
  SmallVector<char, 0> bytes;
  while (true) {
    size_t size = bytes.size();
    bytes.resize_for_overwrite(size + kStep);
    llvm::Expected<size_t> got =
        fs::readNativeFile(file, llvm::MutableArrayRef(bytes).drop_front(size));
    if (!got)
      return got.takeError();
    bytes.truncate(size + *got);
    if (*got == 0)
      break;
    if (bytes.size() > kMaxInputBytes)
      return llvm::createStringError("expected at most " +
                                     llvm::Twine(kMaxInputBytes) + " bytes");
  }
  return std::make_unique<llvm::SmallVectorMemoryBuffer>(
      std::move(bytes), name, /*RequiresNullTerminator=*/true);
}

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
quant_float::openText(StringRef path) {
  if (path == "-")
    return readToEnd(fs::getStdinHandle(), "<stdin>");
  if (fs::is_regular_file(path)) {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer)
      return llvm::errorCodeToError(buffer.getError());
    return std::move(*buffer);
  }
  llvm::Expected<fs::file_t> file = fs::openNativeFileForRead(path);
  if (!file)
    return file.takeError();
  llvm::scope_exit close([&] { (void)fs::closeFile(*file); });
  return readToEnd(*file, path);
}

//===----------------------------------------------------------------------===//
// Truncated files
//===----------------------------------------------------------------------===//

/// Parses the hexadecimal number at the beginning of the text, and advances to
/// its end. strtoul is not async-signal-safe.
static uintptr_t parseHex(const char *&digits) {
  uintptr_t number = 0;
  for (unsigned digit; (digit = llvm::hexDigitValue(*digits)) < 16; ++digits)
    number = number << 4 | digit;
  return number;
}

/// Returns the path in the line of /proc/self/maps whose range contains the
/// address, or null. Called in a signal handler, so it only calls functions
/// that are async-signal-safe.
static const char *findMapping(uintptr_t address, char (&line)[4352]) {
  int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (maps < 0)
    return nullptr;
  size_t length = 0;
  const char *path = nullptr;
  for (char c; !path && read(maps, &c, 1) == 1;) {
    if (c != '\n') {
      if (length + 1 < sizeof(line))
        line[length++] = c;
      continue;
    }
    line[length] = 0;
    const char *range = line;
    uintptr_t first = parseHex(range);
    uintptr_t last = *range == '-' ? parseHex(++range) : 0;
    if (first <= address && address < last)
      path = strchr(line, '/');
    length = 0;
  }
  close(maps);
  return path;
}

static void reportBusError(int signal, siginfo_t *info, void *) {
  // Several threads may read the file.
  char line[4352];
  const char *path =
      info->si_code == BUS_ADRERR
          ? findMapping(reinterpret_cast<uintptr_t>(info->si_addr), line)
          : nullptr;
  if (!path) {
    // The address is not in a file: continue as without this handler.
    std::signal(signal, SIG_DFL);
    return;
  }
  constexpr StringLiteral kMessage =
      ": error: was truncated while it was read\n";
  (void)!write(STDERR_FILENO, path, strlen(path));
  (void)!write(STDERR_FILENO, kMessage.data(), kMessage.size());
  // Removes incomplete outputs.
  llvm::sys::RunInterruptHandlers();
  _exit(1);
}

void quant_float::reportShortenedFiles() {
  struct sigaction action = {};
  action.sa_sigaction = reportBusError;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, nullptr);
}
