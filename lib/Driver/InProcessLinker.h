//===- InProcessLinker.h - lld as a library ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_DRIVER_INPROCESSLINKER_H
#define QUANT_FLOAT_LIB_DRIVER_INPROCESSLINKER_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"

namespace mlir::quant_float {

/// Runs lld for ELF in this process. Only libraries that contain lld define
/// this function.
llvm::Error linkInProcess(ArrayRef<StringRef> arguments);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_DRIVER_INPROCESSLINKER_H
