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

namespace {
/// How two keys compare.
struct Comparison {
  Value isLess, isEqual;
};
} // namespace

/// A NaN is larger than any number.
static Comparison compareKeys(ImplicitLocOpBuilder &b, Value lhs, Value rhs,
                              bool isUnsigned) {
  if (!isa<FloatType>(lhs.getType()))
    return {arith::CmpIOp::create(b,
                                  isUnsigned ? arith::CmpIPredicate::ult
                                             : arith::CmpIPredicate::slt,
                                  lhs, rhs),
            arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lhs, rhs)};
  auto isNaN = [&](Value x) -> Value {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
  };
  Value lhsIsNaN = isNaN(lhs), rhsIsNaN = isNaN(rhs);
  Value yes = makeNumber(b, b.getI1Type(), 1);
  Value isNumber = arith::XOrIOp::create(b, lhsIsNaN, yes);
  return {arith::OrIOp::create(
              b, arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, lhs, rhs),
              arith::AndIOp::create(b, isNumber, rhsIsNaN)),
          arith::OrIOp::create(
              b, arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, lhs, rhs),
              arith::AndIOp::create(b, lhsIsNaN, rhsIsNaN))};
}

/// The same of two rows of a matrix, by the first elements that differ.
static Comparison compareRows(ImplicitLocOpBuilder &b, Value matrix, Value lhs,
                              Value rhs, OpFoldResult length) {
  bool isUnsigned = isUnsignedElement(
      cast<RankedTensorType>(matrix.getType()).getElementType());
  auto compareAt = [&](ImplicitLocOpBuilder &b, Value column) {
    auto read = [&](Value row) {
      return toCompute(
          b, tensor::ExtractOp::create(b, matrix, ValueRange{row, column}));
    };
    return compareKeys(b, read(lhs), read(rhs), isUnsigned);
  };
  Value zero = arith::ConstantIndexOp::create(b, 0);
  if (isConstantIntValue(length, 1))
    return compareAt(b, zero);
  Value inits[] = {makeNumber(b, b.getI1Type(), 0),
                   makeNumber(b, b.getI1Type(), 1)};
  auto loop = scf::ForOp::create(
      b, zero, makeIndex(b, length), arith::ConstantIndexOp::create(b, 1),
      inits,
      [&](OpBuilder &builder, Location loc, Value column, ValueRange before) {
        ImplicitLocOpBuilder inner(loc, builder);
        Comparison here = compareAt(inner, column);
        Value isLess = arith::AndIOp::create(inner, before[1], here.isLess);
        scf::YieldOp::create(
            inner,
            ValueRange{arith::OrIOp::create(inner, before[0], isLess),
                       arith::AndIOp::create(inner, before[1], here.isEqual)});
      });
  return {loop.getResult(0), loop.getResult(1)};
}

/// Whether a key is before another one, or equal and nearer to the front.
static Value isBefore(ImplicitLocOpBuilder &b, Comparison keys,
                      ArrayRef<Value> positions) {
  Value isNearer = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                         positions[0], positions[1]);
  return arith::OrIOp::create(b, keys.isLess,
                              arith::AndIOp::create(b, keys.isEqual, isNearer));
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

  /// The positions in order along `axis`.
  Value build(NodeContext &context) const;

  Value keys;
  /// Of the tensor of positions: of the keys, or the number of rows.
  SmallVector<OpFoldResult> sizes;
  int64_t axis;
  bool descending = false;
  /// Where keys are rows of a matrix.
  OpFoldResult rowLength = {};
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
  auto compare = [&] {
    Value lhs = descending ? other : mine, rhs = descending ? mine : other;
    if (!rowLength)
      return compareKeys(b, getKey(lhs), getKey(rhs), isUnsigned);
    // Rows behind the last one are those of others.
    return compareRows(b, keys, arith::MinSIOp::create(b, lhs, last),
                       arith::MinSIOp::create(b, rhs, last), rowLength);
  };
  Value before = isBefore(b, compare(), {mine, other});
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

Value SortingNetwork::build(NodeContext &context) const {
  ImplicitLocOpBuilder &b = context.b;
  Type type = b.getI64Type();
  OpFoldResult levels = computeLog2(b, sizes[axis]);
  SmallVector<OpFoldResult> places = sizes;
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
              return {buildStep(b, values[0], distance, run)};
            });
      })[0];
}

Value onnx_nodes::buildSortedPositions(NodeContext &context, Value keys,
                                       int64_t axis, bool descending) {
  SortingNetwork network{keys, context.getSizes(keys), axis, descending};
  return network.build(context);
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

//===----------------------------------------------------------------------===//
// Unique
//===----------------------------------------------------------------------===//

namespace {
/// Rows that are equal, by groups: the first row of each, how many there are,
/// and the group of each row.
struct RowGroups {
  Value first, counts, groups;
  OpFoldResult number;
};
} // namespace

/// The groups of rows in the order of `positions`, where equal ones are
/// neighbors.
static RowGroups buildGroups(NodeContext &context, Value matrix,
                             Value positions) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes = context.getSizes(matrix);
  Type i64 = b.getI64Type();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value number = makeNumber(b, i64, 1);
  auto makeZeros = [&](ArrayRef<OpFoldResult> sizes) {
    return buildFilled(b, sizes, makeNumber(b, i64, 0));
  };
  auto toIndex = [](ImplicitLocOpBuilder &b, Value value) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), value);
  };
  Value inits[] = {makeZeros(sizes[0]), makeZeros(sizes[0]),
                   makeZeros(sizes[0]), makeZeros({})};
  auto step = [&](ImplicitLocOpBuilder &b, ValueRange at,
                  ValueRange values) -> SmallVector<Value> {
    Value position = tensor::ExtractOp::create(b, positions, at);
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, at[0], zero);
    Value before = arith::SelectOp::create(
        b, isFirst, zero, arith::SubIOp::create(b, at[0], one));
    Value previous = tensor::ExtractOp::create(b, positions, before);
    Comparison rows = compareRows(b, matrix, toIndex(b, previous),
                                  toIndex(b, position), sizes[1]);
    Value isNew = arith::OrIOp::create(
        b, isFirst,
        arith::XOrIOp::create(b, rows.isEqual,
                              makeNumber(b, b.getI1Type(), 1)));
    Value count = tensor::ExtractOp::create(b, values[3], ValueRange());
    count =
        arith::AddIOp::create(b, count, arith::ExtUIOp::create(b, i64, isNew));
    Value group = arith::SubIOp::create(b, count, number);
    Value place = toIndex(b, group);
    Value first = arith::SelectOp::create(
        b, isNew, position, tensor::ExtractOp::create(b, values[0], place));
    Value more = arith::AddIOp::create(
        b, tensor::ExtractOp::create(b, values[1], place), number);
    return {tensor::InsertOp::create(b, first, values[0], place),
            tensor::InsertOp::create(b, more, values[1], place),
            tensor::InsertOp::create(b, group, values[2], toIndex(b, position)),
            tensor::InsertOp::create(b, count, values[3], ValueRange())};
  };
  SmallVector<Value> results = buildSequential(b, sizes[0], inits, step);
  Value count =
      toIndex(b, tensor::ExtractOp::create(b, results[3], ValueRange()));
  OpFoldResult begin = b.getIndexAttr(0), stride = b.getIndexAttr(1);
  return {buildSlice(b, results[0], begin, OpFoldResult(count), stride),
          buildSlice(b, results[1], begin, OpFoldResult(count), stride),
          results[2], count};
}

/// A vector of numbers, in the order that others say.
static Value buildOrdered(NodeContext &context, Value numbers, Value order,
                          OpFoldResult count) {
  ImplicitLocOpBuilder &b = context.b;
  OpFoldResult begin = b.getIndexAttr(0), stride = b.getIndexAttr(1);
  Value taken = buildSlice(b, order, begin, count, stride);
  return buildParallel(
      b, count, b.getI64Type(), taken, b.getMultiDimIdentityMap(1),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value place = arith::IndexCastOp::create(b, b.getIndexType(), args[0]);
        return tensor::ExtractOp::create(b, numbers, place);
      });
}

/// The groups by their first rows.
static void orderByFirst(NodeContext &context, RowGroups &rows) {
  ImplicitLocOpBuilder &b = context.b;
  Type i64 = b.getI64Type();
  SortingNetwork network{rows.first, {rows.number}, /*axis=*/0};
  Value order = network.build(context);
  Value ranks =
      buildSequential(
          b, rows.number, buildFilled(b, rows.number, makeNumber(b, i64, 0)),
          [&](ImplicitLocOpBuilder &b, ValueRange at,
              ValueRange values) -> SmallVector<Value> {
            Value group = tensor::ExtractOp::create(b, order, at);
            Value rank = arith::IndexCastOp::create(b, i64, at[0]);
            Value place =
                arith::IndexCastOp::create(b, b.getIndexType(), group);
            return {tensor::InsertOp::create(b, rank, values[0], place)};
          })
          .front();
  rows.first = buildOrdered(context, rows.first, order, rows.number);
  rows.counts = buildOrdered(context, rows.counts, order, rows.number);
  rows.groups = buildOrdered(context, ranks, rows.groups,
                             context.getSizes(rows.groups).front());
}

/// Elements, or slices along an axis, that differ from all before them. NaNs
/// are equal.
NodeResults onnx_nodes::convertUnique(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value data = context.input(0);
  SmallVector<OpFoldResult> sizes = context.getSizes(data);
  int64_t axis = 0, rank = sizes.size();
  if (context.has("axis")) {
    FailureOr<int64_t> given =
        context.normalizeAxis(context.getInt("axis"), rank);
    if (failed(given))
      return failure();
    axis = *given;
  } else {
    sizes = {context.computeProduct(sizes)};
    data = context.reshape(data, sizes);
    rank = 1;
  }
  // A row for each slice.
  SmallVector<int64_t> order = {axis};
  SmallVector<OpFoldResult> others;
  for (int64_t i = 0; i < rank; ++i) {
    if (i == axis)
      continue;
    order.push_back(i);
    others.push_back(sizes[i]);
  }
  OpFoldResult length = context.computeProduct(others);
  Value matrix = axis == 0 ? data : buildTranspose(context, data, order);
  matrix = context.reshape(matrix, {sizes[axis], length});
  SortingNetwork network{matrix,
                         {sizes[axis]},
                         /*axis=*/0,
                         /*descending=*/false,
                         length};
  RowGroups rows = buildGroups(context, matrix, network.build(context));
  if (!context.getFlag("sorted"))
    orderByFirst(context, rows);
  sizes[axis] = rows.number;
  Value values = buildParallel(
      b, sizes, context.elementType(0), rows.first,
      AffineMap::get(rank, 0, b.getAffineDimExpr(axis)),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        SmallVector<Value> place;
        for (int64_t i = 0; i < rank; ++i)
          place.push_back(linalg::IndexOp::create(b, i));
        place[axis] = arith::IndexCastOp::create(b, b.getIndexType(), args[0]);
        return tensor::ExtractOp::create(b, data, place);
      });
  return SmallVector<Value>{values, rows.first, rows.groups, rows.counts};
}
