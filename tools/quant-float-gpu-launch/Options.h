//===- Options.h - The command line -----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_GPULAUNCH_OPTIONS_H
#define QUANT_FLOAT_TOOLS_GPULAUNCH_OPTIONS_H

#include "Elements.h"
#include <map>
#include <string>
#include <vector>

namespace launch {

struct Options {
  /// Empty where kernels are not run.
  std::string code;
  std::string description;
  std::string entry;
  std::vector<std::string> inputs;
  std::map<std::string, std::vector<int64_t>> shapes;
  bool isRandom = false;
  uint64_t seed = 0;
  /// All inputs count from `first` to `first + count`, so many at a time.
  bool isRange = false;
  uint64_t first = 0, count = 0, chunk = uint64_t(1) << 26;
  std::string outputs;
  std::string writeDigests, checkDigests;
  bool mergesNaNs = false;
  /// A library of entry points for the CPU, which runs in place of kernels.
  std::string host;
  int device = 0;
  size_t offsetBytes = 0;
  bool isTimed = false;
  unsigned repeat = 10;
  std::string json;
  bool isDryRun = false;
  bool showsDevice = false;
};

/// False where there is nothing left to do: after an error, --help, --version.
bool parseOptions(int argc, char **argv, Options &options, Error &error);

} // namespace launch

#endif // QUANT_FLOAT_TOOLS_GPULAUNCH_OPTIONS_H
