//===- ModelInputs.h - The inputs of a model's function ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_MODELINPUTS_H
#define QUANT_FLOAT_TOOLS_MODELINPUTS_H

#include "RunTool.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/ExecutionEngine/Tensor.h"

namespace mlir::quant_float {

/// Reads or generates a tensor for every input of the function.
llvm::Expected<std::vector<Tensor>> gatherInputs(InputOptions &options,
                                                 func::FuncOp function);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_MODELINPUTS_H
