//===- Sorting.cpp - Extrema and sorting of torch -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PyTorch and ONNX order elements alike: NaN is larger than any number, -0
// equals 0, and of equal elements ONNX selects the first. PyTorch also does for
// argmax, argmin, max, min and stable sorts, and leaves it open for others.
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

namespace {
/// A tensor with axes, and one of its axes. A tensor of rank 0 is reshaped to
/// rank 1.
struct Row {
  Value value;
  int64_t axis = 0;
  bool isScalar = false;

  RankedTensorType getType() const {
    return cast<RankedTensorType>(value.getType());
  }
};

/// A node's elements and their positions along the axis.
struct Sorted {
  Value values, indices;
};
} // namespace

/// Reads the tensor and the axis, which is the last if the operand is missing.
static FailureOr<Row> readRow(OpImporter &op, size_t axisIndex) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value))
    return failure();
  Type type = op.elementType(0);
  if (!isNumber(type) || isNarrowFloat(type))
    return op.unsupported("elements of type " + showType(type));
  int64_t rank = op.getRanked(0).getRank();
  Row row{*value, std::max<int64_t>(rank - 1, 0), rank == 0};
  if (axisIndex < op.inputs.size()) {
    FailureOr<int64_t> axis = requireAxis(op, axisIndex, rank);
    if (failed(axis))
      return failure();
    row.axis = *axis;
  }
  if (row.isScalar)
    row.value = TorchMath(op).reshape(*value, {1});
  return row;
}

/// Converts to a type that sorting nodes have, and that has the same order.
static Value toSortable(OpImporter &op, Value value) {
  Type type = getElementTypeOrSelf(value);
  if (type.isInteger(1))
    return op.cast(value, op.b.getIntegerType(8, /*isSigned=*/false));
  TorchMath math(op);
  return math.to(value, math.getComputeType(type));
}

/// Returns the `count` first elements in the order.
static Sorted sortRow(OpImporter &op, const Row &row, Value count, int64_t size,
                      bool isDescending) {
  Value value = toSortable(op, row.value);
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[row.axis] = size;
  ValueRange results = op.buildNodes(
      "TopK", {value, count},
      {type.clone(shape), RankedTensorType::get(shape, op.b.getI64Type())},
      {op.intAttr("axis", row.axis), op.intAttr("largest", isDescending),
       op.intAttr("sorted", 1)});
  return {results[0], results[1]};
}

/// Returns the sorted elements in the type of the operand.
static NodeResults finishSorted(OpImporter &op, const Row &row, Sorted sorted) {
  TorchMath math(op);
  Type type = getElementTypeOrSelf(row.value);
  sorted.values = getElementTypeOrSelf(sorted.values) == type
                      ? sorted.values
                      : op.cast(sorted.values, type);
  Value results[] = {sorted.values, sorted.indices};
  if (row.isScalar)
    for (Value &result : results)
      result = math.reshape(result, {});
  return ValueRange(results);
}

//===----------------------------------------------------------------------===//
// Extrema
//===----------------------------------------------------------------------===//

/// Returns the positions of the extrema, with an axis of size 1.
static FailureOr<Value> findExtremum(OpImporter &op, const Row &row,
                                     bool isMax) {
  RankedTensorType type = row.getType();
  if (type.getDimSize(row.axis) == 0)
    return failOperand(op, 0, "at least one element along the axis");
  SmallVector<int64_t> shape(type.getShape());
  shape[row.axis] = 1;
  return op.buildNode(isMax ? "ArgMax" : "ArgMin", toSortable(op, row.value),
                      RankedTensorType::get(shape, op.b.getI64Type()),
                      {op.intAttr("axis", row.axis), op.intAttr("keepdims", 1),
                       op.intAttr("select_last_index", 0)});
}

/// Removes the axis, which has the size 1.
static Value dropAxis(OpImporter &op, Value value, int64_t axis) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  return op.buildNode("Squeeze", {value, op.makeInts(axis)}, type.clone(shape));
}

NodeResults torch_ops::convertArgExtremum(OpImporter &op) {
  bool isOfAll = isNone(op, 1);
  FailureOr<bool> keepDims = getBool(op, 2, false);
  FailureOr<Row> row = readRow(op, isOfAll ? op.inputs.size() : 1);
  if (failed(keepDims) || failed(row))
    return failure();
  if (op.elementType(0).isInteger(1))
    return op.unsupported("elements of type " + showType(op.elementType(0)));
  TorchMath math(op);
  int64_t rank = op.getRanked(0).getRank();
  if (isOfAll) {
    int64_t count = ShapedType::kDynamic;
    RankedTensorType type = row->getType();
    if (type.hasStaticShape()) {
      std::optional<int64_t> elements = countElements(type.getShape());
      if (!elements)
        return op.unsupported("operand 0 has too many elements");
      count = *elements;
    }
    row->value = math.reshape(row->value, {count});
    row->axis = 0;
  }
  bool isMax = op.op.getName() == "aten.argmax";
  FailureOr<Value> indices = findExtremum(op, *row, isMax);
  if (failed(indices))
    return failure();
  if (isOfAll || rank == 0)
    return math.reshape(*indices,
                        SmallVector<int64_t>(*keepDims ? rank : 0, 1));
  return *keepDims ? *indices : dropAxis(op, *indices, row->axis);
}

NodeResults torch_ops::convertExtremumAlong(OpImporter &op) {
  FailureOr<bool> keepDims = getBool(op, 2, false);
  FailureOr<Row> row = readRow(op, 1);
  if (failed(keepDims) || failed(row))
    return failure();
  bool isMax = op.op.getName() == "aten.max.dim";
  FailureOr<Value> indices = findExtremum(op, *row, isMax);
  if (failed(indices))
    return failure();
  // The element at the position also has the sign of a zero.
  Value values = op.buildNode("GatherElements", {row->value, *indices},
                              cast<RankedTensorType>(indices->getType())
                                  .clone(getElementTypeOrSelf(row->value)),
                              op.intAttr("axis", row->axis));
  Value results[] = {values, *indices};
  if (row->isScalar || !*keepDims)
    for (Value &result : results)
      result = dropAxis(op, result, row->axis);
  return ValueRange(results);
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

NodeResults torch_ops::convertTopK(OpImporter &op) {
  bool hasAxis = op.inputs.size() > 2;
  FailureOr<int64_t> count = requireIntOperand(op, 1);
  FailureOr<Row> row = readRow(op, hasAxis ? 2 : op.inputs.size());
  FailureOr<bool> isLargest = getBool(op, 3, true);
  FailureOr<bool> isSorted = getBool(op, 4, true);
  if (failed(count) || failed(row) || failed(isLargest) || failed(isSorted))
    return failure();
  int64_t size = row->getType().getDimSize(row->axis);
  if (*count < 0 || (!ShapedType::isDynamic(size) && *count > size))
    return failOperand(op, 1, "a count from 0 to the size of the axis");
  return finishSorted(
      op, *row, sortRow(op, *row, op.makeInts(*count), *count, *isLargest));
}

static FailureOr<std::pair<Row, Sorted>> sortAll(OpImporter &op) {
  // The stable variants have a flag before the axis.
  size_t axisIndex = op.op.getName().ends_with("stable") ? 2 : 1;
  FailureOr<Row> row = readRow(op, axisIndex);
  FailureOr<bool> isDescending = getBool(op, axisIndex + 1, false);
  if (failed(row) || failed(isDescending))
    return failure();
  return std::pair(*row, sortRow(op, *row, op.getSize(row->value, row->axis),
                                 row->getType().getDimSize(row->axis),
                                 *isDescending));
}

NodeResults torch_ops::convertSort(OpImporter &op) {
  FailureOr<std::pair<Row, Sorted>> sorted = sortAll(op);
  if (failed(sorted))
    return failure();
  return finishSorted(op, sorted->first, sorted->second);
}

NodeResults torch_ops::convertArgSort(OpImporter &op) {
  FailureOr<std::pair<Row, Sorted>> sorted = sortAll(op);
  if (failed(sorted))
    return failure();
  Value indices = sorted->second.indices;
  return sorted->first.isScalar ? TorchMath(op).reshape(indices, {}) : indices;
}

/// The element at a position in increasing order, counted from 1, along an
/// axis.
NodeResults torch_ops::convertKthValue(OpImporter &op) {
  FailureOr<int64_t> count = requireIntOperand(op, 1);
  FailureOr<Row> row = readRow(op, isNone(op, 2) ? op.inputs.size() : 2);
  FailureOr<bool> keepDims = getBool(op, 3, false);
  if (failed(count) || failed(row) || failed(keepDims))
    return failure();
  int64_t size = row->getType().getDimSize(row->axis);
  if (*count < 1 || (!ShapedType::isDynamic(size) && *count > size))
    return failOperand(op, 1, "a position from 1 to the size of the axis");
  Sorted sorted =
      sortRow(op, *row, op.makeInts(*count), *count, /*isDescending=*/false);
  for (Value *part : {&sorted.values, &sorted.indices}) {
    auto type = cast<RankedTensorType>(part->getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[row->axis] = 1;
    *part = op.buildNode("Slice",
                         {*part, op.makeInts(*count - 1), op.makeInts(*count),
                          op.makeInts(row->axis), op.makeInts(1)},
                         type.clone(shape));
    if (!*keepDims && !row->isScalar)
      *part = dropAxis(op, *part, row->axis);
  }
  return finishSorted(op, *row, sorted);
}

/// The number of bounds below each value, or up to it (`right`), in rows of
/// increasing bounds.
static NodeResults countBounds(OpImporter &op, Value bounds, Value values,
                               bool isRight) {
  TorchMath math(op);
  Type common = math.promote({bounds, values});
  if (!op.getProblem().empty())
    return failure();
  if (isNarrowFloat(common) || common.isInteger(1))
    return op.unsupported("elements of type " + showType(common));
  bounds = math.prepare(bounds, common);
  values = math.prepare(values, common);
  // Compare each value with the bounds of its row.
  auto boundsType = cast<RankedTensorType>(bounds.getType());
  auto type = cast<RankedTensorType>(values.getType());
  int64_t rank = type.getRank();
  if (boundsType.getRank() == rank && rank > 1) {
    SmallVector<int64_t> shape(boundsType.getShape());
    shape.insert(shape.end() - 1, 1);
    bounds = op.buildNode("Unsqueeze", {bounds, op.makeInts(rank - 1)},
                          boundsType.clone(shape));
  } else if (boundsType.getRank() != 1) {
    return op.unsupported("bounds of type " + showType(boundsType) +
                          " for values of type " + showType(type));
  }
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(1);
  values =
      op.buildNode("Unsqueeze", {values, op.makeInts(rank)}, type.clone(shape));
  // A NaN is above all bounds.
  Value isAbove = math.node(isRight ? "Greater" : "GreaterOrEqual",
                            {bounds, values}, op.b.getI1Type());
  Value isBelow = math.node("Not", isAbove);
  if (!op.getProblem().empty())
    return failure();
  Value count = math.reduce("ReduceSum", op.cast(isBelow, op.b.getI64Type()),
                            rank, /*keepDims=*/false);
  return math.to(count, op.resultElementType());
}

NodeResults torch_ops::convertBucketize(OpImporter &op) {
  FailureOr<Value> values = requireRankedTensor(op, 0);
  FailureOr<Value> bounds = requireRankedTensor(op, 1);
  FailureOr<bool> isRight = getBool(op, 3, false);
  if (failed(values) || failed(bounds) || failed(isRight))
    return failure();
  return countBounds(op, *bounds, *values, *isRight);
}

NodeResults torch_ops::convertSearchSorted(OpImporter &op) {
  FailureOr<Value> bounds = requireRankedTensor(op, 0);
  FailureOr<Value> values = requireRankedTensor(op, 1);
  FailureOr<bool> isRight = getBool(op, 3, false);
  if (failed(bounds) || failed(values) || failed(isRight))
    return failure();
  if (!isNone(op, 4)) {
    FailureOr<std::string> side = requireString(op, 4);
    if (failed(side))
      return failure();
    *isRight |= *side == "right";
  }
  if (!isNone(op, 5))
    return failOperand(op, 5, "no sorter");
  return countBounds(op, *bounds, *values, *isRight);
}

//===----------------------------------------------------------------------===//
// Cumulative sums
//===----------------------------------------------------------------------===//

NodeResults torch_ops::convertCumulative(OpImporter &op) {
  FailureOr<Row> row = readRow(op, 1);
  if (failed(row))
    return failure();
  Type type = op.resultElementType();
  if (!isNumber(type) || isNarrowFloat(type) || type.isInteger(1))
    return op.unsupported("elements of type " + showType(type));
  // PyTorch accumulates f32 in f64, and f16 and bf16 in f32.
  TorchMath math(op);
  Type sum = type.isF32() ? op.b.getF64Type() : math.getComputeType(type);
  if (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() < 32)
    sum = op.b.getI32Type();
  Value value = math.to(math.to(row->value, type), sum);
  Value axis = op.makeConstant(DenseElementsAttr::get(
      RankedTensorType::get({}, op.b.getI64Type()), row->axis));
  Value result =
      math.to(op.buildNode(op.onnxType, {value, axis}, value.getType()), type);
  return row->isScalar ? math.reshape(result, {}) : result;
}

NodeResults torch_ops::convertLogCumSumExp(OpImporter &op) {
  FailureOr<Row> row = readRow(op, 1);
  if (failed(row))
    return failure();
  Type type = op.resultElementType();
  if (!isStandardFloat(type))
    return op.unsupported("elements of type " + showType(type));
  constexpr int64_t kMaxSize = 4096;
  auto rowType = row->getType();
  int64_t size = rowType.getDimSize(row->axis), rank = rowType.getRank();
  if (ShapedType::isDynamic(size) || size > kMaxSize)
    return failOperand(op, 0, "an axis of at most 4096 elements");
  // One row for each element, which contains the elements up to it.
  TorchMath math(op);
  Value value = math.to(math.to(row->value, type), math.getComputeType(type));
  SmallVector<int64_t> shape(rowType.getShape()), column(rank - row->axis, 1);
  shape.insert(shape.begin() + row->axis, 1);
  value = op.buildNode("Unsqueeze", {value, op.makeInts(row->axis)},
                       cast<RankedTensorType>(value.getType()).clone(shape));
  Value numbers = op.makeInts(llvm::to_vector(llvm::seq(size)));
  column[0] = size;
  Value elements = math.reshape(numbers, column);
  column.insert(column.begin() + 1, 1);
  Value isUpTo =
      math.node("LessOrEqual", {elements, math.reshape(numbers, column)},
                op.b.getI1Type());
  Value lowest = op.makeScalar(getElementTypeOrSelf(value),
                               APFloat::getInf(APFloat::IEEEdouble(), true));
  value = math.node("Where", {isUpTo, value, lowest});
  value = math.reduce("ReduceLogSumExp", value, row->axis + 1,
                      /*keepDims=*/false);
  value = math.to(value, type);
  return row->isScalar ? math.reshape(value, {}) : value;
}
