//===- Programs.h - Compiled cases, loaded or written -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_PROGRAMS_H
#define QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_PROGRAMS_H

#include "quant-float/Compiler/Driver.h"
#include "quant-float/ExecutionEngine/JitModule.h"

namespace mlir::quant_float::test {

/// All dialects that cases are written in.
void loadDialects(MLIRContext &context);

/// Compiles the module and loads it. Failures have been printed.
FailureOr<std::unique_ptr<JitModule>> load(ModuleOp module,
                                           const CompileOptions &options);

/// The C function of that name; null, with the error printed, if there is none.
JitModule::EntryFunction findEntry(JitModule &jit, StringRef name);

/// Writes `folder`/`name`. Failures to open it have been printed.
LogicalResult
writeFile(StringRef folder, const Twine &name,
          llvm::function_ref<LogicalResult(llvm::raw_fd_ostream &)> write);

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_CONFORMANCE_COMPILED_PROGRAMS_H
