//===- Building.h - What the conversions of nodes build with ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_BUILDING_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_BUILDING_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::quant_float::onnx_nodes {

//===----------------------------------------------------------------------===//
// Sizes and indices
//===----------------------------------------------------------------------===//

/// `expr` over `operands` (its symbols), folded.
OpFoldResult computeIndex(ImplicitLocOpBuilder &b, AffineExpr expr,
                          ArrayRef<OpFoldResult> operands);

/// The sizes as a type's: dynamic where no constant.
SmallVector<int64_t> getShape(ArrayRef<OpFoldResult> sizes);

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

/// The type that values of `elementType` are computed in: f32 for f16 and bf16
/// (one rounding per op), the signless integer for an unsigned one, the type
/// itself for others.
Type getComputeType(Type elementType);

/// A scalar in its compute type, and back with one rounding.
Value toCompute(ImplicitLocOpBuilder &b, Value value);
Value fromCompute(ImplicitLocOpBuilder &b, Value value, Type elementType);

/// A scalar constant of any of ONNX's number types.
Value makeConstant(ImplicitLocOpBuilder &b, TypedAttr value);
/// The number in `type`, a compute type (or index).
Value makeNumber(ImplicitLocOpBuilder &b, Type type, double value);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// Makes one element of the result from one element of each input.
using ElementBody =
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

/// A linalg.generic of parallel loops over `sizes` that reads each input
/// through its map.
Value buildParallel(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                    Type elementType, ValueRange inputs,
                    ArrayRef<AffineMap> maps, ElementBody body);

/// The map of an input of `sizes` that is broadcast (numpy's way) to
/// `resultRank` loops: a size of 1 is read at 0, axes are aligned at the end.
AffineMap getBroadcastMap(MLIRContext *context, ArrayRef<OpFoldResult> sizes,
                          ArrayRef<OpFoldResult> resultSizes);

/// A tensor of these sizes, full of one value (a scalar of any type).
Value buildFilled(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes,
                  Value value);

/// The same elements in another shape. The product of the sizes is the same
/// already; `from` are the sizes of `tensor`.
Value buildReshape(ImplicitLocOpBuilder &b, Value tensor,
                   ArrayRef<OpFoldResult> from, ArrayRef<OpFoldResult> to);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_BUILDING_H
