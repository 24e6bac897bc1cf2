//===- convert-fuzzer.cpp - Fuzzer of model conversions -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An imported model must convert to another opset, to a model without a type,
// or to OpenVINO, and the written file must be importable; or a diagnostic must
// be emitted. The first byte selects the opset, the second one the type and
// whether the target is OpenVINO. The model follows.
//
//===----------------------------------------------------------------------===//

#include "ImportFuzzer.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/ONNX/Export/Export.h"
#include "quant-float/ONNX/Import/Import.h"
#include "quant-float/ONNX/Opsets/ConvertOpset.h"
#include "quant-float/OpenVINO/Export/Export.h"
#include "quant-float/OpenVINO/FromONNX/OnnxToOpenVino.h"

using namespace mlir;
using namespace mlir::quant_float;

static constexpr StringLiteral kWithout[] = {
    "", "bfloat16", "float16", "float8e4m3fn", "float8e8m0", "int4", "int8"};

/// Exports the module and imports the result. Aborts on a failure without a
/// diagnostic and if the importer rejects the exported model.
static void exportAndRead(ModuleOp module, const unsigned &errors) {
  std::string bytes;
  llvm::raw_string_ostream os(bytes);
  bool isWritten = succeeded(exportOnnx(module, os));
  if (isWritten != (errors == 0))
    std::abort();
  if (isWritten &&
      !importOnnxBytes(bytes, "written.onnx", "", module.getContext()))
    std::abort();
}

static void exportAsOpenVino(ModuleOp module, const unsigned &errors) {
  bool isConverted = succeeded(convertOnnxToOpenVino(module));
  if (isConverted != (errors == 0))
    std::abort();
  if (!isConverted)
    return;
  std::string xml, weights;
  OpenVinoExportOptions options;
  options.writeWeights = [&](StringRef part) {
    weights += part;
    return true;
  };
  llvm::raw_string_ostream os(xml);
  if (succeeded(exportOpenVino(module, os, options)) != (errors == 0))
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  OpsetOptions options;
  options.opset =
      kOldestTargetOpset + data[0] % (kNewestOpset - kOldestTargetOpset + 1);
  if (StringRef without = kWithout[data[1] % std::size(kWithout)];
      !without.empty())
    options.without.push_back(without.str());
  bool isForOpenVino = data[1] >= 128;

  MLIRContext context(MLIRContext::Threading::DISABLED);
  unsigned errors = 0;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    errors += diagnostic.getSeverity() == DiagnosticSeverity::Error;
    return success();
  });
  OnnxImportOptions importOptions;
  importOptions.keepsSource = true;
  importOptions.targetOpset = options.opset;
  importOptions.expandsFunctions = isForOpenVino || !options.without.empty();
  StringRef bytes(reinterpret_cast<const char *>(data + 2), size - 2);
  OwningOpRef<ModuleOp> module =
      importOnnxBytes(bytes, "fuzzed.onnx", "", &context, importOptions);
  if (!module)
    return 0;
  if (isForOpenVino) {
    exportAsOpenVino(*module, errors);
    return 0;
  }
  OpsetConversion conversion;
  bool isConverted = succeeded(convertOpset(*module, options, conversion));
  if (isConverted != (errors == 0))
    std::abort();
  // The conversion does not inspect the bodies of functions.
  if (isConverted && importOnnxBytes(bytes, "fuzzed.onnx", "", &context))
    exportAndRead(*module, errors);
  return 0;
}
