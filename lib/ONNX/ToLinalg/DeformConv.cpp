//===- DeformConv.cpp - Deformable convolutions ---------------------------===//
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

namespace {
/// The positions of the node's inputs.
enum : size_t { Image, Weights, Offsets, Bias, Mask };

/// The attributes of a deformable convolution.
struct DeformWindow {
  WindowLists lists;
  int64_t groups = 1, offsetGroups = 1;
};
} // namespace

static FailureOr<DeformWindow> readWindow(NodeContext &context, size_t axes) {
  FailureOr<WindowLists> lists = getWindowLists(context, axes);
  if (failed(lists))
    return failure();
  DeformWindow window{*lists, context.getInt("group"),
                      context.getInt("offset_group")};
  if (failed(context.requireRange("group", window.groups, 1)) ||
      failed(context.requireRange("offset_group", window.offsetGroups, 1)))
    return failure();
  return window;
}

/// Returns `size` / `groups` and requires that the division has no remainder.
static FailureOr<OpFoldResult> divide(NodeContext &context, OpFoldResult size,
                                      int64_t groups, const Twine &what) {
  AffineExpr s0 = context.b.getAffineSymbolExpr(0);
  OpFoldResult part = computeIndex(context.b, s0.floorDiv(groups), size);
  if (failed(context.requireEqual(
          context.computeProduct({part, context.b.getIndexAttr(groups)}), size,
          what, "must be divisible by the number of groups")))
    return failure();
  return part;
}

namespace {
/// The elements around a sampling position along one axis, and their
/// interpolation weights, which are 0 outside of the image.
struct AxisNeighbors {
  Value positions[2], weights[2];
};
} // namespace

static AxisNeighbors getAxisNeighbors(ImplicitLocOpBuilder &b, Value coordinate,
                                      Value size) {
  Type type = coordinate.getType();
  auto number = [&](double value) { return makeNumber(b, type, value); };
  Value length = arith::SIToFPOp::create(
      b, type, arith::IndexCastOp::create(b, b.getI64Type(), size));
  // Clamp distant positions and NaNs to positions just outside of the image, so
  // that the conversions to integers below are defined.
  Value beyond = arith::AddFOp::create(b, length, number(1));
  coordinate = arith::MaxNumFOp::create(b, coordinate, number(-2));
  coordinate = arith::MinNumFOp::create(b, coordinate, beyond);
  Value first = math::FloorOp::create(b, coordinate);
  Value rest = arith::SubFOp::create(b, coordinate, first);
  Value weights[] = {arith::SubFOp::create(b, number(1), rest), rest};
  AxisNeighbors result;
  for (int i : {0, 1}) {
    Value at = arith::AddFOp::create(b, first, number(i));
    Value isInside = arith::AndIOp::create(
        b, arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, at, number(0)),
        arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, at, length));
    Value integer = arith::FPToSIOp::create(
        b, b.getI64Type(), arith::MaxNumFOp::create(b, at, number(0)));
    result.positions[i] = normalizeIndex(
        b, arith::IndexCastOp::create(b, b.getIndexType(), integer), size);
    result.weights[i] =
        arith::SelectOp::create(b, isInside, weights[i], number(0));
  }
  return result;
}

/// Interpolates the input at fractional positions along the axes that follow
/// those of `position`.
static Value buildBetween(ImplicitLocOpBuilder &b, Value input,
                          SmallVector<Value> &position,
                          ArrayRef<AxisNeighbors> axes) {
  if (axes.empty())
    return toCompute(b, tensor::ExtractOp::create(b, input, position));
  Value sum;
  for (int i : {0, 1}) {
    position.push_back(axes.front().positions[i]);
    Value part = arith::MulFOp::create(
        b, axes.front().weights[i],
        buildBetween(b, input, position, axes.drop_front()));
    position.pop_back();
    sum = sum ? Value(arith::AddFOp::create(b, sum, part)) : part;
  }
  return sum;
}

/// The loops run over batch, channel and positions of the result, and then over
/// channels and positions of the weight.
NodeResults onnx_nodes::convertDeformConv(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value image = context.input(Image), offsets = context.input(Offsets);
  Value mask = context.input(Mask);
  SmallVector<OpFoldResult> from = context.getSizes(image);
  SmallVector<OpFoldResult> weights = context.getSizes(context.input(Weights));
  SmallVector<OpFoldResult> moves = context.getSizes(offsets);
  int64_t rank = from.size(), axes = rank - 2;
  if (axes < 1 || axes > 3)
    return context.unsupported("the input must have rank 3 to 5, but got " +
                               Twine(rank));
  for (size_t index : {Weights, Offsets, Mask})
    if (context.input(index) && context.type(index).getRank() != rank)
      return context.unsupported("input " + Twine(index) + " must have rank " +
                                 Twine(rank) + ", but got " +
                                 Twine(context.type(index).getRank()));
  FailureOr<DeformWindow> window = readWindow(context, axes);
  if (failed(context.requireSameType()) || failed(window))
    return failure();
  SmallVector<OpFoldResult> kernel(ArrayRef(weights).drop_front(2));
  SmallVector<int64_t> declared = context.getInts("kernel_shape");
  if (!declared.empty() && static_cast<int64_t>(declared.size()) != axes)
    return context.unsupported("attribute 'kernel_shape' must have " +
                               Twine(axes) + " values, but got " +
                               Twine(declared.size()));
  for (auto [axis, size] : llvm::enumerate(declared))
    if (failed(context.requireEqual(b.getIndexAttr(size), kernel[axis],
                                    "the size of axis " + Twine(axis + 2) +
                                        " of the weights")))
      return failure();
  FailureOr<OpFoldResult> perGroup =
      divide(context, from[1], window->groups, "the number of channels");
  FailureOr<OpFoldResult> resultsPerGroup = divide(
      context, weights[0], window->groups, "the number of result channels");
  FailureOr<OpFoldResult> perOffset =
      divide(context, from[1], window->offsetGroups, "the number of channels");
  if (failed(perGroup) || failed(resultsPerGroup) || failed(perOffset) ||
      failed(context.requireEqual(*perGroup, weights[1],
                                  "the number of channels of the weights")))
    return failure();

  // Compute the sizes of the result, and check those of offsets and mask.
  SmallVector<OpFoldResult> to = {from[0], weights[0]};
  AffineExpr s0, s1;
  bindSymbols(b.getContext(), s0, s1);
  for (int64_t axis = 0; axis < axes; ++axis) {
    int64_t dilation = window->lists.dilations[axis],
            stride = window->lists.strides[axis];
    AffineExpr span = s0 + window->lists.pads[axis] +
                      window->lists.pads[axes + axis] - dilation * (s1 - 1) - 1;
    OpFoldResult room = computeIndex(b, span, {from[2 + axis], kernel[axis]});
    if (failed(
            context.requireAtLeast(1, kernel[axis], "the size of a window")) ||
        failed(context.requireAtLeast(
            0, room, "the padded input size minus the window size")))
      return failure();
    to.push_back(computeIndex(b, s0.floorDiv(stride) + 1, room));
  }
  SmallVector<OpFoldResult> maskSizes(kernel);
  maskSizes.push_back(b.getIndexAttr(window->offsetGroups));
  OpFoldResult numMasks = context.computeProduct(maskSizes);
  auto requireOffsets = [&](ArrayRef<OpFoldResult> sizes, int64_t factor,
                            const Twine &what) -> LogicalResult {
    SmallVector<OpFoldResult> expected(to);
    expected[1] = context.computeProduct({numMasks, b.getIndexAttr(factor)});
    for (auto [axis, size] : llvm::enumerate(sizes))
      if (failed(context.requireEqual(expected[axis], size,
                                      "the size of axis " + Twine(axis) +
                                          " of the " + what)))
        return failure();
    return success();
  };
  if (failed(requireOffsets(moves, axes, "offsets")) ||
      (mask && failed(requireOffsets(context.getSizes(mask), 1, "mask"))))
    return failure();
  for (int64_t axis = 0; axis < axes; ++axis)
    if (failed(context.requireElements(2 + axis, from[2 + axis],
                                       context.computeProduct(to))))
      return failure();

  Type elementType = context.elementType(0), type = getComputeType(elementType);
  Value start;
  if (context.input(Bias)) {
    SmallVector<OpFoldResult> own = context.getSizes(context.input(Bias));
    if (own.size() != 1)
      return context.unsupported("the bias must have rank 1, but got " +
                                 Twine(own.size()));
    if (failed(context.requireEqual(to[1], own[0], "the size of the bias")))
      return failure();
    start = buildAlongAxes(context, to, type, context.input(Bias), {{1}},
                           [](ImplicitLocOpBuilder &b, ValueRange args) {
                             return toCompute(b, args[0]);
                           });
  } else {
    start = buildFilled(b, to, makeNumber(b, type, 0));
  }
  int64_t numLoops = 2 * rank - 1;
  SmallVector<AffineExpr> weightAxes = {b.getAffineDimExpr(1)};
  for (int64_t loop = rank; loop < numLoops; ++loop)
    weightAxes.push_back(b.getAffineDimExpr(loop));
  AffineMap weightMap = AffineMap::get(numLoops, 0, weightAxes, b.getContext());
  AffineMap resultMap = b.getMultiDimIdentityMap(numLoops).getMajorSubMap(rank);
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange elements,
                  ValueRange accumulators) -> SmallVector<Value> {
    SmallVector<Value> loops;
    for (int64_t i = 0; i < numLoops; ++i)
      loops.push_back(linalg::IndexOp::create(b, i));
    auto mul = [&](Value x, Value y) -> Value {
      return arith::MulIOp::create(b, x, y);
    };
    auto add = [&](Value x, Value y) -> Value {
      return arith::AddIOp::create(b, x, y);
    };
    auto number = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(b, value);
    };
    Value group =
        arith::DivUIOp::create(b, loops[1], makeIndex(b, *resultsPerGroup));
    Value channel = add(mul(group, makeIndex(b, *perGroup)), loops[rank]);
    // The index in offsets and mask: the offset group, then the position in the
    // kernel.
    Value offsetIndex =
        arith::DivUIOp::create(b, channel, makeIndex(b, *perOffset));
    for (int64_t axis = 0; axis < axes; ++axis)
      offsetIndex = add(mul(offsetIndex, makeIndex(b, kernel[axis])),
                        loops[rank + 1 + axis]);
    SmallVector<Value> at(ArrayRef(loops).take_front(rank));
    SmallVector<AxisNeighbors> around;
    for (int64_t axis = 0; axis < axes; ++axis) {
      at[1] = add(mul(offsetIndex, number(axes)), number(axis));
      Value move = toCompute(b, tensor::ExtractOp::create(b, offsets, at));
      Value straight = add(
          mul(loops[2 + axis], number(window->lists.strides[axis])),
          mul(loops[rank + 1 + axis], number(window->lists.dilations[axis])));
      straight =
          arith::SubIOp::create(b, straight, number(window->lists.pads[axis]));
      Value real = arith::SIToFPOp::create(
          b, type, arith::IndexCastOp::create(b, b.getI64Type(), straight));
      around.push_back(getAxisNeighbors(b, arith::AddFOp::create(b, real, move),
                                        makeIndex(b, from[2 + axis])));
    }
    SmallVector<Value> position = {loops[0], channel};
    Value value = buildBetween(b, image, position, around);
    value = arith::MulFOp::create(b, value, toCompute(b, elements[0]));
    if (mask) {
      at[1] = offsetIndex;
      Value share = toCompute(b, tensor::ExtractOp::create(b, mask, at));
      value = arith::MulFOp::create(b, value, share);
    }
    return {arith::AddFOp::create(b, accumulators[0], value)};
  };
  Value result = buildReduction(b, context.input(Weights), weightMap, start,
                                resultMap, body)
                     .front();
  return SmallVector<Value>{convertFromCompute(context, result, elementType)};
}
