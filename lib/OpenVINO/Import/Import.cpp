//===- Import.cpp - Entry points of the OpenVINO importer -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/OpenVINO/Import/Import.h"
#include "Importer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_import;

OwningOpRef<ModuleOp>
quant_float::importOpenVinoBytes(StringRef xml, StringRef name,
                                 StringRef weightsPath, MLIRContext *context,
                                 const OpenVinoImportOptions &options) {
  context->loadDialect<arith::ArithDialect, func::FuncDialect,
                       QuantFloatDialect>();
  Network network;
  if (failed(network.parse(xml, name, context)))
    return nullptr;
  return Importer(context, network, FileLineColLoc::get(context, name, 0, 0),
                  weightsPath, options)
      .importModel();
}

static std::string getWeightsPath(StringRef path) {
  SmallString<256> weights(path);
  llvm::sys::path::replace_extension(weights, "bin");
  return std::string(weights);
}

OwningOpRef<ModuleOp>
quant_float::importOpenVino(StringRef path, MLIRContext *context,
                            const OpenVinoImportOptions &options) {
  Subject subject{FileLineColLoc::get(context, path, 0, 0), ""};
  auto opened = openRegularFile(path);
  if (!opened) {
    (void)diagnose(subject, Diag::CannotOpen,
                   llvm::toString(opened.takeError()));
    return nullptr;
  }
  return importOpenVinoBytes((*opened)->getBuffer(), path, getWeightsPath(path),
                             context, options);
}

void quant_float::registerFromOpenVinoTranslation(
    std::function<OpenVinoImportOptions()> getOptions) {
  TranslateToMLIRRegistration registration(
      "import-openvino", "import an OpenVINO model",
      [getOptions](llvm::SourceMgr &sources,
                   MLIRContext *context) -> OwningOpRef<Operation *> {
        const llvm::MemoryBuffer *buffer =
            sources.getMemoryBuffer(sources.getMainFileID());
        StringRef name = buffer->getBufferIdentifier();
        // Data from a pipe has no .bin file.
        bool isFile = name != "<stdin>" && name != "-";
        return importOpenVinoBytes(
            buffer->getBuffer(), name, isFile ? getWeightsPath(name) : "",
            context, getOptions ? getOptions() : OpenVinoImportOptions());
      },
      [](DialectRegistry &registry) {
        registry.insert<arith::ArithDialect, func::FuncDialect,
                        QuantFloatDialect>();
      });
}
