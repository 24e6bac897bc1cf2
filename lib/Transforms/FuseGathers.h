//===- FuseGathers.h - Tables decoded where they are read -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_FUSEGATHERS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_FUSEGATHERS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::quant_float {

/// Computes elements of an elementwise op where another one extracts them, if
/// these are few: an embedding decodes the rows that it reads, and there is no
/// f32 copy of its table. Slices of an elementwise op become elementwise ops on
/// slices.
void fuseGathers(RewriterBase &rewriter, Operation *root);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_FUSEGATHERS_H
