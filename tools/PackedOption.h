//===- PackedOption.h - The option --packed ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_PACKEDOPTION_H
#define QUANT_FLOAT_TOOLS_PACKEDOPTION_H

#include "quant-float/Model/Model.h"
#include "llvm/Support/CommandLine.h"

namespace mlir::quant_float {

enum class PackedTensors { Weights, All, None };

/// The option --packed of the tools that compile models.
struct PackedOption : llvm::cl::opt<PackedTensors> {
  explicit PackedOption(
      llvm::cl::OptionCategory &category = llvm::cl::getGeneralCategory())
      : opt("packed",
            llvm::cl::desc("tensors of 2-, 4- and 6-bit elements that are "
                           "packed (default: weights)"),
            llvm::cl::values(
                clEnumValN(PackedTensors::Weights, "weights",
                           "large constants that are packed in the file, and "
                           "arguments with the attribute quant_float.packed"),
                clEnumValN(PackedTensors::All, "all",
                           "also inputs and outputs"),
                clEnumValN(PackedTensors::None, "none",
                           "none: one byte per element")),
            llvm::cl::init(PackedTensors::Weights), llvm::cl::cat(category)) {}

  llvm::Error apply(Model &model) const {
    if (getValue() == PackedTensors::Weights)
      return llvm::Error::success();
    return getValue() == PackedTensors::All ? model.packArguments()
                                            : model.unpackAll();
  }
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_PACKEDOPTION_H
