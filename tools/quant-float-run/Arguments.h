//===- Arguments.h - The command line of quant-float-run --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_RUN_ARGUMENTS_H
#define QUANT_FLOAT_TOOLS_RUN_ARGUMENTS_H

#include "quant-float/Model/Model.h"
#include "quant-float/TensorData/InputPlan.h"

namespace mlir::quant_float {

struct Arguments {
  std::string model;
  LoadOptions load;
  BuildOptions build;
  /// Evaluate instead of compiling.
  bool useReference = false;
  std::vector<std::string> inputs;
  std::vector<InputShape> shapes;
  std::optional<uint64_t> randomSeed;
  std::string outputs;
  unsigned repeat = 10;
  bool time = false;
  bool compareModes = false;
};

/// Reads the command line. On failure, and after --help or --version, the exit
/// code to end with is in `exitCode`.
std::optional<Arguments> parseArguments(int argc, char **argv, int &exitCode);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_RUN_ARGUMENTS_H
