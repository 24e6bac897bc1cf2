//===- ScaledCases.h - Ops with scales, compiled and run --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_SCALEDCASES_H
#define QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_SCALEDCASES_H

#include "Loops.h"
#include "mlir/IR/BuiltinOps.h"
#include "quant-float/Compiler/Driver.h"
#include <optional>
#include <vector>

namespace mlir::quant_float::test {

struct ScaledTensor {
  Type type;
  SmallVector<int64_t> sizes;
  std::vector<char> bytes;
};

/// What one call gets, and what it gives.
struct ScaledRun {
  /// The input, the scales, and what functions without a third operand do not
  /// look at.
  ScaledTensor operands[3];
  /// Without bytes if the Reference has no such op.
  ScaledTensor expected;
  /// Per element: 0 where the code counts, 1 where any NaN does, 2 where any
  /// zero does (D8).
  std::vector<char> freedom;
};

/// One function to compile: of a tensor, its scales and something like them.
struct ScaledCase {
  std::string getName() const { return name; }

  /// A C identifier that says all of the below.
  std::string name;
  /// The function as text.
  std::string text;
  size_t runs;
  std::function<ScaledRun(size_t number)> makeRun;
  /// What its main loop must be like; none where that is open.
  std::optional<LoopRules> rules;
};

/// Whether a code is a NaN of `type`, or a zero.
bool isNaNCode(Type type, uint64_t code);
bool isZeroCode(Type type, uint64_t code);

/// Compiles the cases into this process and compares what they give with the
/// Reference. Returns the number of cases that failed.
FailureOr<size_t> runCases(ArrayRef<ScaledCase> cases,
                           const CompileOptions &options, size_t batchSize,
                           MLIRContext &context);

/// Reads the assembly of cases, which have rules. Returns the number of
/// cases that failed.
FailureOr<size_t> checkLoops(ArrayRef<ScaledCase> cases,
                             const CompileOptions &options, size_t batchSize,
                             MLIRContext &context);

/// Writes assembly, what it is to be run on and what that gives into a
/// folder, for Inputs/foreign-quantize.c.
LogicalResult emitCases(ArrayRef<ScaledCase> cases,
                        const CompileOptions &options, size_t batchSize,
                        StringRef folder, MLIRContext &context);

/// What a test program does that has cases like these, called `plural`, only.
int runProgram(int argc, char **argv, StringRef plural,
               llvm::function_ref<std::vector<ScaledCase>(MLIRContext &)> make);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_SCALEDCASES_H
