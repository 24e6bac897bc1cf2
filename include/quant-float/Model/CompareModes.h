//===- CompareModes.h - Comparison of fakeconvert modes ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_MODEL_COMPAREMODES_H
#define QUANT_FLOAT_MODEL_COMPAREMODES_H

#include "quant-float/IR/QuantFloatAttributes.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <string>

namespace mlir::quant_float {

/// The cause of a difference between the results of two modes: the first step
/// that differs and by itself changes the result.
enum class ModeDifference : unsigned {
  /// The value to be rounded to float8 is NaN.
  NaN,
  /// Both results are zeros of different signs.
  SignOfZero,
  /// An additional rounding to the input's type or to f16 before the rounding
  /// to float8, or an additional rounding before that of the result.
  DoubleRounding,
  /// OpenVINO's reference rounds subnormals differently.
  Subnormals,
  /// OpenVINO's reference rounds bf16 differently.
  BFloat16Rounding,
  /// OpenVINO multiplies by the reciprocal instead of dividing.
  Reciprocal,
};
constexpr unsigned kNumModeDifferences = 6;

/// The number of elements for which two modes differ, by cause.
struct ModeComparison {
  FakeConvertMode first, second;
  std::array<int64_t, kNumModeDifferences> causes = {};

  int64_t getNumDiffering() const;
};

/// The differences between the modes of one fakeconvert.
struct FakeConvertReport {
  /// The name of the node in the source model. May be empty.
  std::string name;
  /// The type and shape of the input, such as "float[2x3]".
  std::string input;
  /// The float8 type in MLIR's syntax.
  std::string destination;
  /// Whether the input is a constant, which OpenVINO folds with its reference.
  bool isConstant = false;
  int64_t numElements = 0;
  /// One comparison for each pair of modes.
  std::array<ModeComparison, 3> comparisons;
};

/// Prints one line for the node and one for each pair of modes.
void printFakeConvertReport(llvm::raw_ostream &os, size_t index,
                            const FakeConvertReport &report);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_MODEL_COMPAREMODES_H
