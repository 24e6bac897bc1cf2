//===- FakeConvertCases.h - fakeconvert cases -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_FAKECONVERTCASES_H
#define QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_FAKECONVERTCASES_H

#include "mlir/IR/BuiltinTypes.h"
#include "quant-float/Reference/FakeConvert.h"
#include <string>
#include <vector>

namespace mlir::quant_float::test {

/// Shapes with dynamic sizes, and the sizes to run with.
struct BroadcastLayout {
  const char *name;
  SmallVector<int64_t> shape, scaleShape;
  /// The sizes of the input, and those of scale and shift.
  std::vector<std::pair<SmallVector<int64_t>, SmallVector<int64_t>>> runs;
};

/// A function to compile.
struct FakeConvertCase {
  Type type, destination;
  reference::FakeConvertOptions options;
  bool hasShift = false;
  const BroadcastLayout *layout;

  /// Returns a C identifier that describes all properties.
  std::string getName() const;
  /// Returns the function as MLIR text.
  std::string print() const;
};

/// The inputs and expected results of one call.
struct FakeConvertRun {
  SmallVector<int64_t> sizes, scaleSizes;
  std::vector<char> input, scales, shifts, expected;
  /// Per element: 0 if the encoding must match, 1 if any NaN is valid.
  std::vector<char> freedom;
};

/// Returns cases for every mode and destination for every type, with and
/// without a shift, in every layout.
std::vector<FakeConvertCase> makeFakeConvertCases(MLIRContext &context);

/// Returns all encodings of f16 and bf16 in the layout that is long enough.
/// Otherwise returns inputs around the thresholds at which a result changes,
/// special values, and random values, for scales and shifts of all kinds.
FakeConvertRun makeFakeConvertRun(const FakeConvertCase &one, size_t number);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_FAKECONVERTCASES_H
