//===- Casts.h - The steps of a cast ----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cast has two steps: it decodes the source to its exact value, an APFloat,
// and rounds this value once to the destination (C1). Casts between integers
// operate on the bits instead.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_REFERENCE_CASTS_H
#define QUANT_FLOAT_LIB_REFERENCE_CASTS_H

#include "Formats.h"
#include "quant-float/Reference/Cast.h"

namespace mlir::quant_float::reference {

/// Returns the semantics of exact values: f64, which represents every narrow
/// float, every f8E8M0FNU and every integer of up to 32 bits, or quad for
/// 64-bit integers.
const llvm::fltSemantics &getExactSemantics(const Format &from);

// Return the exact value of the source. NaNs become quiet and keep their sign.
llvm::APFloat decode(const Format &from, const llvm::APInt &bits);
llvm::APFloat decodeIEEE(const Format &from, const llvm::APInt &bits);
llvm::APFloat decodeNarrow(const Format &from, const llvm::APInt &bits);
llvm::APFloat decodeScale(const Format &from, const llvm::APInt &bits);
llvm::APFloat decodeInteger(const Format &from, const llvm::APInt &bits);

// Round a value to the destination. The value may be a quad that was rounded to
// odd.
llvm::APInt roundElement(const Format &to, const llvm::APFloat &value,
                         const CastOptions &options);
llvm::APInt roundToIEEE(const Format &to, llvm::APFloat value);
llvm::APInt roundToNarrow(const Format &to, const llvm::APFloat &value,
                          const CastOptions &options);
/// Returns the encoding of a rounded magnitude, which may overflow.
llvm::APInt finishNarrow(const Format &to, const llvm::APInt &magnitude,
                         bool negative, const CastOptions &options);
/// Rounds stochastically (S2). The width of `random` is the number of random
/// bits.
llvm::APInt roundToNarrowByRandomBits(const Format &to,
                                      const llvm::APFloat &value,
                                      const llvm::APInt &random,
                                      const CastOptions &options);
llvm::APInt roundToScale(const llvm::APFloat &value,
                         const CastOptions &options);
llvm::APInt truncateToInteger(const Format &to, const llvm::APFloat &value);
llvm::APInt testNonZero(const llvm::APFloat &value);

/// Converts an integer or bool to an integer or bool.
llvm::APInt resizeInteger(const Format &from, const Format &to,
                          const llvm::APInt &bits);

/// Converts one element as OpenVINO's Convert does.
llvm::APInt castByOpenVino(const Format &from, const Format &to,
                           const llvm::APInt &bits);

/// Rounds and saturates an f64 as IEEE P3109/D1 does, and encodes it. `random`
/// is required by the stochastic roundings; its width is the number of random
/// bits.
llvm::APInt projectValue(const Format &to, llvm::APFloat value,
                         const Projection &projection,
                         const llvm::APInt *random = nullptr);
/// Converts one element.
llvm::APInt project(const Format &from, const Format &to,
                    const llvm::APInt &bits, const Projection &projection,
                    const llvm::APInt *random = nullptr);

/// Casts one element.
llvm::APInt castElement(const Format &from, const Format &to,
                        const llvm::APInt &bits, const CastOptions &options);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_LIB_REFERENCE_CASTS_H
