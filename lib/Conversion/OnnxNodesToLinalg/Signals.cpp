//===- Signals.cpp - DFT, STFT -----------------------------------------===//
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
/// A number of complex ones, in a body.
struct Complex {
  Value real, imaginary;
};

/// A Fourier transform by its definition: sums over `inputs` elements times
/// roots of unity, of which there are `length`.
struct Transform {
  NodeContext &context;
  Type type;
  OpFoldResult length, inputs;
  bool isInverse = false;
  /// The inverse of what half of the frequencies stand for.
  bool isHalf = false;
  /// cos and sin of a part of the circle.
  Value roots = {};

  using GetElement = llvm::function_ref<Complex(ImplicitLocOpBuilder &,
                                                ArrayRef<Value>, Value)>;

  /// `to` are the sizes of the result, the frequencies along `axis`, real and
  /// imaginary part last; `getElement` makes an input of the transform at the
  /// place of a result.
  Value build(ArrayRef<OpFoldResult> to, int64_t axis, GetElement getElement);

private:
  void buildRoots();
};
} // namespace

void Transform::buildRoots() {
  ImplicitLocOpBuilder &b = context.b;
  constexpr double kCircle = 6.283185307179586;
  // In f32 half a circle would have a sine.
  Type wide = b.getF64Type();
  roots = buildParallel(
      b, {length, b.getIndexAttr(2)}, type, {}, {},
      [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
        auto toFloat = [&](Value index) -> Value {
          return arith::SIToFPOp::create(
              b, wide, arith::IndexCastOp::create(b, b.getI64Type(), index));
        };
        Value share =
            arith::DivFOp::create(b, toFloat(linalg::IndexOp::create(b, 0)),
                                  toFloat(makeIndex(b, length)));
        Value angle =
            arith::MulFOp::create(b, makeNumber(b, wide, kCircle), share);
        Value isSine = arith::CmpIOp::create(
            b, arith::CmpIPredicate::ne, linalg::IndexOp::create(b, 1),
            arith::ConstantIndexOp::create(b, 0));
        Value root =
            arith::SelectOp::create(b, isSine, math::SinOp::create(b, angle),
                                    math::CosOp::create(b, angle));
        return b.createOrFold<CastOp>(root, type);
      });
}

Value Transform::build(ArrayRef<OpFoldResult> to, int64_t axis,
                       GetElement getElement) {
  ImplicitLocOpBuilder &b = context.b;
  buildRoots();
  int64_t rank = to.size();
  // Nothing reads it: it says how long the loop is.
  Value window = tensor::EmptyOp::create(b, inputs, b.getI8Type());
  AffineMap loops = b.getMultiDimIdentityMap(rank + 1);
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange,
                  ValueRange sums) -> SmallVector<Value> {
    SmallVector<Value> place;
    for (int64_t i = 0; i < rank; ++i)
      place.push_back(linalg::IndexOp::create(b, i));
    Value input = linalg::IndexOp::create(b, rank);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Complex x = getElement(b, place, input);
    Value turns = arith::RemUIOp::create(
        b, arith::MulIOp::create(b, place[axis], input), makeIndex(b, length));
    Value cosine = tensor::ExtractOp::create(b, roots, ValueRange{turns, zero});
    Value sine = tensor::ExtractOp::create(b, roots, ValueRange{turns, one});
    if (!isInverse)
      sine = arith::NegFOp::create(b, sine);
    auto mul = [&](Value x, Value y) -> Value {
      return arith::MulFOp::create(b, x, y);
    };
    Value part = mul(x.real, cosine);
    if (x.imaginary)
      part = arith::SubFOp::create(b, part, mul(x.imaginary, sine));
    if (isHalf) {
      // All but the first and, of an even length, the last one stand for two.
      Value twice = arith::AddIOp::create(b, input, input);
      Value isSingle = arith::OrIOp::create(
          b, arith::CmpIOp::create(b, arith::CmpIPredicate::eq, input, zero),
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, twice,
                                makeIndex(b, length)));
      part =
          mul(part, arith::SelectOp::create(b, isSingle, makeNumber(b, type, 1),
                                            makeNumber(b, type, 2)));
    } else {
      Value other = mul(x.real, sine);
      if (x.imaginary)
        other = arith::AddFOp::create(b, other, mul(x.imaginary, cosine));
      Value isReal = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                           place.back(), zero);
      part = arith::SelectOp::create(b, isReal, part, other);
    }
    return {arith::AddFOp::create(b, sums[0], part)};
  };
  Value sums = buildReduction(b, window, loops.getMinorSubMap(1),
                              buildFilled(b, to, makeNumber(b, type, 0)),
                              loops.getMajorSubMap(rank), body)
                   .front();
  Type elementType = context.elementType(0);
  return buildParallel(b, to, elementType, sums, b.getMultiDimIdentityMap(rank),
                       [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                         Value sum = args[0];
                         if (isInverse) {
                           Value count = arith::IndexCastOp::create(
                               b, b.getI64Type(), makeIndex(b, length));
                           sum = arith::DivFOp::create(
                               b, sum, arith::SIToFPOp::create(b, type, count));
                         }
                         return fromCompute(b, sum, elementType);
                       });
}

/// n / 2 + 1, the number of frequencies that say all of a real signal.
static OpFoldResult computeHalf(ImplicitLocOpBuilder &b, OpFoldResult length) {
  return computeIndex(b, b.getAffineSymbolExpr(0).floorDiv(2) + 1, length);
}

/// The smaller of two sizes.
static OpFoldResult computeMin(ImplicitLocOpBuilder &b, OpFoldResult lhs,
                               OpFoldResult rhs) {
  return getAsOpFoldResult(
      b.createOrFold<arith::MinSIOp>(makeIndex(b, lhs), makeIndex(b, rhs)));
}

/// Whether the last axis of an input, of size 1 or 2, has imaginary parts.
static FailureOr<bool> readIsComplex(NodeContext &context) {
  std::optional<int64_t> parts =
      getConstantIntValue(context.getSizes(context.input(0)).back());
  if (!parts || (*parts != 1 && *parts != 2))
    return context.unsupported(
        "the size of the last axis must be known to be 1 or 2");
  return *parts == 2;
}

static NodeResults buildDFT(NodeContext &context, OpFoldResult givenAxis) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0);
  SmallVector<OpFoldResult> to = context.getSizes(input);
  int64_t rank = to.size();
  if (rank < 2)
    return context.unsupported("the input must have rank 2 or more, but got " +
                               Twine(rank));
  FailureOr<OpFoldResult> given = context.normalizeAxis(givenAxis, rank);
  FailureOr<bool> isComplex = readIsComplex(context);
  if (failed(given) || failed(isComplex) ||
      failed(
          context.requireAtMost(b.getIndexAttr(rank - 2), *given,
                                "axis, where the last is that of the parts,")))
    return failure();
  SmallVector<OpFoldResult> resultSizes = to;
  TensorAxis known = makeAxisKnown(context, input, *given, /*numKept=*/1);
  input = known.tensor;
  int64_t axis = known.axis;
  to = context.getSizes(input);
  bool isInverse = context.getFlag("inverse");
  bool isHalf = context.getFlag("onesided") && isInverse;
  OpFoldResult size = to[axis], length = size;
  AffineExpr s0 = b.getAffineSymbolExpr(0);
  if (context.input(1)) {
    FailureOr<OpFoldResult> given = context.getIndex(1);
    if (failed(given))
      return failure();
    length = *given;
  } else if (isHalf) {
    length = computeIndex(b, 2 * (s0 - 1), size);
  }
  if (failed(context.requireAtLeast(1, length, "the length of the signal")))
    return failure();
  // Of a shorter signal the rest is zeros, of a longer one it is left out.
  OpFoldResult wanted = isHalf ? computeHalf(b, length) : length;
  Transform transform{context,   getComputeType(context.elementType(0)),
                      length,    computeMin(b, size, wanted),
                      isInverse, isHalf};
  to[axis] = context.getFlag("onesided") && !isInverse ? computeHalf(b, length)
                                                       : length;
  setAxis(b, resultSizes, *given, to[axis]);
  to.back() = resultSizes.back() = b.getIndexAttr(isHalf ? 1 : 2);
  Value result = transform.build(
      to, axis,
      [&](ImplicitLocOpBuilder &b, ArrayRef<Value> place,
          Value index) -> Complex {
        SmallVector<Value> from(place);
        from[axis] = index;
        auto read = [&](int64_t part) -> Value {
          from.back() = arith::ConstantIndexOp::create(b, part);
          return toCompute(b, tensor::ExtractOp::create(b, input, from));
        };
        Value real = read(0);
        return {real, *isComplex ? read(1) : Value()};
      });
  return SmallVector<Value>{context.reshape(result, resultSizes)};
}

NodeResults onnx_nodes::convertFixedDFT(NodeContext &context) {
  return buildDFT(context, context.b.getIndexAttr(context.getInt("axis")));
}

NodeResults onnx_nodes::convertDFT(NodeContext &context) {
  FailureOr<OpFoldResult> axis(OpFoldResult(context.b.getIndexAttr(-2)));
  if (context.input(2))
    axis = context.getIndex(2);
  if (failed(axis))
    return failure();
  return buildDFT(context, *axis);
}

/// The transforms of parts of a signal, each weighted.
NodeResults onnx_nodes::convertSTFT(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value signal = context.input(0), window = context.input(2);
  SmallVector<OpFoldResult> from = context.getSizes(signal);
  bool hasParts = from.size() == 3;
  if (!hasParts && from.size() != 2)
    return context.unsupported("the signal must have rank 2 or 3, but got " +
                               Twine(from.size()));
  FailureOr<bool> isComplex = hasParts ? readIsComplex(context) : false;
  FailureOr<OpFoldResult> step = context.getIndex(1);
  if (failed(isComplex) || failed(step))
    return failure();
  OpFoldResult length = from[1];
  if (window) {
    if (context.type(2).getRank() != 1)
      return context.unsupported("the window must have rank 1, but got " +
                                 Twine(context.type(2).getRank()));
    if (failed(context.requireElementType(2, context.elementType(0))))
      return failure();
    length = context.getSizes(window).front();
  }
  if (context.input(3)) {
    FailureOr<OpFoldResult> given = context.getIndex(3);
    if (failed(given) ||
        (window &&
         failed(context.requireEqual(length, *given, "the length of a frame"))))
      return failure();
    length = *given;
  }
  OpFoldResult room =
      computeIndex(b, b.getAffineSymbolExpr(0) - b.getAffineSymbolExpr(1),
                   {from[1], length});
  if (failed(context.requireAtLeast(1, *step, "the step of frames")) ||
      failed(context.requireAtLeast(1, length, "the length of a frame")) ||
      failed(context.requireAtLeast(0, room, "the room for a frame")))
    return failure();
  // The size may be computed before a step of 0 is refused.
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value divisor = b.createOrFold<arith::MaxSIOp>(makeIndex(b, *step), one);
  Value frames = b.createOrFold<arith::AddIOp>(
      b.createOrFold<arith::DivUIOp>(makeIndex(b, room), divisor), one);
  Transform transform{context, getComputeType(context.elementType(0)), length,
                      length};
  SmallVector<OpFoldResult> to = {
      from[0], getAsOpFoldResult(frames),
      context.getFlag("onesided") ? computeHalf(b, length) : length,
      b.getIndexAttr(2)};
  return SmallVector<Value>{transform.build(
      to, /*axis=*/2,
      [&](ImplicitLocOpBuilder &b, ArrayRef<Value> place,
          Value index) -> Complex {
        Value begin = arith::MulIOp::create(b, place[1], makeIndex(b, *step));
        SmallVector<Value> from = {place[0],
                                   arith::AddIOp::create(b, begin, index)};
        Value weight;
        if (window)
          weight = toCompute(b, tensor::ExtractOp::create(b, window, index));
        if (hasParts)
          from.emplace_back();
        auto read = [&](int64_t part) -> Value {
          if (hasParts)
            from.back() = arith::ConstantIndexOp::create(b, part);
          Value x = toCompute(b, tensor::ExtractOp::create(b, signal, from));
          return weight ? Value(arith::MulFOp::create(b, x, weight)) : x;
        };
        Value real = read(0);
        return {real, *isComplex ? read(1) : Value()};
      })};
}
