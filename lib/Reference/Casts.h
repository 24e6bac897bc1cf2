//===- Casts.h - The steps of a cast ----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cast is two steps: the source's exact value as an APFloat, and the one
// rounding to the destination (C1). Only integers to integers go without the
// value, by their bits.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_REFERENCE_CASTS_H
#define QUANT_FLOAT_LIB_REFERENCE_CASTS_H

#include "Formats.h"
#include "quant-float/Reference/Cast.h"

namespace mlir::quant_float::reference {

/// The semantics of exact values: f64 holds every narrow float, every power of
/// two of f8E8M0FNU and every integer up to 32 bits; 64-bit integers take quad.
const llvm::fltSemantics &getExactSemantics(const Format &from);

// The source's exact value. NaNs come out quiet, with the source's sign.
llvm::APFloat decode(const Format &from, const llvm::APInt &bits);
llvm::APFloat decodeIEEE(const Format &from, const llvm::APInt &bits);
llvm::APFloat decodeNarrow(const Format &from, const llvm::APInt &bits);
llvm::APFloat decodeScale(const Format &from, const llvm::APInt &bits);
llvm::APFloat decodeInteger(const Format &from, const llvm::APInt &bits);

// The rounding to the destination. The value may be one of quad that has been
// rounded to odd.
llvm::APInt roundElement(const Format &to, const llvm::APFloat &value,
                         const CastOptions &options);
llvm::APInt roundToIEEE(const Format &to, llvm::APFloat value);
llvm::APInt roundToNarrow(const Format &to, const llvm::APFloat &value,
                          const CastOptions &options);
/// What becomes of a magnitude that has been rounded.
llvm::APInt finishNarrow(const Format &to, const llvm::APInt &magnitude,
                         bool negative, const CastOptions &options);
/// S2, of random bits that are as many as `random` is wide.
llvm::APInt roundToNarrowByRandomBits(const Format &to,
                                      const llvm::APFloat &value,
                                      const llvm::APInt &random,
                                      const CastOptions &options);
llvm::APInt roundToScale(const llvm::APFloat &value,
                         const CastOptions &options);
llvm::APInt truncateToInteger(const Format &to, const llvm::APFloat &value);
llvm::APInt testNonZero(const llvm::APFloat &value);

/// Integer (or bool) to integer.
llvm::APInt resizeInteger(const Format &from, const Format &to,
                          const llvm::APInt &bits);

/// One element between two formats, as OpenVINO's Convert has it.
llvm::APInt castByOpenVino(const Format &from, const Format &to,
                           const llvm::APInt &bits);

/// One element between two formats.
llvm::APInt castElement(const Format &from, const Format &to,
                        const llvm::APInt &bits, const CastOptions &options);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_LIB_REFERENCE_CASTS_H
