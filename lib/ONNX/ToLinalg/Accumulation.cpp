//===- Accumulation.cpp - CumSum, CumProd ---------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

Value onnx_nodes::buildRunning(NodeContext &context, Value input, int64_t axis,
                               Combine combine, bool isExclusive,
                               bool isReverse) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes = context.getSizes(input), step = sizes;
  step[axis] = b.getIndexAttr(1);
  Type type = getComputeType(getElementTypeOrSelf(input));
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  Value inits[] = {makeBuffer(b, sizes, type),
                   buildFilled(b, step, makeNeutral(b, combine, type, false))};
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange elements,
                  ValueRange accumulators) -> SmallVector<Value> {
    return {buildCombine(b, combine, accumulators[0], toCompute(b, elements[0]),
                         /*isUnsigned=*/false)};
  };
  return buildSequential(
             b, sizes[axis], inits,
             [&](ImplicitLocOpBuilder &b, ValueRange indices,
                 ValueRange tensors) -> SmallVector<Value> {
               SmallVector<OpFoldResult> offsets(sizes.size(),
                                                 b.getIndexAttr(0));
               offsets[axis] = indices[0];
               AffineExpr s0 = b.getAffineSymbolExpr(0);
               AffineExpr s1 = b.getAffineSymbolExpr(1);
               if (isReverse)
                 offsets[axis] =
                     computeIndex(b, s0 - s1 - 1, {sizes[axis], offsets[axis]});
               Value result = tensors[0], total = tensors[1];
               auto store = [&] {
                 result = tensor::InsertSliceOp::create(b, total, result,
                                                        offsets, step, strides);
               };
               if (isExclusive)
                 store();
               Value part = buildSlice(b, input, offsets, step, strides);
               total = buildReduction(b, part, identity, total, identity, body)
                           .front();
               if (!isExclusive)
                 store();
               return {result, total};
             })
      .front();
}

static NodeResults convertRunning(NodeContext &context, Combine combine) {
  ImplicitLocOpBuilder &b = context.b;
  int64_t rank = context.type(0).getRank();
  FailureOr<OpFoldResult> axis = context.getIndex(1);
  if (succeeded(axis))
    axis = context.normalizeAxis(*axis, rank);
  if (failed(axis))
    return failure();
  // A vector has only axis 0.
  if (rank == 1)
    axis = OpFoldResult(b.getIndexAttr(0));
  Value input = context.input(0);
  auto [tensor, known] = makeAxisKnown(context, input, *axis);
  Value result =
      buildRunning(context, tensor, known, combine,
                   context.getFlag("exclusive"), context.getFlag("reverse"));
  return SmallVector<Value>{convertFromCompute(
      context, context.reshape(result, context.getSizes(input)),
      context.elementType(0))};
}

NodeResults onnx_nodes::convertCumSum(NodeContext &context) {
  return convertRunning(context, Combine::Sum);
}

NodeResults onnx_nodes::convertCumProd(NodeContext &context) {
  return convertRunning(context, Combine::Product);
}
