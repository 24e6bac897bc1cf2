//===- Npy.h - NumPy's file format ------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Versions 1 to 3 (P3). Narrow floats are their codes, one per byte, in |u1, or
// as ml_dtypes writes them; bfloat16 is <u2 or V2; int4 and int2 are |i1, uint4
// and uint2 |u1. Strings are <U, of as many code points as the longest one has,
// or |S, of bytes.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TENSORDATA_NPY_H
#define QUANT_FLOAT_TENSORDATA_NPY_H

#include "quant-float/TensorData/Elements.h"
#include <vector>

namespace mlir::quant_float {

/// What the bytes of a file hold.
struct NpyContents {
  SmallVector<int64_t> sizes;
  /// All elements, one per slot.
  StringRef data;
  /// Of strings the file says how many bytes each one takes.
  size_t textBytes = 0;
  /// Strings: code points of four bytes, rather than bytes.
  bool isUnicode = false;
  bool isBigEndian = false, isColumnMajor = false;
  /// The bits above a narrow integer's value are undefined.
  bool needsSignExtension = false;

  /// Whether `data` is as entry points take it.
  bool isAsWanted() const {
    return !isBigEndian && !isColumnMajor && !needsSignExtension;
  }
};

/// Reads the header and holds it against the element type and the number of
/// bytes.
llvm::Expected<NpyContents> parseNpy(StringRef bytes,
                                     const ElementInfo &element);

/// Writes the elements as entry points take them, row-major and in this
/// machine's byte order, to as many bytes as `data` has.
void convertNpy(const NpyContents &contents, const ElementInfo &element,
                void *slots);

/// The strings that the contents are. An error names the element that is none.
llvm::Expected<std::vector<std::string>>
readNpyTexts(const NpyContents &contents);

/// Why there is no such string in a file: it is no UTF-8, or ends with a zero,
/// which NumPy takes for no part of it.
llvm::Error checkNpyText(StringRef text);

/// A whole file of strings, which checkNpyText has nothing against.
std::string makeNpyTexts(ArrayRef<int64_t> sizes, ArrayRef<StringRef> texts);

/// What stands before the elements, which begin at a multiple of 64 bytes.
std::string makeNpyHeader(const ElementInfo &element, ArrayRef<int64_t> sizes);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TENSORDATA_NPY_H
