//===- CompiledLibrary.h - Compiled libraries -------------------*- C++ -*-===//
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

/// Returns the description of the functions of a loaded shared library that
/// quant-float-compile wrote, after checking that it is complete. The error
/// code is `not_supported` if a newer quant-float wrote the library.
llvm::Expected<const qf_library *> getLibraryDescription(void *handle);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_COMPILEDLIBRARY_H
