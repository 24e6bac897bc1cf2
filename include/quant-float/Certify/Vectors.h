//===- Vectors.h - Conformance vectors --------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conformance vectors, for anybody's library: what the oracle says of inputs
// that have names.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_VECTORS_H
#define QUANT_FLOAT_CERTIFY_VECTORS_H

#include "quant-float/Certify/Conversion.h"
#include "llvm/Support/Error.h"

namespace mlir::quant_float::certify {

/// One input and its output.
struct VectorRow {
  uint64_t input = 0, scale = 0, zeroPoint = 0, output = 0;
  /// What is special about the input; empty: nothing.
  std::string name;
  /// Of docs/rules.md.
  StringRef rule;
};

/// One conversion.
struct VectorTable {
  Conversion conversion;
  /// Who defines it.
  std::vector<StringRef> standards;
  /// Every code of the input's type, in order.
  bool isComplete = false;
  std::vector<VectorRow> rows;
};

/// All conversions with tables: of ONNX, OCP's FP8 and MX, and OpenVINO's
/// FakeConvert.
std::vector<VectorTable> makeVectors();

/// Writes vectors.json and the .npy files that it names to a folder, which is
/// made; returns how many tables and rows there are.
llvm::Expected<std::pair<size_t, size_t>> writeVectors(StringRef folder);

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_VECTORS_H
