//===- Sorting.cpp - Ops that sort ---------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sorting.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

/// ceil(log2(size)), 0 for sizes of 0 and 1.
static OpFoldResult computeLog2(ImplicitLocOpBuilder &b, OpFoldResult size) {
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return b.getIndexAttr(llvm::Log2_64_Ceil(std::max<int64_t>(*constant, 1)));
  Type type = b.getI64Type();
  Value one = makeNumber(b, type, 1);
  Value number = arith::IndexCastOp::create(b, type, cast<Value>(size));
  number = arith::MaxSIOp::create(b, number, one);
  Value zeros = math::CountLeadingZerosOp::create(
      b, arith::SubIOp::create(b, number, one));
  Value bits = arith::SubIOp::create(b, makeNumber(b, type, 64), zeros);
  return arith::IndexCastOp::create(b, b.getIndexType(), bits).getResult();
}

/// Whether a key is before another one, or equal and nearer to the front. A
/// NaN is larger than any number.
static Value isBefore(ImplicitLocOpBuilder &b, ArrayRef<Value> keys,
                      ArrayRef<Value> positions, bool descending,
                      bool isUnsigned) {
  Value lhs = keys[descending], rhs = keys[!descending];
  Value less, equal;
  if (isa<FloatType>(lhs.getType())) {
    auto isNaN = [&](Value x) -> Value {
      return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
    };
    Value lhsIsNaN = isNaN(lhs), rhsIsNaN = isNaN(rhs);
    Value yes = makeNumber(b, b.getI1Type(), 1);
    Value isNumber = arith::XOrIOp::create(b, lhsIsNaN, yes);
    less = arith::OrIOp::create(
        b, arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, lhs, rhs),
        arith::AndIOp::create(b, isNumber, rhsIsNaN));
    equal = arith::OrIOp::create(
        b, arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, lhs, rhs),
        arith::AndIOp::create(b, lhsIsNaN, rhsIsNaN));
  } else {
    less = arith::CmpIOp::create(
        b, isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt,
        lhs, rhs);
    equal = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lhs, rhs);
  }
  Value isNearer = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                         positions[0], positions[1]);
  return arith::OrIOp::create(b, less,
                              arith::AndIOp::create(b, equal, isNearer));
}

namespace {
/// A network of comparisons (Batcher's bitonic one): in each of its steps every
/// place keeps or takes the position that is at another place, so that a step
/// is a parallel loop. Places behind the last key, up to a power of two, hold
/// positions that are behind all others.
struct SortingNetwork {
  /// The positions after the step that compares places `distance` apart, in
  /// runs of `run` places, every other one in reverse.
  Value buildStep(ImplicitLocOpBuilder &b, Value positions, Value distance,
                  Value run) const;
  /// What is before the other of the positions at two places.
  Value isFirst(ImplicitLocOpBuilder &b, ArrayRef<Value> place, Value mine,
                Value other) const;

  Value keys;
  SmallVector<OpFoldResult> sizes;
  int64_t axis;
  bool descending;
};
} // namespace

Value SortingNetwork::isFirst(ImplicitLocOpBuilder &b, ArrayRef<Value> place,
                              Value mine, Value other) const {
  Value size = makeIndex(b, sizes[axis]);
  Value last =
      arith::SubIOp::create(b, size, arith::ConstantIndexOp::create(b, 1));
  bool isUnsigned = isUnsignedElement(
      cast<RankedTensorType>(keys.getType()).getElementType());
  auto getKey = [&](Value position) {
    SmallVector<Value> indices(place);
    indices[axis] = arith::MinSIOp::create(b, position, last);
    return toCompute(b, tensor::ExtractOp::create(b, keys, indices));
  };
  Value before = isBefore(b, {getKey(mine), getKey(other)}, {mine, other},
                          descending, isUnsigned);
  // Behind the last key there are no others.
  auto isInside = [&](Value position) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, position, size);
  };
  return arith::SelectOp::create(
      b, isInside(mine),
      arith::OrIOp::create(
          b, before,
          arith::XOrIOp::create(b, isInside(other),
                                makeNumber(b, b.getI1Type(), 1))),
      arith::AndIOp::create(
          b,
          arith::XOrIOp::create(b, isInside(other),
                                makeNumber(b, b.getI1Type(), 1)),
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, mine, other)));
}

Value SortingNetwork::buildStep(ImplicitLocOpBuilder &b, Value positions,
                                Value distance, Value run) const {
  Value before = bufferization::AllocTensorOp::create(
      b, cast<RankedTensorType>(positions.getType()), ValueRange(), positions);
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange,
                  ValueRange elements) -> SmallVector<Value> {
    SmallVector<Value> place;
    for (size_t i = 0; i < sizes.size(); ++i)
      place.push_back(linalg::IndexOp::create(b, i));
    Value zero = arith::ConstantIndexOp::create(b, 0);
    auto hasBit = [&](Value bit) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                   arith::AndIOp::create(b, place[axis], bit),
                                   zero);
    };
    SmallVector<Value> partner = place;
    partner[axis] = arith::XOrIOp::create(b, place[axis], distance);
    Value stored = tensor::ExtractOp::create(b, before, partner);
    auto toIndex = [&](Value value) -> Value {
      return arith::IndexCastOp::create(b, b.getIndexType(), value);
    };
    Value first = isFirst(b, place, toIndex(elements[0]), toIndex(stored));
    // The front of a pair keeps what is first, in a reversed run the back.
    Value keepsLast = arith::XOrIOp::create(b, hasBit(distance), hasBit(run));
    Value keeps = arith::XOrIOp::create(b, first, keepsLast);
    return {arith::SelectOp::create(b, keeps, elements[0], stored)};
  };
  return buildReduction(b, {}, {}, positions,
                        b.getMultiDimIdentityMap(sizes.size()), body)
      .front();
}

Value onnx_nodes::buildSortedPositions(NodeContext &context, Value keys,
                                       int64_t axis, bool descending) {
  ImplicitLocOpBuilder &b = context.b;
  SortingNetwork network{keys, context.getSizes(keys), axis, descending};
  Type type = b.getI64Type();
  OpFoldResult levels = computeLog2(b, network.sizes[axis]);
  SmallVector<OpFoldResult> places = network.sizes;
  Value one = arith::ConstantIndexOp::create(b, 1);
  places[axis] = getAsOpFoldResult(
      b.createOrFold<arith::ShLIOp>(one, makeIndex(b, levels)));
  Value start =
      buildParallel(b, places, type, {}, {},
                    [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
                      return arith::IndexCastOp::create(
                          b, type, linalg::IndexOp::create(b, axis));
                    });
  return buildSequential(
      b, levels, start,
      [&](ImplicitLocOpBuilder &b, ValueRange level, ValueRange values) {
        Value steps = arith::AddIOp::create(b, level[0], one);
        Value run = arith::ShLIOp::create(b, one, steps);
        return buildSequential(
            b, OpFoldResult(steps), values,
            [&](ImplicitLocOpBuilder &b, ValueRange step,
                ValueRange values) -> SmallVector<Value> {
              Value distance = arith::ShLIOp::create(
                  b, one, arith::SubIOp::create(b, level[0], step[0]));
              return {network.buildStep(b, values[0], distance, run)};
            });
      })[0];
}

//===----------------------------------------------------------------------===//
// TopK
//===----------------------------------------------------------------------===//

static NodeResults buildTopK(NodeContext &context, OpFoldResult count,
                             bool largest) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0);
  SmallVector<OpFoldResult> sizes = context.getSizes(input);
  FailureOr<int64_t> axis =
      context.normalizeAxis(context.getInt("axis"), sizes.size());
  if (failed(axis) ||
      failed(context.requireAtLeast(0, count, "the number of elements")) ||
      failed(
          context.requireAtMost(sizes[*axis], count, "the number of elements")))
    return failure();
  Value positions = buildSortedPositions(context, input, *axis, largest);
  sizes[*axis] = count;
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  // A tensor of its own, not a part of a larger one.
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  Value taken = buildSlice(b, positions, offsets, sizes, strides);
  Value indices = buildParallel(
      b, sizes, b.getI64Type(), taken, identity,
      [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
  Value values = buildParallel(
      b, sizes, context.elementType(0), indices, identity,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        SmallVector<Value> place;
        for (size_t i = 0; i < sizes.size(); ++i)
          place.push_back(linalg::IndexOp::create(b, i));
        place[*axis] = arith::IndexCastOp::create(b, b.getIndexType(), args[0]);
        return tensor::ExtractOp::create(b, input, place);
      });
  return SmallVector<Value>{values, indices};
}

NodeResults onnx_nodes::convertFixedTopK(NodeContext &context) {
  return buildTopK(context, context.b.getIndexAttr(context.getInt("k")),
                   /*largest=*/true);
}

NodeResults onnx_nodes::convertOpenTopK(NodeContext &context) {
  FailureOr<OpFoldResult> count = context.getIndex(1);
  if (failed(count))
    return failure();
  return buildTopK(context, *count, /*largest=*/true);
}

/// Elements that need not be sorted are, too.
NodeResults onnx_nodes::convertTopK(NodeContext &context) {
  FailureOr<OpFoldResult> count = context.getIndex(1);
  (void)context.getFlag("sorted");
  if (failed(count))
    return failure();
  return buildTopK(context, *count, context.getFlag("largest"));
}
