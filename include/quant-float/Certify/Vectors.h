//===- Vectors.h - Conformance vectors --------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conformance vectors for other libraries: the oracle's results for named
// inputs.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_VECTORS_H
#define QUANT_FLOAT_CERTIFY_VECTORS_H

#include "quant-float/Certify/Conversion.h"
#include "llvm/Support/Error.h"

namespace mlir::quant_float::certify {

/// One input and its output, as encodings.
struct VectorRow {
  uint64_t input = 0, scale = 0, zeroPoint = 0, output = 0;
  /// What is special about the input. Empty if it is not special.
  std::string name;
  /// The label of the rule in docs/rules.md.
  StringRef rule;
  /// The random bits of a stochastic rounding.
  uint64_t random = 0;

  Parameters getParameters() const { return {scale, zeroPoint, random}; }
};

/// The vectors of one conversion.
struct VectorTable {
  Conversion conversion;
  /// The standards that define the conversion.
  std::vector<StringRef> standards;
  /// Whether the rows are all encodings of the input type, in order.
  bool isComplete = false;
  std::vector<VectorRow> rows;
};

/// Returns the tables of all conversions that ONNX, OCP's FP8 and MX,
/// OpenVINO's FakeConvert, and IEEE P3109/D1 define, and of the rules of
/// blocks.
std::vector<VectorTable> makeVectors();

/// The offsets of a matrix of scales in the layout of a matmul kernel (B9).
struct LayoutTable {
  StringRef layout;
  /// The standard that defines the layout.
  StringRef standard;
  int64_t rows, columns, paddedRows, paddedColumns;
  /// For each scale, in row-major order, its offset.
  std::vector<uint64_t> offsets;
};

/// Returns the tables of all layouts, for matrices with partial tiles.
std::vector<LayoutTable> makeLayoutVectors();

/// Creates a folder and writes vectors.json and the .npy files that it refers
/// to. Returns the numbers of tables and rows.
llvm::Expected<std::pair<size_t, size_t>> writeVectors(StringRef folder);

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_VECTORS_H
