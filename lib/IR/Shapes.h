//===- Shapes.h - The shape of an op's input is its result's ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_IR_SHAPES_H
#define QUANT_FLOAT_LIB_IR_SHAPES_H

#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace mlir::quant_float {

/// The result has the shape of `input` (V8): what the op interfaces ask.
LogicalResult reifyShapeOf(Value input, OpBuilder &builder, Location loc,
                           ReifiedRankedShapedTypeDims &reified);
void inferShapeOf(Value input,
                  SmallVectorImpl<ShapedTypeComponents> &components);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_IR_SHAPES_H
