//===- Numbers.h - Tensors as numbers, and what is said of them -*- C++ -*-===//
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

/// The elements of a tensor of numbers, exactly but for 64-bit integers.
llvm::Expected<std::vector<double>> readNumbers(const Tensor &tensor,
                                                Type type);

/// The numbers that a type of at most 8 bits, or an integer of 16, holds.
class Codes {
public:
  explicit Codes(Type type);

  double getLeast() const { return least; }
  double getGreatest() const { return greatest; }
  /// Exponent of the power of two in the greatest.
  int getGreatestExponent() const;
  bool isInteger() const { return !mantissaBits; }
  /// To nearest, ties to even codes; beyond the ends the ends. Not of NaN.
  double round(double number) const;

private:
  double least, greatest;
  /// Of floats.
  std::optional<int> mantissaBits;
  int minExponent = 0;
};

NumberDifference compareNumbers(ArrayRef<double> before,
                                ArrayRef<double> after);

/// Fills what is counted of elements one by one. Without numbers before they
/// are empty. `codes` are the codes' values.
void countElements(QuantizationReport &report, Type storage,
                   ArrayRef<int64_t> sizes, ArrayRef<double> before,
                   ArrayRef<double> after, ArrayRef<double> codes);

void describeScales(QuantizationReport &report, ArrayRef<double> scales);

/// The numbers in other formats; of more than 65536, of rows
/// that are evenly spaced.
std::vector<Alternative> findAlternatives(MLIRContext *context,
                                          ArrayRef<int64_t> sizes,
                                          ArrayRef<double> numbers);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_REPORT_NUMBERS_H
