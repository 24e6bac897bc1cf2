//===- Unpooling.cpp - Lowering of Col2Im and MaxUnpool -------------------===//
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
#include "quant-float/IR/ElementTypes.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// Col2Im
//===----------------------------------------------------------------------===//

/// An element of the image is the sum of the corresponding elements of all
/// blocks that contain it. The parallel loops are batch, channel and the axes
/// of the image, the reduction loops are the axes of a block.
NodeResults onnx_nodes::convertCol2Im(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value columns = context.input(0);
  SmallVector<OpFoldResult> from = context.getSizes(columns);
  FailureOr<SmallVector<OpFoldResult>> image = context.getShapeInput(1);
  FailureOr<SmallVector<OpFoldResult>> block = context.getShapeInput(2);
  if (failed(image) || failed(block))
    return failure();
  int64_t axes = image->size();
  constexpr int64_t kMaxAxes = 4;
  if (from.size() != 3 || axes < 1 || axes > kMaxAxes ||
      static_cast<int64_t>(block->size()) != axes)
    return context.unsupported(
        "the input must have rank 3, and image and block the same 1 to " +
        Twine(kMaxAxes) + " sizes, but got " + Twine(from.size()) + ", " +
        Twine(axes) + " and " + Twine(block->size()));
  FailureOr<WindowLists> lists = getWindowLists(context, axes);
  if (failed(lists))
    return failure();

  // The number of blocks along each axis.
  SmallVector<OpFoldResult> counts;
  AffineExpr s0, s1;
  bindSymbols(b.getContext(), s0, s1);
  for (int64_t axis = 0; axis < axes; ++axis) {
    AffineExpr span = s0 + lists->pads[axis] + lists->pads[axes + axis] -
                      lists->dilations[axis] * (s1 - 1) - 1;
    if (failed(
            context.requireAtLeast(0, (*image)[axis], "a size of the image")) ||
        failed(
            context.requireAtLeast(1, (*block)[axis], "a size of the block")))
      return failure();
    OpFoldResult room = computeIndex(b, span, {(*image)[axis], (*block)[axis]});
    if (failed(context.requireAtLeast(0, room,
                                      "the image size minus the block size")))
      return failure();
    counts.push_back(
        computeIndex(b, s0.floorDiv(lists->strides[axis]) + 1, room));
  }
  OpFoldResult blockSize = context.computeProduct(*block);
  // The size may be computed before the assertion rejects an empty block. Avoid
  // the division by 0.
  Value divisor = b.createOrFold<arith::MaxSIOp>(
      makeIndex(b, blockSize), arith::ConstantIndexOp::create(b, 1));
  Value channels = arith::DivUIOp::create(b, makeIndex(b, from[1]), divisor);
  if (std::optional<int64_t> all = getConstantIntValue(from[1]),
      each = getConstantIntValue(blockSize);
      all && each)
    channels = arith::ConstantIndexOp::create(b, *all / *each);
  SmallVector<OpFoldResult> to = {from[0], getAsOpFoldResult(channels)};
  if (failed(context.requireEqual(context.computeProduct({to[1], blockSize}),
                                  from[1], "the number of channels",
                                  "must be divisible by the block size")) ||
      failed(context.requireEqual(context.computeProduct(counts), from[2],
                                  "the number of blocks")))
    return failure();
  llvm::append_range(to, *image);

  Type elementType = context.elementType(0), type = getComputeType(elementType);
  int64_t rank = 2 + axes, numLoops = rank + axes;
  // The window tensor is never read. It defines the trip counts of the
  // reduction loops.
  Value window = tensor::EmptyOp::create(b, *block, b.getI8Type());
  AffineMap loopMap = b.getMultiDimIdentityMap(numLoops);
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange,
                  ValueRange accumulators) -> SmallVector<Value> {
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    auto append = [&](Value output, OpFoldResult size, Value next) -> Value {
      return arith::AddIOp::create(
          b, arith::MulIOp::create(b, output, makeIndex(b, size)), next);
    };
    Value zero = number(0);
    Value channel = linalg::IndexOp::create(b, 1), column = zero;
    Value isInside = makeNumber(b, b.getI1Type(), 1);
    for (int64_t axis = 0; axis < axes; ++axis) {
      Value inBlock = linalg::IndexOp::create(b, rank + axis);
      channel = append(channel, (*block)[axis], inBlock);
      Value position = arith::AddIOp::create(
          b, linalg::IndexOp::create(b, 2 + axis), number(lists->pads[axis]));
      position = arith::SubIOp::create(
          b, position,
          arith::MulIOp::create(b, inBlock, number(lists->dilations[axis])));
      Value stride = number(lists->strides[axis]);
      Value output = arith::DivSIOp::create(b, position, stride);
      Value conditions[] = {
          arith::CmpIOp::create(b, arith::CmpIPredicate::sge, position, zero),
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                arith::MulIOp::create(b, output, stride),
                                position),
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, output,
                                makeIndex(b, counts[axis]))};
      for (Value condition : conditions)
        isInside = arith::AndIOp::create(b, isInside, condition);
      column = append(column, counts[axis], output);
    }
    column = arith::SelectOp::create(b, isInside, column, zero);
    Value element = tensor::ExtractOp::create(
        b, columns, ValueRange{linalg::IndexOp::create(b, 0), channel, column});
    element = arith::SelectOp::create(b, isInside, toCompute(b, element),
                                      makeNumber(b, type, 0));
    return {buildCombine(b, Combine::Sum, accumulators[0], element, false)};
  };
  Value result = buildReduction(b, window, loopMap.getMinorSubMap(axes),
                                buildFilled(b, to, makeNumber(b, type, 0)),
                                loopMap.getMajorSubMap(rank), body)
                     .front();
  return SmallVector<Value>{convertFromCompute(context, result, elementType)};
}

//===----------------------------------------------------------------------===//
// MaxUnpool
//===----------------------------------------------------------------------===//

/// Writes each element to its index in the flattened result, as MaxPool returns
/// it, and zeros elsewhere. If the node has an output shape, the result is
/// padded at the end of each axis to that shape.
NodeResults onnx_nodes::convertMaxUnpool(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0), indices = context.input(1);
  SmallVector<OpFoldResult> from = context.getSizes(input);
  int64_t rank = from.size(), axes = rank - 2;
  SmallVector<int64_t> kernel = context.getInts("kernel_shape");
  if (axes < 1 || static_cast<int64_t>(kernel.size()) != axes)
    return context.unsupported("attribute 'kernel_shape' must have " +
                               Twine(std::max<int64_t>(axes, 1)) +
                               " values, but got " + Twine(kernel.size()));
  auto pads = getWindowList(context, "pads", 2 * axes, 0);
  auto strides = getWindowList(context, "strides", axes, 1);
  if (failed(pads) || failed(strides) ||
      failed(context.requireElementType(1, b.getI64Type())))
    return failure();
  if (context.type(1).getRank() != rank)
    return context.unsupported("indices must have rank " + Twine(rank) +
                               ", but got " + Twine(context.type(1).getRank()));
  for (auto [axis, size] : llvm::enumerate(context.getSizes(indices)))
    if (failed(context.requireEqual(from[axis], size,
                                    "the size of axis " + Twine(axis) +
                                        " of the indices")))
      return failure();
  SmallVector<OpFoldResult> pooled(ArrayRef(from).take_front(2));
  AffineExpr s0 = b.getAffineSymbolExpr(0);
  for (int64_t axis = 0; axis < axes; ++axis) {
    if (failed(context.requireRange("kernel_shape", kernel[axis], 1)))
      return failure();
    pooled.push_back(computeIndex(b,
                                  (s0 - 1) * (*strides)[axis] - (*pads)[axis] -
                                      (*pads)[axes + axis] + kernel[axis],
                                  from[2 + axis]));
    if (failed(
            context.requireAtLeast(0, pooled.back(), "a size before pooling")))
      return failure();
  }
  OpFoldResult count = context.computeProduct(pooled);
  // Indices are clamped, so there must be a position to write to. Requires at
  // least as many positions as elements.
  if (failed(context.requireAtMost(count, context.computeProduct(from),
                                   "the number of elements")))
    return failure();
  FailureOr<Value> zero = makeZero(context, context.elementType(0));
  if (failed(zero))
    return failure();
  Type elementType = context.elementType(0);
  Value flat = toStorage(b, buildFilled(b, count, *zero));
  flat = buildSequential(
             b, from, flat,
             [&](ImplicitLocOpBuilder &b, ValueRange at,
                 ValueRange values) -> SmallVector<Value> {
               Value index = tensor::ExtractOp::create(b, indices, at);
               Value element = tensor::ExtractOp::create(b, input, at);
               element = b.createOrFold<StorageCastOp>(
                   getStorageElementType(elementType), element);
               return {tensor::InsertOp::create(b, element, values[0],
                                                toPosition(b, index, count))};
             })
             .front();
  Value result = context.reshape(fromStorage(b, flat, elementType), pooled);
  if (!context.input(2))
    return SmallVector<Value>{result};

  FailureOr<SmallVector<OpFoldResult>> shape = context.getShapeInput(2);
  if (failed(shape))
    return failure();
  if (static_cast<int64_t>(shape->size()) != rank)
    return context.unsupported("the shape must have " + Twine(rank) +
                               " sizes, but got " + Twine(shape->size()));
  SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)), high;
  AffineExpr s1 = b.getAffineSymbolExpr(1);
  for (auto [axis, sizes] : llvm::enumerate(llvm::zip_equal(*shape, pooled))) {
    auto [size, min] = sizes;
    if (failed(context.requireAtLeast(0, size, "a size of the shape")))
      return failure();
    high.push_back(computeIndex(b, s0 - s1, {size, min}));
    if (failed(context.requireAtLeast(0, high.back(),
                                      "the padding of axis " + Twine(axis))))
      return failure();
  }
  return SmallVector<Value>{buildPadded(context, result, *zero, low, high)};
}
