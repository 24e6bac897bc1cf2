//===- QuantizeActions.h - What to do with the cases ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_QUANTIZEACTIONS_H
#define QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_QUANTIZEACTIONS_H

#include "QuantizeCases.h"
#include "mlir/IR/BuiltinOps.h"
#include "quant-float/Compiler/Driver.h"

namespace mlir::quant_float::test {

/// Compiles the cases into this process and compares what they give with the
/// Reference. Returns the number of cases that failed.
FailureOr<size_t> runCases(ArrayRef<QuantizeCase> cases,
                           const CompileOptions &options, size_t batchSize,
                           MLIRContext &context);

/// Whether the case has rows of open length, which have to be a vector loop.
bool hasLoopToCheck(const QuantizeCase &one);

/// Reads the assembly of cases that have a loop to check: it must work on
/// vectors, call nothing, gather nothing, and divide only where each element
/// has its own scale. Returns the number of cases that failed.
FailureOr<size_t> checkLoops(ArrayRef<QuantizeCase> cases,
                             const CompileOptions &options, size_t batchSize,
                             MLIRContext &context);

/// Writes assembly, what it is to be run on and what that gives into a
/// folder, for Inputs/foreign-quantize.c.
LogicalResult emitCases(ArrayRef<QuantizeCase> cases,
                        const CompileOptions &options, size_t batchSize,
                        StringRef folder, MLIRContext &context);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_QUANTIZEACTIONS_H
