//===- Flatten.h - Vectors as vectors of one dimension ----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_FLATTEN_H
#define QUANT_FLOAT_LIB_EMULATION_FLATTEN_H

#include "mlir/IR/Builders.h"

namespace mlir::quant_float {

/// `value` with one dimension.
Value flatten(OpBuilder &builder, Location loc, Value value);
/// The shape of `like` for what has been flattened.
Value unflatten(OpBuilder &builder, Location loc, Value value, Type like);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_EMULATION_FLATTEN_H
