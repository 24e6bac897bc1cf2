//===- SharedMemory.h - What the threads of a block share ----- -*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_SIMULATOR_SHAREDMEMORY_H
#define QUANT_FLOAT_TEST_SIMULATOR_SHAREDMEMORY_H

#include "Mbarriers.h"
#include "TensorMaps.h"
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace simulator {

/// An array of a library of kernels in shared memory. The array of dynamic size
/// has 0 bytes before a launch.
struct SharedArray {
  char *data;
  uint64_t bytes;
};

/// A pending copy from global to shared memory: some bytes of the source,
/// filled up with zeros.
struct AsyncCopy {
  uint64_t target, source, bytes, sourceBytes;
};

/// A TMA load of a box to shared memory.
struct TmaLoad {
  uint64_t target, barrier;
  TensorMap map;
  int32_t coordinates[2];
};

/// The shared memory of the running block, and its accesses since the last
/// barrier.
class SharedMemory {
public:
  /// Starts a block, with uninitialized memory.
  void begin(const std::vector<SharedArray> &arrays);
  /// A barrier: all earlier accesses are visible to all threads.
  void passBarrier();

  bool contains(uint64_t address) const { return find(address); }
  /// Checks an access. Returns an error, or null.
  const char *check(uint64_t address, uint64_t bytes, bool isStore,
                    uint32_t thread);
  /// Begins a copy. Its data is not visible until the thread waits for it.
  const char *begin(const AsyncCopy &copy, uint32_t thread);
  /// All copies of a thread since the last commit form a group.
  void commit(uint32_t thread);
  /// Completes a thread's groups except for the last `count`.
  const char *wait(uint32_t count, uint32_t thread);

  //===--------------------------------------------------------------------===//
  // The asynchronous proxy. The functions return an error, or null.
  //===--------------------------------------------------------------------===//

  /// `fence.proxy.async`: earlier stores of the thread are visible to TMA and
  /// wgmma.
  void fenceProxy(uint32_t thread) { fences[thread] = ++time; }

  const char *initBarrier(uint64_t address, uint32_t count, uint32_t thread);
  /// Arrives, and expects `bytes` more of TMA loads.
  const char *arrive(uint64_t address, uint32_t bytes, uint32_t thread);
  /// Whether the phase of this parity is complete; acquires it if so.
  const char *tryWait(uint64_t address, uint32_t parity, uint32_t thread,
                      bool &isComplete);
  /// Begins a load. It ends in completeLoads(), as late as possible.
  const char *begin(const TmaLoad &load, uint32_t thread);
  /// Ends all loads. Returns whether there were any.
  bool completeLoads();

  /// The address with these lowest 18 bits, as in a matrix descriptor; 0 if
  /// there is none.
  uint64_t resolve(uint32_t address) const;
  /// Begins a read of 16 bytes by a wgmma of the warpgroup. Each wgmma of a
  /// block has another number, from 1 on.
  const char *beginWgmmaRead(uint64_t address, uint32_t warpgroup,
                             uint32_t wgmma);
  /// The thread has waited for all wgmma up to this one.
  void waitForWgmma(uint32_t wgmma, uint32_t thread) {
    getKnowledge(thread);
    known[thread].wgmmas[thread / kWarp] = wgmma;
  }

private:
  static constexpr uint32_t kWarp = 32, kWarps = 4;
  static constexpr uint32_t kMaxWarpgroups = 4;
  static constexpr uint32_t kNobody = ~0u, kSeveral = ~1u;
  struct Byte {
    uint32_t writer = kNobody, writeEpoch = 0;
    uint32_t reader = kNobody, readEpoch = 0;
    bool isPending = false, isBarrier = false;
    /// The time of the last store by a thread; 0 if TMA wrote this.
    uint64_t time = 0;
    /// The mbarrier of the last TMA load to this, and its phase.
    uint64_t barrier = 0;
    uint32_t phase = 0;
    /// The last wgmma of each warpgroup that reads this.
    std::array<uint32_t, kMaxWarpgroups> wgmmas = {};
  };
  /// The groups of one thread. The last group is not committed yet.
  using Groups = std::deque<std::vector<AsyncCopy>>;
  struct Array {
    SharedArray extent;
    std::vector<Byte> bytes;
  };
  Array *find(uint64_t address) const;
  void setPending(const AsyncCopy &copy, bool isPending);
  Byte *getByte(uint64_t address) const;
  const Knowledge &getKnowledge(uint32_t thread) const;
  uint32_t getPhase(uint64_t barrier, uint32_t thread) const;
  const char *checkByte(Byte &byte, bool isStore, uint32_t thread);
  /// Whether the thread knows that no wgmma reads the byte any more.
  bool isFree(const Byte &byte, uint32_t thread) const;
  bool isFenced(const Byte &byte) const;
  const char *findBarrier(uint64_t address, uint32_t thread,
                          Mbarrier *&barrier);

  mutable std::vector<Array> arrays;
  std::map<uint32_t, Groups> copies;
  uint32_t epoch = 1;
  uint64_t time = 0;
  std::map<uint64_t, Mbarrier> barriers;
  std::deque<TmaLoad> loads;
  /// For each thread: its knowledge, and the time of its last proxy fence.
  mutable std::map<uint32_t, Knowledge> known;
  std::map<uint32_t, uint64_t> fences;
  /// The knowledge of all threads at the last barrier.
  Knowledge everyone;
  /// A wgmma, and an mbarrier and a phase that all of its threads know.
  std::array<uint64_t, 3> knownOrigin = {};
};

} // namespace simulator

#endif // QUANT_FLOAT_TEST_SIMULATOR_SHAREDMEMORY_H
