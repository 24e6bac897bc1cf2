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
            llvm::cl::desc(
                "how sums of products are rounded (default: stated)"),
            llvm::cl::values(
                clEnumValN(
                    Sums::Stated, "stated",
                    "each product and each sum, the same on every machine"),
                clEnumValN(Sums::Fast, "fast",
                           "by fused multiply-adds, and on GPUs by matrix "
                           "instructions, where there are any")),
            llvm::cl::init(Sums::Stated), llvm::cl::cat(category)) {}
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_SUMSOPTION_H
