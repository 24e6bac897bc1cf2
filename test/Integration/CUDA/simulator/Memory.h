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

/// Allocates memory whose address is a multiple of 512 and of no larger power
/// of two. Returns 0 if none is left. The memory is not initialized with zeros.
uint64_t allocate(size_t bytes, bool isHostShared);

/// Returns false if `allocate` did not return the address.
bool release(uint64_t pointer);

/// Returns whether the addresses are inside of one allocation.
bool isAllocated(uint64_t address, size_t bytes);

/// Returns whether an address is in the range of device memory, allocated or
/// not.
bool isInArena(uint64_t address);

/// The host can access device memory during the lifetime of such an object.
/// Otherwise, an access crashes the program.
class DeviceAccess {
public:
  DeviceAccess();
  ~DeviceAccess();
};

} // namespace simulator

#endif // QUANT_FLOAT_TEST_SIMULATOR_MEMORY_H
