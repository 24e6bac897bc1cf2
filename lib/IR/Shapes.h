//===- Shapes.h - Shapes for verifiers and inference ------------*- C++ -*-===//
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

/// Returns the sizes of a type in the encoding of Granularity. Empty for a
/// scalar, nullopt for an unranked type.
std::optional<SmallVector<int64_t>> getSizes(Type type);

/// Returns whether the shapes of the types are compatible. Unranked types are
/// compatible with all types.
bool haveCompatibleShapes(Type a, Type b);

/// Returns a description such as "the shape [4, ?]" for messages. Scalable
/// sizes are in brackets, as in "[[4]]".
std::string describeShape(Type type);

/// Implementations of the shape interfaces of ops whose result has the shape of
/// `input` (V8).
LogicalResult reifyShapeOf(Value input, OpBuilder &builder, Location loc,
                           ReifiedRankedShapedTypeDims &reified);
void inferShapeOf(Value input,
                  SmallVectorImpl<ShapedTypeComponents> &components);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_IR_SHAPES_H
