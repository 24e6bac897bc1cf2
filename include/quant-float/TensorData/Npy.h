//===- Npy.h - NumPy's file format ------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Versions 1 to 3 (P3). Narrow floats are stored as their encodings, one per
// byte, as |u1, or as ml_dtypes writes them; bfloat16 is <u2 or V2; int4 and
// int2 are |i1, uint4 and uint2 are |u1. Strings are <U, with the number of
// code points of the longest one, or |S, with bytes.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TENSORDATA_NPY_H
#define QUANT_FLOAT_TENSORDATA_NPY_H

#include "quant-float/TensorData/Elements.h"
#include <vector>

namespace mlir::quant_float {

/// The contents of a file.
struct NpyContents {
  SmallVector<int64_t> sizes;
  /// All elements, unpacked.
  StringRef data;
  /// For strings: the number of bytes per element in the file.
  size_t stringBytes = 0;
  /// For strings: whether elements are four-byte code points rather than bytes.
  bool isUnicode = false;
  bool isBigEndian = false, isColumnMajor = false;
  /// Whether the bits above the value of a narrow integer are undefined.
  bool needsSignExtension = false;

  /// Returns whether `data` has the layout of entry points.
  bool needsNoConversion() const {
    return !isBigEndian && !isColumnMajor && !needsSignExtension;
  }
};

/// Parses the header and checks it against the element type and the number of
/// bytes.
llvm::Expected<NpyContents> parseNpy(StringRef bytes,
                                     const ElementInfo &element);

/// Converts the elements to the layout of entry points, row-major and in the
/// host's byte order. `slots` has the same size as `data`.
void convertNpy(const NpyContents &contents, const ElementInfo &element,
                void *slots);

/// Returns the strings of the contents. An error names the invalid element.
llvm::Expected<std::vector<std::string>>
readNpyStrings(const NpyContents &contents);

/// Returns an error if a file cannot represent the string: it is not UTF-8, or
/// it ends with a zero byte, which NumPy does not treat as part of the string.
llvm::Error checkNpyString(StringRef string);

/// Returns the contents of a file of strings, all of which checkNpyString must
/// accept.
std::string makeNpyStrings(ArrayRef<int64_t> sizes,
                           ArrayRef<StringRef> strings);

/// Returns the header, whose size is a multiple of 64 bytes.
std::string makeNpyHeader(const ElementInfo &element, ArrayRef<int64_t> sizes);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TENSORDATA_NPY_H
