//===- Detection.cpp - NonMaxSuppression, RoiAlign ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergeSort.h"
#include "RowVectors.h"
#include "Sorting.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

//===----------------------------------------------------------------------===//
// NonMaxSuppression
//===----------------------------------------------------------------------===//

namespace {
/// A box inside a loop. It extends from `low` to `high` along both axes.
struct Box {
  Value low[2], high[2];
};
} // namespace

/// Reads a box. It is stored as two corners in any order, or as center and size
/// if `hasCenter`.
static Box readBox(ImplicitLocOpBuilder &b, Value boxes, Value batch,
                   Value index, bool hasCenter) {
  auto read = [&](int64_t entry) -> Value {
    return tensor::ExtractOp::create(
        b, boxes,
        ValueRange{batch, index, arith::ConstantIndexOp::create(b, entry)});
  };
  Box box;
  for (int64_t axis : {0, 1}) {
    Value first = read(axis), second = read(2 + axis);
    if (hasCenter) {
      Value half =
          arith::MulFOp::create(b, second, makeNumber(b, first.getType(), 0.5));
      box.low[axis] = arith::SubFOp::create(b, first, half);
      box.high[axis] = arith::AddFOp::create(b, first, half);
    } else {
      box.low[axis] = arith::MinimumFOp::create(b, first, second);
      box.high[axis] = arith::MaximumFOp::create(b, first, second);
    }
  }
  return box;
}

/// Whether the intersection over union (IoU) of two boxes exceeds the
/// threshold.
static Value overlaps(ImplicitLocOpBuilder &b, const Box &first,
                      const Box &second, Value threshold) {
  Type type = threshold.getType();
  auto getArea = [&](const Box &box) -> Value {
    return arith::MulFOp::create(
        b, arith::SubFOp::create(b, box.high[0], box.low[0]),
        arith::SubFOp::create(b, box.high[1], box.low[1]));
  };
  auto isLess = [&](Value lhs, Value rhs) -> Value {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, lhs, rhs);
  };
  auto both = [&](Value lhs, Value rhs) -> Value {
    return arith::AndIOp::create(b, lhs, rhs);
  };
  Box shared;
  for (int axis : {0, 1}) {
    shared.low[axis] =
        arith::MaximumFOp::create(b, first.low[axis], second.low[axis]);
    shared.high[axis] =
        arith::MinimumFOp::create(b, first.high[axis], second.high[axis]);
  }
  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
  Value common = getArea(shared), one = getArea(first), other = getArea(second);
  Value all =
      arith::SubFOp::create(b, arith::AddFOp::create(b, one, other), common);
  Value meet = both(isLess(shared.low[0], shared.high[0]),
                    isLess(shared.low[1], shared.high[1]));
  Value haveArea = both(isLess(zero, one), isLess(zero, other));
  Value isMore = isLess(threshold, arith::DivFOp::create(b, common, all));
  return both(both(meet, haveArea), both(isLess(zero, all), isMore));
}

/// For each batch and class, visits the boxes by descending score and selects
/// each box that overlaps no selected box. Of equal scores, the first box
/// precedes.
NodeResults onnx_nodes::convertNonMaxSuppression(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value boxes = context.input(0), scores = context.input(1);
  SmallVector<OpFoldResult> boxSizes = context.getSizes(boxes);
  SmallVector<OpFoldResult> sizes = context.getSizes(scores);
  if (boxSizes.size() != 3 || sizes.size() != 3)
    return context.unsupported("boxes and scores must have rank 3, but got " +
                               Twine(boxSizes.size()) + " and " +
                               Twine(sizes.size()));
  Type type = context.elementType(0);
  if (!type.isF32())
    return context.unsupported("elements of type " + show(type));
  for (size_t index : {1, 3, 4})
    if (context.input(index) && failed(context.requireElementType(index, type)))
      return failure();
  if (failed(context.requireEqual(boxSizes[0], sizes[0],
                                  "the size of the batch")) ||
      failed(
          context.requireEqual(boxSizes[1], sizes[2], "the number of boxes")) ||
      failed(context.requireEqual(b.getIndexAttr(4), boxSizes[2],
                                  "the number of coordinates")))
    return failure();

  // Without input 2, ONNX selects no boxes.
  FailureOr<OpFoldResult> limit = OpFoldResult(b.getIndexAttr(0));
  if (context.input(2))
    limit = context.getIndex(2);
  FailureOr<Value> overlap = context.getOnlyElement(3);
  FailureOr<Value> min = context.getOnlyElement(4);
  if (failed(limit) || failed(overlap) || failed(min))
    return failure();
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value max =
      arith::MinSIOp::create(b, makeIndex(b, *limit), makeIndex(b, sizes[2]));
  max = arith::MaxSIOp::create(b, max, zero);

  // Allocate a row for each selected box, and one more: each candidate is
  // written to the next row before it is known whether it is selected.
  Type i64 = b.getI64Type();
  OpFoldResult rows =
      context.computeProduct({sizes[0], sizes[1], getAsOpFoldResult(max)});
  rows = context.computeSum({rows, b.getIndexAttr(1)});
  bool hasCenter = context.getFlag("center_point_box");
  Value threshold;
  if (*overlap)
    threshold = tensor::ExtractOp::create(b, *overlap, ValueRange());
  else
    threshold = makeNumber(b, type, 0);
  Value bound;
  if (*min)
    bound = tensor::ExtractOp::create(b, *min, ValueRange());
  auto toIndex = [](ImplicitLocOpBuilder &b, Value value) -> Value {
    return arith::IndexCastOp::create(b, b.getIndexType(), value);
  };

  // Whether no box in [begin, end) satisfies `isTaken`. Tests `step` boxes at a
  // time and stops at the first that does.
  auto isFree = [&](ImplicitLocOpBuilder &b, Value begin, Value end,
                    int64_t step, auto isTaken) -> Value {
    Value yes = makeNumber(b, b.getI1Type(), 1);
    Value inits[] = {begin, yes};
    auto loop = scf::WhileOp::create(
        b, TypeRange(ValueRange(inits)), inits,
        [&](OpBuilder &builder, Location loc, ValueRange values) {
          ImplicitLocOpBuilder b(loc, builder);
          Value isMore = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                               values[0], end);
          scf::ConditionOp::create(
              b, arith::AndIOp::create(b, isMore, values[1]), values);
        },
        [&](OpBuilder &builder, Location loc, ValueRange values) {
          ImplicitLocOpBuilder b(loc, builder);
          Value stays = arith::XOrIOp::create(b, isTaken(b, values[0]),
                                              makeNumber(b, b.getI1Type(), 1));
          Value next = arith::AddIOp::create(
              b, values[0], arith::ConstantIndexOp::create(b, step));
          scf::YieldOp::create(b, ValueRange{next, stays});
        });
    return loop.getResult(1);
  };
  // Whether a box overlaps none of the selected boxes in [begin, end).
  auto isFreeOneByOne = [&](ImplicitLocOpBuilder &b, Value chosen, Value batch,
                            Value candidate, Value begin, Value end) -> Value {
    Box box = readBox(b, boxes, batch, candidate, hasCenter);
    return isFree(b, begin, end, 1, [&](ImplicitLocOpBuilder &b, Value at) {
      Value two = arith::ConstantIndexOp::create(b, 2);
      Value index = tensor::ExtractOp::create(b, chosen, ValueRange{at, two});
      Box before = readBox(b, boxes, batch, toIndex(b, index), hasCenter);
      return overlaps(b, box, before, threshold);
    });
  };
  // Like isFreeOneByOne, but vectorized. `selected` holds the first `count`
  // selected boxes, with one row for each side.
  auto isFreeOfVectors = [&](ImplicitLocOpBuilder &b, Value selected,
                             const Box &candidate, Value count) -> Value {
    Box box;
    for (int axis : {0, 1}) {
      box.low[axis] = broadcastToRow(b, candidate.low[axis]);
      box.high[axis] = broadcastToRow(b, candidate.high[axis]);
    }
    Value limit = broadcastToRow(b, threshold);
    Value lanes = vector::StepOp::create(
        b, VectorType::get(kRowVector, b.getIndexType()));
    return isFree(b, zero, count, kRowVector,
                  [&](ImplicitLocOpBuilder &b, Value at) -> Value {
                    auto read = [&](int64_t side) {
                      Value row = arith::ConstantIndexOp::create(b, side);
                      return readRowVector(b, selected, ValueRange{row, at});
                    };
                    Box before{{read(0), read(1)}, {read(2), read(3)}};
                    Value index =
                        arith::AddIOp::create(b, lanes, broadcastToRow(b, at));
                    Value isInBounds =
                        arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                              index, broadcastToRow(b, count));
                    return vector::ReductionOp::create(
                        b, vector::CombiningKind::OR,
                        arith::AndIOp::create(b, isInBounds,
                                              overlaps(b, box, before, limit)));
                  });
  };
  // Processes one candidate.
  auto processCandidate = [&](ImplicitLocOpBuilder &b, ValueRange at,
                              Value index, Value begin, Value number,
                              ValueRange values, auto getCandidate) {
    Value candidate = getCandidate(b, index), row = values[1];
    Value isSelected =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, number, max);
    if (bound) {
      Value score = tensor::ExtractOp::create(
          b, scores, ValueRange{at[0], at[1], candidate});
      isSelected = arith::AndIOp::create(
          b, isSelected,
          arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, score, bound));
    }
    SmallVector<Value> results;
    // For an unwanted candidate, make the range of boxes to compare empty.
    Value stays;
    if (values.size() == 2) {
      Value end = arith::SelectOp::create(b, isSelected, row, begin);
      stays = isFreeOneByOne(b, values[0], at[0], candidate, begin, end);
    } else {
      Box box = readBox(b, boxes, at[0], candidate, hasCenter);
      Value end = arith::SelectOp::create(b, isSelected, number, zero);
      stays = isFreeOfVectors(b, values[2], box, end);
      Value selected = values[2];
      Value sides[] = {box.low[0], box.low[1], box.high[0], box.high[1]};
      for (auto [side, value] : llvm::enumerate(sides)) {
        Value position = arith::ConstantIndexOp::create(b, side);
        selected = tensor::InsertOp::create(b, value, selected,
                                            ValueRange{position, number});
      }
      results.push_back(selected);
    }
    stays = arith::AndIOp::create(b, isSelected, stays);
    Value result = values[0];
    Value indices[] = {at[0], at[1], candidate};
    for (auto [column, index] : llvm::enumerate(indices))
      result = tensor::InsertOp::create(
          b, arith::IndexCastOp::create(b, i64, index), result,
          ValueRange{row, arith::ConstantIndexOp::create(b, column)});
    Value next = arith::AddIOp::create(
        b, row, arith::IndexCastUIOp::create(b, b.getIndexType(), stays));
    results.insert(results.begin(), {result, next});
    return results;
  };
  // Processes the boxes of a class by descending score; `getCandidate` returns
  // the box at an index. The first two loop-carried values are the result and
  // its number of rows. An optional third value is the array that
  // isFreeOfVectors reads.
  auto choose = [&](ImplicitLocOpBuilder &b, ValueRange at, OpFoldResult count,
                    Value begin, ValueRange inits, auto getCandidate) {
    return buildSequential(
        b, count, inits,
        [&](ImplicitLocOpBuilder &b, ValueRange index,
            ValueRange values) -> SmallVector<Value> {
          Value number = arith::SubIOp::create(b, values[1], begin);
          Value isMore =
              arith::CmpIOp::create(b, arith::CmpIPredicate::slt, number, max);
          // This is a conditional, written as a loop of at most one step.
          Value steps =
              arith::IndexCastUIOp::create(b, b.getIndexType(), isMore);
          return buildSequential(
              b, OpFoldResult(steps), values,
              [&](ImplicitLocOpBuilder &b, ValueRange, ValueRange values) {
                return processCandidate(b, at, index[0], begin, number, values,
                                        getCandidate);
              });
        });
  };
  Value result = makeBuffer(b, {rows, b.getIndexAttr(3)}, i64);
  SmallVector<OpFoldResult> classes = {sizes[0], sizes[1]};
  SmallVector<Value> filled;
  if (context.onDevice) {
    Value order = buildNetworkPositions(context, scores, /*axis=*/2,
                                        /*descending=*/true);
    Value inits[] = {result, zero};
    filled = buildSequential(
        b, classes, inits,
        [&](ImplicitLocOpBuilder &b, ValueRange at, ValueRange values) {
          return choose(b, at, sizes[2], values[1], values,
                        [&](ImplicitLocOpBuilder &b, Value index) {
                          Value position = tensor::ExtractOp::create(
                              b, order, ValueRange{at[0], at[1], index});
                          return toIndex(b, position);
                        });
        });
  } else {
    Value keys = buildSortKeys(context, scores, /*axis=*/2,
                               /*descending=*/true);
    Value size = makeIndex(b, sizes[2]);
    if (failed(context.requireAtMost(
            b.getIndexAttr(getMaxItems(getElementTypeOrSelf(keys))), sizes[2],
            "the number of boxes")))
      return failure();
    Value last;
    if (bound)
      last = getFirstItem(b, buildSortKey(b, bound, /*isUnsigned=*/false,
                                          /*descending=*/true));
    SortBuffer buffer = makeSortBuffer(b, size, i64);
    Value firstCount = arith::AddIOp::create(
        b, arith::AddIOp::create(b, max, max),
        arith::ConstantIndexOp::create(b, 4 * kRowVector));
    Value lanes = arith::ConstantIndexOp::create(b, kRowVector);
    Value room =
        arith::AndIOp::create(b, arith::AddIOp::create(b, max, lanes),
                              arith::ConstantIndexOp::create(b, -kRowVector));
    Value selected =
        makeBuffer(b, {b.getIndexAttr(4), getAsOpFoldResult(room)}, type);
    Value inits[] = {result, zero, selected, buffer.tensor};
    filled = buildSequential(
        b, classes, inits,
        [&](ImplicitLocOpBuilder &b, ValueRange at, ValueRange values) {
          KeyRow row{keys, SmallVector<Value>(at), sizes[2]};
          Value begin = values[1];
          // Process the best few boxes first, and all boxes only if these are
          // not sufficient.
          auto step = [&](ImplicitLocOpBuilder &b, Value isFirst,
                          ValueRange values) -> SmallVector<Value> {
            Value numSelected =
                arith::SelectOp::create(b, isFirst, firstCount, size);
            Value capacity = getSelectionCapacity(b, numSelected, size);
            ChosenItems items =
                buildSelection(b, row, {values[3], buffer.stride}, capacity,
                               last, numSelected);
            auto [sorted, offset] =
                buildMergeSort(b, {items.buffer, buffer.stride}, items.count);
            Value end = arith::MinSIOp::create(b, items.count, numSelected);
            Value from = arith::AddIOp::create(b, offset, values[4]);
            SmallVector<Value> results = choose(
                b, at,
                OpFoldResult(
                    arith::SubIOp::create(b, end, values[4]).getResult()),
                begin, values.take_front(3),
                [&, sorted = sorted](ImplicitLocOpBuilder &b, Value index) {
                  Value position = arith::AddIOp::create(b, from, index);
                  return getItemPosition(
                      b, tensor::ExtractOp::create(b, sorted, position));
                });
            results.append({sorted, end});
            return results;
          };
          SmallVector<Value> inits(values);
          inits.push_back(zero);
          SmallVector<Value> results = buildSequential(
              b, OpFoldResult(b.getIndexAttr(2)), inits,
              [&](ImplicitLocOpBuilder &b, ValueRange pass, ValueRange values) {
                using Predicate = arith::CmpIPredicate;
                Value isFirst =
                    arith::CmpIOp::create(b, Predicate::eq, pass[0], zero);
                Value number = arith::SubIOp::create(b, values[1], begin);
                Value isMore = arith::AndIOp::create(
                    b, arith::CmpIOp::create(b, Predicate::slt, number, max),
                    arith::CmpIOp::create(b, Predicate::eq, values[4],
                                          firstCount));
                Value steps = arith::IndexCastUIOp::create(
                    b, b.getIndexType(),
                    arith::OrIOp::create(b, isFirst, isMore));
                return buildSequential(b, OpFoldResult(steps), values,
                                       [&](ImplicitLocOpBuilder &b, ValueRange,
                                           ValueRange values) {
                                         return step(b, isFirst, values);
                                       });
              });
          results.pop_back();
          return results;
        });
  }
  Value count = filled[1];
  SmallVector<OpFoldResult> offsets(2, b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(2, b.getIndexAttr(1));
  return SmallVector<Value>{
      buildSlice(b, filled[0], offsets, {count, b.getIndexAttr(3)}, strides)};
}

//===----------------------------------------------------------------------===//
// RoiAlign
//===----------------------------------------------------------------------===//

namespace {
/// The two elements that a sample interpolates along one axis, and their
/// weights, which are 0 outside of the image.
struct Neighbors {
  Value positions[2], weights[2];
};

/// A region of interest along one axis. Used inside a body.
struct RegionAxis {
  Value start, bin, size;
  /// The number of samples in a bin, as an index and as a float.
  Value count, floatCount;

  Neighbors getNeighbors(ImplicitLocOpBuilder &b, Value bin, Value sample);
};
} // namespace

static Value toFloat(ImplicitLocOpBuilder &b, Value index, Type type) {
  return arith::SIToFPOp::create(
      b, type, arith::IndexCastOp::create(b, b.getI64Type(), index));
}

/// Converts a float to index. The value must be in the range of i64.
static Value toIndex(ImplicitLocOpBuilder &b, Value number) {
  return arith::IndexCastOp::create(
      b, b.getIndexType(), arith::FPToSIOp::create(b, b.getI64Type(), number));
}

Neighbors RegionAxis::getNeighbors(ImplicitLocOpBuilder &b, Value position,
                                   Value sample) {
  Type type = start.getType();
  auto number = [&](double value) { return makeNumber(b, type, value); };
  Value x = arith::AddFOp::create(
      b, start, arith::MulFOp::create(b, toFloat(b, position, type), bin));
  Value middle =
      arith::AddFOp::create(b, toFloat(b, sample, type), number(0.5));
  x = arith::AddFOp::create(
      b, x,
      arith::DivFOp::create(b, arith::MulFOp::create(b, middle, bin),
                            floatCount));
  // The ordered comparisons treat NaN as outside.
  Value isInside = arith::AndIOp::create(
      b, arith::CmpFOp::create(b, arith::CmpFPredicate::OGE, x, number(-1)),
      arith::CmpFOp::create(b, arith::CmpFPredicate::OLE, x,
                            toFloat(b, size, type)));
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value last = arith::SubIOp::create(b, size, one);
  x = arith::MaxNumFOp::create(b, x, number(0));
  x = arith::MinNumFOp::create(b, x, toFloat(b, last, type));
  Neighbors result;
  Value low = normalizeIndex(b, toIndex(b, x), size);
  result.positions[0] = low;
  result.positions[1] =
      arith::MinSIOp::create(b, arith::AddIOp::create(b, low, one), last);
  Value rest = arith::SubFOp::create(b, x, toFloat(b, low, type));
  Value weights[] = {arith::SubFOp::create(b, number(1), rest), rest};
  for (auto [result, weight] : llvm::zip(result.weights, weights))
    result = arith::SelectOp::create(b, isInside, weight, number(0));
  return result;
}

/// Computes the mean or the maximum of the samples in each bin of a region. As
/// in ONNX Runtime and in ONNX's reference implementation, the maximum is taken
/// over the weighted elements, not over interpolated samples.
NodeResults onnx_nodes::convertRoiAlign(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0), regions = context.input(1);
  SmallVector<OpFoldResult> from = context.getSizes(input);
  SmallVector<OpFoldResult> regionSizes = context.getSizes(regions);
  SmallVector<OpFoldResult> indexSizes = context.getSizes(context.input(2));
  if (from.size() != 4 || regionSizes.size() != 2 || indexSizes.size() != 1)
    return context.unsupported(
        "the inputs must have rank 4, 2 and 1, but got " + Twine(from.size()) +
        ", " + Twine(regionSizes.size()) + " and " + Twine(indexSizes.size()));
  if (failed(context.requireElementType(1, context.elementType(0))) ||
      failed(context.requireEqual(b.getIndexAttr(4), regionSizes[1],
                                  "the number of coordinates")) ||
      failed(context.requireEqual(regionSizes[0], indexSizes[0],
                                  "the number of regions")) ||
      failed(requireIndices(context, 2, from[0])))
    return failure();
  int64_t bins[2] = {context.getInt("output_height"),
                     context.getInt("output_width")};
  int64_t samples = context.getInt("sampling_ratio");
  if (failed(context.requireRange("output_height", bins[0], 0)) ||
      failed(context.requireRange("output_width", bins[1], 0)) ||
      failed(context.requireRange("sampling_ratio", samples, 0)))
    return failure();
  SmallVector<OpFoldResult> to = {regionSizes[0], from[1],
                                  b.getIndexAttr(bins[0]),
                                  b.getIndexAttr(bins[1])};
  for (int64_t axis : {0, 2, 3})
    if (failed(context.requireElements(axis, from[axis],
                                       context.computeProduct(to))))
      return failure();
  // Before opset 16, there is no half-pixel offset, and regions have at least
  // size 1.
  bool isHalf = context.opset >= 16 &&
                context.getString("coordinate_transformation_mode") !=
                    "output_half_pixel";
  bool isMax = context.getString("mode") == "max";
  double scale = context.getFloat("spatial_scale");
  Type elementType = context.elementType(0), type = getComputeType(elementType);

  auto readAxis = [&](ImplicitLocOpBuilder &b, Value region, int64_t axis) {
    auto number = [&](double value) { return makeNumber(b, type, value); };
    // The coordinates have x before y.
    auto read = [&](int64_t entry) -> Value {
      Value position = arith::ConstantIndexOp::create(b, entry);
      Value corner =
          toCompute(b, tensor::ExtractOp::create(b, regions,
                                                 ValueRange{region, position}));
      corner = arith::MulFOp::create(b, corner, number(scale));
      return isHalf ? arith::SubFOp::create(b, corner, number(0.5)) : corner;
    };
    RegionAxis result;
    result.start = read(1 - axis);
    Value length = arith::SubFOp::create(b, read(3 - axis), result.start);
    if (!isHalf)
      length = arith::MaximumFOp::create(b, length, number(1));
    result.bin = arith::DivFOp::create(b, length, number(bins[axis]));
    result.size = makeIndex(b, from[2 + axis]);
    if (samples > 0) {
      result.count = arith::ConstantIndexOp::create(b, samples);
    } else {
      // Take one sample for each element of the bin, and none if its size is
      // NaN.
      Value max = number(1 << 24);
      Value count = math::CeilOp::create(b, result.bin);
      count = arith::MaxNumFOp::create(b, count, number(0));
      count = arith::MinNumFOp::create(b, count, max);
      result.count = toIndex(b, count);
    }
    result.floatCount = toFloat(b, result.count, type);
    return result;
  };
  auto combine = isMax ? Combine::Max : Combine::Sum;
  // Divides by the number of samples, or replaces the maximum of no samples by
  // 0.
  auto finish = [&](ImplicitLocOpBuilder &b, RegionAxis(&axes)[2],
                    Value result) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value number = arith::MulIOp::create(b, axes[0].count, axes[1].count);
    if (isMax) {
      Value isEmpty =
          arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, zero);
      result =
          arith::SelectOp::create(b, isEmpty, makeNumber(b, type, 0), result);
    } else {
      number = arith::MaxSIOp::create(b, number, one);
      result = arith::DivFOp::create(b, result, toFloat(b, number, type));
    }
    return fromCompute(b, result, elementType);
  };
  auto add = [&](ImplicitLocOpBuilder &b, Value lhs, Value rhs) -> Value {
    if (isMax)
      return arith::MaximumFOp::create(b, lhs, rhs);
    return arith::AddFOp::create(b, lhs, rhs);
  };
  // Combines the four weighted elements of a sample. `read` returns a weighted
  // scalar or vector.
  auto makeSample = [&](ImplicitLocOpBuilder &b, Neighbors &rows,
                        Neighbors &columns, auto read) {
    Value sample;
    for (int i : {0, 1})
      for (int j : {0, 1}) {
        Value weight =
            arith::MulFOp::create(b, rows.weights[i], columns.weights[j]);
        Value part = read(weight, rows.positions[i], columns.positions[j]);
        sample = sample ? add(b, sample, part) : part;
      }
    return sample;
  };
  // Accumulates over the samples of a bin.
  auto foldSamples = [&](ImplicitLocOpBuilder &b, RegionAxis(&axes)[2],
                         Value row, Value column, Value init, auto addSample) {
    return buildSequential(
        b, OpFoldResult(axes[0].count), init,
        [&](ImplicitLocOpBuilder &b, ValueRange y, ValueRange outer) {
          Neighbors rows = axes[0].getNeighbors(b, row, y[0]);
          return buildSequential(
              b, OpFoldResult(axes[1].count), outer,
              [&](ImplicitLocOpBuilder &b, ValueRange x,
                  ValueRange results) -> SmallVector<Value> {
                Neighbors columns = axes[1].getNeighbors(b, column, x[0]);
                return {addSample(b, rows, columns, results[0])};
              });
        })[0];
  };
  Value neutral = makeNeutral(b, combine, type, false);
  if (context.onDevice) {
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
      Value loops[4];
      for (auto [index, loop] : llvm::enumerate(loops))
        loop = linalg::IndexOp::create(b, index);
      Value batch = tensor::ExtractOp::create(b, context.input(2), loops[0]);
      batch = toPosition(b, batch, from[0]);
      RegionAxis axes[2] = {readAxis(b, loops[0], 0), readAxis(b, loops[0], 1)};
      Value result = foldSamples(
          b, axes, loops[2], loops[3], makeNeutral(b, combine, type, false),
          [&](ImplicitLocOpBuilder &b, Neighbors &rows, Neighbors &columns,
              Value result) {
            Value sample = makeSample(
                b, rows, columns, [&](Value weight, Value y, Value x) -> Value {
                  Value element = tensor::ExtractOp::create(
                      b, input, ValueRange{batch, loops[1], y, x});
                  return arith::MulFOp::create(b, weight,
                                               toCompute(b, element));
                });
            return add(b, result, sample);
          });
      return finish(b, axes, result);
    };
    return SmallVector<Value>{buildParallel(b, to, elementType, {}, {}, body)};
  }
  // With channels last, the loop over channels is vectorized, and all channels
  // share positions and weights.
  AffineExpr d0, d1, d2, d3;
  bindDims(b.getContext(), d0, d1, d2, d3);
  auto getMap = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(4, 0, exprs, b.getContext());
  };
  Value last = buildParallel(b, {from[0], from[2], from[3], from[1]}, type,
                             input, getMap({d0, d3, d1, d2}),
                             [](ImplicitLocOpBuilder &b, ValueRange args) {
                               return toCompute(b, args[0]);
                             });
  Value channels = makeIndex(b, from[1]);
  Value fullChannels = arith::AndIOp::create(
      b, channels, arith::ConstantIndexOp::create(b, -kRowVector));
  Value step = arith::ConstantIndexOp::create(b, kRowVector);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value folded = buildSequential(
      b, {to[0], to[2], to[3]},
      buildFilled(b, {to[0], to[2], to[3], to[1]}, neutral),
      [&](ImplicitLocOpBuilder &b, ValueRange at,
          ValueRange values) -> SmallVector<Value> {
        Value batch = tensor::ExtractOp::create(b, context.input(2), at[0]);
        batch = toPosition(b, batch, from[0]);
        RegionAxis axes[2] = {readAxis(b, at[0], 0), readAxis(b, at[0], 1)};
        auto addSample = [&](ImplicitLocOpBuilder &b, Neighbors &rows,
                             Neighbors &columns, Value results) {
          auto loop = [&](bool isVector, Value begin, Value end, Value step) {
            auto body = [&](OpBuilder &builder, Location loc, Value channel,
                            ValueRange values) {
              ImplicitLocOpBuilder b(loc, builder);
              auto load = [&](Value tensor, ValueRange position) -> Value {
                if (isVector)
                  return readRowVector(b, tensor, position);
                return tensor::ExtractOp::create(b, tensor, position);
              };
              Value sample = makeSample(
                  b, rows, columns,
                  [&](Value weight, Value y, Value x) -> Value {
                    if (isVector)
                      weight = broadcastToRow(b, weight);
                    return arith::MulFOp::create(
                        b, weight,
                        load(last, ValueRange{batch, y, x, channel}));
                  });
              Value position[] = {at[0], at[1], at[2], channel};
              Value result = add(b, load(values[0], position), sample);
              if (isVector)
                result = writeRowVector(b, result, values[0], position);
              else
                result =
                    tensor::InsertOp::create(b, result, values[0], position);
              scf::YieldOp::create(b, result);
            };
            results = scf::ForOp::create(b, begin, end, step, results, body)
                          .getResult(0);
          };
          loop(/*isVector=*/true, zero, fullChannels, step);
          loop(/*isVector=*/false, fullChannels, channels, one);
          return results;
        };
        return {foldSamples(b, axes, at[1], at[2], values[0], addSample)};
      })[0];
  return SmallVector<Value>{buildParallel(
      b, to, elementType, folded, getMap({d0, d2, d3, d1}),
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        Value region = linalg::IndexOp::create(b, 0);
        RegionAxis axes[2] = {readAxis(b, region, 0), readAxis(b, region, 1)};
        return finish(b, axes, args[0]);
      })};
}
