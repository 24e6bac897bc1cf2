//===- Import.cpp - safetensors to the quant_float dialect ----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Weights/Safetensors/Import.h"
#include "Checkpoint.h"
#include "Layouts.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::safetensors_import;

OwningOpRef<ModuleOp> quant_float::importSafetensorsBytes(StringRef bytes,
                                                          StringRef name,
                                                          MLIRContext *context,
                                                          StringRef config) {
  loadWeightsDialects(context);
  Location loc = FileLineColLoc::get(context, name, 0, 0);
  Checkpoint checkpoint;
  if (failed(checkpoint.read(bytes, nullptr, loc, "")) ||
      failed(checkpoint.readConfig(config, loc)))
    return nullptr;
  return importWeights(checkpoint, loc);
}

OwningOpRef<ModuleOp> quant_float::importSafetensors(StringRef path,
                                                     MLIRContext *context) {
  loadWeightsDialects(context);
  Location loc = FileLineColLoc::get(context, path, 0, 0);
  auto opened = openRegularFile(path);
  if (!opened) {
    (void)diagnose(Subject{loc, ""}, Diag::CannotOpen,
                   llvm::toString(opened.takeError()));
    return nullptr;
  }
  std::shared_ptr<llvm::MemoryBuffer> file = std::move(*opened);
  Checkpoint checkpoint;
  if (failed(checkpoint.read(file->getBuffer(), file, loc, path)))
    return nullptr;
  return importWeights(checkpoint, loc);
}

void quant_float::registerFromSafetensorsTranslation() {
  TranslateToMLIRRegistration registration(
      "import-safetensors", "import the weights of a safetensors checkpoint",
      [](llvm::SourceMgr &sources,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        const llvm::MemoryBuffer *buffer =
            sources.getMemoryBuffer(sources.getMainFileID());
        StringRef name = buffer->getBufferIdentifier();
        // Data from a pipe has no folder.
        if (name == "<stdin>" || name == "-")
          return importSafetensorsBytes(buffer->getBuffer(), name, context);
        return importSafetensors(name, context);
      },
      registerWeightsDialects);
}
