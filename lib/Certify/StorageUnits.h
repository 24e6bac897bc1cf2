//===- StorageUnits.h - Storage units of elements ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CERTIFY_STORAGEUNITS_H
#define QUANT_FLOAT_LIB_CERTIFY_STORAGEUNITS_H

#include "quant-float/Certify/Oracle.h"
#include <cstring>
#include <vector>

namespace mlir::quant_float::certify {

/// The storage units of a tensor.
using Slots = std::vector<uint8_t>;

/// Sign-extends a signed integer of less than 8 bits to its byte.
inline uint64_t extend(const Format &format, uint64_t code) {
  bool isNegative =
      format.kind == Format::Kind::Signed && (code & format.getSignBit());
  return isNegative ? code | ~format.getMask() : code;
}

inline void write(const Format &format, Slots &slots, size_t index,
                  uint64_t code) {
  size_t size = format.getSlotSize();
  code = extend(format, code);
  memcpy(slots.data() + index * size, &code, size);
}

inline uint64_t read(const Format &format, const Slots &slots, size_t index) {
  uint64_t code = 0;
  size_t size = format.getSlotSize();
  memcpy(&code, slots.data() + index * size, size);
  return code;
}

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_LIB_CERTIFY_STORAGEUNITS_H
