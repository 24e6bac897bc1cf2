//===- ExportWeights.h - Export of weights ----------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TEST_FUZZ_EXPORTWEIGHTS_H
#define QUANT_FLOAT_TEST_FUZZ_EXPORTWEIGHTS_H

#include "mlir/IR/Diagnostics.h"
#include "quant-float/Weights/GGUF/Export.h"
#include "quant-float/Weights/GGUF/Import.h"
#include "quant-float/Weights/Safetensors/Export.h"
#include "quant-float/Weights/Safetensors/Import.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

namespace mlir::quant_float::test {

/// Aborts unless each exporter emits an error, or writes a file that its
/// importer reads.
inline void exportWeights(ModuleOp module) {
  MLIRContext *context = module.getContext();
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  auto check = [&](auto write, auto read) {
    errors = 0;
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    bool isWritten = succeeded(write(os));
    if (isWritten == (errors != 0) || (isWritten && !read(bytes)))
      std::abort();
  };
  check([&](raw_ostream &os) { return exportGguf(module, os); },
        [&](StringRef bytes) {
          return importGgufBytes(bytes, "written.gguf", context);
        });
  for (auto layout : {SafetensorsLayout::Auto, SafetensorsLayout::Gptq,
                      SafetensorsLayout::Awq})
    check(
        [&](raw_ostream &os) { return exportSafetensors(module, os, layout); },
        [&](StringRef bytes) {
          return importSafetensorsBytes(bytes, "written.safetensors", context);
        });
}

} // namespace mlir::quant_float::test

#endif // QUANT_FLOAT_TEST_FUZZ_EXPORTWEIGHTS_H
