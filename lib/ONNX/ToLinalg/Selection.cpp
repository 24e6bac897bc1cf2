//===- Selection.cpp - Ops with a data-dependent result size --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

/// Whether an element is not zero. A NaN is not zero.
static Value isNonZero(ImplicitLocOpBuilder &b, Value element) {
  Value x = toCompute(b, element);
  Value zero = makeNumber(b, x.getType(), 0);
  if (isa<FloatType>(x.getType()))
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, x, zero);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, x, zero);
}

namespace {
/// The positions of the nonzero elements of a tensor, in row-major order.
struct Nonzeros {
  /// An i64 tensor with a row for each axis and a column for each position.
  Value indices;
  OpFoldResult count;
};
} // namespace

static Nonzeros buildNonzeros(NodeContext &context, Value tensor) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
  int64_t rank = sizes.size();
  Type i64 = b.getI64Type();
  Value none = buildFilled(b, {}, makeNumber(b, i64, 0));
  Value total =
      buildReduction(b, tensor, b.getMultiDimIdentityMap(rank), none,
                     AffineMap::get(rank, 0, b.getContext()),
                     [&](ImplicitLocOpBuilder &b, ValueRange elements,
                         ValueRange accumulators) -> SmallVector<Value> {
                       Value one = arith::ExtUIOp::create(
                           b, i64, isNonZero(b, elements[0]));
                       return {arith::AddIOp::create(b, accumulators[0], one)};
                     })
          .front();
  Value count = arith::IndexCastOp::create(
      b, b.getIndexType(), tensor::ExtractOp::create(b, total, ValueRange()));
  // The position of every element is written to the next free column, which
  // advances only if the element is nonzero. One additional column receives the
  // positions after the last nonzero element.
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value columns = arith::AddIOp::create(b, count, one);
  Value inits[] = {makeBuffer(b, {b.getIndexAttr(rank), columns}, i64), none};
  Value filled =
      buildSequential(
          b, sizes, inits,
          [&](ImplicitLocOpBuilder &b, ValueRange at,
              ValueRange values) -> SmallVector<Value> {
            Value result = values[0];
            Value next = tensor::ExtractOp::create(b, values[1], ValueRange());
            Value column =
                arith::IndexCastOp::create(b, b.getIndexType(), next);
            for (auto [axis, index] : llvm::enumerate(at)) {
              Value row = arith::ConstantIndexOp::create(b, axis);
              result = tensor::InsertOp::create(
                  b, arith::IndexCastOp::create(b, i64, index), result,
                  ValueRange{row, column});
            }
            Value chosen = arith::ExtUIOp::create(
                b, i64, isNonZero(b, tensor::ExtractOp::create(b, tensor, at)));
            next = arith::AddIOp::create(b, next, chosen);
            return {result,
                    tensor::InsertOp::create(b, next, values[1], ValueRange())};
          })
          .front();
  SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0)),
      strides(2, b.getIndexAttr(1));
  return {
      buildSlice(b, filled, offsets, {b.getIndexAttr(rank), count}, strides),
      count};
}

/// ONNX does not specify the result for scalars.
NodeResults onnx_nodes::convertNonZero(NodeContext &context) {
  if (context.type(0).getRank() == 0)
    return context.unsupported("a scalar has no axes");
  return SmallVector<Value>{buildNonzeros(context, context.inputs[0]).indices};
}

/// Selects the slices along an axis, or elements, for which the condition
/// holds. The condition may be shorter than the axis.
NodeResults onnx_nodes::convertCompress(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  if (failed(context.requireElementType(1, b.getI1Type())))
    return failure();
  if (context.type(1).getRank() != 1)
    return context.unsupported("the condition must be a vector");
  Value data = context.inputs[0];
  int64_t axis = 0;
  if (context.has("axis")) {
    FailureOr<int64_t> specified = context.normalizeAxis(
        context.getInt("axis"), context.type(0).getRank());
    if (failed(specified))
      return failure();
    axis = *specified;
  } else {
    data =
        context.reshape(data, {context.computeProduct(context.getSizes(data))});
  }
  SmallVector<OpFoldResult> sizes = context.getSizes(data);
  if (failed(context.requireAtMost(sizes[axis],
                                   context.getSizes(context.inputs[1]).front(),
                                   "the size of the condition")))
    return failure();
  Nonzeros nonzeros = buildNonzeros(context, context.inputs[1]);
  sizes[axis] = nonzeros.count;
  AffineMap column = AffineMap::get(
      sizes.size(), 0, {b.getAffineConstantExpr(0), b.getAffineDimExpr(axis)},
      b.getContext());
  return SmallVector<Value>{buildParallel(
      b, sizes, context.elementType(0), nonzeros.indices, column,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        SmallVector<Value> position;
        for (int64_t i = 0, n = sizes.size(); i < n; ++i)
          position.push_back(
              i == axis
                  ? arith::IndexCastOp::create(b, b.getIndexType(), args[0])
                        .getResult()
                  : linalg::IndexOp::create(b, i).getResult());
        return tensor::ExtractOp::create(b, data, position);
      })};
}
