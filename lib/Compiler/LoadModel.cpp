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

OwningOpRef<ModuleOp> quant_float::loadModel(StringRef path,
                                             MLIRContext &context,
                                             int &exitCode, bool verify) {
  auto fail = [&](int code, const Twine &message) {
    exitCode = code;
    llvm::errs() << path << ": error: " << message << "\n";
    return OwningOpRef<ModuleOp>();
  };
  bool isOnnx = path.ends_with(".onnx");
  bool isMlir =
      path == "-" || path.ends_with(".mlir") || path.ends_with(".mlirbc");
  bool isOpenVino = path.ends_with(".xml");
  if (!isOnnx && !isOpenVino && !isMlir)
    return fail(kToolWrongUsage,
                "expected a model in .onnx, .xml, .mlir or .mlirbc, or '-'");
  if (path != "-" && llvm::sys::fs::is_directory(path))
    return fail(kToolWrongUsage, "is a directory");

  exitCode = kToolWrongInput;
  if (isOnnx || isOpenVino) {
    // Told apart from a file that is no model.
    std::string message;
    if (!llvm::sys::fs::exists(path) || !openInputFile(path, &message))
      return fail(kToolWrongUsage, message.empty() ? "no such file" : message);
    if (isOnnx) {
      OnnxImportOptions options;
      options.verify = verify;
      return importOnnx(path, &context, options);
    }
    OpenVinoImportOptions options;
    options.verify = verify;
    return importOpenVino(path, &context, options);
  }
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openInputFile(path, &message);
  if (!buffer)
    return fail(kToolWrongUsage, message);
  llvm::SourceMgr sourceMgr;
  sourceMgr.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sourceMgr, ParserConfig(&context, verify));
}
