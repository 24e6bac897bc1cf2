//===- Plan.h - The numbers of one call -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_GPULAUNCH_PLAN_H
#define QUANT_FLOAT_TOOLS_GPULAUNCH_PLAN_H

#include "Description.h"

namespace launch {

/// What an entry does for inputs of some sizes.
struct Plan {
  struct Numbers {
    unsigned grid[3], block[3];
    /// Of integers their value, of floats their bits, of pointers which one.
    std::vector<uint64_t> values;
  };

  const Entry *entry = nullptr;
  Sizes inputs, outputs;
  std::vector<size_t> inputBytes, outputBytes, temporaryBytes;
  std::vector<Numbers> launches;

  /// What inputs and outputs have together.
  size_t getBytes() const;
  void print() const;
};

/// Evaluates everything; fails where a check does not hold.
bool makePlan(const Entry &entry, const Sizes &inputs, Plan &plan,
              Error &error);

} // namespace launch

#endif // QUANT_FLOAT_TOOLS_GPULAUNCH_PLAN_H
