//===- ModeComparison.h - --compare-modes of quant-float-run ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_RUN_MODECOMPARISON_H
#define QUANT_FLOAT_TOOLS_RUN_MODECOMPARISON_H

#include "Arguments.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/ExecutionEngine/Tensor.h"

namespace mlir::quant_float {

/// Prints how many elements of each fakeconvert of the function differ between
/// the modes, and why, given the function's inputs. What they convert is
/// computed as the model says; of the function nothing else is left. Returns
/// the exit code, after printing an error.
int compareModes(ModuleOp module, func::FuncOp function,
                 const Arguments &arguments, ArrayRef<Tensor> inputs);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_RUN_MODECOMPARISON_H
