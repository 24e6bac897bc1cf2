//===- Inputs.h - What a function is run on ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_RUN_INPUTS_H
#define QUANT_FLOAT_TOOLS_RUN_INPUTS_H

#include "Arguments.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "quant-float/ExecutionEngine/TensorFile.h"

namespace mlir::quant_float {

/// Reads or makes a tensor for every argument of the function. On failure the
/// error has been printed and its exit code is in `exitCode`.
std::optional<std::vector<Tensor>>
gatherInputs(func::FuncOp function, const Arguments &arguments, int &exitCode);

/// The name that the model gives argument `index`; may be empty.
std::string getInputName(func::FuncOp function, unsigned index);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_RUN_INPUTS_H
