//===- Unpack.h - Codes on their way to wider elements ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_REGISTERS_UNPACK_H
#define QUANT_FLOAT_LIB_EMULATION_REGISTERS_UNPACK_H

#include "../Lanes.h"
#include "quant-float/Support/FloatFormat.h"

namespace mlir::quant_float::registers {

/// C2, C7, C10: the bits of a code's value in `to`.
APInt decodeCode(const FloatFormat &from, FloatType to, unsigned code);

/// Whether the codes of `from` are the upper halves of f16.
bool areHalves(Type from);
/// Such as f16; where it matters NaNs get the one payload.
Value decodeHalves(Lanes &lanes, Value codes, const FloatFormat &from,
                   bool nanMatters);

/// A register of SSE, AVX2 or AVX-512 with codes that become elements of
/// several bytes. Unpacking doubles the size of elements, and does so 128-bit
/// lane by lane; for that codes are dealt out first.
class Unpacker {
public:
  /// `codes` fill the register.
  Unpacker(Lanes &lanes, Value codes);

  Value constant(ArrayRef<uint8_t> bytes);
  /// Deals the codes out to the lanes so that unpacking ends with all elements
  /// in order: the codes of the j-th register of results are the j-th group of
  /// each lane.
  Value deal(Value codes, int64_t resultBytes);
  /// Pairs of elements of `bytes` bytes, of `low` and of `high`, from the first
  /// and from the second half of each lane.
  std::array<Value, 2> unpack(Value low, Value high, int64_t bytes);
  /// The vector of elements of `bytes` bytes each that has the same bits.
  Value withElements(Value value, int64_t bytes);
  /// Registers of results as one vector.
  Value join(ArrayRef<Value> registers, FloatType to);

private:
  Lanes &lanes;
  int64_t size;
};

} // namespace mlir::quant_float::registers

#endif // QUANT_FLOAT_LIB_EMULATION_REGISTERS_UNPACK_H
