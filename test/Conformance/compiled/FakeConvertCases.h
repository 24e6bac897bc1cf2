//===- FakeConvertCases.h - fakeconverts to compile -------------*- C++ -*-===//
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

/// What is left open in shapes, and the sizes to run with.
struct BroadcastLayout {
  const char *name;
  SmallVector<int64_t> shape, scaleShape;
  /// Sizes of the input and of scale and shift.
  std::vector<std::pair<SmallVector<int64_t>, SmallVector<int64_t>>> runs;
};

/// One function to compile.
struct FakeConvertCase {
  Type type, destination;
  reference::FakeConvertOptions options;
  bool hasShift = false;
  const BroadcastLayout *layout;

  /// A C identifier that says all of the above.
  std::string getName() const;
  /// The function as text.
  std::string print() const;
};

/// What one call gets, and what it gives.
struct FakeConvertRun {
  SmallVector<int64_t> sizes, scaleSizes;
  std::vector<char> input, scales, shifts, expected;
  /// Per element: 0 where the code counts, 1 where any NaN does.
  std::vector<char> freedom;
};

/// Every mode and destination for every type, with and without a shift, in
/// every layout.
std::vector<FakeConvertCase> makeFakeConvertCases(MLIRContext &context);

/// All codes of f16 and bf16 in the layout that is long enough; otherwise
/// inputs around every place where a result changes, special values, and random
/// ones, for scales and shifts of all kinds.
FakeConvertRun makeFakeConvertRun(const FakeConvertCase &one, size_t number);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_FAKECONVERTCASES_H
