//===- Error.h - What went wrong --------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_GPULAUNCH_ERROR_H
#define QUANT_FLOAT_TOOLS_GPULAUNCH_ERROR_H

#include <string>
#include <utility>

namespace launch {

/// Exit codes, those of all the tools.
enum ExitCode {
  kDone = 0,
  /// The input is wrong or cannot be run.
  kWrongInput = 1,
  /// Wrong usage or an unreadable file.
  kWrongUsage = 2,
};

/// Functions that may fail return false, or nothing, and say here why.
struct Error {
  int exitCode = kDone;
  std::string text;

  bool fail(std::string what, int code = kWrongInput) {
    text = std::move(what);
    exitCode = code;
    return false;
  }
};

} // namespace launch

#endif // QUANT_FLOAT_TOOLS_GPULAUNCH_ERROR_H
