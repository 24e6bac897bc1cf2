//===- Movement.cpp - Shapes and movement of torch -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/BufferSize.h"
#include <limits>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

/// Returns the size that torch.aten.size.int reads, as a tensor of one i64, or
/// null.
static Value readSize(OpImporter &op, Value value) {
  Operation *size = value.getDefiningOp();
  if (!size || size->getNumOperands() != 2)
    return {};
  StringRef name = size->getName().getStringRef();
  auto type = dyn_cast<RankedTensorType>(size->getOperand(0).getType());
  std::optional<Number> axis = readNumber(size->getOperand(1));
  if ((name != "torch.aten.size.int" && name != "torch.aten.sym_size.int") ||
      !type || !axis || axis->isFloat())
    return {};
  int64_t rank = type.getRank();
  int64_t index = axis->integer < 0 ? axis->integer + rank : axis->integer;
  if (index < 0 || index >= rank)
    return {};
  return op.getSize(size->getOperand(0), index);
}

/// Returns a list of sizes, which are constants or sizes of tensors, as a
/// tensor of i64. `getKept` returns the size that replaces a -1.
static FailureOr<Value>
buildShape(OpImporter &op, size_t index,
           llvm::function_ref<FailureOr<Value>(size_t)> getKept) {
  FailureOr<SmallVector<Value>> list = requireList(op, index);
  if (failed(list))
    return failure();
  SmallVector<Value> sizes;
  for (auto [position, value] : llvm::enumerate(*list)) {
    std::optional<Number> number = readNumber(value);
    if (number && !number->isFloat()) {
      if (number->integer >= 0) {
        sizes.push_back(op.makeInts(number->integer));
        continue;
      }
      FailureOr<Value> kept = number->integer == -1
                                  ? getKept(position)
                                  : FailureOr<Value>(failure());
      if (failed(kept))
        return failOperand(op, index, "sizes from 0, or -1");
      sizes.push_back(*kept);
      continue;
    }
    Value size = readSize(op, value);
    if (!size)
      return failOperand(op, index,
                         "sizes that are constants or sizes of tensors");
    sizes.push_back(size);
  }
  if (sizes.empty())
    return op.makeInts({});
  return op.buildNode("Concat", sizes,
                      RankedTensorType::get(sizes.size(), op.b.getI64Type()),
                      op.intAttr("axis", 0));
}

/// Checks that a reshape to static sizes keeps the number of elements.
static LogicalResult checkCount(OpImporter &op, RankedTensorType from,
                                RankedTensorType to) {
  if (!from.hasStaticShape() || !to.hasStaticShape())
    return success();
  std::optional<int64_t> before = countElements(from.getShape());
  std::optional<int64_t> after = countElements(to.getShape());
  if (before && before == after)
    return success();
  return op.unsupported("the result has the type " + showType(to) +
                        ", which has not the elements of " + showType(from));
}

/// Reshapes to the type of the result.
static NodeResults reshapeToResult(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(value) || failed(type))
    return failure();
  auto from = cast<RankedTensorType>(value->getType());
  if (failed(checkCount(op, from, *type)))
    return failure();
  return op.reshapeTo(*value, type->clone(from.getElementType()));
}

NodeResults torch_ops::convertIdentity(OpImporter &op) {
  FailureOr<Value> value = requireTensor(op, 0);
  if (failed(value))
    return failure();
  return *value;
}

/// Returns operand 1 in the type and shape of operand 0.
NodeResults torch_ops::convertCopy(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<Value> source = requireRankedTensor(op, 1);
  if (failed(value) || failed(source))
    return failure();
  TorchMath math(op);
  RankedTensorType type = op.getRanked(0);
  Value copied = math.to(*source, type.getElementType());
  if (copied.getType() == type)
    return copied;
  if (!type.hasStaticShape())
    return failOperand(op, 0, "a tensor of static shape");
  if (op.getRanked(1).getRank() > type.getRank())
    return failOperand(op, 1, "a tensor of at most the rank of operand 0");
  return op.buildNode("Expand", {copied, op.makeInts(type.getShape())}, type);
}

NodeResults torch_ops::convertDropout(OpImporter &op) {
  FailureOr<bool> isTraining = requireBool(op, 2);
  if (failed(isTraining))
    return failure();
  if (*isTraining)
    return failOperand(op, 2, "inference");
  return convertIdentity(op);
}

NodeResults torch_ops::convertView(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(type))
    return failure();
  if (type->hasStaticShape()) {
    FailureOr<SmallVector<Value>> list = requireList(op, 1);
    if (failed(list))
      return failure();
    // Sizes of tensors are checked at run time.
    for (auto [index, value] : llvm::enumerate(*list)) {
      std::optional<Number> number = readNumber(value);
      if (static_cast<int64_t>(list->size()) == type->getRank() &&
          (!number || number->integer == -1 ||
           number->integer == type->getDimSize(index)))
        continue;
      return failOperand(op, 1, "the sizes of " + showType(*type));
    }
    return reshapeToResult(op);
  }
  FailureOr<Value> value = requireTensor(op, 0);
  FailureOr<Value> shape = buildShape(
      op, 1, [&](size_t) { return FailureOr<Value>(op.makeInts(-1)); });
  if (failed(value) || failed(shape))
    return failure();
  return op.buildNode("Reshape", {*value, *shape},
                      type->clone(op.elementType(0)),
                      op.intAttr("allowzero", 1));
}

NodeResults torch_ops::convertFlatten(OpImporter &op) {
  return reshapeToResult(op);
}

NodeResults torch_ops::convertSqueeze(OpImporter &op) {
  if (op.inputs.size() > 1) {
    FailureOr<Value> value = requireRankedTensor(op, 0);
    if (failed(value) || failed(requireAxis(op, 1, op.getRanked(0).getRank())))
      return failure();
  }
  return reshapeToResult(op);
}

NodeResults torch_ops::convertSqueezeDims(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value) || failed(requireAxes(op, 1, op.getRanked(0).getRank())))
    return failure();
  return reshapeToResult(op);
}

NodeResults torch_ops::convertUnsqueeze(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value))
    return failure();
  auto type = cast<RankedTensorType>(value->getType());
  FailureOr<int64_t> axis = requireAxis(op, 1, type.getRank() + 1);
  if (failed(axis))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + *axis, 1);
  return op.buildNode("Unsqueeze", {*value, op.makeInts(*axis)},
                      type.clone(shape));
}

//===----------------------------------------------------------------------===//
// Transposes
//===----------------------------------------------------------------------===//

NodeResults torch_ops::convertPermute(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<SmallVector<int64_t>> order = requireIntList(op, 1);
  if (failed(value) || failed(order))
    return failure();
  int64_t rank = op.getRanked(0).getRank();
  for (int64_t &axis : *order)
    if (axis < 0)
      axis += rank;
  if (static_cast<int64_t>(order->size()) != rank)
    return failOperand(op, 1, Twine(rank) + " axes");
  if (failed(op.requireAxes("operand 1", *order, rank)))
    return failure();
  return op.transpose(*value, *order);
}

static NodeResults swapAxes(OpImporter &op, Value value, int64_t a, int64_t b) {
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  if (rank == 0)
    return value;
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rank));
  std::swap(order[a], order[b]);
  return op.transpose(value, order);
}

NodeResults torch_ops::convertTranspose(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value))
    return failure();
  int64_t rank = op.getRanked(0).getRank();
  FailureOr<int64_t> first = requireAxis(op, 1, rank);
  FailureOr<int64_t> second = requireAxis(op, 2, rank);
  if (failed(first) || failed(second))
    return failure();
  return swapAxes(op, *value, *first, *second);
}

NodeResults torch_ops::convertTransposeMatrix(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value))
    return failure();
  int64_t rank = op.getRanked(0).getRank();
  if (rank > 2)
    return failOperand(op, 0, "a tensor of at most 2 axes");
  return swapAxes(op, *value, 0, std::max<int64_t>(rank - 1, 0));
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

NodeResults torch_ops::convertExpand(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(value) || failed(type))
    return failure();
  auto from = cast<RankedTensorType>(value->getType());
  int64_t added = type->getRank() - from.getRank();
  if (added < 0)
    return op.unsupported("the result has fewer axes than the operand");
  for (int64_t axis : llvm::seq(from.getRank())) {
    int64_t size = from.getDimSize(axis);
    int64_t expanded = type->getDimSize(axis + added);
    if (size != 1 && size != expanded && !ShapedType::isDynamic(size) &&
        !ShapedType::isDynamic(expanded))
      return op.unsupported("the result has the type " + showType(*type) +
                            ", to which " + showType(from) +
                            " cannot be expanded");
  }
  if (type->hasStaticShape())
    return op.buildNode("Expand", {*value, op.makeInts(type->getShape())},
                        type->clone(from.getElementType()));
  FailureOr<Value> shape =
      buildShape(op, 1, [&](size_t index) -> FailureOr<Value> {
        int64_t axis = static_cast<int64_t>(index) - added;
        if (axis < 0 || axis >= from.getRank())
          return failure();
        return op.getSize(*value, axis);
      });
  if (failed(shape))
    return failure();
  return op.buildNode("Expand", {*value, *shape},
                      type->clone(from.getElementType()));
}

/// Concatenates tensors, which are converted to the type of the result.
static NodeResults concatenate(OpImporter &op, ArrayRef<Value> values,
                               int64_t axis, RankedTensorType type) {
  TorchMath math(op);
  SmallVector<Value> converted;
  int64_t total = 0;
  for (Value value : values) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor || tensor.getRank() != type.getRank())
      return op.unsupported("expected tensors of rank " +
                            Twine(type.getRank()) + ", but got " +
                            showType(value.getType()));
    int64_t size = tensor.getDimSize(axis);
    bool isUnknown =
        ShapedType::isDynamic(size) || ShapedType::isDynamic(total);
    if (isUnknown)
      total = ShapedType::kDynamic;
    else if (llvm::AddOverflow(total, size, total))
      return op.unsupported("the result has too many elements");
    converted.push_back(math.to(value, type.getElementType()));
  }
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = total;
  return op.buildNode("Concat", converted, type.clone(shape),
                      op.intAttr("axis", axis));
}

namespace {
/// The operands of aten.cat and aten.stack, and the type of the result.
struct TensorList {
  SmallVector<Value> values;
  int64_t axis = 0;
  RankedTensorType type;
};
} // namespace

static FailureOr<TensorList> requireTensorList(OpImporter &op) {
  FailureOr<SmallVector<Value>> values = requireList(op, 0);
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(values) || failed(type))
    return failure();
  if (values->empty() || type->getRank() == 0)
    return failOperand(op, 0, "a list of tensors with axes");
  FailureOr<int64_t> axis(0);
  if (!isNone(op, 1))
    axis = requireAxis(op, 1, type->getRank());
  if (failed(axis))
    return failure();
  return TensorList{std::move(*values), *axis, *type};
}

NodeResults torch_ops::convertCat(OpImporter &op) {
  FailureOr<TensorList> list = requireTensorList(op);
  if (failed(list))
    return failure();
  return concatenate(op, list->values, list->axis, list->type);
}

NodeResults torch_ops::convertStack(OpImporter &op) {
  FailureOr<TensorList> list = requireTensorList(op);
  if (failed(list))
    return failure();
  int64_t rank = list->type.getRank() - 1;
  SmallVector<Value> parts;
  for (Value value : list->values) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (!tensor || tensor.getRank() != rank)
      return op.unsupported("expected tensors of rank " + Twine(rank) +
                            ", but got " + showType(value.getType()));
    SmallVector<int64_t> shape(tensor.getShape());
    shape.insert(shape.begin() + list->axis, 1);
    parts.push_back(op.buildNode("Unsqueeze", {value, op.makeInts(list->axis)},
                                 tensor.clone(shape)));
  }
  return concatenate(op, parts, list->axis, list->type);
}

NodeResults torch_ops::convertSlice(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(value) || failed(type))
    return failure();
  int64_t rank = op.getRanked(0).getRank();
  int64_t axis = 0;
  if (rank == 0)
    return failOperand(op, 0, "a tensor with axes");
  if (!isNone(op, 1)) {
    FailureOr<int64_t> given = requireAxis(op, 1, rank);
    if (failed(given))
      return failure();
    axis = *given;
  }
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  FailureOr<int64_t> start = getInt(op, 2, 0);
  FailureOr<int64_t> end = getInt(op, 3, kEnd);
  FailureOr<int64_t> step = getInt(op, 4, 1);
  if (failed(start) || failed(end) || failed(step))
    return failure();
  if (*step < 1)
    return failOperand(op, 4, "a step of at least 1");
  return op.buildNode("Slice",
                      {*value, op.makeInts(*start), op.makeInts(*end),
                       op.makeInts(axis), op.makeInts(*step)},
                      type->clone(op.elementType(0)));
}

/// Returns the elements from `start` to `end` along an axis.
static Value sliceRange(OpImporter &op, Value value, int64_t axis,
                        int64_t start, int64_t end) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = end - start;
  return op.buildNode("Slice",
                      {value, op.makeInts(start), op.makeInts(end),
                       op.makeInts(axis), op.makeInts(1)},
                      type.clone(shape));
}

NodeResults torch_ops::convertListUnpack(OpImporter &op) {
  Operation *list = getDefinition(op.inputs[0]);
  StringRef name = list ? list->getName().getStringRef() : StringRef();
  size_t count = op.op->getNumResults();
  if (name == "torch.prim.ListConstruct") {
    if (list->getNumOperands() != count ||
        !llvm::all_of(list->getOperandTypes(), llvm::IsaPred<TensorType>))
      return failOperand(op, 0, "a list of " + Twine(count) + " tensors");
    return ValueRange(list->getOperands());
  }
  bool isUnbind = name == "torch.aten.unbind.int";
  if (name != "torch.aten.split_with_sizes" &&
      name != "torch.aten.split.Tensor" && name != "torch.aten.chunk" &&
      !isUnbind)
    return failOperand(op, 0, "a list of tensors or of parts of a tensor");
  // Read the operands of the op that splits.
  OpImporter split(list, op.b);
  FailureOr<Value> value = requireRankedTensor(split, 0);
  auto fail = [&] {
    return op.unsupported("'" + name + "': " + split.getProblem());
  };
  if (failed(value))
    return fail();
  auto type = cast<RankedTensorType>(value->getType());
  FailureOr<int64_t> axis(0);
  size_t axisIndex = isUnbind ? 1 : 2;
  if (!isNone(split, axisIndex))
    axis = requireAxis(split, axisIndex, type.getRank());
  if (failed(axis))
    return fail();
  if (type.getRank() == 0 || type.isDynamicDim(*axis))
    return op.unsupported("parts along an axis of unknown size");
  int64_t size = type.getDimSize(*axis);
  SmallVector<int64_t> sizes;
  if (name == "torch.aten.split_with_sizes") {
    FailureOr<SmallVector<int64_t>> given = requireIntList(split, 1);
    if (failed(given))
      return fail();
    sizes = *given;
  } else {
    FailureOr<int64_t> number =
        isUnbind ? FailureOr<int64_t>(1) : requireIntOperand(split, 1);
    if (failed(number))
      return fail();
    int64_t step = *number;
    if (name == "torch.aten.chunk" && step > 0)
      step = std::max<int64_t>(llvm::divideCeil(size, step), 1);
    for (int64_t left = size; step > 0 && left > 0 && sizes.size() < count;
         left -= step)
      sizes.push_back(std::min(step, left));
  }
  int64_t sum = 0;
  for (int64_t part : sizes)
    if (part < 0 || part > size - sum)
      return op.unsupported("the parts are larger than the tensor");
    else
      sum += part;
  if (sum != size || sizes.size() != count)
    return op.unsupported("expected " + Twine(sizes.size()) +
                          " results that have " + Twine(size) +
                          " elements along axis " + Twine(*axis));
  SmallVector<Value> parts;
  int64_t start = 0;
  for (int64_t part : sizes) {
    Value slice = sliceRange(op, *value, *axis, start, start + part);
    if (isUnbind) {
      SmallVector<int64_t> shape(type.getShape());
      shape.erase(shape.begin() + *axis);
      slice = op.reshapeTo(slice, type.clone(shape));
    }
    parts.push_back(slice);
    start += part;
  }
  return ValueRange(parts);
}

NodeResults torch_ops::convertRepeat(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<SmallVector<int64_t>> counts = requireIntList(op, 1);
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(value) || failed(counts) || failed(type))
    return failure();
  auto from = cast<RankedTensorType>(value->getType());
  int64_t rank = counts->size();
  if (rank < from.getRank() || rank != type->getRank() ||
      llvm::any_of(*counts, [](int64_t count) { return count < 0; }))
    return failOperand(op, 1, "a count for each axis of the result");
  SmallVector<int64_t> shape(rank - from.getRank(), 1);
  llvm::append_range(shape, from.getShape());
  Value unsqueezed = op.reshapeTo(*value, from.clone(shape));
  return op.buildNode("Tile", {unsqueezed, op.makeInts(*counts)},
                      type->clone(from.getElementType()));
}

NodeResults torch_ops::convertSelect(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value))
    return failure();
  auto type = cast<RankedTensorType>(value->getType());
  if (type.getRank() == 0)
    return failOperand(op, 0, "a tensor with axes");
  FailureOr<int64_t> axis = requireAxis(op, 1, type.getRank());
  FailureOr<int64_t> index = requireIntOperand(op, 2);
  if (failed(axis) || failed(index))
    return failure();
  int64_t size = type.getDimSize(*axis);
  if (!ShapedType::isDynamic(size) && (*index < -size || *index >= size))
    return failOperand(op, 2, "an index into " + Twine(size) + " elements");
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + *axis);
  Value position = op.makeConstant(DenseElementsAttr::get(
      RankedTensorType::get({}, op.b.getI64Type()), *index));
  return op.buildNode("Gather", {*value, position}, type.clone(shape),
                      op.intAttr("axis", *axis));
}

/// Gathers slices along an axis.
static NodeResults gather(OpImporter &op, Value value, Value indices,
                          int64_t axis) {
  Type type = getElementTypeOrSelf(indices);
  if (!type.isSignlessInteger(32) && !type.isSignlessInteger(64))
    return op.unsupported("indices of type " + showType(indices.getType()));
  return op.buildNode(
      "Gather", {value, indices},
      cast<TensorType>(op.resultType()).clone(getElementTypeOrSelf(value)),
      op.intAttr("axis", axis));
}

NodeResults torch_ops::convertIndexSelect(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<Value> indices = requireRankedTensor(op, 2);
  if (failed(value) || failed(indices))
    return failure();
  int64_t rank = op.getRanked(0).getRank();
  FailureOr<int64_t> axis = requireAxis(op, 1, rank);
  if (failed(axis))
    return failure();
  if (rank == 0 || op.getRanked(2).getRank() != 1)
    return op.unsupported("expected a tensor with axes, and indices of rank 1");
  return gather(op, *value, *indices, *axis);
}

NodeResults torch_ops::convertEmbedding(OpImporter &op) {
  FailureOr<Value> weight = requireRankedTensor(op, 0);
  FailureOr<Value> indices = requireTensor(op, 1);
  if (failed(weight) || failed(indices))
    return failure();
  if (op.getRanked(0).getRank() != 2)
    return failOperand(op, 0, "a matrix");
  return gather(op, *weight, *indices, 0);
}

/// Removes elements at both ends of an axis.
static FailureOr<Value> cropAxis(OpImporter &op, Value value, int64_t axis,
                                 int64_t low, int64_t high) {
  int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(axis);
  if (ShapedType::isDynamic(size) || low + high > size)
    return failOperand(op, 1, "to remove at most the elements of an axis");
  return sliceRange(op, value, axis, low, size - high);
}

NodeResults torch_ops::convertPad(OpImporter &op) {
  constexpr int64_t kMaxAmount = std::numeric_limits<int32_t>::max();
  FailureOr<Value> value = requireRankedTensor(op, 0);
  FailureOr<SmallVector<int64_t>> amounts = requireIntList(op, 1);
  if (failed(value) || failed(amounts))
    return failure();
  auto type = cast<RankedTensorType>(value->getType());
  Number number = Number::fromInt(0);
  if (!isNone(op, 2)) {
    FailureOr<Number> given = requireNumber(op, 2);
    if (failed(given))
      return failure();
    number = *given;
  }
  int64_t rank = type.getRank(), count = amounts->size();
  if (count % 2 != 0 || count / 2 > rank)
    return failOperand(
        op, 1, "two amounts for each of at most " + Twine(rank) + " axes");
  // The list begins with the last axis.
  SmallVector<int64_t> shape(type.getShape()), pads(2 * rank);
  for (int64_t i : llvm::seq(count / 2)) {
    int64_t axis = rank - 1 - i;
    int64_t low = (*amounts)[2 * i], high = (*amounts)[2 * i + 1];
    for (int64_t amount : {low, high})
      if (std::abs(std::max(amount, -kMaxAmount - 1)) > kMaxAmount)
        return failOperand(op, 1, "amounts of at most 2^31 - 1");
    // A negative amount removes elements.
    if (low < 0 || high < 0) {
      FailureOr<Value> cropped =
          cropAxis(op, *value, axis, std::max<int64_t>(-low, 0),
                   std::max<int64_t>(-high, 0));
      if (failed(cropped))
        return failure();
      value = cropped;
      shape[axis] = cast<RankedTensorType>(value->getType()).getDimSize(axis);
    }
    pads[axis] = std::max<int64_t>(low, 0);
    pads[rank + axis] = std::max<int64_t>(high, 0);
    if (!ShapedType::isDynamic(shape[axis]) &&
        llvm::AddOverflow(shape[axis], pads[axis] + pads[rank + axis],
                          shape[axis]))
      return op.unsupported("the result has too many elements");
  }
  Value padding = TorchMath(op).makeNumber(type.getElementType(), number);
  return op.buildNode("Pad", {*value, op.makeInts(pads), padding},
                      type.clone(shape), op.stringAttr("mode", "constant"));
}
