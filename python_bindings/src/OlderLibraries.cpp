//===- OlderLibraries.cpp - Functions of newer system libraries -----------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's archives call two functions that glibc 2.34 and the C++ library of GCC
// 11 do not have. With these definitions, the extension runs on systems with
// these versions.
//
//===----------------------------------------------------------------------===//

#include <condition_variable>
#include <cstdint>
#include <sys/random.h>

extern "C" uint32_t arc4random() noexcept {
  uint32_t bits = 0;
  while (getrandom(&bits, sizeof(bits), 0) != sizeof(bits))
    ;
  return bits;
}

#ifdef __GLIBCXX__
extern "C" void waitOfOlderVersion(std::condition_variable *condition,
                                   std::unique_lock<std::mutex> *lock);
__asm__(".symver waitOfOlderVersion, "
        "_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@"
        "GLIBCXX_3.4.11");

void std::condition_variable::wait(std::unique_lock<std::mutex> &lock) {
  waitOfOlderVersion(this, &lock);
}
#endif
