//===- Arguments.h - The command line of quant-float-run --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_RUN_ARGUMENTS_H
#define QUANT_FLOAT_TOOLS_RUN_ARGUMENTS_H

#include "mlir/Support/LLVM.h"
#include "quant-float/Compiler/Driver.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::quant_float {

/// One value of --inputs: the file, and the input's name where one is given.
struct InputFile {
  std::string name;
  std::string path;
};

/// One value of --shapes; kDynamic for `?`.
struct InputShape {
  std::string name;
  SmallVector<int64_t> sizes;
};

struct Arguments {
  std::string model;
  LoadOptions load;
  std::vector<std::string> inputs;
  std::vector<InputShape> shapes;
  std::optional<uint64_t> randomSeed;
  std::string outputs;
  std::string entry;
  std::string target;
  std::string cpu;
  /// Of target nvvm; empty for the device's.
  std::string chip;
  unsigned threads = 1;
  unsigned optimizationLevel = 2;
  unsigned repeat = 10;
  bool time = false;
  bool compareModes = false;
};

/// Reads the command line. On failure, and after --help or --version, the exit
/// code to end with is in `exitCode`.
std::optional<Arguments> parseArguments(int argc, char **argv, int &exitCode);

/// `NAME=FILE`, where NAME is one of `names`; otherwise a file in order, whose
/// path may have an equals sign too.
InputFile splitInput(StringRef text, ArrayRef<std::string> names);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_RUN_ARGUMENTS_H
