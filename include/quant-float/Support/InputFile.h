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
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace mlir::quant_float {

/// Maps a file, or reads a small one. Whatever is no regular file is refused
/// before it is opened.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
openRegularFile(const Twine &path);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_INPUTFILE_H
