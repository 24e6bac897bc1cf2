//===- CastBuffer.cpp - Whole buffers -------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Casts.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APInt;

static size_t getSlotSize(const Format &format) {
  return (format.width + 7) / 8;
}

static uint64_t loadSlot(const char *slot, size_t size) {
  uint64_t value = 0;
  for (size_t i = 0; i < size; ++i)
    value |= uint64_t(uint8_t(slot[i])) << (8 * i);
  return value;
}

static void storeSlot(char *slot, size_t size, uint64_t value) {
  for (size_t i = 0; i < size; ++i)
    slot[i] = char(uint8_t(value >> (8 * i)));
}

/// The bits of one slot to the bits of another. i4 and i2 fill their byte with
/// their sign; everything else narrower than a byte is zero-extended.
static uint64_t castSlot(const Format &from, const Format &to, uint64_t slot,
                         bool isIdentity, const CastOptions &options) {
  APInt bits(from.width, slot, /*isSigned=*/false, /*implicitTrunc=*/true);
  APInt result = isIdentity ? bits : castElement(from, to, bits, options);
  if (to.kind == FormatKind::Integer && to.isSigned)
    return uint64_t(result.getSExtValue());
  return result.getZExtValue();
}

LogicalResult reference::castBuffer(Type from, Type to, ArrayRef<char> in,
                                    MutableArrayRef<char> out,
                                    const CastOptions &options) {
  std::optional<Format> fromFormat = getFormat(from);
  std::optional<Format> toFormat = getFormat(to);
  if (!fromFormat || !toFormat)
    return failure();
  size_t inSize = getSlotSize(*fromFormat);
  size_t outSize = getSlotSize(*toFormat);
  size_t count = in.size() / inSize;
  if (count * inSize != in.size() || count * outSize != out.size())
    return failure();

  bool isIdentity = from == to; // V7
  auto cast = [&](uint64_t slot) {
    return castSlot(*fromFormat, *toFormat, slot, isIdentity, options);
  };

  // With more elements than the source has codes every code is cast once.
  SmallVector<uint64_t, 0> table;
  uint64_t codes = uint64_t(1) << std::min(fromFormat->width, 63u);
  if (fromFormat->width <= 16 && count > codes) {
    table.reserve(codes);
    for (uint64_t code = 0; code < codes; ++code)
      table.push_back(cast(code));
  }
  for (size_t i = 0; i < count; ++i) {
    uint64_t slot = loadSlot(in.data() + i * inSize, inSize);
    uint64_t result = table.empty() ? cast(slot) : table[slot & (codes - 1)];
    storeSlot(out.data() + i * outSize, outSize, result);
  }
  return success();
}
