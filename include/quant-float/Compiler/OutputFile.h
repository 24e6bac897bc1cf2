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

/// Writes a file; "-" is standard output.
llvm::Error writeOutputFile(StringRef path, StringRef contents);

/// Links the bytes of an object into a shared library.
llvm::Error writeSharedLibrary(StringRef path, StringRef object,
                               const CompileOptions &options);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_COMPILER_OUTPUTFILE_H
