//===- OutputFile.h - Files that the compiler writes ------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files are written aside and renamed, so that a failed run loses nothing.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_COMPILER_OUTPUTFILE_H
#define QUANT_FLOAT_COMPILER_OUTPUTFILE_H

#include "quant-float/Compiler/Driver.h"

namespace mlir::quant_float {

/// A file that could not be written.
struct OutputProblem {
  std::string path;
  std::string reason;
};

/// Writes what compileTo has made, linked if it is to be a shared library, and
/// the file beside it for the kinds that have one: both or none. "-" is
/// standard output, beside which there is nothing.
std::optional<OutputProblem> writeOutput(EmitKind kind, StringRef path,
                                         StringRef contents, StringRef beside,
                                         const CompileOptions &options);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_COMPILER_OUTPUTFILE_H
