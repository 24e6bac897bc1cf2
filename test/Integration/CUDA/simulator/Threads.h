//===- Threads.h - The threads of a block --------------------- -*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_SIMULATOR_THREADS_H
#define QUANT_FLOAT_TEST_SIMULATOR_THREADS_H

#include "WarpgroupMatmul.h"
#include <cstdint>
#include <functional>
#include <memory>

namespace simulator {

/// Runs the threads of blocks in sequence, each on its own stack, until they
/// wait for others: at a barrier for the entire block, at a matmul for the 32
/// threads of a warp or the 128 of a warpgroup, and at an mbarrier until its
/// phase is complete.
class Threads {
public:
  Threads();
  ~Threads();

  /// Runs `body` on `count` threads, and calls `enter` before a thread
  /// continues. Returns false if a thread called `fail`, or in a deadlock.
  bool run(uint32_t count, const std::function<void()> &body,
           const std::function<void(uint32_t)> &enter,
           const std::function<void()> &passBarrier, SharedMemory &shared);

  /// Functions of the running thread. The call site identifies the instruction.
  void waitAtBarrier(const void *place);
  const uint32_t *multiply(const void *place, const char *name,
                           const uint32_t *operands, unsigned count);
  /// The thread's wgmma, and the result registers of a wgmma that it begins.
  WgmmaThread &getWgmma();
  const uint32_t *multiplyWarpgroup(const void *place);
  /// Waits until `isComplete`, which is polled.
  void waitUntil(const std::function<bool()> &isComplete);
  /// All threads of a warpgroup reach the same instruction.
  void joinWarpgroup(const void *place);
  /// Ends the block.
  [[noreturn]] void fail();
  bool isOnStack(const void *pointer) const;

private:
  struct Implementation;
  std::unique_ptr<Implementation> it;
};

} // namespace simulator

#endif // QUANT_FLOAT_TEST_SIMULATOR_THREADS_H
