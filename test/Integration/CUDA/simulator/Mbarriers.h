//===- Mbarriers.h - Barriers of the asynchronous proxy ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_SIMULATOR_MBARRIERS_H
#define QUANT_FLOAT_TEST_SIMULATOR_MBARRIERS_H

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>

namespace simulator {

/// The asynchronous accesses that a thread knows to be complete.
struct Knowledge {
  static constexpr uint32_t kWarps = 32;

  /// The last wgmma that each warp has waited for.
  std::array<uint32_t, kWarps> wgmmas = {};
  /// The number of completed phases of each mbarrier.
  std::map<uint64_t, uint32_t> phases;

  void join(const Knowledge &other) {
    for (uint32_t i = 0; i < kWarps; ++i)
      wgmmas[i] = std::max(wgmmas[i], other.wgmmas[i]);
    for (auto [barrier, phase] : other.phases)
      phases[barrier] = std::max(phases[barrier], phase);
  }
};

/// An mbarrier: its phase is complete when `count` threads have arrived and all
/// expected bytes have.
struct Mbarrier {
  uint32_t count, pending, phase = 0;
  int64_t bytes = 0;
  /// The thread that initialized it, and when.
  uint32_t thread, epoch;
  uint64_t time;
  /// The knowledge of the threads that have arrived in this phase, and in the
  /// completed ones.
  Knowledge arriving, completed;

  /// Completes the phase if nothing is missing.
  void update() {
    if (pending || bytes)
      return;
    ++phase;
    pending = count;
    completed.join(arriving);
    arriving = Knowledge();
  }
};

} // namespace simulator

#endif // QUANT_FLOAT_TEST_SIMULATOR_MBARRIERS_H
