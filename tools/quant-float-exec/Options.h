//===- Options.h - The command line of quant-float-exec ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_EXEC_OPTIONS_H
#define QUANT_FLOAT_TOOLS_EXEC_OPTIONS_H

#include "Error.h"
#include "quant-float/TensorData/InputPlan.h"
#include <optional>

namespace quant_float_exec {

struct Options {
  std::string path;
  std::string entry;
  bool isAll = false;
  std::vector<std::string> inputs;
  std::vector<mlir::quant_float::InputShape> shapes;
  std::optional<uint64_t> seed;
  /// Every input counts from `first` to `first + count`, so many at a time.
  bool isSweep = false;
  uint64_t first = 0, count = 0, chunk = uint64_t(1) << 26;
  std::string outputs;
  bool isTimed = false;
  unsigned repeat = 10;
  bool printsDigests = false, mergesNaNs = false;
  int device = 0;
  size_t offsetBytes = 0;
  bool lists = false, showsDevice = false;
};

/// False where there is nothing left to do: after an error, --help, --version.
bool parseOptions(int argc, char **argv, Options &options, Error &error);

} // namespace quant_float_exec

#endif // QUANT_FLOAT_TOOLS_EXEC_OPTIONS_H
