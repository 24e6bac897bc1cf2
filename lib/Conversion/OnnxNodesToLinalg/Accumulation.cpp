//===- Accumulation.cpp - CumSum, CumProd --------------------------------===//
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

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

/// One step after the other along an axis: what all before it, and with it
/// unless `exclusive`, come to.
static NodeResults buildAccumulation(NodeContext &context, Combine combine) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0);
  SmallVector<OpFoldResult> sizes = context.getSizes(input), step = sizes;
  std::optional<SmallVector<int64_t>> given = context.getConstantInts(1);
  // Of a vector there is no other.
  if (!given && sizes.size() == 1)
    given.emplace(1, 0);
  if (!given || given->size() != 1)
    return context.unsupported("the axis must be constant");
  FailureOr<int64_t> axis = context.normalizeAxis(given->front(), sizes.size());
  if (failed(axis))
    return failure();
  step[*axis] = b.getIndexAttr(1);
  bool isExclusive = context.getFlag("exclusive");
  bool isReverse = context.getFlag("reverse");
  Type elementType = context.elementType(0), type = getComputeType(elementType);
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  Value inits[] = {makeBuffer(b, sizes, type),
                   buildFilled(b, step, makeNeutral(b, combine, type, false))};
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange elements,
                  ValueRange accumulators) -> SmallVector<Value> {
    return {buildCombine(b, combine, accumulators[0], toCompute(b, elements[0]),
                         /*isUnsigned=*/false)};
  };
  SmallVector<Value> results = buildSequential(
      b, sizes[*axis], inits,
      [&](ImplicitLocOpBuilder &b, ValueRange indices,
          ValueRange tensors) -> SmallVector<Value> {
        SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
        offsets[*axis] = indices[0];
        AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
        if (isReverse)
          offsets[*axis] =
              computeIndex(b, s0 - s1 - 1, {sizes[*axis], offsets[*axis]});
        Value result = tensors[0], total = tensors[1];
        auto store = [&] {
          result = tensor::InsertSliceOp::create(b, total, result, offsets,
                                                 step, strides);
        };
        if (isExclusive)
          store();
        Value part = buildSlice(b, input, offsets, step, strides);
        total =
            buildReduction(b, part, identity, total, identity, body).front();
        if (!isExclusive)
          store();
        return {result, total};
      });
  return SmallVector<Value>{
      convertFromCompute(context, results[0], elementType)};
}

NodeResults onnx_nodes::convertCumSum(NodeContext &context) {
  return buildAccumulation(context, Combine::Sum);
}

NodeResults onnx_nodes::convertCumProd(NodeContext &context) {
  return buildAccumulation(context, Combine::Product);
}
