//===- GridSample.cpp - GridSample ----------------------------------------===//
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
// The enumerators have the order of the choices in OnnxNodes.def.
enum class SampleMode { Linear, Nearest, Cubic };
enum class SamplePadding { Zeros, Border, Reflection };

/// An element that a sample reads along one axis.
struct Tap {
  Value position;
  /// Null if the element is always in bounds.
  Value isInside;
  /// Null for a weight of 1.
  Value weight;
};

/// Computes the taps of samples along one axis. Used inside a body.
class AxisSampler {
public:
  AxisSampler(ImplicitLocOpBuilder &b, NodeContext &context, Value size,
              Type type)
      : b(b), type(type), size(size),
        padding(context.getChoice<SamplePadding>("padding_mode")),
        alignsCorners(context.getFlag("align_corners")) {
    Value integer = arith::IndexCastOp::create(b, b.getI64Type(), size);
    length = arith::SIToFPOp::create(b, type, integer);
    last = sub(length, number(1));
    low = alignsCorners ? number(0) : number(-0.5);
    high = alignsCorners ? last : sub(length, number(0.5));
  }

  /// Returns the taps of a coordinate, which is in [-1, 1] inside the input.
  SmallVector<Tap> getTaps(Value coordinate, SampleMode mode);

private:
  Value number(double value) { return makeNumber(b, type, value); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value isLess(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, condition, x, y);
  }
  /// Reflects a position at `low` and `high` until it lies between them.
  Value reflect(Value x);
  /// NaN becomes 0, so that the result converts to an index.
  Value clamp(Value x) {
    return arith::MinNumFOp::create(
        b, arith::MaxNumFOp::create(b, x, number(0)), last);
  }
  Tap makeTap(Value coordinate, Value weight);
  /// Returns the weights of the four elements around a position with the
  /// fractional part `rest`.
  SmallVector<Value> getCubicWeights(Value rest);

  ImplicitLocOpBuilder &b;
  Type type;
  Value size, length, last, low, high;
  SamplePadding padding;
  bool alignsCorners;
};
} // namespace

Value AxisSampler::reflect(Value x) {
  Value range = sub(high, low);
  // With align_corners, an axis of one element has an empty range.
  Value hasRange = isLess(number(0), range);
  Value period = select(hasRange, range, number(1));
  Value isBelow = isLess(x, low);
  Value distance = select(isBelow, sub(low, x), sub(x, high));
  Value turns =
      math::TruncOp::create(b, arith::DivFOp::create(b, distance, period));
  Value rest = sub(distance, mul(turns, period));
  Value half = mul(turns, number(0.5));
  Value isEven = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, half,
                                       math::FloorOp::create(b, half));
  Value fromLow = arith::XOrIOp::create(
      b, isBelow,
      arith::XOrIOp::create(b, isEven, makeNumber(b, b.getI1Type(), 1)));
  Value moved = select(fromLow, add(low, rest), sub(high, rest));
  Value isOutside = arith::OrIOp::create(b, isBelow, isLess(high, x));
  return select(hasRange, select(isOutside, moved, x), low);
}

Tap AxisSampler::makeTap(Value coordinate, Value weight) {
  Tap tap;
  tap.weight = weight;
  if (padding == SamplePadding::Zeros)
    tap.isInside = arith::AndIOp::create(b, isLess(number(-1), coordinate),
                                         isLess(coordinate, length));
  else if (padding == SamplePadding::Reflection)
    // Truncate fractions that the reflection leaves.
    coordinate = math::TruncOp::create(b, reflect(coordinate));
  Value integer = arith::FPToSIOp::create(b, b.getI64Type(), clamp(coordinate));
  tap.position = normalizeIndex(
      b, arith::IndexCastOp::create(b, b.getIndexType(), integer), size);
  return tap;
}

SmallVector<Value> AxisSampler::getCubicWeights(Value rest) {
  constexpr double kA = -0.75;
  // The cubic convolution kernel for distances up to 1 and up to 2.
  auto near = [&](Value x) {
    Value inner = sub(mul(number(kA + 2), x), number(kA + 3));
    return add(mul(mul(inner, x), x), number(1));
  };
  auto far = [&](Value x) {
    Value inner = sub(mul(number(kA), x), number(5 * kA));
    inner = add(mul(inner, x), number(8 * kA));
    return sub(mul(inner, x), number(4 * kA));
  };
  Value other = sub(number(1), rest);
  return {far(add(rest, number(1))), near(rest), near(other),
          far(add(other, number(1)))};
}

SmallVector<Tap> AxisSampler::getTaps(Value coordinate, SampleMode mode) {
  Value sample = add(coordinate, number(1));
  sample = alignsCorners
               ? mul(mul(sample, number(0.5)), last)
               : mul(sub(mul(sample, length), number(1)), number(0.5));
  if (mode == SampleMode::Nearest)
    sample = math::RoundEvenOp::create(b, sample);
  // Border padding clamps each tap separately in makeTap, not the position.
  if (padding == SamplePadding::Reflection)
    sample = reflect(sample);
  if (mode == SampleMode::Nearest)
    return {makeTap(sample, Value())};
  Value first = math::FloorOp::create(b, sample);
  Value rest = sub(sample, first);
  if (mode == SampleMode::Linear)
    return {makeTap(first, sub(number(1), rest)),
            makeTap(add(first, number(1)), rest)};
  SmallVector<Tap> taps;
  for (auto [index, weight] : llvm::enumerate(getCubicWeights(rest)))
    taps.push_back(
        makeTap(add(first, number(static_cast<double>(index) - 1)), weight));
  return taps;
}

/// Interpolates the remaining axes: adds the weighted elements at the taps of
/// these axes.
static Value buildSample(ImplicitLocOpBuilder &b, Value input,
                         SmallVector<Value> &indices, Value isInside,
                         ArrayRef<SmallVector<Tap>> taps, Type type) {
  if (taps.empty()) {
    Value element = tensor::ExtractOp::create(b, input, indices);
    element = toCompute(b, element);
    return isInside ? Value(arith::SelectOp::create(b, isInside, element,
                                                    makeNumber(b, type, 0)))
                    : element;
  }
  Value sum;
  for (const Tap &tap : taps.front()) {
    indices.push_back(tap.position);
    Value both = tap.isInside;
    if (both && isInside)
      both = arith::AndIOp::create(b, both, isInside);
    Value part = buildSample(b, input, indices, both ? both : isInside,
                             taps.drop_front(), type);
    indices.pop_back();
    if (tap.weight)
      part = arith::MulFOp::create(b, tap.weight, part);
    sum = sum ? Value(arith::AddFOp::create(b, sum, part)) : part;
  }
  return sum;
}

NodeResults onnx_nodes::convertGridSample(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0), grid = context.input(1);
  SmallVector<OpFoldResult> from = context.getSizes(input);
  SmallVector<OpFoldResult> gridSizes = context.getSizes(grid);
  int64_t rank = from.size(), axes = rank - 2;
  constexpr int64_t kMaxAxes = 3;
  if (axes < 1 || axes > kMaxAxes ||
      static_cast<int64_t>(gridSizes.size()) != rank)
    return context.unsupported("input and grid must have the same rank of 3 to "
                               "5, but got " +
                               Twine(rank) + " and " + Twine(gridSizes.size()));
  if (failed(context.requireKind(1, kinds::Float)) ||
      failed(context.requireEqual(from[0], gridSizes[0],
                                  "the size of the batch")) ||
      failed(context.requireEqual(b.getIndexAttr(axes), gridSizes.back(),
                                  "the number of coordinates")))
    return failure();
  SmallVector<OpFoldResult> to = {from[0], from[1]};
  to.append(gridSizes.begin() + 1, gridSizes.end() - 1);
  for (int64_t i = 0; i < axes; ++i)
    if (failed(context.requireElements(2 + i, from[2 + i],
                                       context.computeProduct(to))))
      return failure();
  Type elementType = context.elementType(0), type = getComputeType(elementType);
  auto mode = context.getChoice<SampleMode>("mode");
  return SmallVector<Value>{buildParallel(
      b, to, elementType, {}, {}, [&](ImplicitLocOpBuilder &b, ValueRange) {
        SmallVector<Value> loops;
        for (int64_t i = 0; i < rank; ++i)
          loops.push_back(linalg::IndexOp::create(b, i));
        SmallVector<Value> indices(ArrayRef(loops).take_front(1));
        indices.append(loops.begin() + 2, loops.end());
        indices.emplace_back();
        SmallVector<SmallVector<Tap>> taps;
        for (int64_t axis = 0; axis < axes; ++axis) {
          // The coordinates have the last axis first.
          indices.back() = arith::ConstantIndexOp::create(b, axes - 1 - axis);
          Value coordinate = tensor::ExtractOp::create(b, grid, indices);
          coordinate = b.createOrFold<CastOp>(coordinate, type);
          AxisSampler sampler(b, context, makeIndex(b, from[2 + axis]), type);
          taps.push_back(sampler.getTaps(coordinate, mode));
        }
        SmallVector<Value> position(ArrayRef(loops).take_front(2));
        Value sample = buildSample(b, input, position, Value(), taps, type);
        return fromCompute(b, sample, elementType);
      })};
}
