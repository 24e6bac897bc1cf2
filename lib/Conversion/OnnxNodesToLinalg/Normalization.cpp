//===- Normalization.cpp - Softmax, BatchNormalization -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

static SmallVector<int64_t> getAxesWithout(int64_t rank,
                                           ArrayRef<int64_t> without) {
  SmallVector<int64_t> axes;
  for (int64_t axis : llvm::seq<int64_t>(rank))
    if (!llvm::is_contained(without, axis))
      axes.push_back(axis);
  return axes;
}

//===----------------------------------------------------------------------===//
// Softmax and LogSoftmax
//===----------------------------------------------------------------------===//

/// Of the elements along the axes `reduced`.
static Value buildSoftmax(NodeContext &context, ArrayRef<int64_t> reduced) {
  Value input = context.input(0);
  Type elementType = context.elementType(0), type = getComputeType(elementType);
  SmallVector<OpFoldResult> sizes = context.getSizes(input);
  int64_t rank = sizes.size();
  SmallVector<int64_t> all = getAxesWithout(rank, {});
  SmallVector<int64_t> kept = getAxesWithout(rank, reduced);

  // exp(x - max) cannot overflow.
  Value most = buildReductionOfAxes(context, input, reduced, Combine::Max);
  auto subtract = [&](ImplicitLocOpBuilder &b, ValueRange args) {
    return b.createOrFold<arith::SubFOp>(toCompute(b, args[0]), args[1]);
  };
  Value exponentials =
      buildAlongAxes(context, sizes, type, {input, most}, {all, kept},
                     [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                       return math::ExpOp::create(b, subtract(b, args));
                     });
  Value sums =
      buildReductionOfAxes(context, exponentials, reduced, Combine::Sum);
  if (context.opType == "Softmax")
    return buildAlongAxes(
        context, sizes, elementType, {exponentials, sums}, {all, kept},
        [&](ImplicitLocOpBuilder &b, ValueRange args) {
          return fromCompute(b, b.createOrFold<arith::DivFOp>(args[0], args[1]),
                             elementType);
        });
  Value logarithms =
      buildAlongAxes(context, context.getSizes(sums), type, sums,
                     getAxesWithout(kept.size(), {}),
                     [](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                       return math::LogOp::create(b, args[0]);
                     });
  return buildAlongAxes(
      context, sizes, elementType, {input, most, logarithms}, {all, kept, kept},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value value = b.createOrFold<arith::SubFOp>(subtract(b, args), args[2]);
        return fromCompute(b, value, elementType);
      });
}

/// The input counts as a matrix, split in two at the axis.
NodeResults onnx_nodes::convertMatrixSoftmax(NodeContext &context) {
  int64_t rank = context.type(0).getRank();
  FailureOr<int64_t> axis = context.normalizeAxis(context.getInt("axis"), rank);
  if (failed(axis))
    return failure();
  return SmallVector<Value>{
      buildSoftmax(context, llvm::to_vector(llvm::seq<int64_t>(*axis, rank)))};
}

NodeResults onnx_nodes::convertSoftmax(NodeContext &context) {
  FailureOr<int64_t> axis =
      context.normalizeAxis(context.getInt("axis"), context.type(0).getRank());
  if (failed(axis))
    return failure();
  return SmallVector<Value>{buildSoftmax(context, *axis)};
}

//===----------------------------------------------------------------------===//
// BatchNormalization
//===----------------------------------------------------------------------===//

namespace {
struct BatchNormalization {
  explicit BatchNormalization(NodeContext &context)
      : context(context), b(context.b),
        sizes(context.getSizes(context.input(0))),
        type(getComputeType(context.elementType(0))),
        all(getAxesWithout(sizes.size(), {})) {}

  LogicalResult analyze();
  /// Takes mean and variance of the input itself; the results are the running
  /// ones.
  SmallVector<Value> train(Value &mean, Value &variance);
  Value normalize(Value mean, Value variance);

  /// An element in the type that all is computed in.
  Value convert(ImplicitLocOpBuilder &b, Value value) {
    value = toCompute(b, value);
    return value.getType() == type ? value
                                   : b.createOrFold<CastOp>(value, type);
  }
  Value buildRunning(Value before, Value now);
  /// The squares of the differences to the mean.
  Value buildSquares(Value mean);

  NodeContext &context;
  ImplicitLocOpBuilder &b;
  SmallVector<OpFoldResult> sizes;
  Type type;
  SmallVector<int64_t> all;
  /// The axes of the input that scale, bias, mean and variance have.
  SmallVector<int64_t> channels;
};
} // namespace

LogicalResult BatchNormalization::analyze() {
  if (sizes.size() < 2)
    return context.unsupported("the input must not be a scalar");
  channels = {1};
  // Before 9 there may be statistics of each activation.
  if (!context.getFlag("spatial"))
    channels = getAxesWithout(sizes.size(), {0});
  for (size_t i = 1; i < 5; ++i) {
    SmallVector<OpFoldResult> given = context.getSizes(context.input(i));
    if (given.size() != channels.size())
      return context.unsupported("input " + Twine(i) + " must have rank " +
                                 Twine(channels.size()) + ", but got " +
                                 Twine(given.size()));
    for (auto [axis, size] : llvm::zip_equal(channels, given))
      if (failed(context.requireEqual(sizes[axis], size,
                                      "the size of input " + Twine(i))))
        return failure();
  }
  // Versions 1 and 6 tell it by an attribute, 7 and 9 by the outputs.
  if (context.opset < 7 && !context.getFlag("is_test"))
    return context.unsupported("no training before opset 14");
  return success();
}

Value BatchNormalization::buildSquares(Value mean) {
  return buildAlongAxes(
      context, sizes, type, {context.input(0), mean}, {all, channels},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value difference =
            b.createOrFold<arith::SubFOp>(convert(b, args[0]), args[1]);
        return b.createOrFold<arith::MulFOp>(difference, difference);
      });
}

Value BatchNormalization::buildRunning(Value before, Value now) {
  float momentum = context.getFloat("momentum");
  Type elementType = getElementTypeOrSelf(before);
  return buildAlongAxes(
      context, context.getSizes(before), elementType, {before, now},
      {SmallVector<int64_t>{0}, SmallVector<int64_t>{0}},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value kept = b.createOrFold<arith::MulFOp>(
            convert(b, args[0]), makeNumber(b, type, momentum));
        Value added = b.createOrFold<arith::MulFOp>(
            args[1], makeNumber(b, type, 1.0f - momentum));
        Value sum = b.createOrFold<arith::AddFOp>(kept, added);
        if (getComputeType(elementType) != type)
          return b.createOrFold<CastOp>(sum, elementType);
        return fromCompute(b, sum, elementType);
      });
}

SmallVector<Value> BatchNormalization::train(Value &mean, Value &variance) {
  SmallVector<int64_t> others = getAxesWithout(sizes.size(), channels);
  SmallVector<OpFoldResult> otherSizes =
      llvm::map_to_vector(others, [&](int64_t axis) { return sizes[axis]; });
  Value count = buildElementCount(b, otherSizes);
  auto buildMean = [&](Value tensor) {
    Value sums = buildReductionOfAxes(context, tensor, others, Combine::Sum);
    return buildAlongAxes(
        context, context.getSizes(sums), type, sums, SmallVector<int64_t>{0},
        [&](ImplicitLocOpBuilder &b, ValueRange args) {
          return b.createOrFold<arith::DivFOp>(
              args[0], b.createOrFold<arith::SIToFPOp>(type, count));
        });
  };
  Value runningMean = mean, runningVariance = variance;
  mean = buildMean(context.input(0));
  variance = buildMean(buildSquares(mean));
  return {buildRunning(runningMean, mean),
          buildRunning(runningVariance, variance)};
}

/// (x - mean) * (scale / sqrt(variance + epsilon)) + bias; the factor is a
/// tensor of its own, there is one for many elements.
Value BatchNormalization::normalize(Value mean, Value variance) {
  float epsilon = context.getFloat("epsilon");
  Value scale = context.input(1);
  SmallVector<int64_t> own = getAxesWithout(channels.size(), {});
  Value factor =
      buildAlongAxes(context, context.getSizes(scale), type, {scale, variance},
                     {own, own}, [&](ImplicitLocOpBuilder &b, ValueRange args) {
                       Value sum = b.createOrFold<arith::AddFOp>(
                           convert(b, args[1]), makeNumber(b, type, epsilon));
                       return b.createOrFold<arith::DivFOp>(
                           convert(b, args[0]), math::SqrtOp::create(b, sum));
                     });
  Type elementType = context.elementType(0);
  return buildAlongAxes(
      context, sizes, elementType,
      {context.input(0), mean, factor, context.input(2)},
      {all, channels, channels, channels},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value value = b.createOrFold<arith::SubFOp>(convert(b, args[0]),
                                                    convert(b, args[1]));
        value = b.createOrFold<arith::MulFOp>(value, args[2]);
        value = b.createOrFold<arith::AddFOp>(value, convert(b, args[3]));
        return fromCompute(b, value, elementType);
      });
}

NodeResults onnx_nodes::convertBatchNormalization(NodeContext &context) {
  // From version 14 on the inputs may be of different floats.
  for (size_t i = 1; i < 5; ++i)
    if (failed(context.requireKind(i, kinds::Float)))
      return failure();
  // A line of elements is a batch of one channel.
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(0));
  bool isLine = sizes.size() == 1;
  if (isLine)
    context.inputs[0] = context.reshape(context.input(0),
                                        {sizes[0], context.b.getIndexAttr(1)});
  BatchNormalization normalization(context);
  if (failed(normalization.analyze()))
    return failure();
  Value mean = context.input(3), variance = context.input(4);
  SmallVector<Value> results(1);
  if (context.getFlag("training_mode"))
    results.append(normalization.train(mean, variance));
  results.front() = normalization.normalize(mean, variance);
  if (isLine)
    results.front() = context.reshape(results.front(), sizes);
  return results;
}
