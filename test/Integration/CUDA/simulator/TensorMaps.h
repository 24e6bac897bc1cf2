//===- TensorMaps.h - Tensor maps of TMA ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_SIMULATOR_TENSORMAPS_H
#define QUANT_FLOAT_TEST_SIMULATOR_TENSORMAPS_H

#include <cstdint>

namespace simulator {

/// The simulator's contents of a CUtensorMap: a matrix in global memory, and
/// the box that one TMA load copies with the 128-byte swizzle. The first
/// dimension is contiguous. All sizes are in elements.
struct TensorMap {
  static constexpr uint64_t kMagic = 0x70616d726f736e65;

  uint64_t magic, address, rowBytes;
  uint32_t sizes[2], box[2], elementBytes;

  uint64_t getBoxBytes() const {
    return uint64_t(box[0]) * box[1] * elementBytes;
  }
  /// Returns whether the entire matrix is allocated.
  bool isAllocated() const;
  /// Copies the box at `coordinates` to `target`, with zeros out of bounds.
  void copyBox(const int32_t (&coordinates)[2], uint64_t target) const;
};

/// Returns the address of a byte with the 128-byte swizzle: bits 4 to 6 are
/// XORed with bits 7 to 9.
inline uint64_t swizzle(uint64_t address) {
  return address ^ (address >> 7 & 7) << 4;
}

} // namespace simulator

#endif // QUANT_FLOAT_TEST_SIMULATOR_TENSORMAPS_H
