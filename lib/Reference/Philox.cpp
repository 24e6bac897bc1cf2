//===- Philox.cpp - Random bits by a counter ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slots.h"
#include "mlir/IR/BuiltinTypes.h"
#include "quant-float/Reference/Stochastic.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APInt;

std::array<uint32_t, 4> reference::philox(std::array<uint32_t, 2> key,
                                          std::array<uint32_t, 4> counter) {
  // "Parallel random numbers: as easy as 1, 2, 3", section 3.3 and its code.
  constexpr uint64_t multiplier0 = 0xD2511F53, multiplier1 = 0xCD9E8D57;
  constexpr uint32_t weyl0 = 0x9E3779B9, weyl1 = 0xBB67AE85;
  constexpr int rounds = 10;
  for (int round = 0; round < rounds; ++round) {
    uint64_t product0 = multiplier0 * counter[0];
    uint64_t product1 = multiplier1 * counter[2];
    counter = {
        uint32_t(product1 >> 32) ^ counter[1] ^ key[0], uint32_t(product1),
        uint32_t(product0 >> 32) ^ counter[3] ^ key[1], uint32_t(product0)};
    key = {key[0] + weyl0, key[1] + weyl1};
  }
  return counter;
}

LogicalResult reference::philoxBuffer(Type to, uint64_t seed, uint64_t offset,
                                      MutableArrayRef<char> out) {
  auto type = dyn_cast<IntegerType>(to);
  std::optional<Format> format = getFormat(to);
  if (!format || !type || !type.isUnsigned() || type.getWidth() > 32)
    return failure();
  size_t count = out.size() / getSlotSize(*format);
  if (count * getSlotSize(*format) != out.size())
    return failure();
  for (size_t i = 0; i < count; ++i) {
    // S3: four elements of each block, the upper bits of its words.
    uint64_t block = offset + i / 4;
    std::array<uint32_t, 4> words =
        philox({uint32_t(seed), uint32_t(seed >> 32)},
               {uint32_t(block), uint32_t(block >> 32), 0, 0});
    storeElement(*format, out, i,
                 APInt(32, words[i % 4])
                     .lshr(32 - type.getWidth())
                     .trunc(type.getWidth()));
  }
  return success();
}
