//===- AccumulationOption.h - The option --accumulation ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_ACCUMULATIONOPTION_H
#define QUANT_FLOAT_TOOLS_ACCUMULATIONOPTION_H

#include "quant-float/Pipelines/Accumulation.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::quant_float {

/// The option --accumulation of the tools that compile models.
struct AccumulationOption : llvm::cl::opt<Accumulation> {
  explicit AccumulationOption(
      llvm::cl::OptionCategory &category = llvm::cl::getGeneralCategory())
      : opt("accumulation",
            llvm::cl::desc("accumulation order and rounding of matmuls and "
                           "convolutions (default: ordered)"),
            llvm::cl::values(
                clEnumValN(
                    Accumulation::Ordered, "ordered",
                    "use a fused multiply-add for each product, in a "
                    "specified order, with the same bits on every machine"),
                clEnumValN(Accumulation::Reassociate, "reassociate",
                           "allow other orders, which GPUs use for matrix "
                           "instructions")),
            llvm::cl::init(Accumulation::Ordered), llvm::cl::cat(category)) {}
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_ACCUMULATIONOPTION_H
