//===- Error.h - What went wrong --------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_EXEC_ERROR_H
#define QUANT_FLOAT_TOOLS_EXEC_ERROR_H

#include <string>

namespace quant_float_exec {

/// Exit codes, those of all the tools.
enum ExitCode {
  kDone = 0,
  /// The input is wrong or cannot be run.
  kWrongInput = 1,
  /// Wrong usage or an unreadable file.
  kWrongUsage = 2,
};

/// Functions that may fail return false, and say here why.
struct Error {
  int exitCode = kDone;
  std::string text;

  /// About a file, or whatever `subject` names.
  bool fail(const std::string &subject, const std::string &what,
            int code = kWrongInput) {
    text = subject + ": error: " + what;
    exitCode = code;
    return false;
  }
  bool failUsage(const std::string &what) {
    return fail("quant-float-exec", what, kWrongUsage);
  }
};

} // namespace quant_float_exec

#endif // QUANT_FLOAT_TOOLS_EXEC_ERROR_H
