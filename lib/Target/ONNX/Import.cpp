//===- Import.cpp - Entry points of the ONNX importer ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Target/ONNX/Import.h"
#include "Importer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "quant-float/IR/QuantFloatDialect.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <google/protobuf/io/coded_stream.h>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_import;

static Subject getFileSubject(MLIRContext *context, StringRef name) {
  return {FileLineColLoc::get(context, name, 0, 0), ""};
}

/// The folder of a file given by a relative or an absolute path.
static StringRef getFolder(StringRef path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  return folder.empty() ? "." : folder;
}

static LogicalResult parseModel(StringRef bytes, ::onnx::ModelProto &model,
                                const Subject &file) {
  constexpr uint64_t kLargest = std::numeric_limits<int>::max();
  if (bytes.size() > kLargest)
    return diagnose(file, Diag::TooLarge, kLargest, bytes.size());
  // The stream refuses messages nested more than 100 deep, so recursion over
  // the model is bounded.
  google::protobuf::io::CodedInputStream stream(bytes.bytes_begin(),
                                                int(bytes.size()));
  if (!model.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    return diagnose(file, Diag::Malformed);
  return success();
}

static OwningOpRef<ModuleOp>
importParsed(std::unique_ptr<::onnx::ModelProto> model, StringRef name,
             StringRef folder, MLIRContext *context,
             const OnnxImportOptions &options) {
  context->loadDialect<arith::ArithDialect, func::FuncDialect,
                       QuantFloatDialect>();
  return Importer(context, name, folder, options).importModel(*model);
}

OwningOpRef<ModuleOp>
quant_float::importOnnxBytes(StringRef bytes, StringRef name,
                             StringRef externalDataFolder, MLIRContext *context,
                             const OnnxImportOptions &options) {
  auto model = std::make_unique<::onnx::ModelProto>();
  if (failed(parseModel(bytes, *model, getFileSubject(context, name))))
    return nullptr;
  return importParsed(std::move(model), name, externalDataFolder, context,
                      options);
}

OwningOpRef<ModuleOp>
quant_float::importOnnx(StringRef path, MLIRContext *context,
                        const OnnxImportOptions &options) {
  Subject file = getFileSubject(context, path);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer) {
    (void)diagnose(file, Diag::CannotOpen, buffer.getError().message());
    return nullptr;
  }
  auto model = std::make_unique<::onnx::ModelProto>();
  if (failed(parseModel((*buffer)->getBuffer(), *model, file)))
    return nullptr;
  // The model holds copies; large files should not be in memory twice.
  buffer->reset();
  return importParsed(std::move(model), path, getFolder(path), context,
                      options);
}

void quant_float::registerFromOnnxTranslation() {
  TranslateToMLIRRegistration registration(
      "import-onnx", "import an ONNX model",
      [](llvm::SourceMgr &sources,
         MLIRContext *context) -> OwningOpRef<Operation *> {
        const llvm::MemoryBuffer *buffer =
            sources.getMemoryBuffer(sources.getMainFileID());
        StringRef name = buffer->getBufferIdentifier();
        // What comes through a pipe has no folder to look for data in.
        bool isFile = name != "<stdin>" && name != "-";
        return importOnnxBytes(buffer->getBuffer(), name,
                               isFile ? getFolder(name) : "", context);
      },
      [](DialectRegistry &registry) {
        registry.insert<arith::ArithDialect, func::FuncDialect,
                        QuantFloatDialect>();
      });
}
