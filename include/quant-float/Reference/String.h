//===- String.h - Reference string casts ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference semantics of casts from and to strings (docs/rules.md, C14),
// with arbitrary-precision integers and by trial. It is slow and shares no code
// with the runtime of compiled code.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REFERENCE_STRING_H
#define QUANT_FLOAT_REFERENCE_STRING_H

#include "quant-float/Reference/Cast.h"
#include <string>

namespace mlir::quant_float::reference {

/// Returns the shortest decimal string without an exponent that parses to the
/// element with these bits, and the nearest one of several; or "NaN", "INF" or
/// "-INF". The type must be supported.
std::string printString(Type from, const llvm::APInt &bits);

/// Returns the element that the exact number in `string` is rounded to, once;
/// nullopt if the string is not a number. The type must be supported.
std::optional<llvm::APInt> parseString(Type to, StringRef string,
                                       const CastOptions &options);

/// Returns the strings of a buffer of elements, in the layout of castBuffer.
/// Fails if the type is not supported or the buffer does not hold full
/// elements.
FailureOr<std::vector<std::string>> printBuffer(Type from, ArrayRef<char> in);

/// Parses strings to elements. Fails if the type is not supported, if the
/// buffer does not hold the same number of elements, or if a string is not a
/// number; in the last case `invalid` is set to its index, otherwise to
/// nullopt.
LogicalResult parseBuffer(Type to, ArrayRef<StringRef> in,
                          MutableArrayRef<char> out, const CastOptions &options,
                          std::optional<size_t> &invalid);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_REFERENCE_STRING_H
