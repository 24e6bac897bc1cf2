//===- Elements.h - Elements of tensors -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_COMMON_ELEMENTS_H
#define QUANT_FLOAT_LIB_TARGET_COMMON_ELEMENTS_H

#include "Bytes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "quant-float/Support/BufferSize.h"
#include <string>

namespace mlir::quant_float::target {

/// "[2, ?, 3]".
std::string spellShape(ArrayRef<int64_t> dims);

/// Bytes that one element takes in a buffer; 0 for strings.
unsigned getSlotBytes(Type elementType);

/// Bits that one element takes in a file; 0 for strings.
unsigned getPackedBits(Type elementType);

/// Bytes that packed elements of so many bits take in a file.
uint64_t getPackedSize(unsigned bits, int64_t count);

/// A tensor's elements, one per byte-rounded slot, little endian: i1 one byte 0
/// or 1, i4 and i2 sign-extended, other narrow types zero-extended codes. Or
/// packed, as the file has them.
struct DecodedTensor {
  Type elementType;
  SmallVector<int64_t> dims;
  int64_t count = 0;
  SharedBytes slots;
  bool isPacked = false;
  /// The elements instead of `slots`, when they are strings.
  SmallVector<StringRef> strings;
};

/// Whether so many elements stay packed where the file has them so: those of
/// large constants, whose attribute then has fewer bytes than elements.
bool staysPacked(Type elementType, int64_t count);

/// "tensor<2x3xf32>", or less precisely for absurd ranks.
std::string spellTensor(Type elementType, ArrayRef<int64_t> dims);

/// Whether there was no memory for the elements.
bool isMissing(const DecodedTensor &tensor);

/// The bytes, copied where elements of the type cannot be read in their place.
SharedBytes alignBytes(SharedBytes bytes, Type elementType);

/// The attribute that holds the elements, which must not be missing; none where
/// there is no memory to align them.
ElementsAttr makeElementsAttr(DecodedTensor tensor, StringRef name);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_TARGET_COMMON_ELEMENTS_H
