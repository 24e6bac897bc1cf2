//===- QuantizeCases.h - Quantizations to compile ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_QUANTIZECASES_H
#define QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_QUANTIZECASES_H

#include "mlir/IR/BuiltinTypes.h"
#include "quant-float/Reference/Quantize.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::quant_float::test {

enum class QuantizeKind { Quantize, Dequantize, Qdq };

/// What is left open in a shape, and the sizes to run with.
struct Layout {
  const char *name;
  SmallVector<int64_t> shape;
  reference::Granularity granularity;
  std::vector<SmallVector<int64_t>> runs;
};

/// One function to compile.
struct QuantizeCase {
  QuantizeKind kind;
  /// `expressed` is x of quantize and qdq, the result of dequantize.
  Type expressed, scale, quantized;
  /// P, where the op says it.
  Type precision;
  bool hasZeroPoint = false;
  bool saturate = true;
  const Layout *layout;

  /// A C identifier that says all of the above.
  std::string getName() const;
  /// The function as text.
  std::string print() const;
  Type getInputType() const;
  Type getResultType() const;
  /// D2
  Type getPrecision() const;
};

/// What one call gets, and what it gives.
struct QuantizeRun {
  SmallVector<int64_t> sizes, scaleSizes;
  std::vector<char> input, scales, zeroPoints, expected;
  /// Per element: 0 where the code counts, 1 where any NaN does, 2 where any
  /// zero does (D8).
  std::vector<char> freedom;
};

/// Every quantized type in every layout; other types in one.
std::vector<QuantizeCase> makeQuantizeCases(MLIRContext &context);

/// Inputs around every place where a result changes, special values, and random
/// ones, for scales and zero points of all kinds.
QuantizeRun makeQuantizeRun(const QuantizeCase &one, size_t number);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_QUANTIZECASES_H
