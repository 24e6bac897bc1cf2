//===- Gathers.cpp - Gathers and scatters of StableHLO --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// StableHLO gathers and scatters windows: slices at computed starts. A window
// is a set of positions in the tensor whose indexed axes are joined to one
// axis, so that ONNX's Gather and ScatterND apply. A gather clamps the starts
// so that windows are inside; a scatter ignores windows that are not, which are
// written to an additional row here.
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "Movement.h"
#include "RegionExpression.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::stablehlo_ops;

/// Returns the integer of "name = 1" in the string of an attribute, or 0.
static int64_t readIntFromString(StringRef text, StringRef name) {
  int64_t value = 0;
  size_t found = text.find(name);
  if (found != StringRef::npos) {
    StringRef rest = text.drop_front(found + name.size()).ltrim();
    if (rest.consume_front("="))
      rest.ltrim().consumeInteger(10, value);
  }
  return value;
}

/// Clamps indices so that a slice of `size` elements is inside of an axis, as
/// StableHLO defines.
static Value clampIndices(OpImporter &op, Value indices, int64_t size,
                          int64_t axisSize) {
  Type i64 = op.b.getI64Type();
  auto makeScalar = [&](int64_t value) {
    return op.makeConstant(
        DenseElementsAttr::get(RankedTensorType::get({}, i64), value));
  };
  indices = op.cast(indices, i64);
  indices = op.applyElementwise("Max", {makeScalar(0), indices});
  return op.applyElementwise("Min", {makeScalar(axisSize - size), indices});
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

namespace {
/// Windows of a tensor of static shape, one for each index vector.
struct Windows {
  OpImporter &op;
  RankedTensorType type;
  /// The size of a window along each axis of the tensor.
  SmallVector<int64_t> sizes;
  /// The axes whose starts are computed, and their starts: tensors of i64 of
  /// the shape `batch`.
  SmallVector<int64_t> axes;
  SmallVector<Value> starts;
  SmallVector<int64_t> batch;

  /// Returns the indexed axes, followed by the others.
  SmallVector<int64_t> getOrder() const;
  /// Returns the number of positions along the indexed axes.
  int64_t getPositions() const;
  /// Returns the sizes of windows along the indexed axes.
  SmallVector<int64_t> getWindow() const {
    return llvm::map_to_vector(axes, [&](int64_t axis) { return sizes[axis]; });
  }
  /// Returns the sizes of the axes that are not indexed.
  SmallVector<int64_t> getRest() const;
  /// Returns the positions of the elements of all windows in the joined axis,
  /// in the order (batch, window). Windows that are not inside of the tensor
  /// have the position past the last if `isChecked`, and are moved inside
  /// otherwise.
  Value makePositions(bool isChecked) const;
  /// Joins the indexed axes of the tensor.
  Value join(Value value) const;
  /// Splits them again.
  Value split(Value value) const;
};
} // namespace

SmallVector<int64_t> Windows::getOrder() const {
  SmallVector<int64_t> order(axes);
  for (int64_t axis : llvm::seq(type.getRank()))
    if (!llvm::is_contained(axes, axis))
      order.push_back(axis);
  return order;
}

int64_t Windows::getPositions() const {
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= type.getDimSize(axis);
  return count;
}

SmallVector<int64_t> Windows::getRest() const {
  return llvm::map_to_vector(
      ArrayRef(getOrder()).drop_front(axes.size()),
      [&](int64_t axis) { return type.getDimSize(axis); });
}

static Value makeIndex(OpImporter &op, int64_t value) {
  return op.makeConstant(DenseElementsAttr::get(
      RankedTensorType::get({}, op.b.getI64Type()), value));
}

Value Windows::makePositions(bool isChecked) const {
  Type i64 = op.b.getI64Type();
  auto batchType = RankedTensorType::get(batch, i64);
  auto flagType = RankedTensorType::get(batch, op.b.getI1Type());
  Value first, isInside;
  int64_t stride = getPositions();
  SmallVector<int64_t> offsets = {0};
  for (auto [axis, given] : llvm::zip_equal(axes, starts)) {
    Value start = given;
    int64_t size = type.getDimSize(axis);
    stride = size == 0 ? 0 : stride / size;
    if (isChecked) {
      Value isAbove =
          op.buildNode("GreaterOrEqual", {start, makeIndex(op, 0)}, flagType);
      Value isBelow = op.buildNode(
          "LessOrEqual", {start, makeIndex(op, size - sizes[axis])}, flagType);
      Value isWithin = op.buildNode("And", {isAbove, isBelow}, flagType);
      isInside = isInside ? op.buildNode("And", {isInside, isWithin}, flagType)
                          : isWithin;
    } else {
      start = clampIndices(op, start, sizes[axis], size);
    }
    Value scaled =
        op.buildNode("Mul", {start, makeIndex(op, stride)}, batchType);
    first = first ? op.buildNode("Add", {first, scaled}, batchType) : scaled;
    SmallVector<int64_t> next;
    for (int64_t offset : offsets)
      for (int64_t step : llvm::seq(sizes[axis]))
        next.push_back(offset + step * stride);
    offsets = std::move(next);
  }
  // Add the positions within the window.
  int64_t rank = batch.size();
  SmallVector<int64_t> window = getWindow(), shape(batch), column(batch), added;
  for (int64_t axis : llvm::seq<int64_t>(rank, rank + window.size()))
    added.push_back(axis);
  llvm::append_range(shape, window);
  column.append(window.size(), 1);
  auto expand = [&](Value value, Type elementType) {
    return op.buildNode("Unsqueeze", {value, op.makeInts(added)},
                        RankedTensorType::get(column, elementType));
  };
  Value inWindow = op.makeConstant(DenseElementsAttr::get(
      RankedTensorType::get(window, i64), ArrayRef<int64_t>(offsets)));
  Value positions = op.buildNode("Add", {expand(first, i64), inWindow},
                                 RankedTensorType::get(shape, i64));
  if (!isChecked)
    return positions;
  return op.buildNode("Where",
                      {expand(isInside, op.b.getI1Type()), positions,
                       makeIndex(op, getPositions())},
                      RankedTensorType::get(shape, i64));
}

Value Windows::join(Value value) const {
  SmallVector<int64_t> shape = getRest();
  shape.insert(shape.begin(), getPositions());
  return op.reshapeTo(op.transpose(value, getOrder()), type.clone(shape));
}

Value Windows::split(Value value) const {
  SmallVector<int64_t> order = getOrder();
  Value moved =
      op.reshapeTo(value, type.clone(applyPermutation(type.getShape(), order)));
  return op.transpose(moved, invertPermutationVector(order));
}

/// Checks that windows fit in the tensor, and that those of axes that are not
/// indexed cover the axis.
static LogicalResult checkWindows(Windows &windows) {
  OpImporter &op = windows.op;
  RankedTensorType type = windows.type;
  constexpr int64_t kMaxPositions = int64_t(1) << 16;
  if (!type.hasStaticShape())
    return op.unsupported("operand 0 has the type " + showType(type) +
                          ", but must have a static shape");
  if (!countElements(type.getShape()))
    return op.unsupported("operand 0 has too many elements");
  int64_t count = 1;
  for (auto [axis, size] : llvm::enumerate(windows.sizes)) {
    bool isIndexed = llvm::is_contained(windows.axes, axis);
    int64_t all = type.getDimSize(axis);
    if (size < 0 || size > all || (!isIndexed && size != all))
      return op.unsupported("a window of size " + Twine(size) + " along axis " +
                            Twine(axis) + " of " + showType(type));
    if (isIndexed && llvm::MulOverflow(count, size, count))
      count = kMaxPositions + 1;
  }
  if (count > kMaxPositions)
    return op.unsupported("windows of more than " + Twine(kMaxPositions) +
                          " positions along the indexed axes");
  return success();
}

namespace {
/// The dimension numbers of a gather or a scatter.
struct DimensionNumbers {
  /// The axes of windows in the result of a gather or the updates of a scatter.
  SmallVector<int64_t> window;
  /// The axes of the tensor that windows lack, because their size is 1.
  SmallVector<int64_t> collapsed;
  /// The axes of the tensor and of the indices that are batches.
  SmallVector<int64_t> batch, indexBatch;
  /// The axes of the tensor that an index vector has starts for.
  SmallVector<int64_t> map;
  int64_t vectorAxis = 0;
};
} // namespace

static FailureOr<DimensionNumbers> readNumbers(OpImporter &op,
                                               StringRef attribute,
                                               StringRef mnemonic,
                                               ArrayRef<StringRef> names) {
  std::optional<std::string> text = op.op.getText(attribute, mnemonic);
  auto fail = [&] {
    return op.unsupportedAttribute(attribute,
                                   "#stablehlo." + mnemonic + "<...>");
  };
  if (!text)
    return fail();
  DimensionNumbers numbers;
  SmallVector<int64_t> *lists[] = {&numbers.window, &numbers.collapsed,
                                   &numbers.batch, &numbers.indexBatch,
                                   &numbers.map};
  for (auto [list, name] : llvm::zip_equal(lists, names)) {
    std::optional<SmallVector<int64_t>> given = readIntsFromString(*text, name);
    if (!given)
      return fail();
    *list = *given;
  }
  numbers.vectorAxis = readIntFromString(*text, "index_vector_dim");
  return numbers;
}

/// Reads the windows at the indices of operand 1. `sizes` are the sizes along
/// all axes of the tensor.
static FailureOr<Windows> readWindows(OpImporter &op, RankedTensorType type,
                                      const DimensionNumbers &numbers,
                                      ArrayRef<int64_t> sizes) {
  FailureOr<RankedTensorType> indexType = op.requireRanked(1);
  if (failed(indexType))
    return failure();
  int64_t rank = type.getRank(), indexRank = indexType->getRank();
  auto integer = dyn_cast<IntegerType>(indexType->getElementType());
  if (!integer || integer.getWidth() == 1 || integer.getWidth() > 64 ||
      !indexType->hasStaticShape())
    return op.unsupported("operand 1 has the type " + showType(*indexType) +
                          ", but must be integers of a static shape");
  SmallVector<int64_t> indexed(numbers.map);
  llvm::append_range(indexed, numbers.batch);
  SmallVector<int64_t> removed(numbers.collapsed);
  llvm::append_range(removed, numbers.batch);
  if (failed(op.requireAxes("the indexed axes", indexed, rank)) ||
      failed(op.requireAxes("the axes that windows lack", removed, rank)) ||
      failed(op.requireAxes("the batch axes of the indices", numbers.indexBatch,
                            indexRank)))
    return failure();
  int64_t vectorAxis = numbers.vectorAxis;
  bool hasVectorAxis = vectorAxis < indexRank;
  if (vectorAxis < 0 || vectorAxis > indexRank ||
      static_cast<int64_t>(numbers.map.size()) !=
          (hasVectorAxis ? indexType->getDimSize(vectorAxis) : 1) ||
      numbers.batch.size() != numbers.indexBatch.size() ||
      llvm::is_contained(numbers.indexBatch, vectorAxis))
    return op.unsupported("index_vector_dim: expected an axis with a start for "
                          "each indexed axis");
  Windows windows{op, type, SmallVector<int64_t>(sizes), indexed, {}, {}};
  for (int64_t axis : removed)
    if (sizes[axis] != 1)
      return op.unsupported("a window of size " + Twine(sizes[axis]) +
                            " along axis " + Twine(axis) + " of " +
                            showType(type));
  if (failed(checkWindows(windows)))
    return failure();
  if (indexed.empty())
    return op.unsupported("expected an indexed axis");
  for (int64_t axis : llvm::seq(indexRank))
    if (axis != vectorAxis)
      windows.batch.push_back(indexType->getDimSize(axis));
  Type i64 = op.b.getI64Type();
  auto batchType = RankedTensorType::get(windows.batch, i64);
  Value indices = op.cast(op.inputs[1], i64);
  for (int64_t component : llvm::seq<int64_t>(0, numbers.map.size())) {
    if (!hasVectorAxis) {
      windows.starts.push_back(indices);
      continue;
    }
    windows.starts.push_back(
        op.buildNode("Gather", {indices, makeIndex(op, component)}, batchType,
                     op.intAttr("axis", vectorAxis)));
  }
  // A batch axis has its own position as the start.
  for (auto [axis, indexAxis] :
       llvm::zip_equal(numbers.batch, numbers.indexBatch)) {
    int64_t place = indexAxis - (indexAxis > vectorAxis);
    int64_t size = windows.batch[place];
    constexpr int64_t kMaxBatch = int64_t(1) << 24;
    if (size != type.getDimSize(axis) || size > kMaxBatch)
      return op.unsupported("batch axes of sizes " + Twine(size) + " and " +
                            Twine(type.getDimSize(axis)));
    SmallVector<int64_t> shape(windows.batch.size(), 1);
    shape[place] = size;
    Value steps = op.reshapeTo(op.makeInts(llvm::to_vector(llvm::seq(size))),
                               RankedTensorType::get(shape, i64));
    windows.starts.push_back(
        op.buildNode("Expand", {steps, op.makeInts(windows.batch)}, batchType));
  }
  return windows;
}

/// Returns the permutation from the order (batch, indexed axes of windows,
/// other axes of windows) to the order of a gather's result or a scatter's
/// updates, without the axes that windows lack.
static FailureOr<SmallVector<int64_t>>
getWindowOrder(const Windows &windows, const DimensionNumbers &numbers,
               int64_t rank) {
  OpImporter &op = windows.op;
  SmallVector<int64_t> order = windows.getOrder(), kept, result(rank, -1);
  int64_t count = windows.batch.size();
  for (int64_t axis : order)
    if (!llvm::is_contained(numbers.collapsed, axis) &&
        !llvm::is_contained(numbers.batch, axis))
      kept.push_back(axis);
  if (failed(op.requireAxes("the axes of windows", numbers.window, rank)))
    return failure();
  if (numbers.window.size() != kept.size() ||
      rank != count + static_cast<int64_t>(kept.size()))
    return op.unsupported("expected " + Twine(kept.size()) +
                          " axes of windows and rank " +
                          Twine(count + kept.size()));
  // Windows have their axes in the order of the tensor.
  SmallVector<int64_t> sorted(kept);
  llvm::sort(sorted);
  for (auto [axis, place] : llvm::zip_equal(sorted, numbers.window))
    result[place] = count + (llvm::find(kept, axis) - kept.begin());
  int64_t next = 0;
  for (int64_t &from : result)
    if (from < 0)
      from = next++;
  return result;
}

/// Returns the shape of all windows in the order (batch, indexed axes, other
/// axes), without the axes that windows lack.
static SmallVector<int64_t> getKeptShape(const Windows &windows,
                                         const DimensionNumbers &numbers) {
  SmallVector<int64_t> shape(windows.batch);
  for (int64_t axis : windows.getOrder())
    if (!llvm::is_contained(numbers.collapsed, axis) &&
        !llvm::is_contained(numbers.batch, axis))
      shape.push_back(windows.sizes[axis]);
  return shape;
}

/// Returns the shape of all windows with all axes.
static SmallVector<int64_t> getFullShape(const Windows &windows) {
  SmallVector<int64_t> shape(windows.batch);
  llvm::append_range(shape, windows.getWindow());
  llvm::append_range(shape, windows.getRest());
  return shape;
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

/// Gathers windows at indices of several axes.
static NodeResults gatherWindows(OpImporter &op,
                                 const DimensionNumbers &numbers,
                                 ArrayRef<int64_t> sizes) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<RankedTensorType> resultType = op.requireRankedResult();
  if (failed(type) || failed(resultType))
    return failure();
  FailureOr<Windows> windows = readWindows(op, *type, numbers, sizes);
  if (failed(windows))
    return failure();
  FailureOr<SmallVector<int64_t>> order =
      getWindowOrder(*windows, numbers, resultType->getRank());
  if (failed(order))
    return failure();
  Value result =
      op.buildNode("Gather",
                   {windows->join(op.inputs[0]),
                    windows->makePositions(/*isChecked=*/false)},
                   type->clone(getFullShape(*windows)), op.intAttr("axis", 0));
  result = op.reshapeTo(result, type->clone(getKeptShape(*windows, numbers)));
  return op.transpose(result, *order);
}

NodeResults stablehlo_ops::convertGather(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<RankedTensorType> indicesType = op.requireRanked(1);
  FailureOr<RankedTensorType> resultType = op.requireRankedResult();
  FailureOr<SmallVector<int64_t>> sliceSizes = op.requireInts("slice_sizes");
  if (failed(type) || failed(indicesType) || failed(resultType) ||
      failed(sliceSizes))
    return failure();
  FailureOr<DimensionNumbers> numbers = readNumbers(
      op, "dimension_numbers", "gather",
      {"offset_dims", "collapsed_slice_dims", "operand_batching_dims",
       "start_indices_batching_dims", "start_index_map"});
  if (failed(numbers))
    return failure();
  int64_t rank = type->getRank();
  if (static_cast<int64_t>(sliceSizes->size()) != rank)
    return op.unsupportedAttribute("slice_sizes", Twine(rank) + " integers");
  ArrayRef<int64_t> offsets = numbers->window, map = numbers->map;
  // Whole slices at indices of one axis need no computed positions.
  auto isOneAxis = [&] {
    if (map.size() != 1 || ArrayRef<int64_t>(numbers->collapsed) != map ||
        !numbers->batch.empty() || map[0] < 0 || map[0] >= rank)
      return false;
    for (int64_t axis : llvm::seq(rank))
      if ((*sliceSizes)[axis] != (axis == map[0] ? 1 : type->getDimSize(axis)))
        return false;
    return true;
  };
  if (!isOneAxis() || !type->hasStaticShape())
    return gatherWindows(op, *numbers, *sliceSizes);
  auto indexType = dyn_cast<IntegerType>(indicesType->getElementType());
  if (!indexType || indexType.getWidth() == 1 || indexType.getWidth() > 64)
    return op.unsupported("operand 1 has the type " + showType(*indicesType));
  int64_t axis = map[0], size = type->getDimSize(axis);

  // Drop the axis of the index vector, which has one element.
  int64_t vectorAxis = numbers->vectorAxis;
  SmallVector<int64_t> indexSizes(indicesType->getShape());
  if (vectorAxis < 0 || vectorAxis > indicesType->getRank() ||
      (vectorAxis < indicesType->getRank() && indexSizes[vectorAxis] != 1))
    return op.unsupported("index_vector_dim: expected an axis of one element");
  Value indices = clampIndices(op, op.inputs[1], 1, size);
  if (vectorAxis < indicesType->getRank()) {
    indexSizes.erase(indexSizes.begin() + vectorAxis);
    indices = op.reshapeTo(
        indices, RankedTensorType::get(indexSizes, op.b.getI64Type()));
  }
  SmallVector<int64_t> sizes(type->getShape().take_front(axis));
  llvm::append_range(sizes, indexSizes);
  llvm::append_range(sizes, type->getShape().drop_front(axis + 1));
  int64_t resultRank = sizes.size();
  if (resultType->getRank() != resultRank ||
      failed(op.requireAxes("offset_dims", offsets, resultRank)) ||
      static_cast<int64_t>(offsets.size()) != rank - 1)
    return op.unsupported("offset_dims: expected " + Twine(rank - 1) +
                          " axes of a result of rank " + Twine(resultRank));
  Value result = op.buildNode("Gather", {op.inputs[0], indices},
                              type->clone(sizes), op.intAttr("axis", axis));
  // The axes of the operand go to `offset_dims`, those of the indices to the
  // others.
  SmallVector<int64_t> order(resultRank, -1);
  int64_t indexRank = indexSizes.size();
  for (auto [place, offset] : llvm::enumerate(offsets))
    order[offset] =
        static_cast<int64_t>(place) < axis ? place : place + indexRank;
  int64_t next = axis;
  for (int64_t &from : order)
    if (from < 0)
      from = next++;
  return op.transpose(result, order);
}

NodeResults stablehlo_ops::convertDynamicSlice(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<SmallVector<int64_t>> sizes = op.requireInts("slice_sizes");
  if (failed(type) || failed(sizes))
    return failure();
  int64_t rank = type->getRank();
  if (static_cast<int64_t>(sizes->size()) != rank ||
      static_cast<int64_t>(op.inputs.size()) != rank + 1 || rank == 0)
    return op.unsupported("expected a start and a size for each axis");
  SmallVector<Value> starts, ends;
  SmallVector<int64_t> steps(rank, 1);
  auto one = RankedTensorType::get(1, op.b.getI64Type());
  for (int64_t axis : llvm::seq(rank)) {
    int64_t size = (*sizes)[axis], axisSize = type->getDimSize(axis);
    Value start = op.inputs[axis + 1];
    auto startType = dyn_cast<RankedTensorType>(start.getType());
    if (!startType || startType.getRank() != 0 ||
        !isa<IntegerType>(startType.getElementType()) ||
        startType.getElementTypeBitWidth() == 1)
      return op.unsupported("operand " + Twine(axis + 1) + " has the type " +
                            showType(start.getType()));
    if (type->isDynamicDim(axis) || size < 0 || size > axisSize)
      return op.unsupported("slice_sizes: expected at most the sizes of " +
                            showType(*type));
    starts.push_back(
        op.reshapeTo(clampIndices(op, start, size, axisSize), one));
    ends.push_back(
        op.applyElementwise("Add", {starts.back(), op.makeInts(size)}));
  }
  return op.buildNode(
      "Slice",
      {op.inputs[0], op.concatenate(starts), op.concatenate(ends),
       op.makeInts(llvm::to_vector(llvm::seq(rank))), op.makeInts(steps)},
      op.resultType());
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// Returns the reduction of ONNX's ScatterND that the region of a scatter is,
/// or fails.
static FailureOr<StringRef> matchUpdate(OpImporter &op) {
  if (op.op->getNumRegions() == 1 &&
      op.op->getRegion(0).getNumArguments() == 2 &&
      describeResults(op.op->getRegion(0)) == SmallVector<std::string>{"b"})
    return StringRef("none");
  FailureOr<StringRef> name = matchReductionBody(op);
  if (failed(name))
    return failure();
  Type type = op.elementType(0);
  auto integer = dyn_cast<IntegerType>(type);
  bool isInteger = integer && integer.getWidth() >= 8;
  bool isExact = type.isF32() || type.isF64() || isInteger;
  StringRef reduction = *name == "add"        ? "add"
                        : *name == "multiply" ? "mul"
                        : *name == "maximum"  ? "max"
                        : *name == "minimum"  ? "min"
                                              : "";
  if (reduction.empty() || !isExact)
    return op.unsupported("'stablehlo." + *name + "' of elements of type " +
                          showType(type));
  return reduction;
}

/// Writes `updates`, in the order (batch, window, other axes), to the windows.
static Value scatterWindows(const Windows &windows, Value value, Value updates,
                            StringRef reduction, bool isChecked) {
  OpImporter &op = windows.op;
  RankedTensorType type = windows.type;
  Type i64 = op.b.getI64Type();
  Value joined = windows.join(value);
  auto joinedType = cast<RankedTensorType>(joined.getType());
  int64_t positions = windows.getPositions();
  Value target = joined;
  if (isChecked) {
    // The row for windows that are not inside.
    SmallVector<int64_t> row(joinedType.getShape()), all(joinedType.getShape());
    row[0] = 1;
    all[0] = positions + 1;
    Value zero = op.makeConstant(
        DenseElementsAttr::get(type.clone(ArrayRef<int64_t>()),
                               op.b.getZeroAttr(type.getElementType())));
    Value added =
        op.buildNode("Expand", {zero, op.makeInts(row)}, type.clone(row));
    target = op.buildNode("Concat", {joined, added}, type.clone(all),
                          op.intAttr("axis", 0));
  }
  Value indices = windows.makePositions(isChecked);
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(indices.getType()).getShape());
  int64_t rank = shape.size();
  shape.push_back(1);
  indices = op.buildNode("Unsqueeze", {indices, op.makeInts(rank)},
                         RankedTensorType::get(shape, i64));
  updates = op.reshapeTo(updates, type.clone(getFullShape(windows)));
  Value result =
      op.buildNode("ScatterND", {target, indices, updates}, target.getType(),
                   op.stringAttr("reduction", reduction));
  if (isChecked)
    result = op.buildNode("Slice",
                          {result, op.makeInts(0), op.makeInts(positions),
                           op.makeInts(0), op.makeInts(1)},
                          joinedType);
  return windows.split(result);
}

NodeResults stablehlo_ops::convertScatter(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<RankedTensorType> updatesType = op.requireRanked(2);
  FailureOr<DimensionNumbers> numbers = readNumbers(
      op, "scatter_dimension_numbers", "scatter",
      {"update_window_dims", "inserted_window_dims", "input_batching_dims",
       "scatter_indices_batching_dims", "scatter_dims_to_operand_dims"});
  FailureOr<StringRef> reduction = matchUpdate(op);
  if (failed(type) || failed(updatesType) || failed(numbers) ||
      failed(reduction))
    return failure();
  if (updatesType->getElementType() != type->getElementType() ||
      !isNumber(type->getElementType()))
    return op.unsupported("elements of types " +
                          showType(type->getElementType()) + " and " +
                          showType(updatesType->getElementType()));
  int64_t rank = type->getRank();
  // The sizes of windows are those of the updates.
  if (failed(op.requireAxes("update_window_dims", numbers->window,
                            updatesType->getRank())))
    return failure();
  SmallVector<int64_t> sizes;
  size_t next = 0;
  for (int64_t axis : llvm::seq(rank)) {
    bool isKept = !llvm::is_contained(numbers->collapsed, axis) &&
                  !llvm::is_contained(numbers->batch, axis);
    if (isKept && next >= numbers->window.size())
      return op.unsupported("update_window_dims: expected an axis for each "
                            "axis of windows");
    sizes.push_back(isKept ? updatesType->getDimSize(numbers->window[next++])
                           : 1);
  }
  if (!updatesType->hasStaticShape())
    return op.unsupported("operand 2 has the type " + showType(*updatesType) +
                          ", but must have a static shape");
  FailureOr<Windows> windows = readWindows(op, *type, *numbers, sizes);
  if (failed(windows))
    return failure();
  FailureOr<SmallVector<int64_t>> order =
      getWindowOrder(*windows, *numbers, updatesType->getRank());
  if (failed(order))
    return failure();
  SmallVector<int64_t> kept = getKeptShape(*windows, *numbers);
  if (applyPermutation(ArrayRef<int64_t>(kept), *order) !=
      ArrayRef<int64_t>(updatesType->getShape()))
    return op.unsupported("operand 2 has the type " + showType(*updatesType) +
                          ", which has not the shape of the windows");
  Value updates = op.transpose(op.inputs[2], invertPermutationVector(*order));
  return scatterWindows(*windows, op.inputs[0], updates, *reduction,
                        /*isChecked=*/true);
}

NodeResults stablehlo_ops::convertDynamicUpdateSlice(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRanked(0);
  FailureOr<RankedTensorType> updateType = op.requireRanked(1);
  if (failed(type) || failed(updateType))
    return failure();
  int64_t rank = type->getRank();
  if (updateType->getRank() != rank ||
      updateType->getElementType() != type->getElementType() ||
      static_cast<int64_t>(op.inputs.size()) != rank + 2 || rank == 0)
    return op.unsupported("expected an update of the type and rank of operand "
                          "0, and a start for each axis");
  Windows windows{op, *type, SmallVector<int64_t>(updateType->getShape()),
                  {}, {},    {}};
  if (!updateType->hasStaticShape())
    return op.unsupported("operand 1 has the type " + showType(*updateType) +
                          ", but must have a static shape");
  for (int64_t axis : llvm::seq(rank)) {
    RankedTensorType startType = op.getRanked(axis + 2);
    if (!startType || startType.getRank() != 0 ||
        !isa<IntegerType>(startType.getElementType()) ||
        startType.getElementTypeBitWidth() == 1)
      return op.unsupported("operand " + Twine(axis + 2) + " has the type " +
                            showType(op.inputs[axis + 2].getType()));
    // A window that covers the axis starts at 0.
    if (windows.sizes[axis] == type->getDimSize(axis))
      continue;
    windows.axes.push_back(axis);
    windows.starts.push_back(op.cast(op.inputs[axis + 2], op.b.getI64Type()));
  }
  if (failed(checkWindows(windows)))
    return failure();
  if (windows.axes.empty())
    return op.inputs[1];
  Value update = op.transpose(op.inputs[1], windows.getOrder());
  return scatterWindows(windows, op.inputs[0], update, "none",
                        /*isChecked=*/false);
}
