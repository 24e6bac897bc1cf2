//===- Programs.h - Compilation of cases ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_PROGRAMS_H
#define QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_PROGRAMS_H

#include "quant-float/Driver/Driver.h"
#include "quant-float/ExecutionEngine/JitModule.h"

namespace mlir::quant_float::test {

/// Loads all dialects that the cases use.
void loadDialects(MLIRContext &context);

/// Compiles and loads the module. Prints errors.
FailureOr<std::unique_ptr<JitModule>> load(ModuleOp module,
                                           const CompileOptions &options);

/// Returns the C function with this name. Prints an error and returns null if
/// it does not exist.
JitModule::EntryFunction findEntry(JitModule &jit, StringRef name);

/// Writes the file `folder`/`name`. Prints an error if it cannot be opened.
LogicalResult
writeFile(StringRef folder, const Twine &name,
          llvm::function_ref<LogicalResult(llvm::raw_fd_ostream &)> write);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_PROGRAMS_H
