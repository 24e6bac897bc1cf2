//===- Gathers.cpp - Gather ops and OneHot --------------------------------===//
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
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

NodeResults onnx_nodes::convertGather(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value data = context.inputs[0], indices = context.inputs[1];
  SmallVector<OpFoldResult> dataSizes = context.getSizes(data);
  SmallVector<OpFoldResult> indexSizes = context.getSizes(indices);
  FailureOr<int64_t> axis =
      context.normalizeAxis(context.getInt("axis"), dataSizes.size());
  if (failed(axis))
    return failure();
  OpFoldResult size = dataSizes[*axis];
  std::optional<int64_t> constantSize = getConstantIntValue(size);
  std::optional<SmallVector<int64_t>> constants = context.getConstantInts(1);
  if (failed(requireIndices(context, 1, size)))
    return failure();
  if (failed(context.requireElements(*axis, size,
                                     context.computeProduct(indexSizes))))
    return failure();

  // Gather the scalars of shape arithmetic directly.
  Type elementType = context.elementType(0);
  std::optional<SmallVector<Value>> scalars = context.getScalars(data);
  if (scalars && constants && dataSizes.size() == 1 && indexSizes.size() <= 1) {
    SmallVector<Value> chosen;
    for (int64_t index : *constants)
      chosen.push_back((*scalars)[index < 0 ? index + *constantSize : index]);
    return SmallVector<Value>{context.makeTensor(
        chosen,
        RankedTensorType::get(context.type(1).getShape(), elementType))};
  }

  SmallVector<OpFoldResult> sizes;
  ArrayRef<OpFoldResult> all = dataSizes;
  llvm::append_range(sizes, all.take_front(*axis));
  llvm::append_range(sizes, indexSizes);
  llvm::append_range(sizes, all.drop_front(*axis + 1));
  // A single constant index is a slice.
  if (constants && constants->size() == 1 && constantSize) {
    int64_t index = constants->front();
    SmallVector<OpFoldResult> offsets(dataSizes.size(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(dataSizes.size(), b.getIndexAttr(1));
    SmallVector<OpFoldResult> part = dataSizes;
    part[*axis] = b.getIndexAttr(1);
    offsets[*axis] = b.getIndexAttr(index < 0 ? index + *constantSize : index);
    return SmallVector<Value>{buildReshape(
        b, buildSlice(b, data, offsets, part, strides), part, sizes)};
  }
  SmallVector<AffineExpr> exprs;
  for (size_t i = 0; i < indexSizes.size(); ++i)
    exprs.push_back(b.getAffineDimExpr(*axis + i));
  auto map = AffineMap::get(sizes.size(), 0, exprs, b.getContext());
  return SmallVector<Value>{buildParallel(
      b, sizes, elementType, indices, map,
      [&](ImplicitLocOpBuilder &inner, ValueRange args) -> Value {
        Value index = toPosition(inner, args[0], size);
        SmallVector<Value> position;
        for (int64_t i = 0, n = dataSizes.size(); i < n; ++i) {
          int64_t loop = i < *axis ? i : i + indexSizes.size() - 1;
          position.push_back(
              i == *axis ? index : Value(linalg::IndexOp::create(inner, loop)));
        }
        return tensor::ExtractOp::create(inner, data, position);
      })};
}

//===----------------------------------------------------------------------===//
// GatherElements
//===----------------------------------------------------------------------===//

NodeResults onnx_nodes::convertGatherElements(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value data = context.input(0), indices = context.input(1);
  SmallVector<OpFoldResult> from = context.getSizes(data);
  SmallVector<OpFoldResult> to = context.getSizes(indices);
  FailureOr<int64_t> axis =
      context.normalizeAxis(context.getInt("axis"), from.size());
  if (failed(axis) || failed(requireElementIndices(context, *axis)) ||
      failed(context.requireElements(*axis, from[*axis],
                                     context.computeProduct(to))))
    return failure();
  return SmallVector<Value>{
      buildParallel(b, to, context.elementType(0), indices,
                    b.getMultiDimIdentityMap(to.size()),
                    [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                      SmallVector<Value> position;
                      for (size_t i = 0; i < to.size(); ++i)
                        position.push_back(linalg::IndexOp::create(b, i));
                      position[*axis] = toPosition(b, args[0], from[*axis]);
                      return tensor::ExtractOp::create(b, data, position);
                    })};
}

//===----------------------------------------------------------------------===//
// GatherND
//===----------------------------------------------------------------------===//

/// The axes of the result are the batch axes, the other axes of the index
/// tuples, and the axes of the data that are not indexed.
NodeResults onnx_nodes::convertGatherND(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value data = context.input(0), indices = context.input(1);
  SmallVector<OpFoldResult> from = context.getSizes(data);
  SmallVector<OpFoldResult> tuples = context.getSizes(indices);
  int64_t batch = context.getInt("batch_dims");
  FailureOr<int64_t> length = requireTuples(context, batch);
  if (failed(length))
    return failure();
  tuples.pop_back();
  for (int64_t axis = 0; axis < batch; ++axis)
    if (failed(context.requireEqual(from[axis], tuples[axis],
                                    "the size of batch axis " + Twine(axis))))
      return failure();
  SmallVector<OpFoldResult> to = tuples;
  llvm::append_range(to, ArrayRef(from).drop_front(batch + *length));
  for (int64_t i = 0; i < *length; ++i)
    if (failed(context.requireElements(batch + i, from[batch + i],
                                       context.computeProduct(to))))
      return failure();
  return SmallVector<Value>{buildParallel(
      b, to, context.elementType(0), {}, {},
      [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
        SmallVector<Value> loops;
        for (size_t i = 0; i < to.size(); ++i)
          loops.push_back(linalg::IndexOp::create(b, i));
        ArrayRef<Value> all = loops;
        SmallVector<Value> position(all.take_front(batch));
        llvm::append_range(
            position,
            extractPositions(b, indices, all.take_front(tuples.size()),
                             ArrayRef(from).slice(batch, *length)));
        llvm::append_range(position, all.drop_front(tuples.size()));
        return tensor::ExtractOp::create(b, data, position);
      })};
}

//===----------------------------------------------------------------------===//
// OneHot
//===----------------------------------------------------------------------===//

/// Before opset 11, negative indices do not count from the end.
NodeResults onnx_nodes::convertOneHot(NodeContext &context) {
  constexpr int64_t kFirstFromEnd = 11;
  ImplicitLocOpBuilder &b = context.b;
  if (failed(context.requireKind(0, kinds::Float | kinds::Integer)))
    return failure();
  Value indices = context.input(0), values = context.input(2);
  SmallVector<OpFoldResult> to = context.getSizes(indices);
  SmallVector<OpFoldResult> valueSizes = context.getSizes(values);
  FailureOr<OpFoldResult> depth = context.getIndex(1);
  FailureOr<int64_t> axis =
      context.normalizeAxis(context.getInt("axis"), to.size() + 1);
  if (failed(depth) || failed(axis) ||
      failed(context.requireAtLeast(0, *depth, "the depth")))
    return failure();
  if (valueSizes.size() != 1)
    return context.unsupported("input 2 must have rank 1, but got " +
                               Twine(valueSizes.size()));
  if (failed(context.requireEqual(b.getIndexAttr(2), valueSizes[0],
                                  "the number of values")))
    return failure();
  to.insert(to.begin() + *axis, *depth);
  AffineMap identity = b.getMultiDimIdentityMap(to.size());
  return SmallVector<Value>{buildParallel(
      b, to, context.elementType(2), indices, identity.dropResult(*axis),
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value index = args[0];
        if (isa<FloatType>(index.getType()))
          index = b.createOrFold<CastOp>(index, b.getI64Type());
        index = castToIndex(b, index);
        Value position = linalg::IndexOp::create(b, *axis);
        Value isHot =
            arith::CmpIOp::create(b, arith::CmpIPredicate::eq, index, position);
        if (context.opset >= kFirstFromEnd) {
          Value fromEnd =
              arith::SubIOp::create(b, position, makeIndex(b, *depth));
          isHot = arith::OrIOp::create(
              b, isHot,
              arith::CmpIOp::create(b, arith::CmpIPredicate::eq, index,
                                    fromEnd));
        }
        auto getValue = [&](int64_t index) -> Value {
          Value position = arith::ConstantIndexOp::create(b, index);
          return tensor::ExtractOp::create(b, values, position);
        };
        return buildSelect(b, isHot, getValue(1), getValue(0));
      })};
}
