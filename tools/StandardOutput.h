//===- StandardOutput.h - Whether all that was printed arrived --*- C++ -*-===//
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

/// Writes what is left, and says why that or something before it cannot be
/// written, if that is so. Otherwise the program would end so as it exits.
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
