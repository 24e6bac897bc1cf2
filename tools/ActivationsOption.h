//===- ActivationsOption.h - The option --activations -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_ACTIVATIONSOPTION_H
#define QUANT_FLOAT_TOOLS_ACTIVATIONSOPTION_H

#include "quant-float/Pipelines/Activations.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::quant_float {

/// The option --activations of the tools that compile models.
struct ActivationsOption : llvm::cl::opt<Activations> {
  explicit ActivationsOption(
      llvm::cl::OptionCategory &category = llvm::cl::getGeneralCategory())
      : opt("activations",
            llvm::cl::desc(
                "type of the activations in matmuls with 8-, 4- or 2-bit "
                "weights, on CPUs (default: float)"),
            llvm::cl::values(clEnumValN(Activations::Float, "float",
                                        "keep the type of the model"),
                             clEnumValN(Activations::Int16, "int16",
                                        "16-bit integers with one scale per "
                                        "block of 32 or 16 elements"),
                             clEnumValN(Activations::Int8, "int8",
                                        "8-bit integers with one scale per "
                                        "block of 32 or 16 elements")),
            llvm::cl::init(Activations::Float), llvm::cl::cat(category)) {}
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_ACTIVATIONSOPTION_H
