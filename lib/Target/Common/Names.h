//===- Names.h - Names of functions -----------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_COMMON_NAMES_H
#define QUANT_FLOAT_LIB_TARGET_COMMON_NAMES_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace mlir::quant_float::target {

/// A C identifier that resembles the name; "main" when nothing is left of it.
std::string makeIdentifier(StringRef name);

} // namespace mlir::quant_float::target

#endif // QUANT_FLOAT_LIB_TARGET_COMMON_NAMES_H
