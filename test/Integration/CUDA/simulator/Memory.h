//===- Memory.h - The simulated device's memory -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_SIMULATOR_MEMORY_H
#define QUANT_FLOAT_TEST_SIMULATOR_MEMORY_H

#include <cstddef>
#include <cstdint>

namespace simulator {

/// Memory with an address that is a multiple of 512 and no more, 0 where there
/// is none left. It holds no zeros at first.
uint64_t allocate(size_t bytes, bool isHostShared);

/// False for what `allocate` did not give out.
bool release(uint64_t pointer);

/// Whether addresses are inside of one allocation.
bool isAllocated(uint64_t address, size_t bytes);

/// Whether an address is device memory, given out or not.
bool isInArena(uint64_t address);

/// While one lives the host can reach device memory, which otherwise ends the
/// program.
class DeviceAccess {
public:
  DeviceAccess();
  ~DeviceAccess();
};

} // namespace simulator

#endif // QUANT_FLOAT_TEST_SIMULATOR_MEMORY_H
