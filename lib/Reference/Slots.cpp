//===- Slots.cpp - Elements in memory -------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Slots.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::reference;
using llvm::APInt;

size_t reference::getSlotSize(const Format &format) {
  return (format.width + 7) / 8;
}

uint64_t reference::loadSlot(const Format &format, ArrayRef<char> buffer,
                             size_t index) {
  size_t size = getSlotSize(format);
  const char *bytes = buffer.data() + index * size;
  uint64_t slot = 0;
  for (size_t i = 0; i < size; ++i)
    slot |= uint64_t(uint8_t(bytes[i])) << (8 * i);
  return slot;
}

void reference::storeSlot(const Format &format, MutableArrayRef<char> buffer,
                          size_t index, uint64_t slot) {
  size_t size = getSlotSize(format);
  char *bytes = buffer.data() + index * size;
  for (size_t i = 0; i < size; ++i)
    bytes[i] = char(uint8_t(slot >> (8 * i)));
}

APInt reference::toBits(const Format &format, uint64_t slot) {
  return APInt(format.width, slot, /*isSigned=*/false, /*implicitTrunc=*/true);
}

uint64_t reference::toSlot(const Format &format, const APInt &bits) {
  if (format.kind == FormatKind::Integer && format.isSigned)
    return uint64_t(bits.getSExtValue());
  return bits.getZExtValue();
}
