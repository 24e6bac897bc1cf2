//===- Sequences.h - SIMD conversion sequences ------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_SIMD_SEQUENCES_H
#define QUANT_FLOAT_LIB_LOWERING_SIMD_SEQUENCES_H

#include "../ConversionRow.h"

// Functions that Conversions.def names: sequences of common instructions, which
// x86 has from SSE2 or SSSE3 on, and also NEON.
namespace mlir::quant_float::simd {

//===----------------------------------------------------------------------===//
// DecodeByIntegers.cpp
//===----------------------------------------------------------------------===//

/// Decodes signed narrow floats with fewer than 15 encodings that are not
/// normal numbers. Computes the upper 16 bits of the results.
Value decodeByIntegers(VectorBuilder &lanes, Value encodings,
                       const Conversion &conversion);

//===----------------------------------------------------------------------===//
// DecodeByMultiply.cpp
//===----------------------------------------------------------------------===//

/// Decodes the same narrow floats with SSE2 only. Results of f16 require f8E5M2
/// or a type whose nonzero values are all normal in f16.
Value decodeByMultiply(VectorBuilder &lanes, Value encodings,
                       const Conversion &conversion);

//===----------------------------------------------------------------------===//
// EncodeBFloat.cpp
//===----------------------------------------------------------------------===//

/// Rounds f32 to bf16.
Value encodeBFloat(VectorBuilder &lanes, Value part,
                   const Conversion &conversion);

//===----------------------------------------------------------------------===//
// EncodeByMultiply.cpp
//===----------------------------------------------------------------------===//

/// Encodes f32 and bf16 to signed narrow floats, and f16 to those to which its
/// subnormals round to zero. On x86, f16 and bf16 are only encoded this way
/// with SSE2.
Value encodeByMultiply(VectorBuilder &lanes, Value part,
                       const Conversion &conversion);

//===----------------------------------------------------------------------===//
// EncodePiecewise.cpp
//===----------------------------------------------------------------------===//

/// Encodes f16 and bf16 to signed narrow floats with at most three mantissa
/// bits, in bytes. For f16, the smallest normal number must be normal in f16.
Value encodePiecewise(VectorBuilder &lanes, Value part,
                      const Conversion &conversion);

} // namespace mlir::quant_float::simd

#endif // QUANT_FLOAT_LIB_LOWERING_SIMD_SEQUENCES_H
