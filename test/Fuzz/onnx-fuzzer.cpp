//===- onnx-fuzzer.cpp - Fuzzer of the ONNX importer ----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any byte sequence must give a module or a diagnostic.
//
//===----------------------------------------------------------------------===//

#include "ImportFuzzer.h"
#include "LargePayloads.h"
#include "quant-float/ONNX/Export/Export.h"
#include "quant-float/ONNX/Import/Import.h"
#include <onnx/onnx_pb.h>

using namespace mlir;

/// Payloads that are extracted without protobuf must be those that protobuf
/// finds, and the rest of the model must not change.
static void checkTrimming(StringRef bytes) {
  auto trimmed =
      quant_float::onnx_import::trimPayloads(bytes, /*smallestPayload=*/1);
  if (!trimmed)
    return;
  onnx::ModelProto whole, rebuilt;
  bool parsed = whole.ParseFromArray(bytes.data(), int(bytes.size()));
  if (rebuilt.ParseFromString(trimmed->bytes) != parsed)
    std::abort();
  if (!parsed)
    return;
  for (auto [index, payload] : trimmed->payloads)
    rebuilt.mutable_graph()->mutable_initializer(index)->set_raw_data(
        payload.data(), payload.size());
  if (whole.SerializeAsString() != rebuilt.SerializeAsString())
    std::abort();
}

/// A model that was imported with its source can be exported. Importing and
/// exporting the result must give the same bytes.
static void checkExport(StringRef bytes) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  quant_float::OnnxImportOptions options;
  options.keepsSource = true;
  std::string written[2];
  for (std::string &round : written) {
    OwningOpRef<ModuleOp> module = quant_float::importOnnxBytes(
        &round == written ? bytes : StringRef(written[0]), "fuzzed.onnx",
        quant_float::test::makeDataFolder("data.bin"), &context, options);
    if (!module && &round != written)
      std::abort();
    if (!module)
      return;
    llvm::raw_string_ostream os(round);
    bool done = succeeded(quant_float::exportOnnx(*module, os));
    if (done != (errors == 0))
      std::abort();
    if (!done)
      return;
  }
  if (written[0] != written[1])
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  StringRef bytes(reinterpret_cast<const char *>(data), size);
  checkTrimming(bytes);
  quant_float::test::fuzzImport([&](MLIRContext *context) {
    return quant_float::importOnnxBytes(
        bytes, "fuzzed.onnx", quant_float::test::makeDataFolder("data.bin"),
        context);
  });
  checkExport(bytes);
  return 0;
}
