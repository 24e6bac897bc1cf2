//===- StandardOutput.h - Flush standard output -----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_STANDARDOUTPUT_H
#define QUANT_FLOAT_TOOLS_STANDARDOUTPUT_H

#include "llvm/Support/raw_ostream.h"

namespace mlir::quant_float {

/// Flushes standard output and reports an error of this or an earlier write.
/// Returns false on failure. Without this, the destructor of the stream would
/// abort the program.
inline bool finishStandardOutput() {
  llvm::outs().flush();
  std::error_code code = llvm::outs().error();
  llvm::outs().clear_error();
  if (code)
    llvm::errs() << "standard output: error: cannot be written: "
                 << code.message() << "\n";
  return !code;
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_STANDARDOUTPUT_H
