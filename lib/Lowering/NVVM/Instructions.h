//===- Instructions.h - Conversion instructions of PTX ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_NVVM_INSTRUCTIONS_H
#define QUANT_FLOAT_LIB_LOWERING_NVVM_INSTRUCTIONS_H

#include "../ConversionRow.h"

// Functions that Conversions.def names.
namespace mlir::quant_float::nvvm {

using Convert = llvm::function_ref<Value(Value)>;

//===- Instructions.cpp ---------------------------------------------------===//

/// Convert pairs of f32, f16 or bf16 to pairs of bytes.
Value encodeByte(VectorBuilder &lanes, Value pair,
                 const Conversion &conversion);
Value encodeFloat8FromHalf(VectorBuilder &lanes, Value pair,
                           const Conversion &conversion);
Value encodeScaleFromBFloat(VectorBuilder &lanes, Value pair,
                            const Conversion &conversion);
Value encodeFloat6(VectorBuilder &lanes, Value pair,
                   const Conversion &conversion);
Value encodeFloat4(VectorBuilder &lanes, Value pair,
                   const Conversion &conversion);

/// Convert pairs of bytes to f16, or to bf16 for scales.
Value decodeFloat8(VectorBuilder &lanes, Value encodings,
                   const Conversion &conversion);
Value decodeScale(VectorBuilder &lanes, Value encodings,
                  const Conversion &conversion);
Value decodeFloat6(VectorBuilder &lanes, Value encodings,
                   const Conversion &conversion);
Value decodeFloat4(VectorBuilder &lanes, Value encodings,
                   const Conversion &conversion);

//===- Corrections.cpp ----------------------------------------------------===//

/// Corrects overflow (C3) and NaN (C5).
Value finishFloat8(VectorBuilder &lanes, Convert convert, Value value,
                   const Conversion &conversion);
/// Converts to FNUZ types (C3 to C6) by the instructions for their
/// counterparts.
Value finishFNUZ(VectorBuilder &lanes, Convert convert, Value value,
                 const Conversion &conversion);
/// Corrects NaN (C8).
Value finishGrid(VectorBuilder &lanes, Convert convert, Value value,
                 const Conversion &conversion);
/// Corrects negative values, overflow and NaN (C9).
Value finishScale(VectorBuilder &lanes, Convert convert, Value value,
                  const Conversion &conversion);
/// Corrects NaN (C7) and converts to the requested type.
Value finishDecoded(VectorBuilder &lanes, Convert convert, Value encodings,
                    const Conversion &conversion);

} // namespace mlir::quant_float::nvvm

#endif // QUANT_FLOAT_LIB_LOWERING_NVVM_INSTRUCTIONS_H
