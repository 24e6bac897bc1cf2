//===- Threads.h - The threads of a block --------------------- -*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_SIMULATOR_THREADS_H
#define QUANT_FLOAT_TEST_SIMULATOR_THREADS_H

#include "WarpgroupProducts.h"
#include <cstdint>
#include <functional>
#include <memory>

namespace simulator {

/// Runs the threads of blocks, each on a stack of its own, one after the other,
/// up to where they wait for others: at a barrier for all of the block, at a
/// product of matrices for the 32 of a warp or the 128 of a warpgroup, and at
/// an mbarrier until its phase is complete.
class Threads {
public:
  Threads();
  ~Threads();

  /// Runs `body` on `count` threads; `enter` is called before one goes on.
  /// False if one called `fail`, or if some wait for what others never reach.
  bool run(uint32_t count, const std::function<void()> &body,
           const std::function<void(uint32_t)> &enter,
           const std::function<void()> &passBarrier, SharedMemory &shared);

  /// Of the thread that runs. The places tell apart one instruction from
  /// another.
  void waitAtBarrier(const void *place);
  const uint32_t *multiply(const void *place, const char *name,
                           const uint32_t *operands, unsigned count);
  /// The thread's wgmma, and the registers of the result of one that it begins.
  WgmmaThread &getWgmma();
  const uint32_t *multiplyWarpgroup(const void *place);
  /// Waits until `isComplete`, which is asked again and again.
  void waitUntil(const std::function<bool()> &isComplete);
  /// All threads of a warpgroup reach the same place.
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
