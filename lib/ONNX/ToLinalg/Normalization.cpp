//===- Normalization.cpp - Lowering of normalization ops ------------------===//
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

/// Builds a softmax, or a LogSoftmax if that is the op type, over the axes
/// `reduced`.
static Value buildSoftmax(NodeContext &context, ArrayRef<int64_t> reduced) {
  Value input = context.input(0);
  Type elementType = context.elementType(0), type = getComputeType(elementType);
  SmallVector<OpFoldResult> sizes = context.getSizes(input);
  int64_t rank = sizes.size();
  SmallVector<int64_t> all = getAxesWithout(rank, {});
  SmallVector<int64_t> outerAxes = getAxesWithout(rank, reduced);

  // exp(x - max) does not overflow.
  Value max = buildReductionOfAxes(context, input, reduced, Combine::Max);
  auto subtract = [&](ImplicitLocOpBuilder &b, ValueRange args) {
    return b.createOrFold<arith::SubFOp>(toCompute(b, args[0]), args[1]);
  };
  Value exponentials =
      buildAlongAxes(context, sizes, type, {input, max}, {all, outerAxes},
                     [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                       return math::ExpOp::create(b, subtract(b, args));
                     });
  Value sums =
      buildReductionOfAxes(context, exponentials, reduced, Combine::Sum);
  if (context.kind == NodeKind::Softmax)
    return buildAlongAxes(
        context, sizes, elementType, {exponentials, sums}, {all, outerAxes},
        [&](ImplicitLocOpBuilder &b, ValueRange args) {
          return fromCompute(b, b.createOrFold<arith::DivFOp>(args[0], args[1]),
                             elementType);
        });
  Value logarithms =
      buildAlongAxes(context, context.getSizes(sums), type, sums,
                     getAxesWithout(outerAxes.size(), {}),
                     [](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                       return math::LogOp::create(b, args[0]);
                     });
  return buildAlongAxes(context, sizes, elementType, {input, max, logarithms},
                        {all, outerAxes, outerAxes},
                        [&](ImplicitLocOpBuilder &b, ValueRange args) {
                          Value value = b.createOrFold<arith::SubFOp>(
                              subtract(b, args), args[2]);
                          return fromCompute(b, value, elementType);
                        });
}

/// Treats the input as a matrix: the axes before `axis` are its rows, the
/// others its columns.
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
  /// Sets `mean` and `variance` to those of the input. Returns the updated
  /// running mean and variance.
  SmallVector<Value> train(Value &mean, Value &variance);
  Value normalize(Value mean, Value variance);

  /// Converts an element to the type of the computation.
  Value convert(ImplicitLocOpBuilder &b, Value value) {
    value = toCompute(b, value);
    return value.getType() == type ? value
                                   : b.createOrFold<CastOp>(value, type);
  }
  Value buildRunning(Value before, Value now);
  /// Computes the squared differences from the mean.
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
  // Before opset 9 each activation can have its own statistics (spatial = 0).
  if (!context.getFlag("spatial"))
    channels = getAxesWithout(sizes.size(), {0});
  for (size_t i = 1; i < 5; ++i) {
    SmallVector<OpFoldResult> inputSizes = context.getSizes(context.input(i));
    if (inputSizes.size() != channels.size())
      return context.unsupported("input " + Twine(i) + " must have rank " +
                                 Twine(channels.size()) + ", but got " +
                                 Twine(inputSizes.size()));
    for (auto [axis, size] : llvm::zip_equal(channels, inputSizes))
      if (failed(context.requireEqual(sizes[axis], size,
                                      "the size of input " + Twine(i))))
        return failure();
  }
  // Before opset 7 the attribute is_test selects training, in 7 and 9 the
  // number of outputs does.
  if (context.opset < 7 && !context.getFlag("is_test"))
    return context.unsupported("training mode before opset 14");
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
        Value decayed = b.createOrFold<arith::MulFOp>(
            convert(b, args[0]), makeNumber(b, type, momentum));
        Value added = b.createOrFold<arith::MulFOp>(
            args[1], makeNumber(b, type, 1.0f - momentum));
        Value sum = b.createOrFold<arith::AddFOp>(decayed, added);
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

/// Computes (x - mean) * (scale / sqrt(variance + epsilon)) + bias. The factor
/// is a separate tensor, because many elements share each of its elements.
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
  // From opset 14 on the inputs may have different floating-point types.
  for (size_t i = 1; i < 5; ++i)
    if (failed(context.requireKind(i, kinds::Float)))
      return failure();
  // An input of rank 1 is a batch with one channel.
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

//===----------------------------------------------------------------------===//
// InstanceNormalization
//===----------------------------------------------------------------------===//

/// Computes mean and variance for each channel of each batch entry.
NodeResults onnx_nodes::convertInstanceNormalization(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  if (failed(context.requireSameType()))
    return failure();
  Value input = context.input(0);
  Type elementType = context.elementType(0), type = getComputeType(elementType);
  SmallVector<OpFoldResult> sizes = context.getSizes(input);
  if (sizes.size() < 2)
    return context.unsupported("the input must have rank 2 or more, but got " +
                               Twine(sizes.size()));
  for (size_t i : {1, 2}) {
    SmallVector<OpFoldResult> inputSizes = context.getSizes(context.input(i));
    if (inputSizes.size() != 1)
      return context.unsupported("input " + Twine(i) +
                                 " must have rank 1, but got " +
                                 Twine(inputSizes.size()));
    if (failed(context.requireEqual(sizes[1], inputSizes[0],
                                    "the size of input " + Twine(i))))
      return failure();
  }
  SmallVector<int64_t> all = getAxesWithout(sizes.size(), {});
  SmallVector<int64_t> instance = {0, 1};
  SmallVector<int64_t> others = getAxesWithout(sizes.size(), instance);
  SmallVector<OpFoldResult> otherSizes(ArrayRef(sizes).drop_front(2));
  Value count = buildElementCount(b, otherSizes);
  auto buildMean = [&](Value tensor) {
    Value sums = buildReductionOfAxes(context, tensor, others, Combine::Sum);
    return buildAlongAxes(
        context, ArrayRef(sizes).take_front(2), type, sums, instance,
        [&](ImplicitLocOpBuilder &b, ValueRange args) {
          return b.createOrFold<arith::DivFOp>(
              args[0], b.createOrFold<arith::SIToFPOp>(type, count));
        });
  };
  Value mean = buildMean(input);
  Value differences = buildAlongAxes(
      context, sizes, type, {input, mean}, {all, instance},
      [](ImplicitLocOpBuilder &b, ValueRange args) {
        return b.createOrFold<arith::SubFOp>(toCompute(b, args[0]), args[1]);
      });
  Value variance = buildMean(
      buildAlongAxes(context, sizes, type, differences, all,
                     [](ImplicitLocOpBuilder &b, ValueRange args) {
                       return b.createOrFold<arith::MulFOp>(args[0], args[0]);
                     }));
  double epsilon = context.getFloat("epsilon");
  SmallVector<int64_t> channel = {1};
  return SmallVector<Value>{buildAlongAxes(
      context, sizes, elementType,
      {differences, variance, context.input(1), context.input(2)},
      {all, instance, channel, channel},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value sum = b.createOrFold<arith::AddFOp>(args[1],
                                                  makeNumber(b, type, epsilon));
        Value factor = b.createOrFold<arith::DivFOp>(
            toCompute(b, args[2]), math::SqrtOp::create(b, sum));
        Value value = b.createOrFold<arith::MulFOp>(args[0], factor);
        value = b.createOrFold<arith::AddFOp>(value, toCompute(b, args[3]));
        return fromCompute(b, value, elementType);
      })};
}

//===----------------------------------------------------------------------===//
// LRN
//===----------------------------------------------------------------------===//

/// Computes x / (bias + alpha / size * sum)^beta, where the sum is over the
/// squares of `size` channels around x.
NodeResults onnx_nodes::convertLRN(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0);
  Type elementType = context.elementType(0), type = getComputeType(elementType);
  SmallVector<OpFoldResult> sizes = context.getSizes(input);
  int64_t rank = sizes.size(), size = context.getInt("size");
  if (rank < 2)
    return context.unsupported("the input must have rank 2 or more, but got " +
                               Twine(rank));
  if (failed(context.requireRange("size", size, 1)))
    return failure();
  SmallVector<OpFoldResult> low(rank, b.getIndexAttr(0)), high = low;
  low[1] = b.getIndexAttr((size - 1) / 2);
  high[1] = b.getIndexAttr(size / 2);
  Value padded =
      buildPadded(context, input, makeNumber(b, elementType, 0), low, high);
  // The window tensor is never read. It defines the trip count of the innermost
  // loop.
  Value window = tensor::EmptyOp::create(
      b, ArrayRef<OpFoldResult>(b.getIndexAttr(size)), type);
  SmallVector<AffineExpr> exprs(b.getMultiDimIdentityMap(rank).getResults());
  MLIRContext *mlirContext = b.getContext();
  AffineMap result = AffineMap::get(rank + 1, 0, exprs, mlirContext);
  AffineExpr element = b.getAffineDimExpr(rank);
  exprs[1] = exprs[1] + element;
  Value sums =
      buildReduction(
          b, {padded, window},
          {AffineMap::get(rank + 1, 0, exprs, mlirContext),
           AffineMap::get(rank + 1, 0, element, mlirContext)},
          buildFilled(b, sizes, makeNumber(b, type, 0)), result,
          [](ImplicitLocOpBuilder &b, ValueRange elements,
             ValueRange accumulators) -> SmallVector<Value> {
            Value x = toCompute(b, elements[0]);
            Value square = b.createOrFold<arith::MulFOp>(x, x);
            return {b.createOrFold<arith::AddFOp>(accumulators[0], square)};
          })
          .front();
  SmallVector<int64_t> all = getAxesWithout(rank, {});
  double alpha = context.getFloat("alpha"), beta = context.getFloat("beta");
  double bias = context.getFloat("bias");
  return SmallVector<Value>{buildAlongAxes(
      context, sizes, elementType, {input, sums}, {all, all},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value scaled = b.createOrFold<arith::MulFOp>(
            args[1], makeNumber(b, type, alpha / size));
        Value base =
            b.createOrFold<arith::AddFOp>(scaled, makeNumber(b, type, bias));
        Value power = math::PowFOp::create(b, base, makeNumber(b, type, beta));
        Value value =
            b.createOrFold<arith::DivFOp>(toCompute(b, args[0]), power);
        return fromCompute(b, value, elementType);
      })};
}

//===----------------------------------------------------------------------===//
// LpNormalization, GlobalLpPool
//===----------------------------------------------------------------------===//

Value onnx_nodes::buildPower(ImplicitLocOpBuilder &b, Value x, double p) {
  Value value = math::AbsFOp::create(b, x);
  if (p == 1)
    return value;
  if (p == 2)
    return arith::MulFOp::create(b, value, value);
  return math::PowFOp::create(b, value, makeNumber(b, x.getType(), p));
}

Value onnx_nodes::buildRoot(ImplicitLocOpBuilder &b, Value x, double p) {
  if (p == 1)
    return x;
  if (p == 2)
    return math::SqrtOp::create(b, x);
  return math::PowFOp::create(b, x, makeNumber(b, x.getType(), 1 / p));
}

/// Returns the sums of |x|^p along the axes in the compute type, without these
/// axes.
static Value buildSumOfPowers(NodeContext &context, ArrayRef<int64_t> axes,
                              double p) {
  Type type = getComputeType(context.elementType(0));
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(0));
  Value powers = buildAlongAxes(
      context, sizes, type, context.input(0), getAxesWithout(sizes.size(), {}),
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        return buildPower(b, toCompute(b, args[0]), p);
      });
  return buildReductionOfAxes(context, powers, axes, Combine::Sum);
}

/// Where the norm is 0, the result is x / 1, which is 0.
NodeResults onnx_nodes::convertLpNormalization(NodeContext &context) {
  Type elementType = context.elementType(0), type = getComputeType(elementType);
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(0));
  FailureOr<int64_t> axis =
      context.normalizeAxis(context.getInt("axis"), sizes.size());
  int64_t p = context.getInt("p");
  if (failed(axis))
    return failure();
  if (p != 1 && p != 2)
    return context.unsupported("attribute 'p' must be 1 or 2, but got " +
                               Twine(p));
  Value sums = buildSumOfPowers(context, *axis, p);
  return SmallVector<Value>{buildAlongAxes(
      context, sizes, elementType, {context.input(0), sums},
      {getAxesWithout(sizes.size(), {}), getAxesWithout(sizes.size(), *axis)},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value zero = makeNumber(b, type, 0), one = makeNumber(b, type, 1);
        Value norm = buildRoot(b, args[1], p);
        Value isZero =
            arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, norm, zero);
        norm = arith::SelectOp::create(b, isZero, one, norm);
        Value value =
            b.createOrFold<arith::DivFOp>(toCompute(b, args[0]), norm);
        return fromCompute(b, value, elementType);
      })};
}

static NodeResults buildGlobalLpPool(NodeContext &context, double p) {
  ImplicitLocOpBuilder &b = context.b;
  Type elementType = context.elementType(0);
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(0));
  if (sizes.size() < 3)
    return context.unsupported("the input must have rank 3 or more, but got " +
                               Twine(sizes.size()));
  if (!(p > 0))
    return context.unsupported("attribute 'p' must be above 0");
  Value sums =
      buildSumOfPowers(context, getAxesWithout(sizes.size(), {0, 1}), p);
  SmallVector<OpFoldResult> pooled(ArrayRef(sizes).take_front(2)), to = pooled;
  to.append(sizes.size() - 2, b.getIndexAttr(1));
  Value norms = buildAlongAxes(
      context, pooled, elementType, sums, SmallVector<int64_t>{0, 1},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        return fromCompute(b, buildRoot(b, args[0], p), elementType);
      });
  return SmallVector<Value>{buildReshape(b, norms, pooled, to)};
}

NodeResults onnx_nodes::convertGlobalLpPool(NodeContext &context) {
  return buildGlobalLpPool(context, context.getInt("p"));
}

NodeResults onnx_nodes::convertGlobalLpPoolV1(NodeContext &context) {
  return buildGlobalLpPool(context, context.getFloat("p"));
}

//===----------------------------------------------------------------------===//
// Hardmax
//===----------------------------------------------------------------------===//

/// Returns 1 for the first maximum along an axis and 0 for all other elements.
static Value buildHardmax(NodeContext &context, Value tensor, int64_t axis) {
  Type elementType = getElementTypeOrSelf(tensor);
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
  Value maxima = buildArgMax(context, tensor, axis, /*isMax=*/true,
                             /*takesEqual=*/false);
  return buildAlongAxes(
      context, sizes, elementType, maxima, getAxesWithout(sizes.size(), axis),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value position = arith::IndexCastOp::create(
            b, args[0].getType(), linalg::IndexOp::create(b, axis));
        Value isMaximum = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                                position, args[0]);
        return arith::SelectOp::create(b, isMaximum,
                                       makeNumber(b, elementType, 1),
                                       makeNumber(b, elementType, 0));
      });
}

NodeResults onnx_nodes::convertHardmax(NodeContext &context) {
  FailureOr<int64_t> axis =
      context.normalizeAxis(context.getInt("axis"), context.type(0).getRank());
  if (failed(axis))
    return failure();
  return SmallVector<Value>{buildHardmax(context, context.input(0), *axis)};
}

/// Treats the input as a matrix: the axes before `axis` are its rows, the
/// others its columns.
NodeResults onnx_nodes::convertMatrixHardmax(NodeContext &context) {
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(0));
  FailureOr<int64_t> axis =
      context.normalizeAxis(context.getInt("axis"), sizes.size());
  if (failed(axis))
    return failure();
  ArrayRef<OpFoldResult> all = sizes;
  Value matrix = context.reshape(
      context.input(0), {context.computeProduct(all.take_front(*axis)),
                         context.computeProduct(all.drop_front(*axis))});
  return SmallVector<Value>{
      context.reshape(buildHardmax(context, matrix, 1), sizes)};
}
