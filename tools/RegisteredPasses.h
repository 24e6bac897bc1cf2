//===- RegisteredPasses.h - Passes of a preloaded plugin --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_TOOLS_REGISTEREDPASSES_H
#define QUANT_FLOAT_TOOLS_REGISTEREDPASSES_H

#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::quant_float {

/// Prints an error and returns true if the passes that the tool is about to
/// register are registered already. MLIR aborts on two definitions of a pass.
inline bool reportRegisteredPasses(StringRef tool) {
  if (!PassInfo::lookup("convert-quant-float-to-arith"))
    return false;
  llvm::errs() << tool
               << ": error: a preloaded plugin has registered the passes that "
                  "this program contains\n";
  return true;
}

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_TOOLS_REGISTEREDPASSES_H
