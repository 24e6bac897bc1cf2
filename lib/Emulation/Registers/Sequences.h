//===- Sequences.h - Conversions in registers of bytes ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_REGISTERS_SEQUENCES_H
#define QUANT_FLOAT_LIB_EMULATION_REGISTERS_SEQUENCES_H

#include "../ConversionRow.h"

// What the rows of Conversions.def name: sequences of ordinary instructions,
// which x86 has from SSE2 or SSSE3 on, and NEON too.
namespace mlir::quant_float::registers {

/// Narrow floats to wider ones, of which the upper 16 bits are computed. They
/// are signed, with fewer than 15 codes that are no normal numbers.
Value decodeByWords(Lanes &lanes, Value codes, const Conversion &conversion);

/// The same narrow floats by SSE2 alone; to f16 f8E5M2 and those whose numbers
/// but zero are all normal ones of it.
Value decodeByProducts(Lanes &lanes, Value codes, const Conversion &conversion);

/// f32 to bf16.
Value encodeBFloat(Lanes &lanes, Value part, const Conversion &conversion);

/// f32 and bf16 to signed narrow floats; f16 to those that have zero for all
/// that is no normal f16. Of x86 the 16-bit ones by SSE2 alone.
Value encodeByProducts(Lanes &lanes, Value part, const Conversion &conversion);

/// f16 and bf16 to signed narrow floats of at most three mantissa bits, in
/// bytes. The smallest normal number must be one of f16.
Value encodeBySegments(Lanes &lanes, Value part, const Conversion &conversion);

} // namespace mlir::quant_float::registers

#endif // QUANT_FLOAT_LIB_EMULATION_REGISTERS_SEQUENCES_H
