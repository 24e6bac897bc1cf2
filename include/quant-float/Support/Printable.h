//===- Printable.h - Strings in diagnostics ---------------------*- C++ -*-===//
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

/// Returns a string from a file in a form that fits on one line of a terminal:
/// characters other than printable ASCII are escaped, and the middle of a long
/// string is omitted.
std::string printable(llvm::StringRef string);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_SUPPORT_PRINTABLE_H
