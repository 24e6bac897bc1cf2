//===- InputFile.cpp - Files that are read as a whole ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Support/InputFile.h"

#include "llvm/Support/FileSystem.h"

using namespace mlir;

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
quant_float::openRegularFile(const Twine &path) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return llvm::errorCodeToError(error);
  // Opening a pipe would wait for a writer, and a device has no end.
  if (!llvm::sys::fs::is_regular_file(status))
    return llvm::createStringError("it is not a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::errorCodeToError(buffer.getError());
  return std::move(*buffer);
}
