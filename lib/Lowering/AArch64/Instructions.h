//===- Instructions.h - Conversion instructions of Arm ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_AARCH64_INSTRUCTIONS_H
#define QUANT_FLOAT_LIB_LOWERING_AARCH64_INSTRUCTIONS_H

#include "../ConversionRow.h"

// Functions that Conversions.def names. The register FPMR selects the formats
// of the instructions, and a power of two by which they multiply. The functions
// that finish a conversion write it before the instructions.
namespace mlir::quant_float::aarch64 {

/// Converts sixteen f32 or f16 to float8. NaNs lose their signs.
Value encodeFloat8(VectorBuilder &lanes, Value part,
                   const Conversion &conversion);
/// Converts sixteen bf16 to float8. Requires SVE2.
Value encodeFloat8FromBFloat(VectorBuilder &lanes, Value part,
                             const Conversion &conversion);
/// Restores the signs of NaNs. Folds a multiplication by a power of two into
/// the instruction.
Value finishEncoded(VectorBuilder &lanes, function_ref<Value(Value)> convert,
                    Value value, const Conversion &conversion);
/// Convert sixteen float8 to f16 or bf16. NaNs lose their signs.
Value decodeToHalf(VectorBuilder &lanes, Value part,
                   const Conversion &conversion);
Value decodeToBFloat(VectorBuilder &lanes, Value part,
                     const Conversion &conversion);
/// Restores the signs of NaNs and converts to wider floats.
Value finishDecoded(VectorBuilder &lanes, function_ref<Value(Value)> convert,
                    Value value, const Conversion &conversion);

} // namespace mlir::quant_float::aarch64

#endif // QUANT_FLOAT_LIB_LOWERING_AARCH64_INSTRUCTIONS_H
