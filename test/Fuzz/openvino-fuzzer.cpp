//===- openvino-fuzzer.cpp - Fuzzer of the OpenVINO importer --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any byte sequence with a .bin file must give a module or a diagnostic.
//
//===----------------------------------------------------------------------===//

#include "ImportFuzzer.h"
#include "quant-float/OpenVINO/Export/Export.h"
#include "quant-float/OpenVINO/Import/Import.h"

using namespace mlir;
using namespace mlir::quant_float;

namespace {
struct Written {
  std::string xml, weights;
};
} // namespace

/// A model that was imported with its source can be exported, except for
/// bodies. Importing and exporting the result must give the same bytes.
static void checkExport(StringRef bytes, StringRef weights) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  OpenVinoImportOptions options;
  options.keepsSource = true;
  options.fakeConvertMode = FakeConvertMode::Exact;
  SmallString<128> file(weights);
  llvm::sys::path::remove_filename(file);
  llvm::sys::path::append(file, "written.bin");
  Written written[2];
  for (Written &round : written) {
    bool isFirst = &round == written;
    if (!isFirst) {
      std::error_code error;
      llvm::raw_fd_ostream(file, error) << written[0].weights;
    }
    OwningOpRef<ModuleOp> module = importOpenVinoBytes(
        isFirst ? bytes : StringRef(written[0].xml), "fuzzed.xml",
        isFirst ? weights : StringRef(file), &context, options);
    if (!module && !isFirst)
      std::abort();
    if (!module)
      return;
    OpenVinoExportOptions exported;
    exported.writeWeights = [&](StringRef part) {
      round.weights += part;
      return true;
    };
    llvm::raw_string_ostream os(round.xml);
    bool done = succeeded(exportOpenVino(*module, os, exported));
    if (done != (errors == 0) || (!done && !isFirst))
      std::abort();
    if (!done)
      return;
  }
  if (written[0].xml != written[1].xml ||
      written[0].weights != written[1].weights)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  SmallString<128> weights(test::makeDataFolder("fuzzed.bin"));
  llvm::sys::path::append(weights, "fuzzed.bin");
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  test::fuzzImport([&](MLIRContext *context) {
    return importOpenVinoBytes(bytes, "fuzzed.xml", weights, context);
  });
  checkExport(bytes, weights);
  return 0;
}
