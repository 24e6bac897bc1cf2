//===- CompareModes.h - How the modes of fakeconvert differ -----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_EXECUTIONENGINE_COMPAREMODES_H
#define QUANT_FLOAT_EXECUTIONENGINE_COMPAREMODES_H

#include "quant-float/ExecutionEngine/Tensor.h"
#include "quant-float/IR/QuantFloatOps.h"
#include <array>

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

/// Every pair of modes.
struct ModeReport {
  int64_t numElements = 0;
  std::array<ModeComparison, 3> comparisons;
};

/// Converts every element in every mode with the Reference. Fails where the
/// sizes do not broadcast. Attributes of mode openvino count for that mode.
llvm::Expected<ModeReport> compareModes(FakeConvertOp op, const Tensor &input,
                                        const Tensor &scale,
                                        const Tensor *shift);

/// A line for each pair of modes.
void printModeReport(llvm::raw_ostream &os, const ModeReport &report);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EXECUTIONENGINE_COMPAREMODES_H
