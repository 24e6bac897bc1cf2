//===- InputFile.h - Files that are read as a whole -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_INPUTFILE_H
#define QUANT_FLOAT_SUPPORT_INPUTFILE_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include <limits>
#include <memory>

namespace mlir::quant_float {

/// Maps a file, or reads a small one. Whatever is no regular file is refused
/// before it is opened.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openRegularFile(const Twine &path);

/// What is read of pipes and devices at most: 2 GiB less one byte, as much as
/// protobuf reads of a model.
constexpr size_t kLargestInput = std::numeric_limits<int32_t>::max();

/// Reads what has no size before it ends, such as standard input, up to
/// kLargestInput bytes; more are an error. `name` is the buffer's.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readToEnd(llvm::sys::fs::file_t file, StringRef name);

/// Opens a file, a pipe, a device, or standard input for '-', with a NUL behind
/// the contents, as parsers of text want it.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> openText(StringRef path);

/// Files are mapped, and one that becomes shorter while it is read ends the
/// process by SIGBUS. Makes that an error message that names the file and exit
/// code 1. For the main function of tools; programs that embed the library keep
/// files as they are while a model of them lives.
void reportShortenedFiles();

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_INPUTFILE_H
