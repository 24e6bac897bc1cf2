//===- Movement.cpp - Shapes and movement of StableHLO --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Movement.h"
#include "Conversions.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Conversion/OpImport/ImportConstant.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::stablehlo_ops;

/// Bounds sizes and amounts, so that their sums and products do not overflow.
static constexpr int64_t kMaxSize = int64_t(1) << 31;

static LogicalResult checkAmounts(OpImporter &op, StringRef what,
                                  ArrayRef<int64_t> amounts, int64_t rank,
                                  int64_t min) {
  if (static_cast<int64_t>(amounts.size()) != rank)
    return op.unsupported(what + ": expected " + Twine(rank) +
                          " integers, but got " + Twine(amounts.size()));
  for (int64_t amount : amounts)
    if (amount < min || amount > kMaxSize)
      return op.unsupported(what + ": expected integers from " + Twine(min) +
                            " to " + Twine(kMaxSize) + ", but got " +
                            Twine(amount));
  return success();
}

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Creates a Slice of one axis for each element of the lists.
static Value slice(OpImporter &op, Value value, Type type,
                   ArrayRef<int64_t> starts, ArrayRef<int64_t> ends,
                   ArrayRef<int64_t> axes, ArrayRef<int64_t> steps) {
  if (axes.empty())
    return value;
  return op.buildNode("Slice",
                      {value, op.makeInts(starts), op.makeInts(ends),
                       op.makeInts(axes), op.makeInts(steps)},
                      type);
}

Value stablehlo_ops::reverse(OpImporter &op, Value value,
                             ArrayRef<int64_t> axes) {
  size_t count = axes.size();
  return slice(op, value, value.getType(), SmallVector<int64_t>(count, -1),
               SmallVector<int64_t>(count, std::numeric_limits<int64_t>::min()),
               axes, SmallVector<int64_t>(count, -1));
}

static Value padEdges(OpImporter &op, Value value, Value scalar,
                      ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> amounts(low), sizes;
  llvm::append_range(amounts, high);
  if (llvm::all_of(amounts, [](int64_t amount) { return amount == 0; }))
    return value;
  for (auto [size, before, after] : llvm::zip_equal(type.getShape(), low, high))
    sizes.push_back(ShapedType::isDynamic(size) ? size : size + before + after);
  return op.buildNode("Pad", {value, op.makeInts(amounts), scalar},
                      type.clone(sizes), op.stringAttr("mode", "constant"));
}

/// Inserts `count` elements between any two elements along an axis of known
/// size.
static Value padInterior(OpImporter &op, Value value, Value scalar,
                         int64_t axis, int64_t count) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> sizes(type.getShape());
  int64_t size = sizes[axis];
  if (size < 2)
    return value;
  // Add an axis of size 1 for each element, and pad it.
  sizes.insert(sizes.begin() + axis + 1, 1);
  value = op.buildNode("Unsqueeze", {value, op.makeInts(axis + 1)},
                       type.clone(sizes));
  SmallVector<int64_t> none(sizes.size()), amounts(sizes.size());
  amounts[axis + 1] = count;
  value = padEdges(op, value, scalar, none, amounts);
  sizes.erase(sizes.begin() + axis + 1);
  sizes[axis] = size * (count + 1);
  value = op.reshapeTo(value, type.clone(sizes));
  sizes[axis] -= count;
  return slice(op, value, type.clone(sizes), 0, sizes[axis], axis, 1);
}

FailureOr<Value> stablehlo_ops::pad(OpImporter &op, Value value, Value scalar,
                                    const Padding &padding) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t rank = type.getRank();
  if (failed(checkAmounts(op, "low padding", padding.low, rank, -kMaxSize)) ||
      failed(checkAmounts(op, "high padding", padding.high, rank, -kMaxSize)) ||
      failed(checkAmounts(op, "interior padding", padding.interior, rank, 0)))
    return failure();
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size) && size > kMaxSize)
      return op.unsupported("padding of " + showType(type) +
                            ": expected sizes of at most " + Twine(kMaxSize));
  for (auto [axis, count] : llvm::enumerate(padding.interior)) {
    if (count == 0)
      continue;
    int64_t size = type.getDimSize(axis);
    if (ShapedType::isDynamic(size))
      return op.unsupported("interior padding of an axis of unknown size");
    value = padInterior(op, value, scalar, axis, count);
  }
  SmallVector<int64_t> low(padding.low), high(padding.high);
  SmallVector<int64_t> starts, ends, axes;
  for (int64_t axis : llvm::seq(rank)) {
    if (low[axis] >= 0 && high[axis] >= 0)
      continue;
    starts.push_back(std::max<int64_t>(-low[axis], 0));
    ends.push_back(high[axis] < 0 ? high[axis]
                                  : std::numeric_limits<int64_t>::max());
    axes.push_back(axis);
    low[axis] = std::max<int64_t>(low[axis], 0);
    high[axis] = std::max<int64_t>(high[axis], 0);
  }
  // Elements that are removed may be elements that padding inserts.
  value = padEdges(op, value, scalar, low, high);
  auto padded = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> sizes(padded.getShape());
  for (auto [start, end, axis] : llvm::zip_equal(starts, ends, axes))
    if (!padded.isDynamicDim(axis))
      sizes[axis] =
          std::max<int64_t>(sizes[axis] - start + std::min<int64_t>(end, 0), 0);
  return slice(op, value, padded.clone(sizes), starts, ends, axes,
               SmallVector<int64_t>(axes.size(), 1));
}

/// Adds axes of size 1, so that axis i of the operand becomes axis
/// `dimensions[i]` of `rank` axes.
static FailureOr<Value> spreadAxes(OpImporter &op, ArrayRef<int64_t> dimensions,
                                   int64_t rank) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  if (failed(type))
    return failure();
  if (static_cast<int64_t>(dimensions.size()) != type->getRank())
    return op.unsupported("broadcast_dimensions: expected " +
                          Twine(type->getRank()) + " axes, but got " +
                          Twine(dimensions.size()));
  if (failed(op.requireAxes("broadcast_dimensions", dimensions, rank)))
    return failure();
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, dimensions.size()));
  llvm::sort(order, [&](int64_t a, int64_t b) {
    return dimensions[a] < dimensions[b];
  });
  Value value = op.transpose(op.inputs.front(), order);
  SmallVector<int64_t> sizes(rank, 1), added;
  for (auto [axis, dimension] : llvm::enumerate(dimensions))
    sizes[dimension] = type->getDimSize(axis);
  for (int64_t axis : llvm::seq(rank))
    if (!llvm::is_contained(dimensions, axis))
      added.push_back(axis);
  if (added.empty())
    return value;
  return op.buildNode("Unsqueeze", {value, op.makeInts(added)},
                      type->clone(sizes));
}

/// Broadcasts to the static shape of the result.
static NodeResults expandToResult(OpImporter &op, Value value) {
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(type))
    return failure();
  if (!type->hasStaticShape())
    return op.unsupported("the result has the type " + showType(*type) +
                          ", but must have a static shape");
  if (value.getType() == *type)
    return value;
  return op.buildNode("Expand", {value, op.makeInts(type->getShape())}, *type);
}

/// Returns operand `index`, a list of sizes, as i64.
static FailureOr<Value> getSizes(OpImporter &op, size_t index) {
  auto type = dyn_cast<IntegerType>(op.elementType(index));
  if (!type || type.getWidth() == 1)
    return op.unsupported("operand " + Twine(index) +
                          " must have integer elements, but got " +
                          showType(op.inputs[index].getType()));
  return op.cast(op.inputs[index], op.b.getI64Type());
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

NodeResults stablehlo_ops::convertConstant(OpImporter &op) {
  TypedAttr constant = importConstant(op.op.getAttribute("value"));
  if (!constant || constant.getType() != op.resultType())
    return op.unsupportedAttribute("value", "a constant of type " +
                                                showType(op.resultType()));
  return op.makeConstant(cast<ElementsAttr>(constant));
}

NodeResults stablehlo_ops::convertBroadcast(OpImporter &op) {
  FailureOr<RankedTensorType> from = op.requireRanked(0);
  FailureOr<RankedTensorType> to = op.requireRankedResult();
  if (failed(from) || failed(to))
    return failure();
  // The new axes come first.
  int64_t added = to->getRank() - from->getRank();
  if (added < 0)
    return op.unsupported("the result has fewer axes than the operand");
  FailureOr<Value> spread = spreadAxes(
      op, llvm::to_vector(llvm::seq(added, to->getRank())), to->getRank());
  if (failed(spread))
    return failure();
  return expandToResult(op, *spread);
}

NodeResults stablehlo_ops::convertBroadcastInDim(OpImporter &op) {
  FailureOr<SmallVector<int64_t>> dimensions =
      op.requireInts("broadcast_dimensions");
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(dimensions) || failed(type))
    return failure();
  FailureOr<Value> spread = spreadAxes(op, *dimensions, type->getRank());
  if (failed(spread))
    return failure();
  return expandToResult(op, *spread);
}

NodeResults stablehlo_ops::convertDynamicBroadcastInDim(OpImporter &op) {
  FailureOr<SmallVector<int64_t>> dimensions =
      op.requireInts("broadcast_dimensions");
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(dimensions) || failed(type))
    return failure();
  FailureOr<Value> spread = spreadAxes(op, *dimensions, type->getRank());
  FailureOr<Value> sizes = getSizes(op, 1);
  if (failed(spread) || failed(sizes))
    return failure();
  return op.buildNode("Expand", {*spread, *sizes}, *type);
}

NodeResults stablehlo_ops::convertConcatenate(OpImporter &op) {
  FailureOr<int64_t> axis = op.requireInt("dimension");
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(axis) || failed(type) ||
      failed(op.requireAxes("dimension", *axis, type->getRank())))
    return failure();
  for (size_t index : llvm::seq(op.inputs.size()))
    if (op.elementType(index) != type->getElementType())
      return op.unsupported("operand " + Twine(index) + " has the type " +
                            showType(op.inputs[index].getType()));
  return op.buildNode("Concat", op.inputs, *type, op.intAttr("axis", *axis));
}

NodeResults stablehlo_ops::convertDynamicReshape(OpImporter &op) {
  FailureOr<Value> sizes = getSizes(op, 1);
  if (failed(sizes))
    return failure();
  return op.buildNode("Reshape", {op.inputs[0], *sizes}, op.resultType(),
                      op.intAttr("allowzero", 1));
}

NodeResults stablehlo_ops::convertGetDimensionSize(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<int64_t> axis = op.requireInt("dimension");
  if (failed(type) || failed(axis) ||
      failed(op.requireAxes("dimension", *axis, type->getRank())))
    return failure();
  Value size = op.getSize(op.inputs[0], *axis);
  Value scalar =
      op.reshapeTo(size, RankedTensorType::get({}, op.b.getI64Type()));
  return op.cast(scalar, op.resultElementType());
}

NodeResults stablehlo_ops::convertIota(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  FailureOr<int64_t> axis = op.requireInt("iota_dimension");
  if (failed(type) || failed(axis) ||
      failed(op.requireAxes("iota_dimension", *axis, type->getRank())))
    return failure();
  if (!type->hasStaticShape())
    return op.unsupported("the result has the type " + showType(*type) +
                          ", but must have a static shape");
  Type i64 = op.b.getI64Type();
  int64_t size = type->getDimSize(*axis);
  Value range = op.buildNode("Range",
                             {op.makeNumber(i64, 0),
                              op.makeConstant(DenseElementsAttr::get(
                                  RankedTensorType::get({}, i64), size)),
                              op.makeNumber(i64, 1)},
                             RankedTensorType::get(size, i64));
  SmallVector<int64_t> sizes(type->getRank(), 1);
  sizes[*axis] = size;
  Value shaped = op.reshapeTo(range, RankedTensorType::get(sizes, i64));
  return expandToResult(op,
                        convertElements(op, shaped, type->getElementType()));
}

NodeResults stablehlo_ops::convertPad(OpImporter &op) {
  FailureOr<SmallVector<int64_t>> low = op.requireInts("edge_padding_low");
  FailureOr<SmallVector<int64_t>> high = op.requireInts("edge_padding_high");
  FailureOr<SmallVector<int64_t>> interior = op.requireInts("interior_padding");
  if (failed(low) || failed(high) || failed(interior) ||
      failed(op.requireRanked(0)))
    return failure();
  if (op.elementType(1) != op.elementType(0))
    return op.unsupported("operand 1 has the type " +
                          showType(op.inputs[1].getType()));
  return pad(op, op.inputs[0], op.inputs[1], {*low, *high, *interior});
}

NodeResults stablehlo_ops::convertReshape(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(type))
    return failure();
  if (type->getNumDynamicDims() > 1)
    return op.unsupported("the result has the type " + showType(*type) +
                          ", but must have a static shape");
  return op.reshapeTo(op.inputs.front(), *type);
}

NodeResults stablehlo_ops::convertReverse(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<SmallVector<int64_t>> axes = op.requireInts("dimensions");
  if (failed(type) || failed(axes) ||
      failed(op.requireAxes("dimensions", *axes, type->getRank())))
    return failure();
  return reverse(op, op.inputs.front(), *axes);
}

NodeResults stablehlo_ops::convertSlice(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<SmallVector<int64_t>> starts = op.requireInts("start_indices");
  FailureOr<SmallVector<int64_t>> ends = op.requireInts("limit_indices");
  FailureOr<SmallVector<int64_t>> steps = op.requireInts("strides");
  if (failed(type) || failed(starts) || failed(ends) || failed(steps))
    return failure();
  int64_t rank = type->getRank();
  if (failed(checkAmounts(op, "start_indices", *starts, rank, 0)) ||
      failed(checkAmounts(op, "limit_indices", *ends, rank, 0)) ||
      failed(checkAmounts(op, "strides", *steps, rank, 1)))
    return failure();
  for (auto [size, start, end] :
       llvm::zip_equal(type->getShape(), *starts, *ends))
    if (start > end || (!ShapedType::isDynamic(size) && end > size))
      return op.unsupported("start_indices and limit_indices: expected indices "
                            "of an axis of size " +
                            Twine(size) + ", but got " + Twine(start) +
                            " and " + Twine(end));
  return slice(op, op.inputs.front(), op.resultType(), *starts, *ends,
               llvm::to_vector(llvm::seq(rank)), *steps);
}

NodeResults stablehlo_ops::convertTranspose(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<SmallVector<int64_t>> order = op.requireInts("permutation");
  if (failed(type) || failed(order) ||
      failed(op.requireAxes("permutation", *order, type->getRank())))
    return failure();
  if (static_cast<int64_t>(order->size()) != type->getRank())
    return op.unsupportedAttribute("permutation",
                                   Twine(type->getRank()) + " axes");
  return op.transpose(op.inputs.front(), *order);
}
