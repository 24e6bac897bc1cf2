//===- ScaledCases.h - Cases of ops with scales -----------------*- C++ -*-===//
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
#include "quant-float/Driver/Driver.h"
#include <optional>
#include <vector>

namespace mlir::quant_float::test {

struct ScaledTensor {
  Type type;
  SmallVector<int64_t> sizes;
  std::vector<char> bytes;
};

/// The inputs and expected results of one call.
struct ScaledRun {
  /// The input, the scales, and a third operand, which functions with two
  /// operands do not read.
  ScaledTensor operands[3];
  /// Empty if the Reference does not support the op.
  ScaledTensor expected;
  /// Per element: 0 if the encoding must match, 1 if any NaN is valid, 2 if any
  /// zero is valid (D8).
  std::vector<char> freedom;
};

/// A function to compile, with a tensor, its scales and optionally a zero point
/// or shift as operands.
struct ScaledCase {
  std::string getName() const { return name; }

  /// A C identifier that describes all properties.
  std::string name;
  /// The function as MLIR text.
  std::string text;
  size_t runs;
  std::function<ScaledRun(size_t number)> makeRun;
  /// The requirements for its main loop; nullopt if there are none.
  std::optional<LoopRules> rules;
};

/// Returns whether an encoding of `type` is NaN, or zero.
bool isNaNEncoding(Type type, uint64_t encoding);
bool isZeroEncoding(Type type, uint64_t encoding);

/// Compiles and runs the cases in this process and compares the results with
/// the Reference. Returns the number of cases that failed.
FailureOr<size_t> runCases(ArrayRef<ScaledCase> cases,
                           const CompileOptions &options, size_t batchSize,
                           MLIRContext &context);

/// Inspects the assembly of cases, which must have rules. Returns the number of
/// cases that failed.
FailureOr<size_t> checkLoops(ArrayRef<ScaledCase> cases,
                             const CompileOptions &options, size_t batchSize,
                             MLIRContext &context);

/// Writes assembly, inputs and expected results to a folder for
/// Inputs/foreign-quantize.c.
LogicalResult emitCases(ArrayRef<ScaledCase> cases,
                        const CompileOptions &options, size_t batchSize,
                        StringRef folder, MLIRContext &context);

/// The main function of a test program of the cases that `make` returns, called
/// `plural`. Returns the exit status.
int runProgram(int argc, char **argv, StringRef plural,
               llvm::function_ref<std::vector<ScaledCase>(MLIRContext &)> make);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_SCALEDCASES_H
