//===- Kernels.h - Device code ----------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_COMPILER_KERNELS_H
#define QUANT_FLOAT_LIB_COMPILER_KERNELS_H

#include "quant-float/Compiler/Driver.h"
#include "quant-float/Compiler/NVVMPipeline.h"

namespace mlir::quant_float {

/// quant-float-lower-to-nvvm in place.
LogicalResult lowerToNVVM(ModuleOp module, const CompileOptions &options,
                          KernelFormat format);

/// Writes the device code of all kernels as LLVM IR, PTX or a cubin.
LogicalResult compileKernelsTo(ModuleOp module, EmitKind kind,
                               const CompileOptions &options,
                               llvm::raw_ostream &os);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_COMPILER_KERNELS_H
