//===- StorageUnits.h - Elements in memory ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each element of a buffer occupies an integral number of bytes, in
// little-endian order: i4 and i2 are sign-extended to a byte; ui4, ui2, float4
// and float6 are zero-extended encodings; i1 is a byte 0 or 1. Unused bits are
// ignored on reading.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_REFERENCE_STORAGEUNITS_H
#define QUANT_FLOAT_LIB_REFERENCE_STORAGEUNITS_H

#include "Formats.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/APInt.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::quant_float::reference {

inline size_t getSlotSize(const Format &format) {
  return (format.width + 7) / 8;
}

/// Returns whether the buffer has exactly the size of a tensor of these sizes.
inline bool holds(const Format &format, ArrayRef<char> buffer,
                  ArrayRef<int64_t> sizes) {
  uint64_t bytes = getSlotSize(format);
  for (int64_t size : sizes)
    bytes = size < 0 ? ~uint64_t(0)
                     : llvm::SaturatingMultiply(bytes, uint64_t(size));
  return buffer.size() == bytes;
}

/// Returns the bytes of the element at `index` as an integer.
inline uint64_t loadSlot(const Format &format, ArrayRef<char> buffer,
                         size_t index) {
  size_t size = getSlotSize(format);
  const char *bytes = buffer.data() + index * size;
  uint64_t slot = 0;
  for (size_t i = 0; i < size; ++i)
    slot |= uint64_t(uint8_t(bytes[i])) << (8 * i);
  return slot;
}

inline void storeSlot(const Format &format, MutableArrayRef<char> buffer,
                      size_t index, uint64_t slot) {
  size_t size = getSlotSize(format);
  char *bytes = buffer.data() + index * size;
  for (size_t i = 0; i < size; ++i)
    bytes[i] = char(uint8_t(slot >> (8 * i)));
}

// Conversions between the bits of an element and the bytes in memory.

inline llvm::APInt toBits(const Format &format, uint64_t slot) {
  return llvm::APInt(format.width, slot, /*isSigned=*/false,
                     /*implicitTrunc=*/true);
}

inline uint64_t toSlot(const Format &format, const llvm::APInt &bits) {
  if (format.kind == FormatKind::Integer && format.isSigned)
    return uint64_t(bits.getSExtValue());
  return bits.getZExtValue();
}

inline llvm::APInt loadElement(const Format &format, ArrayRef<char> buffer,
                               size_t index) {
  return toBits(format, loadSlot(format, buffer, index));
}
inline void storeElement(const Format &format, MutableArrayRef<char> buffer,
                         size_t index, const llvm::APInt &bits) {
  storeSlot(format, buffer, index, toSlot(format, bits));
}

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_LIB_REFERENCE_STORAGEUNITS_H
