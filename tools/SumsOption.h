//===- SumsOption.h - Which sums compiled code computes ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_SUMSOPTION_H
#define QUANT_FLOAT_TOOLS_SUMSOPTION_H

#include "quant-float/Compiler/Sums.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::quant_float {

/// The option of the tools that compile models.
struct SumsOption : llvm::cl::opt<Sums> {
  explicit SumsOption(
      llvm::cl::OptionCategory &category = llvm::cl::getGeneralCategory())
      : opt("sums",
            llvm::cl::desc("accumulation order and rounding of matmuls and "
                           "convolutions (default: stated)"),
            llvm::cl::values(
                clEnumValN(
                    Sums::Stated, "stated",
                    "round each multiplication and each addition, in a "
                    "specified order, with the same bits on every machine"),
                clEnumValN(Sums::Fast, "fast",
                           "use fused multiply-adds, and on GPUs reassociate "
                           "for matrix instructions, if available")),
            llvm::cl::init(Sums::Stated), llvm::cl::cat(category)) {}
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_SUMSOPTION_H
