//===- Shapes.h - Shapes in verifiers and inference -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_IR_SHAPES_H
#define QUANT_FLOAT_LIB_IR_SHAPES_H

#include "mlir/Interfaces/InferTypeOpInterface.h"
#include <string>

namespace mlir::quant_float {

/// Whether two sizes can be the same at run time.
inline bool isCompatibleSize(int64_t size, int64_t expected) {
  return ShapedType::isDynamic(size) || ShapedType::isDynamic(expected) ||
         size == expected;
}

/// "the shape [4, ?]", for messages; null is a scalar.
std::string describeShape(ShapedType type);

/// The result has the shape of `input` (V8): what the op interfaces ask.
LogicalResult reifyShapeOf(Value input, OpBuilder &builder, Location loc,
                           ReifiedRankedShapedTypeDims &reified);
void inferShapeOf(Value input,
                  SmallVectorImpl<ShapedTypeComponents> &components);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_IR_SHAPES_H
