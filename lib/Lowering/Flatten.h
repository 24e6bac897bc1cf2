//===- Flatten.h - Reshape vectors to rank 1 --------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_FLATTEN_H
#define QUANT_FLOAT_LIB_LOWERING_FLATTEN_H

#include "mlir/IR/Builders.h"

namespace mlir::quant_float {

/// Reshapes a scalar or vector to a vector of rank 1.
Value flatten(OpBuilder &builder, Location loc, Value value);
/// Reshapes a flattened value to the shape of the type `like`.
Value unflatten(OpBuilder &builder, Location loc, Value value, Type like);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_LOWERING_FLATTEN_H
