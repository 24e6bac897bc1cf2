//===- Sorting.cpp - Lowering of TopK and Unique --------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sorting.h"
#include "MergeSort.h"
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

/// Returns ceil(log2(size)), or 0 for sizes of 0 and 1.
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
/// The result of the comparison of two keys.
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

/// Compares two rows of a matrix lexicographically.
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

/// Whether a key orders before another one. Equal keys are ordered by position.
static Value isBefore(ImplicitLocOpBuilder &b, Comparison keys,
                      ArrayRef<Value> positions) {
  Value isNearer = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                         positions[0], positions[1]);
  return arith::OrIOp::create(b, keys.isLess,
                              arith::AndIOp::create(b, keys.isEqual, isNearer));
}

namespace {
/// A bitonic sorting network (Batcher) on the positions of keys. In each step,
/// every element of the tensor of positions keeps its position or takes that of
/// its partner, so a step is a parallel loop. The axis is padded to a power of
/// two with positions that order after all keys.
struct SortingNetwork {
  /// Returns the positions after a step that compares elements `distance`
  /// apart. Every other run of `run` elements is sorted in reverse.
  Value buildStep(ImplicitLocOpBuilder &b, Value positions, Value distance,
                  Value run) const;
  /// Whether the position `mine` orders before the position `other`.
  /// `elementIndices` holds the indices of the current element.
  Value isFirst(ImplicitLocOpBuilder &b, ArrayRef<Value> elementIndices,
                Value mine, Value other) const;

  /// Returns the positions in sorted order along `axis`.
  Value build(NodeContext &context) const;

  Value keys;
  /// The sizes of the keys, or the number of rows if keys are rows.
  SmallVector<OpFoldResult> sizes;
  int64_t axis;
  bool descending = false;
  /// The length of a row if keys are the rows of a matrix, or else null.
  OpFoldResult rowLength = {};
};
} // namespace

Value SortingNetwork::isFirst(ImplicitLocOpBuilder &b,
                              ArrayRef<Value> elementIndices, Value mine,
                              Value other) const {
  Value size = makeIndex(b, sizes[axis]);
  Value last =
      arith::SubIOp::create(b, size, arith::ConstantIndexOp::create(b, 1));
  bool isUnsigned = isUnsignedElement(
      cast<RankedTensorType>(keys.getType()).getElementType());
  auto getKey = [&](Value position) {
    SmallVector<Value> indices(elementIndices);
    indices[axis] = arith::MinSIOp::create(b, position, last);
    return toCompute(b, tensor::ExtractOp::create(b, keys, indices));
  };
  auto compare = [&] {
    Value lhs = descending ? other : mine, rhs = descending ? mine : other;
    if (!rowLength)
      return compareKeys(b, getKey(lhs), getKey(rhs), isUnsigned);
    // Clamp positions beyond the last row. The select below ignores the result
    // for them.
    return compareRows(b, keys, arith::MinSIOp::create(b, lhs, last),
                       arith::MinSIOp::create(b, rhs, last), rowLength);
  };
  Value before = isBefore(b, compare(), {mine, other});
  // Positions beyond the last key order after all keys.
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
    SmallVector<Value> indices;
    for (size_t i = 0; i < sizes.size(); ++i)
      indices.push_back(linalg::IndexOp::create(b, i));
    Value zero = arith::ConstantIndexOp::create(b, 0);
    auto hasBit = [&](Value bit) -> Value {
      return arith::CmpIOp::create(b, arith::CmpIPredicate::ne,
                                   arith::AndIOp::create(b, indices[axis], bit),
                                   zero);
    };
    SmallVector<Value> partner = indices;
    partner[axis] = arith::XOrIOp::create(b, indices[axis], distance);
    Value stored = tensor::ExtractOp::create(b, before, partner);
    auto toIndex = [&](Value value) -> Value {
      return arith::IndexCastOp::create(b, b.getIndexType(), value);
    };
    Value first = isFirst(b, indices, toIndex(elements[0]), toIndex(stored));
    // The first element of a pair keeps the smaller key, in a reversed run the
    // larger one.
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
  SmallVector<OpFoldResult> pairSizes = sizes;
  Value one = arith::ConstantIndexOp::create(b, 1);
  pairSizes[axis] = getAsOpFoldResult(
      b.createOrFold<arith::ShLIOp>(one, makeIndex(b, levels)));
  Value start =
      buildParallel(b, pairSizes, type, {}, {},
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

Value onnx_nodes::buildNetworkPositions(NodeContext &context, Value keys,
                                        int64_t axis, bool descending) {
  return SortingNetwork{keys, context.getSizes(keys), axis, descending}.build(
      context);
}

//===----------------------------------------------------------------------===//
// TopK
//===----------------------------------------------------------------------===//

/// Returns the type of the sort keys of elements (see buildSortKey).
static Type getSortKeyType(Type elementType) {
  unsigned width = getComputeType(elementType).getIntOrFloatBitWidth();
  return IntegerType::get(elementType.getContext(), std::max(width, 32u));
}

/// Requires that an array has room for an item for each of `size` elements.
static LogicalResult requireItems(NodeContext &context, Type keyType,
                                  OpFoldResult size) {
  return context.requireAtMost(context.b.getIndexAttr(getMaxItems(keyType)),
                               size, "the number of elements to sort");
}

Value onnx_nodes::buildSortKeys(NodeContext &context, Value tensor,
                                int64_t axis, bool descending) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
  Type elementType = getElementTypeOrSelf(tensor);
  unsigned rank = sizes.size();
  OpFoldResult size = sizes[axis];
  sizes.erase(sizes.begin() + axis);
  sizes.push_back(size);
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0; i < rank - 1; ++i)
    exprs.push_back(b.getAffineDimExpr(i));
  exprs.insert(exprs.begin() + axis, b.getAffineDimExpr(rank - 1));
  return buildParallel(b, sizes, getSortKeyType(elementType), tensor,
                       AffineMap::get(rank, 0, exprs, b.getContext()),
                       [&](ImplicitLocOpBuilder &b, ValueRange args) {
                         return buildSortKey(b, toCompute(b, args[0]),
                                             isUnsignedElement(elementType),
                                             descending);
                       });
}

/// Returns the positions of the first `count` elements in sorted order along an
/// axis, which becomes the last axis.
static Value buildFirstPositions(NodeContext &context, Value input,
                                 int64_t axis, OpFoldResult count,
                                 bool descending) {
  // Up to this number, each element is found by a search of the row.
  constexpr int64_t kFew = 8;
  ImplicitLocOpBuilder &b = context.b;
  Type i64 = b.getI64Type();
  Value keys = buildSortKeys(context, input, axis, descending);
  SmallVector<OpFoldResult> sizes = context.getSizes(keys);
  KeyRow row{keys, {}, sizes.pop_back_val()};
  SmallVector<OpFoldResult> to = sizes;
  to.push_back(count);
  Type keyType = getElementTypeOrSelf(keys), itemType = getItemType(keyType);
  Value numItems = makeIndex(b, count), size = makeIndex(b, row.size);
  auto write = [&](ImplicitLocOpBuilder &b, Value item, Value result,
                   ValueRange at, Value index) -> Value {
    SmallVector<Value> indices(at);
    indices.push_back(index);
    Value position =
        arith::IndexCastOp::create(b, i64, getItemPosition(b, item));
    return tensor::InsertOp::create(b, position, result, indices);
  };
  std::optional<int64_t> numSelected = getConstantIntValue(count);
  if (numSelected && *numSelected <= kFew && keyType.isInteger(32))
    return buildSequential(
               b, sizes, makeBuffer(b, to, i64),
               [&](ImplicitLocOpBuilder &b, ValueRange at,
                   ValueRange values) -> SmallVector<Value> {
                 row.indices.assign(at.begin(), at.end());
                 Value inits[] = {values[0], makeSmallestItem(b, itemType)};
                 return {buildSequential(
                     b, count, inits,
                     [&](ImplicitLocOpBuilder &b, ValueRange index,
                         ValueRange values) -> SmallVector<Value> {
                       Value item = buildNextItem(b, row, values[1]);
                       Value next = arith::AddIOp::create(
                           b, item, makeNumber(b, itemType, 1));
                       return {write(b, item, values[0], at, index[0]), next};
                     })[0]};
               })
        .front();
  Value one = makeIndex(b, b.getIndexAttr(1));
  Value k = b.createOrFold<arith::MaxSIOp>(numItems, one);
  Value capacity = getSelectionCapacity(b, k, size);
  SortBuffer buffer = makeSortBuffer(b, capacity, itemType);
  Value inits[] = {makeBuffer(b, to, i64), buffer.tensor};
  return buildSequential(
             b, sizes, inits,
             [&](ImplicitLocOpBuilder &b, ValueRange at,
                 ValueRange values) -> SmallVector<Value> {
               row.indices.assign(at.begin(), at.end());
               ChosenItems items =
                   buildSelection(b, row, {values[1], buffer.stride}, capacity,
                                  /*bound=*/{}, k);
               auto [sorted, begin] = buildMergeSort(
                   b, {items.buffer, buffer.stride}, items.count);
               Value result = buildSequential(
                   b, count, values[0],
                   [&, sorted = sorted,
                    begin = begin](ImplicitLocOpBuilder &b, ValueRange index,
                                   ValueRange values) -> SmallVector<Value> {
                     Value position = arith::AddIOp::create(b, begin, index[0]);
                     Value item =
                         tensor::ExtractOp::create(b, sorted, position);
                     return {write(b, item, values[0], at, index[0])};
                   })[0];
               return {result, sorted};
             })
      .front();
}

/// Returns the positions of the rows of a matrix in sorted order.
static Value buildSortedRows(NodeContext &context, Value matrix) {
  ImplicitLocOpBuilder &b = context.b;
  SmallVector<OpFoldResult> sizes = context.getSizes(matrix);
  if (context.onDevice)
    return SortingNetwork{matrix, {sizes[0]}, 0, false, sizes[1]}.build(
        context);
  if (isConstantIntValue(sizes[1], 1))
    return buildFirstPositions(context, context.reshape(matrix, sizes[0]),
                               /*axis=*/0, sizes[0], /*descending=*/false);
  Type i64 = b.getI64Type();
  Value count = makeIndex(b, sizes[0]);
  SortBuffer buffer = makeSortBuffer(b, count, i64);
  buffer.tensor = buildSequential(
      b, sizes[0], buffer.tensor,
      [&](ImplicitLocOpBuilder &b, ValueRange at,
          ValueRange values) -> SmallVector<Value> {
        Value position = arith::IndexCastOp::create(b, i64, at[0]);
        return {tensor::InsertOp::create(b, position, values[0], at)};
      })[0];
  auto toRow = [&](ImplicitLocOpBuilder &b, Value position) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), position);
  };
  auto isFirst = [&](ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
    Comparison rows =
        compareRows(b, matrix, toRow(b, lhs), toRow(b, rhs), sizes[1]);
    return isBefore(b, rows, {lhs, rhs});
  };
  auto [sorted, begin] = buildMergeSort(b, buffer, count, isFirst);
  OpFoldResult stride = b.getIndexAttr(1);
  return buildSlice(b, sorted, OpFoldResult(begin), sizes[0], stride);
}

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
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  Value indices;
  if (context.onDevice) {
    Value positions = buildNetworkPositions(context, input, *axis, largest);
    sizes[*axis] = count;
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
    // Copy the slice, so that the result is not a view of a larger tensor.
    Value taken = buildSlice(b, positions, offsets, sizes, strides);
    indices = buildParallel(
        b, sizes, b.getI64Type(), taken, identity,
        [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
  } else {
    Type keyType = getSortKeyType(context.elementType(0));
    if (failed(requireItems(context, keyType, sizes[*axis])))
      return failure();
    indices = buildFirstPositions(context, input, *axis, count, largest);
    sizes[*axis] = count;
    auto order = llvm::to_vector(llvm::seq<int64_t>(sizes.size() - 1));
    order.insert(order.begin() + *axis, sizes.size() - 1);
    if (*axis + 1 != static_cast<int64_t>(sizes.size()))
      indices = buildTranspose(context, indices, order);
  }
  Value values =
      buildParallel(b, sizes, context.elementType(0), indices, identity,
                    [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                      SmallVector<Value> indices;
                      for (size_t i = 0; i < sizes.size(); ++i)
                        indices.push_back(linalg::IndexOp::create(b, i));
                      indices[*axis] = arith::IndexCastOp::create(
                          b, b.getIndexType(), args[0]);
                      return tensor::ExtractOp::create(b, input, indices);
                    });
  return SmallVector<Value>{values, indices};
}

NodeResults onnx_nodes::convertTopKV1(NodeContext &context) {
  return buildTopK(context, context.b.getIndexAttr(context.getInt("k")),
                   /*largest=*/true);
}

NodeResults onnx_nodes::convertTopKV10(NodeContext &context) {
  FailureOr<OpFoldResult> count = context.getIndex(1);
  if (failed(count))
    return failure();
  return buildTopK(context, *count, /*largest=*/true);
}

/// The result is sorted even if the attribute `sorted` is 0.
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
/// Groups of equal rows: the first row and the size of each group, and the
/// group of each row.
struct RowGroups {
  Value first, counts, groups;
  OpFoldResult number;
};
} // namespace

/// Groups the rows in the order of `positions`, in which equal rows are
/// adjacent.
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
    Value groupIndex = toIndex(b, group);
    Value first = arith::SelectOp::create(
        b, isNew, position,
        tensor::ExtractOp::create(b, values[0], groupIndex));
    Value more = arith::AddIOp::create(
        b, tensor::ExtractOp::create(b, values[1], groupIndex), number);
    return {tensor::InsertOp::create(b, first, values[0], groupIndex),
            tensor::InsertOp::create(b, more, values[1], groupIndex),
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

/// Returns `numbers` at the indices in `order`.
static Value buildOrdered(NodeContext &context, Value numbers, Value order,
                          OpFoldResult count) {
  ImplicitLocOpBuilder &b = context.b;
  OpFoldResult begin = b.getIndexAttr(0), stride = b.getIndexAttr(1);
  Value taken = buildSlice(b, order, begin, count, stride);
  return buildParallel(
      b, count, b.getI64Type(), taken, b.getMultiDimIdentityMap(1),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value position =
            arith::IndexCastOp::create(b, b.getIndexType(), args[0]);
        return tensor::ExtractOp::create(b, numbers, position);
      });
}

/// Sorts the groups by their first rows.
static void orderByFirst(NodeContext &context, RowGroups &rows) {
  ImplicitLocOpBuilder &b = context.b;
  Type i64 = b.getI64Type();
  SmallVector<OpFoldResult> column = {rows.number, b.getIndexAttr(1)};
  Value order = buildSortedRows(context, context.reshape(rows.first, column));
  Value ranks =
      buildSequential(
          b, rows.number, buildFilled(b, rows.number, makeNumber(b, i64, 0)),
          [&](ImplicitLocOpBuilder &b, ValueRange at,
              ValueRange values) -> SmallVector<Value> {
            Value group = tensor::ExtractOp::create(b, order, at);
            Value rank = arith::IndexCastOp::create(b, i64, at[0]);
            Value position =
                arith::IndexCastOp::create(b, b.getIndexType(), group);
            return {tensor::InsertOp::create(b, rank, values[0], position)};
          })
          .front();
  rows.first = buildOrdered(context, rows.first, order, rows.number);
  rows.counts = buildOrdered(context, rows.counts, order, rows.number);
  rows.groups = buildOrdered(context, ranks, rows.groups,
                             context.getSizes(rows.groups).front());
}

/// Returns the distinct elements, or the distinct slices along an axis. NaNs
/// are equal.
NodeResults onnx_nodes::convertUnique(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value data = context.input(0);
  SmallVector<OpFoldResult> sizes = context.getSizes(data);
  int64_t axis = 0, rank = sizes.size();
  if (context.has("axis")) {
    FailureOr<int64_t> specified =
        context.normalizeAxis(context.getInt("axis"), rank);
    if (failed(specified))
      return failure();
    axis = *specified;
  } else {
    sizes = {context.computeProduct(sizes)};
    data = context.reshape(data, sizes);
    rank = 1;
  }
  // Each slice is a row of a matrix.
  SmallVector<int64_t> order = {axis};
  SmallVector<OpFoldResult> others;
  for (int64_t i = 0; i < rank; ++i) {
    if (i == axis)
      continue;
    order.push_back(i);
    others.push_back(sizes[i]);
  }
  OpFoldResult length = context.computeProduct(others);
  // See buildSortedRows. Longer rows are sorted by their positions, of 64 bits.
  Type keyType = isConstantIntValue(length, 1)
                     ? getSortKeyType(context.elementType(0))
                     : b.getI64Type();
  if (!context.onDevice && failed(requireItems(context, keyType, sizes[axis])))
    return failure();
  Value matrix = axis == 0 ? data : buildTranspose(context, data, order);
  matrix = context.reshape(matrix, {sizes[axis], length});
  RowGroups rows =
      buildGroups(context, matrix, buildSortedRows(context, matrix));
  if (!context.getFlag("sorted"))
    orderByFirst(context, rows);
  sizes[axis] = rows.number;
  Value values =
      buildParallel(b, sizes, context.elementType(0), rows.first,
                    AffineMap::get(rank, 0, b.getAffineDimExpr(axis)),
                    [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                      SmallVector<Value> indices;
                      for (int64_t i = 0; i < rank; ++i)
                        indices.push_back(linalg::IndexOp::create(b, i));
                      indices[axis] = arith::IndexCastOp::create(
                          b, b.getIndexType(), args[0]);
                      return tensor::ExtractOp::create(b, data, indices);
                    });
  return SmallVector<Value>{values, rows.first, rows.groups, rows.counts};
}
