//===- Elements.h - Tensor elements -----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_INTERCHANGE_ELEMENTS_H
#define QUANT_FLOAT_LIB_INTERCHANGE_ELEMENTS_H

#include "Bytes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "quant-float/Support/BufferSize.h"
#include <string>

namespace mlir::quant_float::target {

/// Returns a string such as "[2, ?, 3]". Omits all but the first 16 sizes.
std::string spellShape(ArrayRef<int64_t> dims);

/// Returns the number of bytes of an element in an unpacked buffer; 0 for
/// strings.
unsigned getSlotBytes(Type elementType);

/// Returns the number of bits of an element in a file; 0 for strings.
unsigned getPackedBits(Type elementType);

/// Returns the number of bytes of `count` packed elements in a file.
uint64_t getPackedSize(unsigned bits, int64_t count);

/// The elements of a tensor, either packed as in the file, or each in a
/// separate storage unit of full bytes in little-endian order: i1 is a byte 0
/// or 1, i4 and i2 are sign-extended, and other narrow types are zero-extended
/// encodings.
struct DecodedTensor {
  Type elementType;
  SmallVector<int64_t> dims;
  int64_t count = 0;
  SharedBytes slots;
  bool isPacked = false;
  /// The elements of a string tensor, which has no `slots`.
  SmallVector<StringRef> strings;
};

/// Whether elements that are packed in a file stay packed. Only large constants
/// do; their attribute then has fewer bytes than elements.
bool staysPacked(Type elementType, int64_t count);

/// Returns a string such as "tensor<2x3xf32>". The sizes are abbreviated if the
/// rank is above 16.
std::string spellTensor(Type elementType, ArrayRef<int64_t> dims);

/// Whether memory allocation for the elements failed.
bool isMissing(const DecodedTensor &tensor);

/// Returns the bytes, or a copy if they are not aligned for the element type
/// and large enough to be referenced by an attribute.
SharedBytes alignBytes(SharedBytes bytes, Type elementType);

/// Creates the attribute that holds the elements, for which isMissing must be
/// false. Returns null if memory allocation for an aligned copy fails.
ElementsAttr makeElementsAttr(DecodedTensor tensor, StringRef name);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_INTERCHANGE_ELEMENTS_H
