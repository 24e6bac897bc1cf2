//===- CompiledLibrary.h - What shared libraries hold -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_COMPILEDLIBRARY_H
#define QUANT_FLOAT_SUPPORT_COMPILEDLIBRARY_H

#include "quant-float-c/EntryPoint.h"
#include "llvm/Support/Error.h"

namespace mlir::quant_float {

/// The description that a shared library of quant-float-compile, which is
/// loaded, has of its functions, with nothing missing that it must have. The
/// code of the error is `not_supported` where a newer quant-float wrote it.
llvm::Expected<const qf_library *> getLibraryDescription(void *handle);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_COMPILEDLIBRARY_H
