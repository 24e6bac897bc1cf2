//===- WideFunctions.h - Expand math functions on f64 -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_MATH_WIDEFUNCTIONS_H
#define QUANT_FLOAT_LIB_CODEGEN_MATH_WIDEFUNCTIONS_H

#include "FloatArithmetic.h"

namespace mlir::quant_float {

using Expand = Value (*)(Arithmetic &, Value);

/// Returns the expansion of an f64 function of one argument, or null if there
/// is none.
Expand getWideExpansion(Operation *op);
Value expandWidePow(Arithmetic &a, Value x, Value y);

/// Computes x^y from `result`, which is |x|^y, with the special values of C's
/// pow.
Value finishPower(Arithmetic &a, Value x, Value y, Value result);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_MATH_WIDEFUNCTIONS_H
