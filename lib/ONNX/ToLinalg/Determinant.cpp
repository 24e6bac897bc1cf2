//===- Determinant.cpp - Det ----------------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

/// Uses Gaussian elimination with partial pivoting. Each step handles all
/// matrices of the batch.
NodeResults onnx_nodes::convertDet(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(0));
  int64_t rank = sizes.size();
  if (rank < 2)
    return context.unsupported("the input must have rank 2 or more, but got " +
                               Twine(rank));
  OpFoldResult length = sizes.back();
  if (failed(context.requireEqual(sizes[rank - 2], length,
                                  "the number of columns")))
    return failure();
  SmallVector<OpFoldResult> batch(ArrayRef(sizes).drop_back(2));
  OpFoldResult count = context.computeProduct(batch);
  SmallVector<OpFoldResult> matrices = {count, length, length};
  Type elementType = context.elementType(0), type = getComputeType(elementType);
  Value start = context.reshape(context.input(0), matrices);
  start = buildParallel(b, matrices, type, start, b.getMultiDimIdentityMap(3),
                        [](ImplicitLocOpBuilder &b, ValueRange args) {
                          return toCompute(b, args[0]);
                        });
  Value inits[] = {start, buildFilled(b, count, makeNumber(b, type, 1))};
  auto isEqual = [](ImplicitLocOpBuilder &b, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
  };
  auto step = [&](ImplicitLocOpBuilder &inner, ValueRange at,
                  ValueRange values) -> SmallVector<Value> {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
    Value column = at[0], matrix = values[0];
    // Rows above the diagonal are finished and must not become pivots: their
    // candidates are -1.
    Value candidates = buildParallel(
        b, {count, length}, type, {}, {},
        [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
          Value row = linalg::IndexOp::create(b, 1);
          Value element = tensor::ExtractOp::create(
              b, matrix,
              ValueRange{linalg::IndexOp::create(b, 0), row, column});
          Value isDone =
              arith::CmpIOp::create(b, arith::CmpIPredicate::slt, row, column);
          return arith::SelectOp::create(b, isDone, makeNumber(b, type, -1),
                                         math::AbsFOp::create(b, element));
        });
    Value pivots = buildArgMax(context, candidates, /*axis=*/1, /*isMax=*/true,
                               /*takesEqual=*/false);
    auto getPivot = [&](ImplicitLocOpBuilder &b) -> Value {
      Value index = linalg::IndexOp::create(b, 0);
      Value row = tensor::ExtractOp::create(b, pivots, index);
      return arith::IndexCastOp::create(b, b.getIndexType(), row);
    };
    auto read = [&](ImplicitLocOpBuilder &b, Value row, Value column) -> Value {
      Value index = linalg::IndexOp::create(b, 0);
      return tensor::ExtractOp::create(b, matrix,
                                       ValueRange{index, row, column});
    };
    Value product = buildParallel(
        b, count, type, values[1], b.getMultiDimIdentityMap(1),
        [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
          Value row = getPivot(b);
          Value pivot = read(b, row, column);
          // Exchanging two rows changes the sign.
          pivot = arith::SelectOp::create(b, isEqual(b, row, column), pivot,
                                          arith::NegFOp::create(b, pivot));
          return arith::MulFOp::create(b, args[0], pivot);
        });
    Value next = buildParallel(
        b, matrices, type, {}, {},
        [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
          Value row = linalg::IndexOp::create(b, 1);
          Value index = linalg::IndexOp::create(b, 2);
          Value pivotRow = getPivot(b);
          Value from = arith::SelectOp::create(b, isEqual(b, row, pivotRow),
                                               column, row);
          from = arith::SelectOp::create(b, isEqual(b, row, column), pivotRow,
                                         from);
          Value element = read(b, from, index);
          Value pivot = read(b, pivotRow, column);
          Value factor = arith::DivFOp::create(b, read(b, from, column), pivot);
          Value other = arith::SubFOp::create(
              b, element,
              arith::MulFOp::create(b, factor, read(b, pivotRow, index)));
          // If the pivot is zero, so are all elements below it: nothing to
          // eliminate.
          Value isBelow =
              arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, row, column);
          Value isPivot = arith::CmpFOp::create(b, arith::CmpFPredicate::UNE,
                                                pivot, makeNumber(b, type, 0));
          return arith::SelectOp::create(
              b, arith::AndIOp::create(b, isBelow, isPivot), other, element);
        });
    return {next, product};
  };
  Value result = buildSequential(b, length, inits, step)[1];
  result = convertFromCompute(context, result, elementType);
  return SmallVector<Value>{context.reshape(result, batch)};
}
