//===- Export.cpp - Entry points of the ONNX exporter ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/ONNX/Export/Export.h"
#include "Exporter.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "quant-float/ONNX/Opsets/ConvertOpset.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::quant_float;

LogicalResult quant_float::exportOnnx(ModuleOp module, raw_ostream &os,
                                      const OnnxExportOptions &options) {
  return onnx_import::Exporter(options).exportModel(module, os);
}

void quant_float::registerToOnnxTranslation(
    const DialectRegistry &dialects,
    std::function<FailureOr<OnnxImportOptions>()> getImportOptions,
    std::function<FailureOr<OnnxExportOptions>()> getOptions, ReadWeights read,
    std::function<LogicalResult(ModuleOp)> rewrite) {
  // A DialectRegistry cannot be copied.
  auto registry = std::make_shared<DialectRegistry>();
  dialects.appendTo(*registry);
  TranslateRegistration registration(
      "export-onnx",
      "export an ONNX model, an MLIR module or a weight file to ONNX",
      [registry, getImportOptions = std::move(getImportOptions),
       getOptions = std::move(getOptions), read = std::move(read),
       rewrite = std::move(rewrite)](
          const std::shared_ptr<llvm::SourceMgr> &sources, raw_ostream &os,
          MLIRContext *context) -> LogicalResult {
        context->appendDialectRegistry(*registry);
        StringRef path = sources->getMemoryBuffer(sources->getMainFileID())
                             ->getBufferIdentifier();
        FailureOr<OnnxExportOptions> exportOptions = getOptions();
        FailureOr<OnnxImportOptions> loadOptions = getImportOptions();
        if (failed(exportOptions) || failed(loadOptions))
          return failure();
        OnnxExportOptions options = *exportOptions;
        OnnxImportOptions importOptions = *loadOptions;
        OwningOpRef<ModuleOp> module;
        // Pages of a mapped file can be dropped after they are written.
        SmallVector<ArrayRef<char>> files;
        if (path.ends_with(".onnx")) {
          importOptions.keepsSource = true;
          importOptions.isConverted = importOptions.targetOpset.has_value();
          importOptions.onMappedFile = [&](ArrayRef<char> bytes) {
            files.push_back(bytes);
          };
          options.onWritten = [&](ArrayRef<char> bytes) {
            for (ArrayRef<char> file : files)
              if (file.begin() <= bytes.begin() && bytes.end() <= file.end())
                target::dropPages({bytes, nullptr, /*isMapped=*/true});
          };
          module = importOnnx(path, context, importOptions);
          if (module && failed(rewrite(*module)))
            module = nullptr;
        } else {
          module = read(sources, context);
        }
        OpsetConversion conversion;
        OpsetOptions opset;
        opset.opset = importOptions.targetOpset.value_or(0);
        if (module && importOptions.targetOpset &&
            failed(convertOpset(*module, opset, conversion)))
          module = nullptr;
        return success(module && succeeded(exportOnnx(*module, os, options)));
      });
}
