//===- ByteRegister.h - Codes in a register of bytes ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_REGISTERS_BYTEREGISTER_H
#define QUANT_FLOAT_LIB_EMULATION_REGISTERS_BYTEREGISTER_H

#include "../Lanes.h"
#include "quant-float/Support/FloatFormat.h"

namespace mlir::quant_float::registers {

/// Whether registers are those of NEON, not of x86.
inline bool isNeon(const Lanes &lanes) {
  return lanes.getTarget().machine == Machine::AArch64;
}

/// The entries of a table of 16 bytes in a register of bytes. On x86 the top
/// bit of an index gives 0, and the three below it do not count; on NEON all
/// that is no index gives 0.
Value lookUp(Lanes &lanes, ArrayRef<uint8_t> table, Value indices);

/// On NEON: `entry` where bytes of `indices` are 0 and `bytes` where they are
/// -1.
Value lookUpOver(Lanes &lanes, Value bytes, uint8_t entry, Value indices);

/// Of the elements of two registers the upper or lower halves: with AVX-512 one
/// permute, on NEON UZP2 or UZP1.
Value pickHalves(Lanes &lanes, ArrayRef<Value> pair, bool isUpper);

/// A register of SSE, AVX2, AVX-512 or NEON with codes, which come from several
/// registers of wider elements. Packs of x86 do that lane by lane, which gives
/// an order that only the last step, `inOrder`, makes good; NEON keeps it.
class ByteRegister {
public:
  /// `wide` has as many elements as the register has bytes.
  ByteRegister(Lanes &lanes, Value wide);
  /// A register of `size` bytes, of which the codes may fill half.
  ByteRegister(Lanes &lanes, Value wide, int64_t size);

  /// The registers of a vector with as many elements as there are codes.
  SmallVector<Value, 4> split(Value wide);
  /// An intrinsic of x86 by its name without extension and size.
  Value call(StringRef name, Type type, ValueRange operands);
  /// Two registers of i32 as one of words, saturated; x86 alone.
  Value packWords(ArrayRef<Value> pair);
  /// The upper words of two registers of i32; x86 alone.
  Value packUpperWords(ArrayRef<Value> pair);
  /// The elements of two or four registers as bytes, saturated as signed
  /// numbers; or as unsigned ones from words on. x86 alone.
  Value pack(ArrayRef<Value> registers, bool isUnsigned);
  /// Two registers of words, none above 0x7FFF, shifted right and saturated to
  /// unsigned bytes.
  Value narrow(ArrayRef<Value> words, unsigned shift);
  /// So many of the lowest bits of two registers of words.
  Value getLowest(ArrayRef<Value> words, unsigned count);
  /// The elements of two or four registers, 0 or -1, as bytes.
  Value packMasks(SmallVector<Value, 4> masks);
  /// Bytes whose top bits are the signs of the elements of two or four
  /// registers.
  Value packSigns(SmallVector<Value, 4> registers);
  /// What has been packed of so many registers, or the codes of the first ones
  /// of them.
  Value inOrder(Value packed, int64_t registers);
  Value inOrder(Value packed, int64_t registers, int64_t taken);

  bool isNeon() const { return registers::isNeon(bytes); }

  /// Whether any element of a vector of i1 is true.
  Value any(Value condition);
  /// Whether any of the floats with these bits, in an even number of registers,
  /// is a NaN.
  Value anyUnordered(ArrayRef<Value> registers);

  /// `codes` and `number` where the bytes of `isThere` are -1, not 0.
  Value addWhere(Value isThere, Value codes, unsigned number);
  /// C6, C8: magnitude codes of `to` that are too high by `excess`, with the
  /// signs of the elements of `registers`.
  Value putSign(Value codes, unsigned excess, ArrayRef<Value> registers,
                const FloatFormat &to);
  /// The same of x86 where all bits from the sign's on are set in `codes`, and
  /// `signs` are packed ones.
  Value putSign(Value codes, Value signs, const FloatFormat &to);

  /// Bytes, which may be in another order.
  Lanes bytes;

private:
  int64_t size;
};

} // namespace mlir::quant_float::registers

#endif // QUANT_FLOAT_LIB_EMULATION_REGISTERS_BYTEREGISTER_H
