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

namespace mlir::quant_float {

/// Reads or makes a tensor for every input of the function. On failure the
/// error has been printed and its exit code is in `exitCode`.
std::optional<std::vector<Tensor>>
gatherInputs(func::FuncOp function, const Arguments &arguments, int &exitCode);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_RUN_INPUTS_H
