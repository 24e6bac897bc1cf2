//===- ByteRegister.h - Codes in a register of bytes ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_X86_BYTEREGISTER_H
#define QUANT_FLOAT_LIB_EMULATION_X86_BYTEREGISTER_H

#include "../Lanes.h"
#include "quant-float/Support/FloatFormat.h"

namespace mlir::quant_float::x86 {

/// A register of SSE, AVX2 or AVX-512 with codes, which come from several
/// registers of wider elements. Packs do that lane by lane, which gives an
/// order that only the last step, `inOrder`, makes good.
class ByteRegister {
public:
  /// `wide` has as many elements as the register has bytes.
  ByteRegister(Lanes &lanes, Value wide);
  /// A register of `size` bytes, of which the codes may fill half.
  ByteRegister(Lanes &lanes, Value wide, int64_t size);

  /// The registers of a vector with as many elements as there are codes.
  SmallVector<Value, 4> split(Value wide);
  /// An intrinsic by its name without extension and size.
  Value call(StringRef name, Type type, ValueRange operands);
  /// Two registers of i32 as one of words, saturated.
  Value packWords(ArrayRef<Value> pair);
  /// The elements of two or four registers as bytes, saturated as signed
  /// numbers; or as unsigned ones from words on.
  Value pack(ArrayRef<Value> registers, bool isUnsigned);
  /// What has been packed of so many registers, or the codes of the first ones
  /// of them.
  Value inOrder(Value packed, int64_t registers);
  Value inOrder(Value packed, int64_t registers, int64_t taken);

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

  /// Bytes, which may be in another order.
  Lanes bytes;

private:
  int64_t size;
};

} // namespace mlir::quant_float::x86

#endif // QUANT_FLOAT_LIB_EMULATION_X86_BYTEREGISTER_H
