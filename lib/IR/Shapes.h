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
#include <optional>
#include <string>

namespace mlir::quant_float {

/// The sizes of a type as the Granularity has them; empty for a scalar, none
/// where the rank is not known.
std::optional<SmallVector<int64_t>> getSizes(Type type);

/// Whether values of the types can have the same shape.
bool haveCompatibleShapes(Type a, Type b);

/// "the shape [4, ?]", for messages; sizes that count vscale times are in
/// brackets of their own.
std::string describeShape(Type type);

/// The result has the shape of `input` (V8): what the op interfaces ask.
LogicalResult reifyShapeOf(Value input, OpBuilder &builder, Location loc,
                           ReifiedRankedShapedTypeDims &reified);
void inferShapeOf(Value input,
                  SmallVectorImpl<ShapedTypeComponents> &components);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_IR_SHAPES_H
