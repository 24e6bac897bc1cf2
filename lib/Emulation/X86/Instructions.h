//===- Instructions.h - Conversions by instructions of x86 ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_X86_INSTRUCTIONS_H
#define QUANT_FLOAT_LIB_EMULATION_X86_INSTRUCTIONS_H

#include "../ConversionRow.h"

namespace mlir {
class Operation;
class RewritePatternSet;
} // namespace mlir

// What the rows of Conversions.def name.
namespace mlir::quant_float::x86 {

//===- DecodeByTables.cpp -------------------------------------------------===//

/// Narrow floats to wider ones by look-up.
Value decodeByTables(Lanes &lanes, Value codes, const Conversion &conversion);

//===- EncodeByTables.cpp -------------------------------------------------===//

/// f16 and bf16 to signed narrow floats by look-up.
Value encodeByTables(Lanes &lanes, Value part, const Conversion &conversion);

//===- Float8.cpp ---------------------------------------------------------===//

using Convert = llvm::function_ref<Value(Value)>;

/// f16 to float8.
Value encodeHalf(Lanes &lanes, Value half, const Conversion &conversion);
/// f32 to float8.
Value encodeSingle(Lanes &lanes, Value value, const Conversion &conversion);
/// C5: f8E5M2 keeps a bit of a NaN's payload.
Value finishBFloat8(Lanes &lanes, Convert convert, Value value,
                    const Conversion &conversion);
/// f8E4M3FN to f16.
Value decodeHalfFloat8(Lanes &lanes, Value codes, const Conversion &conversion);
/// C7: the code of NaN is taken for a payload.
Value finishHalf(Lanes &lanes, Convert convert, Value codes,
                 const Conversion &conversion);

//===- RoundToBytes.cpp ---------------------------------------------------===//

/// f32 to the nearest integers, plus a zero point, of at most 8 bits.
Value roundToBytes(Lanes &lanes, Value part, const Conversion &conversion);

//===- NarrowByPermutes.cpp -----------------------------------------------===//

/// Truncations of vectors by permutes of AVX-512 VBMI, with what they truncate.
void populateNarrowByPermutesPatterns(RewritePatternSet &patterns);

/// Casts to f32 of differences between bytes that are small, of AVX2's
/// registers and of constants.
void populateDifferencePatterns(const EmulationTarget &target,
                                RewritePatternSet &patterns);

/// In loops over blocks makes the reciprocals of scales a round ahead.
void prepareAhead(Operation *root);

} // namespace mlir::quant_float::x86

#endif // QUANT_FLOAT_LIB_EMULATION_X86_INSTRUCTIONS_H
