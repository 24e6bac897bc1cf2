//===- Numbers.h - The numbers of tensors and their statistics --*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_REPORT_NUMBERS_H
#define QUANT_FLOAT_LIB_REPORT_NUMBERS_H

#include "quant-float/Report/Report.h"

namespace mlir::quant_float {

/// Returns the elements of a numeric tensor. The conversion is exact except for
/// 64-bit integers.
llvm::Expected<std::vector<double>> readNumbers(const Tensor &tensor,
                                                Type type);

/// The numbers that a storage type represents: a type of at most 8 bits, or an
/// integer type of 16 bits.
class StorageRange {
public:
  explicit StorageRange(Type type);

  double getMin() const { return min; }
  double getMax() const { return max; }
  /// Returns the exponent of the greatest number.
  int getMaxExponent() const;
  bool isInteger() const { return !mantissaBits; }
  /// Rounds to the nearest number, ties to even. Clamps to the range. The
  /// argument must not be NaN.
  double round(double number) const;

private:
  double min, max;
  /// Only for floating-point types.
  std::optional<int> mantissaBits;
  int minExponent = 0;
};

NumberDifference compareNumbers(ArrayRef<double> before,
                                ArrayRef<double> after);

/// Fills in the statistics of single elements. `before` is empty if those
/// numbers are unknown. `quantized` has the values before dequantization.
void countElements(QuantizationReport &report, Type storage,
                   ArrayRef<int64_t> sizes, ArrayRef<double> before,
                   ArrayRef<double> after, ArrayRef<double> quantized);

void describeScales(QuantizationReport &report, ArrayRef<double> scales);

/// Returns the errors of the alternative formats. Tensors of more than 65536
/// elements are sampled by evenly spaced rows.
std::vector<Alternative> findAlternatives(MLIRContext *context,
                                          ArrayRef<int64_t> sizes,
                                          ArrayRef<double> numbers);

/// Returns the errors of the formats of WeightFormats.def with each rule that
/// they permit. Tensors of more than 8192 elements are sampled by evenly spaced
/// rows, whose scales are those of the whole tensor.
std::vector<BlockAlternative> findBlockAlternatives(MLIRContext *context,
                                                    ArrayRef<int64_t> sizes,
                                                    ArrayRef<double> numbers);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_REPORT_NUMBERS_H
