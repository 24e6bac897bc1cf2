//===- Reduction.h - Reductions of any loops --------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_REDUCTION_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_REDUCTION_H

#include "NodeContext.h"
#include "mlir/IR/AffineMap.h"

namespace mlir::quant_float::onnx_nodes {

/// How two values become one.
enum class Combine { Sum, Product, Max, Min };

/// What `combine` starts from; `type` is a compute type, `isUnsigned` says how
/// to read its integers.
Value makeNeutral(ImplicitLocOpBuilder &b, Combine combine, Type type,
                  bool isUnsigned);
/// Two values of a compute type combined. A NaN goes through Max and Min.
Value buildCombine(ImplicitLocOpBuilder &b, Combine combine, Value lhs,
                   Value rhs, bool isUnsigned);
/// Whether integers of this element type are read as unsigned, bool too.
bool isUnsignedElement(Type elementType);

/// Makes the new values of the accumulators from one element of each input.
using ReductionBody = llvm::function_ref<SmallVector<Value>(
    ImplicitLocOpBuilder &, ValueRange elements, ValueRange accumulators)>;

/// A linalg.generic that reads each input through its map and folds into
/// `inits`, all through `resultMap`; the loops that this one leaves out are the
/// reductions.
SmallVector<Value> buildReduction(ImplicitLocOpBuilder &b, ValueRange inputs,
                                  ArrayRef<AffineMap> maps, ValueRange inits,
                                  AffineMap resultMap, ReductionBody body);

/// The types that ConvInteger and MatMulInteger have: factors of 8 bits, each
/// with a zero point (inputs 2 and 3) of its own type or none.
LogicalResult requireIntegerFactors(NodeContext &context);

/// accumulator + elements[0] * elements[1], for floats and integers; of which,
/// first, the elements at `zeroPoints` (where there are) are subtracted.
SmallVector<Value>
multiplyAndAdd(ImplicitLocOpBuilder &b, ValueRange elements,
               ValueRange accumulators,
               ArrayRef<std::optional<size_t>> zeroPoints = {});

/// Changes an element before it is combined.
using ElementMap = Value (*)(ImplicitLocOpBuilder &, Value);

/// The elements along `axes` combined, in the compute type, the axes left out.
Value buildReductionOfAxes(NodeContext &context, Value tensor,
                           ArrayRef<int64_t> axes, Combine combine,
                           ElementMap before = nullptr);

/// The product of sizes, as an i64.
Value buildElementCount(ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> sizes);

/// A tensor of a compute type with its elements in `elementType`.
Value convertFromCompute(NodeContext &context, Value tensor, Type elementType);

/// Elements computed from those of several tensors, each of which goes along
/// some of the axes of the result: `axes` of an input are the axes of the
/// result that its own are.
Value buildAlongAxes(
    NodeContext &context, ArrayRef<OpFoldResult> sizes, Type elementType,
    ValueRange inputs, ArrayRef<SmallVector<int64_t>> axes,
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_REDUCTION_H
