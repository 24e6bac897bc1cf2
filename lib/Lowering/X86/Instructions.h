//===- Instructions.h - Conversion instructions of x86 ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_X86_INSTRUCTIONS_H
#define QUANT_FLOAT_LIB_LOWERING_X86_INSTRUCTIONS_H

#include "../ConversionRow.h"

namespace mlir {
class Operation;
class RewritePatternSet;
} // namespace mlir

// Functions that Conversions.def names.
namespace mlir::quant_float::x86 {

//===- DecodeByTables.cpp -------------------------------------------------===//

/// Decodes narrow floats by table lookup.
Value decodeByTables(VectorBuilder &lanes, Value encodings,
                     const Conversion &conversion);

//===- EncodeByTables.cpp -------------------------------------------------===//

/// Encodes f16 and bf16 to signed narrow floats by table lookup.
Value encodeByTables(VectorBuilder &lanes, Value part,
                     const Conversion &conversion);

//===- Float8.cpp ---------------------------------------------------------===//

using Convert = llvm::function_ref<Value(Value)>;

/// Converts f16 to float8.
Value encodeHalf(VectorBuilder &lanes, Value half,
                 const Conversion &conversion);
/// Converts f32 to float8.
Value encodeSingle(VectorBuilder &lanes, Value value,
                   const Conversion &conversion);
/// Canonicalizes NaNs (C5), because f8E5M2 preserves one bit of their payload.
Value finishBFloat8(VectorBuilder &lanes, Convert convert, Value value,
                    const Conversion &conversion);
/// Converts f8E4M3FN to f16.
Value decodeHalfFloat8(VectorBuilder &lanes, Value encodings,
                       const Conversion &conversion);
/// Canonicalizes NaNs (C7), because the instruction copies the bits of the
/// encoding to the payload.
Value finishHalf(VectorBuilder &lanes, Convert convert, Value encodings,
                 const Conversion &conversion);

//===- RoundToBytes.cpp ---------------------------------------------------===//

/// Rounds f32 to the nearest integers of at most 8 bits and adds a zero point.
Value roundToBytes(VectorBuilder &lanes, Value part,
                   const Conversion &conversion);

//===- NarrowByPermutes.cpp -----------------------------------------------===//

/// Patterns that replace vector truncations, and ops before them, by permutes
/// of AVX-512 VBMI.
void populateNarrowByPermutesPatterns(RewritePatternSet &patterns);

/// Patterns that convert differences of small bytes to f32.
void populateDifferencePatterns(const LoweringTarget &target,
                                RewritePatternSet &patterns);

/// Software-pipelines the reciprocals of scales in loops over blocks.
void pipelineReciprocals(Operation *root);

} // namespace mlir::quant_float::x86

#endif // QUANT_FLOAT_LIB_LOWERING_X86_INSTRUCTIONS_H
