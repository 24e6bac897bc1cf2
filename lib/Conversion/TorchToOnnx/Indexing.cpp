//===- Indexing.cpp - Indexing of torch -----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers and scatters: aten.index and its counterparts that write, gather and
// scatter along an axis, and writes to slices.
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

/// Returns indices as i64.
static FailureOr<Value> toIndices(OpImporter &op, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && (type.getElementType().isSignlessInteger(32) ||
               type.getElementType().isSignlessInteger(64)))
    return op.cast(value, op.b.getI64Type());
  return op.unsupported("indices of type " + showType(value.getType()));
}

static Value expandTo(OpImporter &op, Value value, RankedTensorType type) {
  if (value.getType() == type)
    return value;
  return op.buildNode("Expand", {value, op.makeInts(type.getShape())}, type);
}

//===----------------------------------------------------------------------===//
// Indices of axes
//===----------------------------------------------------------------------===//

namespace {
/// A tensor and indices of some of its axes.
struct IndexedTensor {
  OpImporter &op;
  Value value;
  /// The axes that have indices, in increasing order.
  SmallVector<int64_t> axes;
  SmallVector<Value> indices;
  /// The shape to which the indices are broadcast.
  SmallVector<int64_t> shape;

  RankedTensorType getType() const {
    return cast<RankedTensorType>(value.getType());
  }
  /// Returns the axes with indices, followed by the others.
  SmallVector<int64_t> getOrder() const;
  /// Returns the axis of the result at which the axes of the indices begin:
  /// that of the first index if the axes are adjacent, and 0 otherwise.
  int64_t getPosition() const;
  /// Returns the permutation from the order (axes of the indices, others) to
  /// that of the result.
  SmallVector<int64_t> getResultOrder() const;
  /// Returns the shape of the elements at the indices, in the order (axes of
  /// the indices, others).
  SmallVector<int64_t> getGatheredShape() const;
  /// Returns the index vectors along the last axis.
  Value joinIndices() const;
  /// Returns the elements at the indices.
  FailureOr<Value> gather() const;
  /// Returns the tensor with `updates`, which are broadcast to the shape of the
  /// elements at the indices.
  FailureOr<Value> scatter(Value updates, bool isAccumulated) const;
};
} // namespace

SmallVector<int64_t> IndexedTensor::getOrder() const {
  SmallVector<int64_t> order(axes);
  for (int64_t axis : llvm::seq(getType().getRank()))
    if (!llvm::is_contained(axes, axis))
      order.push_back(axis);
  return order;
}

int64_t IndexedTensor::getPosition() const {
  bool areAdjacent =
      axes.back() - axes.front() + 1 == static_cast<int64_t>(axes.size());
  return areAdjacent ? axes.front() : 0;
}

SmallVector<int64_t> IndexedTensor::getResultOrder() const {
  int64_t count = shape.size(), position = getPosition();
  SmallVector<int64_t> order;
  for (int64_t axis :
       llvm::seq<int64_t>(getType().getRank() - axes.size() + count))
    order.push_back(axis < position           ? count + axis
                    : axis < position + count ? axis - position
                                              : axis);
  return order;
}

SmallVector<int64_t> IndexedTensor::getGatheredShape() const {
  SmallVector<int64_t> result(shape), order = getOrder();
  for (int64_t axis : ArrayRef(order).drop_front(axes.size()))
    result.push_back(getType().getDimSize(axis));
  return result;
}

Value IndexedTensor::joinIndices() const {
  Type i64 = op.b.getI64Type();
  int64_t rank = shape.size(), count = indices.size();
  SmallVector<int64_t> part(shape), all(shape);
  part.push_back(1);
  all.push_back(count);
  SmallVector<Value> parts;
  for (Value index : indices) {
    if (count > 1)
      index = expandTo(op, index, RankedTensorType::get(shape, i64));
    parts.push_back(op.buildNode("Unsqueeze", {index, op.makeInts(rank)},
                                 RankedTensorType::get(part, i64)));
  }
  if (count == 1)
    return parts.front();
  return op.buildNode("Concat", parts, RankedTensorType::get(all, i64),
                      op.intAttr("axis", rank));
}

FailureOr<Value> IndexedTensor::gather() const {
  RankedTensorType type = getType();
  if (axes.size() == 1) {
    int64_t axis = axes.front();
    SmallVector<int64_t> sizes(type.getShape().take_front(axis));
    llvm::append_range(sizes, shape);
    llvm::append_range(sizes, type.getShape().drop_front(axis + 1));
    return op.buildNode("Gather", {value, indices.front()}, type.clone(sizes),
                        op.intAttr("axis", axis));
  }
  Value result =
      op.buildNode("GatherND", {op.transpose(value, getOrder()), joinIndices()},
                   type.clone(getGatheredShape()), op.intAttr("batch_dims", 0));
  return op.transpose(result, getResultOrder());
}

/// Requires a type in which PyTorch adds elements one after the other, and
/// rounds as the type does.
static LogicalResult checkAccumulated(OpImporter &op, Type type) {
  if (type.isF32() || type.isF64() ||
      (isa<IntegerType>(type) && !type.isInteger(1)))
    return success();
  return op.unsupported("sums of elements of type " + showType(type));
}

FailureOr<Value> IndexedTensor::scatter(Value updates,
                                        bool isAccumulated) const {
  RankedTensorType type = getType();
  if (getElementTypeOrSelf(updates) != type.getElementType())
    return op.unsupported("elements of types " +
                          showType(type.getElementType()) + " and " +
                          showType(getElementTypeOrSelf(updates)));
  if (isAccumulated && failed(checkAccumulated(op, type.getElementType())))
    return failure();
  SmallVector<int64_t> gathered = getGatheredShape();
  SmallVector<int64_t> resultOrder = getResultOrder();
  RankedTensorType updatesType =
      type.clone(applyPermutation(ArrayRef<int64_t>(gathered), resultOrder));
  if (updates.getType() != updatesType && !updatesType.hasStaticShape())
    return op.unsupported("updates of type " + showType(updates.getType()) +
                          " for elements of type " + showType(updatesType));
  Value expanded = expandTo(op, updates, updatesType);
  expanded = op.transpose(expanded, invertPermutationVector(resultOrder));
  SmallVector<int64_t> order = getOrder();
  Value moved = op.transpose(value, order);
  Value result = op.buildNode(
      "ScatterND", {moved, joinIndices(), expanded}, moved.getType(),
      op.stringAttr("reduction", isAccumulated ? "add" : "none"));
  return op.transpose(result, invertPermutationVector(order));
}

/// Adds the indices of an axis, and broadcasts the shape.
static LogicalResult addIndices(IndexedTensor &tensor, int64_t axis,
                                Value given) {
  OpImporter &op = tensor.op;
  FailureOr<Value> indices = toIndices(op, given);
  if (failed(indices))
    return failure();
  tensor.axes.push_back(axis);
  tensor.indices.push_back(*indices);
  auto type = dyn_cast<RankedTensorType>(
      TorchMath(op).broadcast(tensor.indices, op.b.getI64Type()));
  if (!op.getProblem().empty() || !type ||
      (tensor.axes.size() > 1 && !type.hasStaticShape()))
    return op.unsupported("several indices of unknown shapes");
  tensor.shape.assign(type.getShape().begin(), type.getShape().end());
  return success();
}

static bool isNoneValue(Value value) {
  Operation *definition = getDefinition(value);
  return definition &&
         definition->getName().getStringRef() == "torch.constant.none";
}

/// Reads the tensor and the list of indices, or none, of its first axes.
static FailureOr<IndexedTensor> readIndexed(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<SmallVector<Value>> list = requireList(op, 1);
  if (failed(value) || failed(list))
    return failure();
  IndexedTensor tensor{op, *value, {}, {}, {}};
  if (static_cast<int64_t>(list->size()) > tensor.getType().getRank())
    return failOperand(op, 1, "at most one index for each axis");
  for (auto [axis, index] : llvm::enumerate(*list))
    if (!isNoneValue(index) && failed(addIndices(tensor, axis, index)))
      return failure();
  if (tensor.axes.empty())
    return failOperand(op, 1, "an index");
  return tensor;
}

NodeResults torch_ops::convertIndex(OpImporter &op) {
  FailureOr<IndexedTensor> tensor = readIndexed(op);
  if (failed(tensor))
    return failure();
  return tensor->gather();
}

/// Returns the mask of booleans if it is the only index, or null.
static Value findMask(OpImporter &op) {
  FailureOr<SmallVector<Value>> list = requireList(op, 1);
  if (failed(list) || list->size() != 1)
    return {};
  auto type = dyn_cast<RankedTensorType>(list->front().getType());
  return type && type.getElementType().isInteger(1) ? list->front() : Value();
}

NodeResults torch_ops::convertIndexPut(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<Value> updates = requireRankedTensor(op, 2);
  FailureOr<bool> isAccumulated = getBool(op, 3, false);
  if (failed(value) || failed(updates) || failed(isAccumulated))
    return failure();
  if (Value mask = findMask(op)) {
    RankedTensorType type = op.getRanked(0), updateType = op.getRanked(2);
    auto maskType = cast<RankedTensorType>(mask.getType());
    if (*isAccumulated ||
        updateType.getElementType() != type.getElementType() ||
        !updateType.hasStaticShape() || updateType.getNumElements() != 1 ||
        maskType.getRank() > type.getRank())
      return op.unsupported("a mask as index of other writes than of one "
                            "element of the same type");
    SmallVector<int64_t> axes =
        llvm::to_vector(llvm::seq<int64_t>(maskType.getRank(), type.getRank()));
    SmallVector<int64_t> shape(maskType.getShape());
    shape.append(axes.size(), 1);
    if (!axes.empty())
      mask = op.buildNode("Unsqueeze", {mask, op.makeInts(axes)},
                          maskType.clone(shape));
    TorchMath math(op);
    return math.node("Where", {mask, math.reshape(*updates, {}), *value});
  }
  FailureOr<IndexedTensor> tensor = readIndexed(op);
  if (failed(tensor))
    return failure();
  return tensor->scatter(*updates, *isAccumulated);
}

/// Writes to the elements along an axis at indices of rank 1.
NodeResults torch_ops::convertIndexCopy(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<Value> indices = requireRankedTensor(op, 2);
  FailureOr<Value> updates = requireRankedTensor(op, 3);
  if (failed(value) || failed(indices) || failed(updates))
    return failure();
  int64_t rank = op.getRanked(0).getRank();
  FailureOr<int64_t> axis = requireAxis(op, 1, rank);
  if (failed(axis))
    return failure();
  if (rank == 0 || op.getRanked(2).getRank() != 1 ||
      op.getRanked(3).getRank() != rank)
    return op.unsupported("expected a tensor with axes, and indices of rank 1");
  bool isAccumulated = op.op.getName() == "aten.index_add";
  if (isAccumulated && !isNone(op, 4)) {
    FailureOr<Number> factor = requireNumber(op, 4);
    if (failed(factor))
      return failure();
    if (factor->toDouble() != 1)
      return failOperand(op, 4, "the factor 1");
  }
  IndexedTensor tensor{op, *value, {}, {}, {}};
  if (failed(addIndices(tensor, *axis, *indices)))
    return failure();
  return tensor.scatter(*updates, isAccumulated);
}

//===----------------------------------------------------------------------===//
// Indices of elements along an axis
//===----------------------------------------------------------------------===//

NodeResults torch_ops::convertGather(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<Value> given = requireRankedTensor(op, 2);
  if (failed(value) || failed(given))
    return failure();
  int64_t rank = op.getRanked(0).getRank();
  FailureOr<int64_t> axis = requireAxis(op, 1, rank);
  FailureOr<Value> indices = toIndices(op, *given);
  if (failed(axis) || failed(indices))
    return failure();
  RankedTensorType type = op.getRanked(2);
  if (rank == 0 || type.getRank() != rank)
    return failOperand(op, 2, "indices with the axes of operand 0");
  return op.buildNode("GatherElements", {*value, *indices},
                      op.getRanked(0).clone(type.getShape()),
                      op.intAttr("axis", *axis));
}

/// Returns the reduction of ONNX's ScatterElements, or an empty string.
static StringRef getReduction(StringRef name) {
  if (name == "sum")
    return "add";
  if (name == "prod")
    return "mul";
  if (name == "amax")
    return "max";
  return name == "amin" ? "min" : "";
}

NodeResults torch_ops::convertScatter(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<Value> given = requireRankedTensor(op, 2);
  if (failed(value) || failed(given))
    return failure();
  RankedTensorType type = op.getRanked(0), indexType = op.getRanked(2);
  int64_t rank = type.getRank();
  FailureOr<int64_t> axis = requireAxis(op, 1, rank);
  FailureOr<Value> indices = toIndices(op, *given);
  if (failed(axis) || failed(indices))
    return failure();
  if (rank == 0 || indexType.getRank() != rank)
    return failOperand(op, 2, "indices with the axes of operand 0");
  StringRef name = op.op.getName(), reduction = "none";
  bool isMean = false, isReplaced = false;
  if (name == "aten.scatter_add") {
    reduction = "add";
  } else if (name == "aten.scatter_reduce.two") {
    FailureOr<std::string> kind = requireString(op, 4);
    FailureOr<bool> includesSelf = getBool(op, 5, true);
    if (failed(kind) || failed(includesSelf))
      return failure();
    isMean = *kind == "mean";
    reduction = isMean ? "add" : getReduction(*kind);
    if (reduction.empty())
      return op.unsupported("the reduction '" + *kind +
                            "'; expected sum, prod, mean, amax or amin");
    isReplaced = !*includesSelf;
    if (isMean && !isa<FloatType>(type.getElementType()))
      return op.unsupported("means of elements of type " +
                            showType(type.getElementType()));
  }
  if (reduction != "none" && reduction != "max" && reduction != "min" &&
      failed(checkAccumulated(op, type.getElementType())))
    return failure();
  auto updatesType = type.clone(indexType.getShape());
  Value updates;
  if (name == "aten.scatter.value") {
    FailureOr<Number> number = requireNumber(op, 3);
    if (failed(number))
      return failure();
    updates = TorchMath(op).makeNumber(type.getElementType(), *number);
    Value shape =
        indexType.hasStaticShape()
            ? op.makeInts(indexType.getShape())
            : op.buildNode("Shape", *indices,
                           RankedTensorType::get(rank, op.b.getI64Type()));
    updates = op.buildNode("Expand", {updates, shape}, updatesType);
  } else {
    FailureOr<Value> source = requireRankedTensor(op, 3);
    if (failed(source))
      return failure();
    RankedTensorType sourceType = op.getRanked(3);
    if (sourceType.getRank() != rank ||
        sourceType.getElementType() != type.getElementType())
      return failOperand(op, 3, "a tensor of the type and rank of operand 0");
    updates = *source;
    // Only the elements that have an index are written.
    if (sourceType != updatesType) {
      if (!updatesType.hasStaticShape())
        return op.unsupported("indices of unknown shape");
      updates =
          op.buildNode("Slice",
                       {updates, op.makeInts(SmallVector<int64_t>(rank, 0)),
                        op.makeInts(indexType.getShape()),
                        op.makeInts(llvm::to_vector(llvm::seq(rank))),
                        op.makeInts(SmallVector<int64_t>(rank, 1))},
                       updatesType);
    }
  }
  auto scatter = [&](Value into, Value elements, StringRef how) {
    return op.buildNode(
        "ScatterElements", {into, *indices, elements}, into.getType(),
        {op.intAttr("axis", *axis), op.stringAttr("reduction", how)});
  };
  // Elements that are replaced begin with the first update, except that sums
  // begin with 0.
  Value into = *value;
  TorchMath math(op);
  auto like = [&](Value value, double number) {
    return math.node(
        "Where", {math.makeNumber(op.b.getI1Type(), Number::fromInt(1)),
                  op.makeNumber(getElementTypeOrSelf(value), number), value});
  };
  if (isReplaced)
    into = scatter(into,
                   reduction == "add"   ? like(updates, 0)
                   : reduction == "mul" ? like(updates, 1)
                                        : updates,
                   "none");
  Value result = scatter(into, updates, reduction);
  if (!isMean)
    return result;
  Value counts =
      scatter(like(*value, isReplaced ? 0 : 1), like(updates, 1), "add");
  counts = math.node("Max", {counts, op.makeNumber(type.getElementType(), 1)});
  return math.node("Div", {result, counts});
}

/// Writes the elements of a tensor, in their order, to the elements that a mask
/// selects.
NodeResults torch_ops::convertMaskedScatter(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<Value> mask = requireRankedTensor(op, 1);
  FailureOr<Value> source = requireRankedTensor(op, 2);
  if (failed(value) || failed(mask) || failed(source))
    return failure();
  RankedTensorType type = op.getRanked(0), sourceType = op.getRanked(2);
  std::optional<int64_t> size = countElements(type.getShape());
  std::optional<int64_t> count = countElements(sourceType.getShape());
  if (!size || !count || *count == 0 || !type.hasStaticShape() ||
      !sourceType.hasStaticShape() ||
      op.getRanked(1).getRank() > type.getRank() ||
      sourceType.getElementType() != type.getElementType() ||
      !op.elementType(1).isInteger(1))
    return op.unsupported("expected tensors of static shape and the same type, "
                          "and a mask");
  // The number of selected elements before each is its index.
  TorchMath math(op);
  Type i64 = op.b.getI64Type();
  Value flat =
      math.reshape(expandTo(op, *mask, type.clone(op.b.getI1Type())), *size);
  auto indexType = RankedTensorType::get(*size, i64);
  Value axis = math.makeNumber(i64, Number::fromInt(0));
  Value index = op.buildNode("CumSum", {op.cast(flat, i64), axis}, indexType,
                             op.intAttr("exclusive", 1));
  index = math.node("Min", {index, op.makeInts(*count - 1)});
  Value selected =
      op.buildNode("Gather", {math.reshape(*source, *count), index},
                   sourceType.clone(*size), op.intAttr("axis", 0));
  Value result =
      math.node("Where", {flat, selected, math.reshape(*value, *size)});
  return math.reshape(result, type.getShape());
}

NodeResults torch_ops::convertOneHot(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<int64_t> count = requireIntOperand(op, 1);
  if (failed(value) || failed(count))
    return failure();
  constexpr int64_t kMaxCount = int64_t(1) << 24;
  if (!op.elementType(0).isSignlessInteger(64))
    return failOperand(op, 0, "elements of 'i64'");
  if (*count < 1 || *count > kMaxCount)
    return failOperand(op, 1, "a number of classes from 1 to 2^24");
  RankedTensorType type = op.getRanked(0);
  SmallVector<int64_t> shape(type.getShape());
  shape.push_back(1);
  Value column = op.buildNode(
      "Unsqueeze", {*value, op.makeInts(type.getRank())}, type.clone(shape));
  TorchMath math(op);
  Value isClass = math.node(
      "Equal", {column, op.makeInts(llvm::to_vector(llvm::seq(*count)))},
      op.b.getI1Type());
  return math.to(isClass, op.b.getI64Type());
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

namespace {
/// A tensor and one of its axes, which has a known size.
struct KnownAxis {
  Value value;
  int64_t axis, size;
};
} // namespace

static FailureOr<KnownAxis> readAxis(OpImporter &op, size_t index) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value))
    return failure();
  RankedTensorType type = op.getRanked(0);
  FailureOr<int64_t> axis(0);
  if (!isNone(op, index))
    axis = requireAxis(op, index, type.getRank());
  if (failed(axis))
    return failure();
  if (type.getRank() == 0 || type.isDynamicDim(*axis))
    return failOperand(op, 0, "a known size of axis " + Twine(*axis));
  return KnownAxis{*value, *axis, type.getDimSize(*axis)};
}

/// Returns the elements from `start` to `end` along the axis.
static Value sliceRange(OpImporter &op, const KnownAxis &tensor, int64_t start,
                        int64_t end) {
  auto type = cast<RankedTensorType>(tensor.value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[tensor.axis] = end - start;
  return op.buildNode("Slice",
                      {tensor.value, op.makeInts(start), op.makeInts(end),
                       op.makeInts(tensor.axis), op.makeInts(1)},
                      type.clone(shape));
}

/// Concatenates parts of the tensor, which have its size in all.
static Value joinParts(OpImporter &op, const KnownAxis &tensor,
                       ArrayRef<Value> parts) {
  if (parts.size() == 1)
    return parts.front();
  return op.buildNode("Concat", parts, tensor.value.getType(),
                      op.intAttr("axis", tensor.axis));
}

/// Replaces the elements from `start` to `end` by `updates`.
static NodeResults replaceRange(OpImporter &op, const KnownAxis &tensor,
                                Value updates, int64_t start, int64_t end) {
  auto type = cast<RankedTensorType>(tensor.value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[tensor.axis] = end - start;
  auto updatesType = type.clone(shape);
  if (!areCompatible(updatesType, updates.getType()))
    return op.unsupported("operand 1 has the type " +
                          showType(updates.getType()) + ", but must have " +
                          showType(updatesType));
  SmallVector<Value> parts;
  if (start > 0)
    parts.push_back(sliceRange(op, tensor, 0, start));
  if (end > start)
    parts.push_back(updates);
  if (end < tensor.size)
    parts.push_back(sliceRange(op, tensor, end, tensor.size));
  return joinParts(op, tensor, parts);
}

NodeResults torch_ops::convertSliceScatter(OpImporter &op) {
  FailureOr<Value> updates = requireRankedTensor(op, 1);
  FailureOr<KnownAxis> tensor = readAxis(op, 2);
  FailureOr<int64_t> start = getInt(op, 3, 0);
  FailureOr<int64_t> end = getInt(op, 4, std::numeric_limits<int64_t>::max());
  FailureOr<int64_t> step = getInt(op, 5, 1);
  if (failed(updates) || failed(tensor) || failed(start) || failed(end) ||
      failed(step))
    return failure();
  if (*step != 1)
    return failOperand(op, 5, "the step 1");
  int64_t size = tensor->size;
  for (FailureOr<int64_t> *bound : {&start, &end}) {
    if (**bound < 0)
      **bound = **bound < -size ? 0 : **bound + size;
    *bound = std::min(**bound, size);
  }
  return replaceRange(op, *tensor, *updates, *start, std::max(*start, *end));
}

NodeResults torch_ops::convertSelectScatter(OpImporter &op) {
  FailureOr<Value> updates = requireRankedTensor(op, 1);
  FailureOr<KnownAxis> tensor = readAxis(op, 2);
  FailureOr<int64_t> index = requireIntOperand(op, 3);
  if (failed(updates) || failed(tensor) || failed(index))
    return failure();
  int64_t size = tensor->size;
  if (*index < -size || *index >= size)
    return failOperand(op, 3, "an index into " + Twine(size) + " elements");
  int64_t start = *index < 0 ? *index + size : *index;
  RankedTensorType type = op.getRanked(1);
  if (type.getRank() + 1 != op.getRanked(0).getRank())
    return failOperand(op, 1, "a tensor without the axis");
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + tensor->axis, 1);
  Value slice = op.buildNode("Unsqueeze", {*updates, op.makeInts(tensor->axis)},
                             type.clone(shape));
  return replaceRange(op, *tensor, slice, start, start + 1);
}

NodeResults torch_ops::convertRoll(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<SmallVector<int64_t>> shifts = requireIntList(op, 1);
  if (failed(value) || failed(shifts))
    return failure();
  SmallVector<int64_t> axes;
  if (!isNone(op, 2)) {
    FailureOr<SmallVector<int64_t>> given = requireIntList(op, 2);
    if (failed(given))
      return failure();
    axes = *given;
  }
  RankedTensorType type = op.getRanked(0);
  std::optional<int64_t> count = countElements(type.getShape());
  if (!type.hasStaticShape() || !count)
    return failOperand(op, 0, "a tensor of static shape");
  TorchMath math(op);
  // Without axes, all elements are one row.
  bool isFlat = axes.empty();
  Value rolled = *value;
  if (isFlat) {
    rolled = math.reshape(rolled, {*count});
    axes.push_back(0);
  }
  if (axes.size() != shifts->size())
    return failOperand(op, 1, "a shift for each axis");
  for (auto [axis, shift] : llvm::zip_equal(axes, *shifts)) {
    auto rolledType = cast<RankedTensorType>(rolled.getType());
    int64_t rank = rolledType.getRank();
    if (axis < -rank || axis >= rank)
      return failOperand(op, 2, "axes of operand 0");
    KnownAxis tensor{rolled, axis < 0 ? axis + rank : axis, 0};
    tensor.size = rolledType.getDimSize(tensor.axis);
    if (tensor.size == 0)
      continue;
    int64_t start = (tensor.size - shift % tensor.size) % tensor.size;
    if (start == 0)
      continue;
    rolled = joinParts(op, tensor,
                       {sliceRange(op, tensor, start, tensor.size),
                        sliceRange(op, tensor, 0, start)});
  }
  return isFlat ? math.reshape(rolled, type.getShape()) : rolled;
}

NodeResults torch_ops::convertFlip(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<SmallVector<int64_t>> axes = requireIntList(op, 1);
  if (failed(value) || failed(axes))
    return failure();
  int64_t rank = op.getRanked(0).getRank();
  for (int64_t &axis : *axes)
    if (axis < 0)
      axis += rank;
  if (failed(op.requireAxes("operand 1", *axes, rank)))
    return failure();
  if (axes->empty())
    return *value;
  size_t count = axes->size();
  constexpr int64_t kBegin = std::numeric_limits<int64_t>::min();
  return op.buildNode("Slice",
                      {*value, op.makeInts(SmallVector<int64_t>(count, -1)),
                       op.makeInts(SmallVector<int64_t>(count, kBegin)),
                       op.makeInts(*axes),
                       op.makeInts(SmallVector<int64_t>(count, -1))},
                      value->getType());
}

NodeResults torch_ops::convertTriangle(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<int64_t> diagonal = getInt(op, 1, 0);
  if (failed(value) || failed(diagonal))
    return failure();
  if (op.getRanked(0).getRank() < 2)
    return failOperand(op, 0, "a tensor of at least 2 axes");
  Value offset = op.makeConstant(DenseElementsAttr::get(
      RankedTensorType::get({}, op.b.getI64Type()), *diagonal));
  bool isUpper = op.op.getName() == "aten.triu";
  return op.buildNode("Trilu", {*value, offset}, value->getType(),
                      op.intAttr("upper", isUpper));
}

/// The index of each element of operand 0, repeated this number of times.
NodeResults torch_ops::convertRepeatIndices(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value))
    return failure();
  std::optional<SmallVector<int64_t>> counts = readIntConstant(*value);
  if (!counts || op.getRanked(0).getRank() != 1)
    return failOperand(op, 0, "a constant list of counts");
  constexpr int64_t kMaxCount = int64_t(1) << 24;
  SmallVector<int64_t> indices;
  for (auto [index, count] : llvm::enumerate(*counts)) {
    if (count < 0 || count > kMaxCount - int64_t(indices.size()))
      return op.unsupported("the result has too many elements");
    indices.append(count, index);
  }
  return TorchMath(op).to(op.makeInts(indices), op.resultElementType());
}

NodeResults torch_ops::convertRepeatInterleave(OpImporter &op) {
  FailureOr<int64_t> count = requireIntOperand(op, 1);
  if (failed(count))
    return failure();
  constexpr int64_t kMaxCount = int64_t(1) << 24;
  if (*count < 1 || *count > kMaxCount)
    return failOperand(op, 1, "a count from 1 to 2^24");
  FailureOr<KnownAxis> tensor = readAxis(op, 2);
  if (failed(tensor))
    return failure();
  if (isNone(op, 2))
    return failOperand(op, 2, "an axis");
  if (tensor->size > kMaxCount / *count)
    return op.unsupported("the result has too many elements");
  RankedTensorType type = op.getRanked(0);
  SmallVector<int64_t> shape(type.getShape()), indices;
  for (int64_t index : llvm::seq(tensor->size))
    indices.append(*count, index);
  shape[tensor->axis] = indices.size();
  return op.buildNode("Gather", {tensor->value, op.makeInts(indices)},
                      type.clone(shape), op.intAttr("axis", tensor->axis));
}
