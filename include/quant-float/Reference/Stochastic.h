//===- Stochastic.h - Reference stochastic rounding -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What casts by random bits give, and the generator of such bits (rules S of
// the semantics), computed on llvm::APFloat and integers alone.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REFERENCE_STOCHASTIC_H
#define QUANT_FLOAT_REFERENCE_STOCHASTIC_H

#include "quant-float/Reference/Cast.h"
#include <array>

namespace mlir::quant_float::reference {

/// Whether elements of the type are bits that round (S1, S4): unsigned integers
/// of 2, 4, 8 and 16 bits.
bool isRandomBits(Type type);

/// Whether there is a cast by random bits of these types: from f32 f16 bf16, to
/// f16, bf16, float8 but f8E8M0FNU, float6 and float4.
bool canCastByRandomBits(Type from, Type random, Type to);

/// Casts one element by random bits (S2). The types must be such, and the
/// patterns as wide as them.
llvm::APInt castElementByRandomBits(Type from, Type to, const llvm::APInt &bits,
                                    const llvm::APInt &random,
                                    const CastOptions &options);

/// Casts a buffer, in the way of castBuffer. Fails, leaving `out` as it was,
/// when there is no such cast or the buffers do not hold as many elements.
LogicalResult castBufferByRandomBits(Type from, Type random, Type to,
                                     ArrayRef<char> in, ArrayRef<char> bits,
                                     MutableArrayRef<char> out,
                                     const CastOptions &options);

/// Philox 4x32-10 (Salmon et al., 2011): four words of random bits.
std::array<uint32_t, 4> philox(std::array<uint32_t, 2> key,
                               std::array<uint32_t, 4> counter);

/// The random bits of the element that has this number (S3), of a width from 2
/// to 32.
uint32_t philoxElement(unsigned width, uint64_t seed, uint64_t offset,
                       uint64_t index);

/// Fills a buffer with the random bits of elements of 2, 4, 8, 16 or 32 bits,
/// counted from 0. Fails, leaving `out` as it was, for other widths and parts
/// of elements.
LogicalResult philoxBuffer(unsigned width, uint64_t seed, uint64_t offset,
                           MutableArrayRef<char> out);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_REFERENCE_STOCHASTIC_H
