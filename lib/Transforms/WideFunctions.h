//===- WideFunctions.h - Mathematical functions of f64 ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TRANSFORMS_WIDEFUNCTIONS_H
#define QUANT_FLOAT_LIB_TRANSFORMS_WIDEFUNCTIONS_H

#include "FloatArithmetic.h"

namespace mlir::quant_float {

using Expand = Value (*)(Arithmetic &, Value);

/// What a function of f64 is made of; null where it has no expansion.
Expand getWideExpansion(Operation *op);
Value expandWidePow(Arithmetic &a, Value x, Value y);

/// Of |x|^y x^y, with special values as C has them.
Value finishPower(Arithmetic &a, Value x, Value y, Value result);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_TRANSFORMS_WIDEFUNCTIONS_H
