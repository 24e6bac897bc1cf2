//===- OutputFile.cpp - Files that the compiler writes --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Compiler/OutputFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;

llvm::Error quant_float::writeOutputFile(StringRef path, StringRef contents) {
  return llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << contents;
    return llvm::Error::success();
  });
}

llvm::Error quant_float::writeSharedLibrary(StringRef path, StringRef object,
                                            const CompileOptions &options) {
  SmallString<128> objectPath, sharedPath;
  if (std::error_code code =
          llvm::sys::fs::createTemporaryFile("quant-float", "o", objectPath))
    return llvm::errorCodeToError(code);
  llvm::FileRemover removeObject(objectPath);
  if (llvm::Error error = writeOutputFile(objectPath, object))
    return error;
  // Beside the output, so that the rename stays within one file system.
  if (std::error_code code =
          llvm::sys::fs::createUniqueFile(path + ".%%%%%%", sharedPath))
    return llvm::errorCodeToError(code);
  llvm::FileRemover removeShared(sharedPath);
  if (llvm::Error error = linkShared(objectPath, sharedPath, options))
    return error;
  if (std::error_code code = llvm::sys::fs::rename(sharedPath, path))
    return llvm::errorCodeToError(code);
  removeShared.releaseFile();
  return llvm::Error::success();
}
