//===- Instructions.h - Conversions by instructions of Arm ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_AARCH64_INSTRUCTIONS_H
#define QUANT_FLOAT_LIB_EMULATION_AARCH64_INSTRUCTIONS_H

#include "../ConversionRow.h"

// What the rows of Conversions.def name. The register FPMR says which formats
// the instructions mean, and a power of two to multiply by: what finishes a
// vector writes it in front of them.
namespace mlir::quant_float::aarch64 {

/// Sixteen f32 or f16 to float8. Every NaN loses its sign.
Value encodeFloat8(Lanes &lanes, Value part, const Conversion &conversion);
/// Sixteen bf16 to float8, with SVE2.
Value encodeFloat8FromBFloat(Lanes &lanes, Value part,
                             const Conversion &conversion);
/// Gives NaNs their signs. A product with a power of two is left to the
/// instruction.
Value finishEncoded(Lanes &lanes, function_ref<Value(Value)> convert,
                    Value value, const Conversion &conversion);
/// Sixteen float8 to f16 or bf16, which have no sign either where they are NaN.
Value decodeToHalf(Lanes &lanes, Value part, const Conversion &conversion);
Value decodeToBFloat(Lanes &lanes, Value part, const Conversion &conversion);
/// Gives NaNs their signs, and makes wider floats.
Value finishDecoded(Lanes &lanes, function_ref<Value(Value)> convert,
                    Value value, const Conversion &conversion);

} // namespace mlir::quant_float::aarch64

#endif // QUANT_FLOAT_LIB_EMULATION_AARCH64_INSTRUCTIONS_H
