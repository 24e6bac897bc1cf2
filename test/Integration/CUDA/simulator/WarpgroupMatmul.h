//===- WarpgroupMatmul.h - wgmma.mma_async ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_SIMULATOR_WARPGROUPMATMUL_H
#define QUANT_FLOAT_TEST_SIMULATOR_WARPGROUPMATMUL_H

#include "SharedMemory.h"
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <vector>

namespace simulator {

/// The operands of `wgmma.mma_async` that all threads of a warpgroup share.
struct WgmmaOperands {
  /// The shape and the types, as in PTX: m64n128k16.f32.f16.f16.
  const char *name;
  /// The matrix descriptors.
  uint64_t a, b;
  /// Whether the accumulators are added.
  uint32_t scaleOut;
  /// Whether a matrix is contiguous along its rows instead of along K.
  uint32_t isTransposed[2];
};

/// A thread's share of the wgmma that a warpgroup has begun.
///
/// The registers of the result hold placeholders until the thread waits. A
/// kernel that uses them earlier computes with the placeholders.
class WgmmaThread {
public:
  WgmmaOperands operands;
  std::vector<uint32_t> registers;

  /// `wgmma.fence`: earlier writes of registers are complete.
  void fence() { isFenced = true; }
  /// `wgmma.commit_group`.
  void commit();
  /// `wgmma.wait_group`. Returns the last wgmma that is complete.
  uint32_t wait(uint32_t count);
  /// Replaces the placeholders of complete wgmma by their values.
  void finish(uint32_t *values, uint32_t count);
  /// Whether the thread has waited for all wgmma.
  bool isIdle() const { return groups.empty() && open == waited; }

private:
  friend const char *multiplyWarpgroup(WgmmaThread *const (&)[128],
                                       SharedMemory &, uint32_t, uint32_t);
  struct Result {
    uint32_t value, wgmma;
  };
  bool isFenced = false;
  /// The last wgmma of each committed group; the last one that was begun, and
  /// the last one that is complete.
  std::deque<uint32_t> groups;
  uint32_t open = 0, waited = 0;
  uint32_t numPlaceholders = 0;
  std::unordered_map<uint32_t, Result> results;
};

/// Begins a wgmma of a warpgroup. `wgmma` is its number in the block, from 1
/// on. Returns an error, or null.
const char *multiplyWarpgroup(WgmmaThread *const (&threads)[128],
                              SharedMemory &shared, uint32_t warpgroup,
                              uint32_t wgmma);

} // namespace simulator

#endif // QUANT_FLOAT_TEST_SIMULATOR_WARPGROUPMATMUL_H
