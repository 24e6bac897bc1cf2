//===- Kernels.h - Kernels as host code -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_SIMULATOR_KERNELS_H
#define QUANT_FLOAT_TEST_SIMULATOR_KERNELS_H

#include "SharedMemory.h"
#include <cstdint>
#include <string>
#include <vector>

namespace simulator {

/// A kernel, and the functions of its library.
struct Kernel {
  std::string name;
  /// Calls the kernel with pointers to the values.
  void (*call)(const void *const *parameters) = nullptr;
  std::vector<unsigned> parameterBytes;
  /// Twelve values for the running thread: thread, block, block size, grid
  /// size.
  uint32_t *(*getRegisters)() = nullptr;
  std::vector<SharedArray> shared;
};

struct Launch {
  uint32_t grid[3], block[3];
  /// The dynamic size of shared memory.
  uint32_t sharedBytes;
};

/// The text of PTX or the bytes of a cubin. Empty for anything else.
std::string readImage(const void *image);

/// 90 for `.target sm_90a`, 0 for a cubin.
int getTargetOfPtx(const std::string &image);

/// Returns a kernel of the library that fits the module best.
bool findKernel(const std::string &image, const char *name, Kernel &kernel);

/// Runs the blocks one after the other. Returns 0, or the error of an invalid
/// access or a deadlock.
int run(const Kernel &kernel, const std::vector<std::vector<char>> &values,
        const Launch &launch);

} // namespace simulator

#endif // QUANT_FLOAT_TEST_SIMULATOR_KERNELS_H
