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

/// A kernel, and what its library has for all of them.
struct Kernel {
  std::string name;
  /// Calls the kernel with the values that the pointers point to.
  void (*call)(const void *const *parameters) = nullptr;
  std::vector<unsigned> parameterBytes;
  /// Twelve numbers of this thread: thread, block, block size, grid size.
  uint32_t *(*getRegisters)() = nullptr;
  std::vector<SharedArray> shared;
};

struct Launch {
  uint32_t grid[3], block[3];
  /// The dynamic size of shared memory.
  uint32_t sharedBytes;
};

/// The text of PTX, the bytes of a cubin; empty for anything else.
std::string readImage(const void *image);

/// 90 for `.target sm_90a`; 0 for a cubin.
int getTargetOfPtx(const std::string &image);

/// A kernel of the library that fits the module best.
bool findKernel(const std::string &image, const char *name, Kernel &kernel);

/// Every block, one after the other. 0, or the error that an access is, or that
/// threads wait for what never comes.
int run(const Kernel &kernel, const std::vector<std::vector<char>> &values,
        const Launch &launch);

} // namespace simulator

#endif // QUANT_FLOAT_TEST_SIMULATOR_KERNELS_H
