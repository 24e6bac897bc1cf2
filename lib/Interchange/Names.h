//===- Names.h - Names of functions -----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_INTERCHANGE_NAMES_H
#define QUANT_FLOAT_LIB_INTERCHANGE_NAMES_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir::quant_float::target {

/// Returns a C identifier that resembles the name, or "main" if the name has no
/// letters or digits.
std::string makeIdentifier(StringRef name);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_INTERCHANGE_NAMES_H
