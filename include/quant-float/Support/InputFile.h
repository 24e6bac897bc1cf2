//===- InputFile.h - Input files --------------------------------*- C++ -*-===//
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

/// Maps a file, or reads it if it is small. Anything but a regular file is an
/// error, without being opened.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openRegularFile(const Twine &path);

/// The maximum size that is read from pipes and devices: 2 GiB minus one byte,
/// the limit of protobuf for a model.
constexpr size_t kMaxInputBytes = std::numeric_limits<int32_t>::max();

/// Reads a file of unknown size, such as standard input, up to kMaxInputBytes
/// bytes; a larger one is an error. `name` is the name of the buffer.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readToEnd(llvm::sys::fs::file_t file, StringRef name);

/// Opens a file, a pipe, a device, or standard input for '-'. A null terminator
/// follows the contents, as parsers require.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> openText(StringRef path);

/// Files are mapped, and a file that is truncated while it is read terminates
/// the process with SIGBUS. Installs a handler that prints an error message
/// with the name of the file and exits with code 1. For the main function of
/// tools; programs that embed the library must not change files during the
/// lifetime of models loaded from them.
void reportShortenedFiles();

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_INPUTFILE_H
