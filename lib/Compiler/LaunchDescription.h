//===- LaunchDescription.h - What launches a program's kernels --*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_COMPILER_LAUNCHDESCRIPTION_H
#define QUANT_FLOAT_LIB_COMPILER_LAUNCHDESCRIPTION_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace mlir::quant_float {

/// The JSON beside a .ptx or .cubin file, by which quant-float-gpu-launch runs
/// its kernels without the host's code: the entry points with their tensors,
/// and for each kernel the grid and the parameters, as expressions of the
/// inputs' sizes. Takes a module after buildOutlineKernelsPipeline; what has no
/// such expression is an error.
FailureOr<std::string> describeLaunches(ModuleOp module, StringRef chip);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_COMPILER_LAUNCHDESCRIPTION_H
