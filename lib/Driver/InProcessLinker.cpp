//===- InProcessLinker.cpp - lld as a library -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InProcessLinker.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include <list>
#include <mutex>
#include <pthread.h>

LLD_HAS_DRIVER(elf)

using namespace mlir;
using namespace mlir::quant_float;

/// Guards the global state of lld.
static std::mutex &getMutex() {
  static std::mutex mutex;
  // A fork waits for other threads that link, so that the child process finds
  // lld unused.
  [[maybe_unused]] static const int registered = pthread_atfork(
      [] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });
  return mutex;
}

llvm::Error quant_float::linkInProcess(ArrayRef<StringRef> arguments) {
  std::lock_guard<std::mutex> lock(getMutex());
  static bool canRunAgain = true;
  if (!canRunAgain)
    return llvm::createStringError("the linker failed earlier in this process");

  std::list<std::string> strings(arguments.begin(), arguments.end());
  // The program's name selects the file format. lld's threads would outlive the
  // call.
  SmallVector<const char *> pointers = {"ld.lld", "--threads=1"};
  for (const std::string &string : strings)
    pointers.push_back(string.c_str());
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  // lld ends the process after a fatal error unless this is enabled.
  llvm::CrashRecoveryContext::Enable();
  lld::Result result =
      lld::lldMain(pointers, stream, stream, {{lld::Gnu, &lld::elf::link}});
  llvm::CrashRecoveryContext::Disable();
  canRunAgain = result.canRunAgain;
  if (!result.retCode)
    return llvm::Error::success();
  return llvm::createStringError("linking failed: " +
                                 StringRef(messages).rtrim());
}
