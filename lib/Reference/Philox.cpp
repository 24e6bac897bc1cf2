//===- Philox.cpp - Counter-based random bits -----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Reference/Stochastic.h"
#include <cstring>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;

// The constants of Salmon et al., "Parallel random numbers: as easy as 1, 2,
// 3", section 3.3 and the accompanying code.
static constexpr uint64_t kMultipliers[2] = {0xD2511F53, 0xCD9E8D57};
static constexpr uint32_t kWeyl[2] = {0x9E3779B9, 0xBB67AE85};
static constexpr int kRounds = 10;

std::array<uint32_t, 4> reference::philox(std::array<uint32_t, 2> key,
                                          std::array<uint32_t, 4> counter) {
  for (int round = 0; round < kRounds; ++round) {
    uint64_t product0 = kMultipliers[0] * counter[0];
    uint64_t product1 = kMultipliers[1] * counter[2];
    counter = {
        uint32_t(product1 >> 32) ^ counter[1] ^ key[0], uint32_t(product1),
        uint32_t(product0 >> 32) ^ counter[3] ^ key[1], uint32_t(product0)};
    key = {key[0] + kWeyl[0], key[1] + kWeyl[1]};
  }
  return counter;
}

uint32_t reference::philoxElement(unsigned width, uint64_t seed,
                                  uint64_t offset, uint64_t index) {
  uint64_t block = offset + index / 4;
  std::array<uint32_t, 4> counters =
      philox({uint32_t(seed), uint32_t(seed >> 32)},
             {uint32_t(block), uint32_t(block >> 32), 0, 0});
  return counters[index % 4] >> (32 - width);
}

/// The number of blocks that are computed together, so that compilers vectorize
/// the loops.
static constexpr size_t kBlocks = 16;
static constexpr size_t kElements = 4 * kBlocks;

template <typename T>
static void makeBlocks(unsigned width, uint64_t seed, uint64_t first,
                       T (&elements)[kElements]) {
  uint32_t counters[4][kBlocks];
  for (size_t i = 0; i < kBlocks; ++i) {
    counters[0][i] = uint32_t(first + i);
    counters[1][i] = uint32_t((first + i) >> 32);
    counters[2][i] = counters[3][i] = 0;
  }
  uint32_t key[2] = {uint32_t(seed), uint32_t(seed >> 32)};
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < kBlocks; ++i) {
      uint64_t product0 = kMultipliers[0] * counters[0][i];
      uint64_t product1 = kMultipliers[1] * counters[2][i];
      counters[0][i] = uint32_t(product1 >> 32) ^ counters[1][i] ^ key[0];
      counters[1][i] = uint32_t(product1);
      counters[2][i] = uint32_t(product0 >> 32) ^ counters[3][i] ^ key[1];
      counters[3][i] = uint32_t(product0);
    }
    key[0] += kWeyl[0];
    key[1] += kWeyl[1];
  }
  for (size_t i = 0; i < kBlocks; ++i)
    for (size_t lane = 0; lane < 4; ++lane)
      elements[4 * i + lane] = T(counters[lane][i] >> (32 - width));
}

template <typename T>
static LogicalResult fill(unsigned width, uint64_t seed, uint64_t offset,
                          MutableArrayRef<char> out) {
  if (out.size() % sizeof(T) != 0)
    return failure();
  while (!out.empty()) {
    T elements[kElements];
    makeBlocks(width, seed, offset, elements);
    size_t size = std::min(out.size(), sizeof(elements));
    std::memcpy(out.data(), elements, size);
    out = out.drop_front(size);
    offset += kBlocks;
  }
  return success();
}

LogicalResult reference::philoxBuffer(unsigned width, uint64_t seed,
                                      uint64_t offset,
                                      MutableArrayRef<char> out) {
  switch (width) {
  case 2:
  case 4:
  case 8:
    return fill<uint8_t>(width, seed, offset, out);
  case 16:
    return fill<uint16_t>(width, seed, offset, out);
  case 32:
    return fill<uint32_t>(width, seed, offset, out);
  default:
    return failure();
  }
}
