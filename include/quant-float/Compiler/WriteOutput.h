//===- WriteOutput.h - Files that the compiler writes -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_COMPILER_WRITEOUTPUT_H
#define QUANT_FLOAT_COMPILER_WRITEOUTPUT_H

#include "quant-float/Compiler/Driver.h"

namespace mlir::quant_float {

/// A file that could not be written.
struct OutputProblem {
  std::string path;
  std::string reason;
  /// Where it is the system's.
  std::error_code code;
};

/// Writes what compileTo has made, linked if it is to be a shared library, and
/// the file beside it for the kinds that have one: both or none. Beside a
/// stream (OutputFile) there is nothing.
std::optional<OutputProblem> writeOutput(EmitKind kind, StringRef path,
                                         StringRef contents, StringRef beside,
                                         const CompileOptions &options);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_COMPILER_WRITEOUTPUT_H
