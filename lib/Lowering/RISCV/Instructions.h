//===- Instructions.h - Conversion instructions of RISC-V -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_RISCV_INSTRUCTIONS_H
#define QUANT_FLOAT_LIB_LOWERING_RISCV_INSTRUCTIONS_H

#include "../ConversionRow.h"

// Functions that Conversions.def names.
namespace mlir::quant_float::riscv {

/// Converts sixteen f32 or bf16 to float8. Every NaN becomes 0x7F. For E4M3
/// without saturation, overflow of either sign becomes 0x7F, too.
Value encodeFloat8(VectorBuilder &lanes, Value part,
                   const Conversion &conversion);
/// Restores the signs of these results, and converts NaN to that of E5M2.
Value finishEncoded(VectorBuilder &lanes, function_ref<Value(Value)> convert,
                    Value value, const Conversion &conversion);
/// Converts sixteen float8 to bf16. NaNs become positive.
Value decodeFloat8(VectorBuilder &lanes, Value part,
                   const Conversion &conversion);
/// Restores the signs of NaNs and converts to wider floats.
Value finishDecoded(VectorBuilder &lanes, function_ref<Value(Value)> convert,
                    Value value, const Conversion &conversion);

} // namespace mlir::quant_float::riscv

#endif // QUANT_FLOAT_LIB_LOWERING_RISCV_INSTRUCTIONS_H
