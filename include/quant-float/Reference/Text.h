//===- Text.h - Reference string casts --------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a cast to or from a string gives (rule C14 of the semantics), by whole
// numbers of any size and trial: slow, and shares nothing with the runtime of
// compiled code.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_REFERENCE_TEXT_H
#define QUANT_FLOAT_REFERENCE_TEXT_H

#include "quant-float/Reference/Cast.h"
#include <string>

namespace mlir::quant_float::reference {

/// The shortest decimal number, without an exponent, that reads back to the
/// element with these bits, the nearest one of several; "NaN", "INF", "-INF".
/// The type must be supported.
std::string printText(Type from, const llvm::APInt &bits);

/// The element that the exact number in `text` is rounded to, once; none where
/// it is no number. The type must be supported.
std::optional<llvm::APInt> parseText(Type to, StringRef text,
                                     const CastOptions &options);

/// The texts of a buffer of elements, in slots as castBuffer has them. Fails
/// where the type is not supported or the buffer is not of whole elements.
FailureOr<std::vector<std::string>> printBuffer(Type from, ArrayRef<char> in);

/// The elements of texts. Fails where the type is not supported or the buffer
/// does not hold as many; of a text that is no number `invalid` becomes the
/// index, and is nothing otherwise.
LogicalResult parseBuffer(Type to, ArrayRef<StringRef> in,
                          MutableArrayRef<char> out, const CastOptions &options,
                          std::optional<size_t> &invalid);

} // namespace mlir::quant_float::reference

#endif // QUANT_FLOAT_REFERENCE_TEXT_H
