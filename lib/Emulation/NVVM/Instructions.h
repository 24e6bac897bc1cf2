//===- Instructions.h - Conversion instructions of PTX ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_NVVM_INSTRUCTIONS_H
#define QUANT_FLOAT_LIB_EMULATION_NVVM_INSTRUCTIONS_H

#include "../ConversionRow.h"

// What the rows of Conversions.def name.
namespace mlir::quant_float::nvvm {

using Convert = llvm::function_ref<Value(Value)>;

//===- Instructions.cpp ---------------------------------------------------===//

/// Pairs of f32 to bytes.
Value encodeByte(Lanes &lanes, Value pair, const Conversion &conversion);
Value encodeFloat8FromHalf(Lanes &lanes, Value pair,
                           const Conversion &conversion);
Value encodeScaleFromBFloat(Lanes &lanes, Value pair,
                            const Conversion &conversion);
Value encodeFloat6(Lanes &lanes, Value pair, const Conversion &conversion);
Value encodeFloat4(Lanes &lanes, Value pair, const Conversion &conversion);

/// Pairs of bytes to f16, or to bf16 for scales.
Value decodeFloat8(Lanes &lanes, Value codes, const Conversion &conversion);
Value decodeScale(Lanes &lanes, Value codes, const Conversion &conversion);
Value decodeFloat6(Lanes &lanes, Value codes, const Conversion &conversion);
Value decodeFloat4(Lanes &lanes, Value codes, const Conversion &conversion);

//===- Corrections.cpp ----------------------------------------------------===//

/// C3, C5
Value finishFloat8(Lanes &lanes, Convert convert, Value value,
                   const Conversion &conversion);
/// C3 to C6, by the instructions for the types that are no FNUZ ones.
Value finishFNUZ(Lanes &lanes, Convert convert, Value value,
                 const Conversion &conversion);
/// C8
Value finishGrid(Lanes &lanes, Convert convert, Value value,
                 const Conversion &conversion);
/// C9
Value finishScale(Lanes &lanes, Convert convert, Value value,
                  const Conversion &conversion);
/// C7
Value finishDecoded(Lanes &lanes, Convert convert, Value codes,
                    const Conversion &conversion);

} // namespace mlir::quant_float::nvvm

#endif // QUANT_FLOAT_LIB_EMULATION_NVVM_INSTRUCTIONS_H
