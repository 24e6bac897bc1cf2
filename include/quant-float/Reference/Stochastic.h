//===- Stochastic.h - Reference stochastic rounding -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference semantics of casts with stochastic rounding, and the generator
// of random bits (docs/rules.md, S). It only uses llvm::APFloat and integers.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REFERENCE_STOCHASTIC_H
#define QUANT_FLOAT_REFERENCE_STOCHASTIC_H

#include "quant-float/Reference/Cast.h"
#include <array>

namespace mlir::quant_float::reference {

/// Returns whether the type is valid for the random bits of stochastic rounding
/// (S1, S4): unsigned integers of 2, 4, 8 and 16 bits.
bool isRandomBits(Type type);

/// Returns whether a stochastic cast of these types is supported: from f32, f16
/// or bf16, to f16, bf16, float8 except f8E8M0FNU, float6 or float4.
bool canCastByRandomBits(Type from, Type random, Type to);

/// Casts one element with stochastic rounding (S2, I4). The types must be
/// supported, and the bit patterns must have their widths.
llvm::APInt castElementByRandomBits(Type from, Type to, const llvm::APInt &bits,
                                    const llvm::APInt &random,
                                    const CastOptions &options);

/// Casts a buffer with stochastic rounding, in the layout of castBuffer. Fails
/// without modifying `out` if the cast is not supported or the buffers do not
/// hold the same number of elements.
LogicalResult castBufferByRandomBits(Type from, Type random, Type to,
                                     ArrayRef<char> in, ArrayRef<char> bits,
                                     MutableArrayRef<char> out,
                                     const CastOptions &options);

/// Philox 4x32-10 (Salmon et al., 2011): returns four 32-bit random integers.
std::array<uint32_t, 4> philox(std::array<uint32_t, 2> key,
                               std::array<uint32_t, 4> counter);

/// Returns the random bits of the element with this linear index (S3). `width`
/// is from 2 to 32.
uint32_t philoxElement(unsigned width, uint64_t seed, uint64_t offset,
                       uint64_t index);

/// Fills a buffer with the random bits of elements of 2, 4, 8, 16 or 32 bits,
/// from index 0. Fails without modifying `out` for other widths and for partial
/// elements.
LogicalResult philoxBuffer(unsigned width, uint64_t seed, uint64_t offset,
                           MutableArrayRef<char> out);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_REFERENCE_STOCHASTIC_H
