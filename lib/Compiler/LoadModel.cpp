//===- LoadModel.cpp - Models from files ----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReadMlir.h"
#include "quant-float/Compiler/Driver.h"
#include "quant-float/Conversion/ResolveNode.h"
#include "quant-float/Support/InputFile.h"
#include "quant-float/Target/ONNX/Import.h"
#include "quant-float/Target/OpenVINO/Import.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace mlir::quant_float;

static OnnxImportOptions getOnnxOptions(const LoadOptions &options) {
  OnnxImportOptions onnx;
  onnx.verify = options.verify;
  onnx.strict = options.strict;
  return onnx;
}

static OpenVinoImportOptions getOpenVinoOptions(const LoadOptions &options) {
  OpenVinoImportOptions openVino;
  openVino.verify = options.verify;
  openVino.strict = options.strict;
  if (options.fakeConvertMode)
    openVino.fakeConvertMode = *options.fakeConvertMode;
  return openVino;
}

/// The passes hold the module's declarations as strictly.
static OwningOpRef<ModuleOp> markStrict(OwningOpRef<ModuleOp> module,
                                        const LoadOptions &options) {
  if (module && options.strict)
    module.get()->setAttr(kStrictAttrName,
                          UnitAttr::get(module.get()->getContext()));
  return module;
}

static OwningOpRef<ModuleOp>
readWithMode(std::unique_ptr<llvm::MemoryBuffer> buffer, MLIRContext &context,
             const LoadOptions &options) {
  OwningOpRef<ModuleOp> module =
      readMlir(std::move(buffer), context, options.verify);
  // An op that was not verified need not have operands.
  if (module && options.fakeConvertMode && options.verify)
    setFakeConvertModes(*module, *options.fakeConvertMode);
  return markStrict(std::move(module), options);
}

OwningOpRef<ModuleOp> quant_float::parseModel(ModelFormat format,
                                              StringRef bytes,
                                              MLIRContext &context,
                                              const ParseOptions &options) {
  switch (format) {
  case ModelFormat::ONNX:
    return importOnnxBytes(bytes, options.name, options.externalDataFolder,
                           &context, getOnnxOptions(options));
  case ModelFormat::OpenVINO:
    return markStrict(importOpenVinoBytes(bytes, options.name,
                                          options.weightsPath, &context,
                                          getOpenVinoOptions(options)),
                      options);
  case ModelFormat::MLIR:
    break;
  }
  return readWithMode(llvm::MemoryBuffer::getMemBufferCopy(bytes, options.name),
                      context, options);
}

OwningOpRef<ModuleOp> quant_float::loadModel(StringRef path,
                                             MLIRContext &context,
                                             int &exitCode,
                                             const LoadOptions &options) {
  auto fail = [&](int code, const Twine &message) {
    exitCode = code;
    emitError(FileLineColLoc::get(&context, path, 0, 0)) << message;
    return OwningOpRef<ModuleOp>();
  };
  bool isImported = path.ends_with(".onnx") || path.ends_with(".xml");
  bool isMlir =
      path == "-" || path.ends_with(".mlir") || path.ends_with(".mlirbc");
  if (!isImported && !isMlir)
    return fail(kToolWrongUsage,
                "expected a model in .onnx, .xml, .mlir or .mlirbc, or '-'");
  if (path != "-" && llvm::sys::fs::is_directory(path))
    return fail(kToolWrongUsage, "is a directory");

  // Told apart from a file that is no model.
  if (isImported && !llvm::sys::fs::exists(path))
    return fail(kToolWrongUsage, "no such file");
  // The importers map it; a pipe or a device has no end.
  if (isImported && !llvm::sys::fs::is_regular_file(path))
    return fail(kToolWrongUsage, "is not a regular file");
  if (isImported)
    if (auto file = openRegularFile(path); !file)
      return fail(kToolWrongUsage, llvm::toString(file.takeError()));
  exitCode = kToolWrongInput;
  if (!isImported) {
    auto buffer = openText(path);
    if (!buffer)
      return fail(kToolWrongUsage, llvm::toString(buffer.takeError()));
    return readWithMode(std::move(*buffer), context, options);
  }
  if (path.ends_with(".onnx"))
    return importOnnx(path, &context, getOnnxOptions(options));
  return markStrict(importOpenVino(path, &context, getOpenVinoOptions(options)),
                    options);
}
