//===- SharedMemory.h - What the threads of a block share ----- -*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_SIMULATOR_SHAREDMEMORY_H
#define QUANT_FLOAT_TEST_SIMULATOR_SHAREDMEMORY_H

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace simulator {

/// An array of a library of kernels in shared memory.
struct SharedArray {
  char *data;
  uint64_t bytes;
};

/// A copy of global memory that is on its way to shared memory: some bytes of
/// the source, and zeros behind them.
struct AsyncCopy {
  uint64_t target, source, bytes, sourceBytes;
};

/// The shared memory of the block that runs, and who has been where since the
/// last barrier.
class SharedMemory {
public:
  /// For a block that begins; it finds no zeros.
  void begin(const std::vector<SharedArray> &arrays);
  /// What was done before is seen by all.
  void passBarrier() { ++epoch; }

  bool contains(uint64_t address) const { return find(address); }
  /// What is wrong with an access, or null.
  const char *check(uint64_t address, uint64_t bytes, bool isStore,
                    uint32_t thread);
  /// Begins a copy: until its thread waits for it, it is nowhere.
  const char *begin(const AsyncCopy &copy, uint32_t thread);
  /// All copies of a thread since the last time are one group.
  void commit(uint32_t thread);
  /// Ends the copies of a thread's groups but of the last `count`.
  const char *wait(uint32_t count, uint32_t thread);

private:
  static constexpr uint32_t kNobody = ~0u, kSeveral = ~1u;
  struct Byte {
    uint32_t writer = kNobody, writeEpoch = 0;
    uint32_t reader = kNobody, readEpoch = 0;
    bool isPending = false;
  };
  /// Of one thread; the last group is not committed yet.
  using Groups = std::deque<std::vector<AsyncCopy>>;
  struct Array {
    SharedArray place;
    std::vector<Byte> bytes;
  };
  Array *find(uint64_t address) const;
  void setPending(const AsyncCopy &copy, bool isPending);

  mutable std::vector<Array> arrays;
  std::map<uint32_t, Groups> copies;
  uint32_t epoch = 1;
};

} // namespace simulator

#endif // QUANT_FLOAT_TEST_SIMULATOR_SHAREDMEMORY_H
