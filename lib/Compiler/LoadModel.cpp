//===- LoadModel.cpp - Models from files ----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "quant-float/Compiler/Driver.h"
#include "quant-float/Target/ONNX/Import.h"
#include "quant-float/Target/OpenVINO/Import.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::quant_float;

static OwningOpRef<ModuleOp> importModel(StringRef path, MLIRContext &context,
                                         const LoadOptions &options) {
  if (path.ends_with(".onnx")) {
    OnnxImportOptions onnx;
    onnx.verify = options.verify;
    return importOnnx(path, &context, onnx);
  }
  OpenVinoImportOptions openVino;
  openVino.verify = options.verify;
  if (options.fakeConvertMode)
    openVino.fakeConvertMode = *options.fakeConvertMode;
  return importOpenVino(path, &context, openVino);
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
  std::string message;
  if (isImported && !llvm::sys::fs::exists(path))
    return fail(kToolWrongUsage, "no such file");
  // The importers map it; a pipe or a device has no end.
  if (isImported && !llvm::sys::fs::is_regular_file(path))
    return fail(kToolWrongUsage, "is not a regular file");
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &message);
  if (!buffer)
    return fail(kToolWrongUsage, message);
  exitCode = kToolWrongInput;
  if (isImported) {
    buffer.reset();
    return importModel(path, context, options);
  }
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(
      sourceMgr, ParserConfig(&context, options.verify));
  // An op that was not verified need not have operands.
  if (module && options.fakeConvertMode && options.verify)
    setFakeConvertModes(*module, *options.fakeConvertMode);
  return module;
}
