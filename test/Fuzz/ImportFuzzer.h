//===- ImportFuzzer.h - Utilities of importer fuzzers -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_FUZZ_IMPORTFUZZER_H
#define QUANT_FLOAT_TEST_FUZZ_IMPORTFUZZER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

namespace mlir::quant_float::test {

/// Creates a folder with a file `name` for external data of models. It is
/// removed at exit. A program can have one such folder.
inline const std::string &makeDataFolder(StringRef name) {
  static const std::string folder = [&] {
    SmallString<128> path;
    if (llvm::sys::fs::createUniqueDirectory("import-fuzzer", path))
      return std::string();
    static std::string toRemove = path.str().str();
    std::atexit([] { (void)llvm::sys::fs::remove_directories(toRemove); });
    SmallString<128> file(path);
    llvm::sys::path::append(file, name);
    std::error_code error;
    llvm::raw_fd_ostream os(file, error);
    if (!error)
      os << std::string(4096, 'd');
    return toRemove;
  }();
  return folder;
}

/// Aborts unless `import` returns a module or emits an error. Prints the
/// module, because that often reveals a broken one, and passes it to `use`.
inline void
fuzzImport(llvm::function_ref<OwningOpRef<ModuleOp>(MLIRContext *)> import,
           llvm::function_ref<void(ModuleOp)> use = nullptr) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  OwningOpRef<ModuleOp> module = import(&context);
  // A failure without an error and an error without a failure are both bugs.
  if (!module != (errors != 0))
    std::abort();
  if (!module)
    return;
  module->print(llvm::nulls());
  if (use)
    use(*module);
}

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_FUZZ_IMPORTFUZZER_H
