//===- Import.cpp - Entry points of the ONNX importer ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/ONNX/Import/Import.h"
#include "Importer.h"
#include "LargePayloads.h"
#include "ParseModel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "quant-float/Support/InputFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

static constexpr uint64_t kLargestModel = std::numeric_limits<int>::max();

static Subject getFileSubject(MLIRContext *context, StringRef name) {
  return {FileLineColLoc::get(context, name, 0, 0), ""};
}

/// Returns the folder of a file with a relative or an absolute path.
static StringRef getFolder(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? "." : folder;
}

static LogicalResult readModel(StringRef bytes, ::onnx::ModelProto &model,
                               const Subject &file) {
  if (bytes.size() > kLargestModel)
    return diagnose(file, Diag::TooLarge, kLargestModel, bytes.size());
  return onnx_import::parseModel(bytes, model, file);
}

static Importer makeImporter(StringRef name, StringRef folder,
                             MLIRContext *context,
                             const OnnxImportOptions &options) {
  context->loadDialect<arith::ArithDialect, func::FuncDialect,
                       QuantFloatDialect>();
  return Importer(context, name, folder, options);
}

OwningOpRef<ModuleOp>
quant_float::importOnnxBytes(StringRef bytes, StringRef name,
                             StringRef externalDataFolder, MLIRContext *context,
                             const OnnxImportOptions &options) {
  ::onnx::ModelProto model;
  if (failed(readModel(bytes, model, getFileSubject(context, name))))
    return nullptr;
  return makeImporter(name, externalDataFolder, context, options)
      .importModel(model);
}

OwningOpRef<ModuleOp>
quant_float::importOnnx(StringRef path, MLIRContext *context,
                        const OnnxImportOptions &options) {
  Subject file = getFileSubject(context, path);
  auto opened = openRegularFile(path);
  if (!opened) {
    (void)diagnose(file, Diag::CannotOpen, llvm::toString(opened.takeError()));
    return nullptr;
  }
  std::shared_ptr<llvm::MemoryBuffer> buffer = std::move(*opened);
  StringRef bytes = buffer->getBuffer();
  if (bytes.size() > kLargestModel) {
    (void)diagnose(file, Diag::TooLarge, kLargestModel, bytes.size());
    return nullptr;
  }
  std::optional<TrimmedModel> trimmed = trimPayloads(bytes);
  ::onnx::ModelProto model;
  if (failed(readModel(trimmed ? trimmed->bytes : bytes, model, file)))
    return nullptr;
  if (trimmed && options.onMappedFile && isMapped(*buffer))
    options.onMappedFile(ArrayRef(bytes.data(), bytes.size()));
  Importer importer = makeImporter(path, getFolder(path), context, options);
  if (trimmed)
    for (auto [index, payload] : trimmed->payloads)
      importer.getDecoder().keepPayload(model.graph().initializer(index),
                                        {payload, buffer, isMapped(*buffer)});
  return importer.importModel(model);
}

void quant_float::registerFromOnnxTranslation(
    std::function<OnnxImportOptions()> getOptions) {
  TranslateToMLIRRegistration registration(
      "import-onnx", "import an ONNX model",
      [getOptions = std::move(getOptions)](
          llvm::SourceMgr &sources,
          MLIRContext *context) -> OwningOpRef<Operation *> {
        const llvm::MemoryBuffer *buffer =
            sources.getMemoryBuffer(sources.getMainFileID());
        StringRef name = buffer->getBufferIdentifier();
        // A pipe has no folder for external data.
        bool isFile = name != "<stdin>" && name != "-";
        return importOnnxBytes(buffer->getBuffer(), name,
                               isFile ? getFolder(name) : "", context,
                               getOptions ? getOptions() : OnnxImportOptions());
      },
      [](DialectRegistry &registry) {
        registry.insert<arith::ArithDialect, func::FuncDialect,
                        QuantFloatDialect>();
      });
}
