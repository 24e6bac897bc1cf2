//===- Instructions.h - Conversions by instructions of RISC-V ---*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_RISCV_INSTRUCTIONS_H
#define QUANT_FLOAT_LIB_EMULATION_RISCV_INSTRUCTIONS_H

#include "../ConversionRow.h"

// What the rows of Conversions.def name.
namespace mlir::quant_float::riscv {

/// Sixteen f32 or bf16 to float8. Every NaN becomes 0x7F, as do what does not
/// saturate and is too large for E4M3, of either sign.
Value encodeFloat8(Lanes &lanes, Value part, const Conversion &conversion);
/// Gives these their signs, and E5M2 its NaN.
Value finishEncoded(Lanes &lanes, function_ref<Value(Value)> convert,
                    Value value, const Conversion &conversion);
/// Sixteen float8 to bf16, positive where they are NaN.
Value decodeFloat8(Lanes &lanes, Value part, const Conversion &conversion);
/// Gives NaNs their signs, and makes wider floats.
Value finishDecoded(Lanes &lanes, function_ref<Value(Value)> convert,
                    Value value, const Conversion &conversion);

} // namespace mlir::quant_float::riscv

#endif // QUANT_FLOAT_LIB_EMULATION_RISCV_INSTRUCTIONS_H
