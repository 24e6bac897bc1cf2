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

/// Why two modes give an element other values: the first step at which they
/// part, where it alone brings about another result.
enum class ModeDifference : unsigned {
  /// What is to be rounded is no number.
  NaN,
  /// Both results are zeros.
  SignOfZero,
  /// A rounding, to the input's type or to f16, before that to float8, or one
  /// before that of the result.
  DoubleRounding,
  /// OpenVINO's reference rounds subnormals its own way.
  Subnormals,
  /// And so bf16.
  BFloat16Rounding,
  /// A multiplication by the reciprocal in place of a division.
  Reciprocal,
};
constexpr unsigned kNumModeDifferences = 6;

/// Elements that two modes differ in, and by which cause.
struct ModeComparison {
  FakeConvertMode first, second;
  std::array<int64_t, kNumModeDifferences> causes = {};

  int64_t getNumDiffering() const;
};

/// How the modes of one fakeconvert differ.
struct FakeConvertReport {
  /// The source model's name of the node; may be empty.
  std::string name;
  /// What it converts, "float[2x3]".
  std::string input;
  /// MLIR's spelling of the float8 type that it rounds to.
  std::string destination;
  /// Whether it converts a constant, which OpenVINO folds as its reference.
  bool isConstant = false;
  int64_t numElements = 0;
  /// Every pair of modes.
  std::array<ModeComparison, 3> comparisons;
};

/// A line for the node, and one for each pair of modes.
void printFakeConvertReport(llvm::raw_ostream &os, size_t index,
                            const FakeConvertReport &report);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_MODEL_COMPAREMODES_H
