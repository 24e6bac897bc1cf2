//===- Printable.h - Text from files in diagnostics -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_SUPPORT_PRINTABLE_H
#define QUANT_FLOAT_SUPPORT_PRINTABLE_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::quant_float {

/// Text from a file, fit for one line of a terminal: anything that is not
/// printable ASCII is escaped, and the middle of long text left out.
std::string printable(llvm::StringRef text);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_PRINTABLE_H
