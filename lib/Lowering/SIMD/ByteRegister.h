//===- ByteRegister.h - Encodings in a register of bytes --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_SIMD_BYTEREGISTER_H
#define QUANT_FLOAT_LIB_LOWERING_SIMD_BYTEREGISTER_H

#include "../VectorBuilder.h"
#include "quant-float/Support/FloatFormat.h"

namespace mlir::quant_float::simd {

/// Whether the target has NEON instead of x86's registers.
inline bool isNeon(const VectorBuilder &lanes) {
  return lanes.getTarget().machine == Machine::AArch64;
}

/// Looks up bytes in a table of 16 bytes. On x86, an index with the top bit set
/// gives 0, and the three bits below it are ignored. On NEON, an index out of
/// range gives 0.
Value lookUp(VectorBuilder &lanes, ArrayRef<uint8_t> table, Value indices);

/// NEON only: returns `entry` for bytes of `indices` that are 0, and the byte
/// of `bytes` for those that are -1.
Value lookUpOver(VectorBuilder &lanes, Value bytes, uint8_t entry,
                 Value indices);

/// Returns the upper or lower halves of the elements of two registers: one
/// permute of AVX-512, or UZP2 or UZP1 of NEON.
Value pickHalves(VectorBuilder &lanes, ArrayRef<Value> pair, bool isUpper);

/// Computes a register of SSE, AVX2, AVX-512 or NEON with encodings from
/// several registers of wider elements. The pack instructions of x86 operate on
/// 128-bit lanes, so the bytes are permuted until `inOrder` restores their
/// order at the end. NEON preserves the order.
class ByteRegister {
public:
  /// `wide` has as many elements as the register has bytes.
  ByteRegister(VectorBuilder &lanes, Value wide);
  /// A register of `size` bytes. The encodings may fill only half of it.
  ByteRegister(VectorBuilder &lanes, Value wide, int64_t size);

  /// Splits a vector, which has one element for each encoding, into registers.
  SmallVector<Value, 4> split(Value wide);
  /// Calls an intrinsic of x86 by its name without extension and size.
  Value call(StringRef name, Type type, ValueRange operands);
  /// x86 only: packs two registers of i32 to one of i16 with signed saturation.
  Value packToI16(ArrayRef<Value> pair);
  /// x86 only: packs the upper halves of two registers of i32.
  Value packUpperToI16(ArrayRef<Value> pair);
  /// x86 only: packs the elements of two or four registers to bytes with signed
  /// saturation, or with unsigned saturation from i16 to bytes.
  Value pack(ArrayRef<Value> registers, bool isUnsigned);
  /// Shifts two registers of i16 right and packs them to bytes with unsigned
  /// saturation. No element may exceed 0x7FFF.
  Value narrow(ArrayRef<Value> i16Vectors, unsigned shift);
  /// AVX-512 VBMI only: packs the elements of two registers of i32 to i16 with
  /// unsigned saturation.
  Value packToUnsignedI16(ArrayRef<Value> pair);
  /// AVX-512 VBMI only: returns the upper bytes of two registers of i16 that
  /// have been packed from four registers, in the order of these.
  Value pickUpperInOrder(ArrayRef<Value> i16Vectors);
  /// Returns the lowest `count` bits of the elements of two registers of i16.
  Value getLowest(ArrayRef<Value> i16Vectors, unsigned count);
  /// Packs masks of two or four registers, whose elements are 0 or -1, to
  /// bytes.
  Value packMasks(SmallVector<Value, 4> masks);
  /// Returns bytes whose top bits are the signs of the elements of two or four
  /// registers.
  Value packSigns(SmallVector<Value, 4> registers);
  /// Restores the order of the bytes that have been packed from `registers`
  /// registers. The second overload returns only the encodings of the first
  /// `taken` registers.
  Value inOrder(Value packed, int64_t registers);
  Value inOrder(Value packed, int64_t registers, int64_t taken);

  bool isNeon() const { return simd::isNeon(bytes); }

  /// Whether any element of a vector of i1 is true.
  Value any(Value condition);
  /// Whether any of the floats with these bits is NaN. On x86, the number of
  /// registers must be even.
  Value anyUnordered(ArrayRef<Value> registers);

  /// Adds `number` to the encodings for which `mask` is -1 instead of 0.
  Value addWhere(Value mask, Value encodings, unsigned number);
  /// Subtracts `excess` from the encodings of magnitudes of `to` and sets their
  /// signs (C6, C8). `signs` is the result of packSigns.
  Value putSign(Value encodings, unsigned excess, Value signs,
                const FloatFormat &to);
  /// As above, for x86 and encodings in which all bits from the sign bit upward
  /// are set. `signs` is the result of packSigns.
  Value putSign(Value encodings, Value signs, const FloatFormat &to);

  /// Builds ops on bytes, whose order may be permuted.
  VectorBuilder bytes;

private:
  int64_t size;
};

} // namespace mlir::quant_float::simd

#endif // QUANT_FLOAT_LIB_LOWERING_SIMD_BYTEREGISTER_H
