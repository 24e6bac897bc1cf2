//===- QuantizeCases.h - Quantization cases ---------------------*- C++ -*-===//
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

/// A shape with dynamic sizes, and the sizes to run with.
struct Layout {
  const char *name;
  SmallVector<int64_t> shape;
  reference::Granularity granularity;
  std::vector<SmallVector<int64_t>> runs;
};

/// A function to compile.
struct QuantizeCase {
  QuantizeKind kind;
  /// `expressed` is the type of x for quantize and qdq, and of the result for
  /// dequantize.
  Type expressed, scale, quantized;
  /// The precision P; null if the op does not have the attribute.
  Type precision;
  bool hasZeroPoint = false;
  bool saturate = true;
  const Layout *layout;

  /// Returns a C identifier that describes all properties.
  std::string getName() const;
  /// Returns the function as MLIR text.
  std::string print() const;
  Type getInputType() const;
  Type getResultType() const;
  /// Returns the effective precision (D2).
  Type getPrecision() const;
};

/// The inputs and expected results of one call.
struct QuantizeRun {
  SmallVector<int64_t> sizes, scaleSizes;
  std::vector<char> input, scales, zeroPoints, expected;
  /// Per element: 0 if the encoding must match, 1 if any NaN is valid, 2 if any
  /// zero is valid (D8).
  std::vector<char> freedom;
};

/// Returns cases for every quantized type in every layout, and for other types
/// in one layout.
std::vector<QuantizeCase> makeQuantizeCases(MLIRContext &context);

/// Returns inputs around the thresholds at which a result changes, special
/// values, and random values, for scales and zero points of all kinds.
QuantizeRun makeQuantizeRun(const QuantizeCase &one, size_t number);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_QUANTIZECASES_H
