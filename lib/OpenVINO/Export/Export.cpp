//===- Export.cpp - Entry points of the OpenVINO exporter -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/OpenVINO/Export/Export.h"
#include "../../Interchange/Bytes.h"
#include "Exporter.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::quant_float;

LogicalResult
quant_float::exportOpenVino(ModuleOp module, raw_ostream &os,
                            const OpenVinoExportOptions &options) {
  // The table of element types includes a type of the dialect.
  module.getContext()->loadDialect<QuantFloatDialect>();
  return openvino_import::Exporter(module, options).exportModel(os);
}

void quant_float::registerToOpenVinoTranslation(
    const DialectRegistry &dialects,
    std::function<OpenVinoImportOptions()> getImportOptions,
    std::function<OpenVinoExportOptions()> getOptions, ReadWeights read) {
  // DialectRegistry has no copy constructor.
  auto registry = std::make_shared<DialectRegistry>();
  dialects.appendTo(*registry);
  TranslateRegistration registration(
      "export-openvino",
      "export an OpenVINO model, an ONNX model or an MLIR module to OpenVINO "
      "IR, with its constants in a .bin file next to the output",
      [registry, getImportOptions = std::move(getImportOptions),
       getOptions = std::move(getOptions), read = std::move(read)](
          const std::shared_ptr<llvm::SourceMgr> &sources, raw_ostream &os,
          MLIRContext *context) -> LogicalResult {
        context->appendDialectRegistry(*registry);
        StringRef path = sources->getMemoryBuffer(sources->getMainFileID())
                             ->getBufferIdentifier();
        OpenVinoExportOptions options = getOptions();
        OwningOpRef<ModuleOp> module;
        // Data that has been written from a mapped file need not stay in
        // memory.
        SmallVector<ArrayRef<char>> files;
        if (path.ends_with(".xml")) {
          OpenVinoImportOptions importOptions = getImportOptions();
          importOptions.keepsSource = true;
          // The other modes remove shifts.
          importOptions.fakeConvertMode = FakeConvertMode::Exact;
          importOptions.onMappedFile = [&](ArrayRef<char> bytes) {
            files.push_back(bytes);
          };
          options.onWritten = [&](ArrayRef<char> bytes) {
            for (ArrayRef<char> file : files)
              if (file.begin() <= bytes.begin() && bytes.end() <= file.end())
                target::dropPages({bytes, nullptr, /*isMapped=*/true});
          };
          module = importOpenVino(path, context, importOptions);
        } else {
          module = read(sources, context);
        }
        return success(module &&
                       succeeded(exportOpenVino(*module, os, options)));
      });
}
