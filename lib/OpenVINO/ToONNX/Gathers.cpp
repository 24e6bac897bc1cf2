//===- Gathers.cpp - Gather and scatter layers ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

/// Returns the permutation that moves an axis.
static SmallVector<int64_t> moveAxis(int64_t rank, int64_t from, int64_t to) {
  auto order = llvm::to_vector(llvm::seq(rank));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return order;
}

static SmallVector<int64_t> invert(ArrayRef<int64_t> order) {
  SmallVector<int64_t> inverse(order.size());
  for (auto [to, from] : llvm::enumerate(order))
    inverse[from] = to;
  return inverse;
}

//===----------------------------------------------------------------------===//
// Gather
//===----------------------------------------------------------------------===//

namespace {
/// The axes of a Gather, counted from the front.
struct GatherAxes {
  int64_t axis, batches;
};
} // namespace

static FailureOr<GatherAxes> getGatherAxes(LayerContext &context) {
  auto axis = context.getConstantInts(2);
  if (!axis || axis->size() != 1)
    return context.unsupported("the axis must be a constant of one element");
  // A negative batch_dims counts from the end of the indices.
  int64_t batches = context.getInt("batch_dims");
  if (batches < 0)
    batches += context.getRank(1).value_or(0);
  if (batches == 0)
    return GatherAxes{axis->front(), 0};
  FailureOr<int64_t> rank = context.requireRank(0);
  FailureOr<int64_t> indexRank = context.requireRank(1);
  if (failed(rank) || failed(indexRank))
    return failure();
  GatherAxes axes = {axis->front() + (axis->front() < 0 ? *rank : 0), batches};
  if (batches < 0 || batches > *indexRank || batches > axes.axis ||
      axes.axis >= *rank)
    return context.unsupported("axis " + Twine(axis->front()) +
                               " precedes batch_dims " + Twine(batches));
  return axes;
}

/// Moves the axis after the batch dimensions, as GatherND requires, and moves
/// the gathered dimensions back to its position.
static Value gatherInBatches(LayerContext &context, GatherAxes axes,
                             Value indices) {
  int64_t rank = *context.getRank(0), indexRank = *context.getRank(1);
  Value data = context.transpose(context.inputs[0],
                                 moveAxis(rank, axes.axis, axes.batches));
  Value gathered =
      context.apply("GatherND", {data, context.unsqueeze(indices, -1)},
                    context.intAttr("batch_dims", axes.batches));
  SmallVector<int64_t> order;
  llvm::append_range(order, llvm::seq(axes.batches));
  llvm::append_range(
      order, llvm::seq(indexRank, indexRank + axes.axis - axes.batches));
  llvm::append_range(order, llvm::seq(axes.batches, indexRank));
  llvm::append_range(order, llvm::seq(indexRank + axes.axis - axes.batches,
                                      indexRank + rank - axes.batches - 1));
  return context.transpose(gathered, order);
}

static Value gather(LayerContext &context, GatherAxes axes, Value indices) {
  if (axes.batches != 0)
    return gatherInBatches(context, axes, indices);
  return context.apply("Gather", {context.inputs[0], indices},
                       context.intAttr("axis", axes.axis));
}

LayerResults openvino_layers::convertGather(LayerContext &context) {
  FailureOr<GatherAxes> axes = getGatherAxes(context);
  if (failed(axes))
    return failure();
  FailureOr<Value> indices = context.getAsInt64(1);
  if (failed(indices))
    return failure();
  return gather(context, *axes, *indices);
}

/// Whether all indices are known to be in bounds.
static bool isInside(LayerContext &context, int64_t axis) {
  auto data = cast<RankedTensorType>(context.inputs[0].getType());
  auto indices = context.getConstantInts(1);
  int64_t size = data.getDimSize(axis);
  return indices && !ShapedType::isDynamic(size) &&
         llvm::all_of(*indices, [&](int64_t index) {
           return -size <= index && index < size;
         });
}

/// An index that is out of bounds gives zeros.
LayerResults openvino_layers::convertGatherOrZero(LayerContext &context) {
  FailureOr<GatherAxes> axes = getGatherAxes(context);
  if (failed(axes))
    return failure();
  std::optional<int64_t> rank = context.getRank(0);
  std::optional<int64_t> indexRank = context.getRank(1);
  if (!rank || !indexRank)
    return convertGather(context);
  int64_t axis = axes->axis + (axes->axis < 0 ? *rank : 0);
  Type elementType = context.elementType(0);
  // f8E8M0FNU has no zero. An invalid axis is reported elsewhere.
  if (isa<Float8E8M0FNUType>(elementType) || axis < 0 || axis >= *rank ||
      isInside(context, axis))
    return convertGather(context);
  FailureOr<Value> indices = context.getAsInt64(1);
  if (failed(indices))
    return failure();
  Type wide = context.b.getI64Type();
  Value sizes = context.buildNode("Shape", context.inputs[0], wide);
  Value size = context.apply("Gather", {sizes, context.makeNumber(wide, axis)},
                             context.intAttr("axis", 0));
  Value min = context.apply("Neg", size);
  Value isAbove = context.compare("GreaterOrEqual", {*indices, min});
  Value isBelow = context.compare("Less", {*indices, size});
  Value isFound = context.compare("And", {isAbove, isBelow});
  Value safe = context.buildNode(
      "Where", {isFound, *indices, context.makeNumber(wide, 0)}, wide);
  Value gathered = gather(context, *axes, safe);
  // Append the dimensions of the data after the axis, and, with batches, insert
  // those between the batches and the axis.
  SmallVector<int64_t> added;
  if (axes->batches != 0)
    llvm::append_range(added, llvm::seq(axes->batches, axis));
  int64_t behind = axis + *indexRank - axes->batches;
  llvm::append_range(
      added,
      llvm::seq(axes->batches != 0 ? behind : *indexRank,
                (axes->batches != 0 ? behind : *indexRank) + *rank - axis - 1));
  isFound = context.unsqueeze(isFound, added);
  Value zero = context.makeNumber(elementType, 0);
  return context.buildNode("Where", {isFound, gathered, zero}, elementType);
}

LayerResults openvino_layers::convertGatherElements(LayerContext &context) {
  FailureOr<Value> indices = context.getAsInt64(1);
  if (failed(indices))
    return failure();
  return context.apply("GatherElements", {context.inputs[0], *indices},
                       context.intAttr("axis", context.getInt("axis")));
}

LayerResults openvino_layers::convertGatherND(LayerContext &context) {
  FailureOr<Value> indices = context.getAsInt64(1);
  if (failed(indices))
    return failure();
  return context.apply(
      "GatherND", {context.inputs[0], *indices},
      context.intAttr("batch_dims", context.getInt("batch_dims")));
}

/// The batch dimensions are joined to one.
LayerResults openvino_layers::convertGatherNDV5(LayerContext &context) {
  LayerResults results = convertGatherND(context);
  int64_t batches = context.getInt("batch_dims");
  if (failed(results) || batches < 2)
    return results;
  Value gathered = results->front();
  NamedAttribute start = context.intAttr("start", batches);
  Value rest =
      context.buildNode("Shape", gathered, context.b.getI64Type(), start);
  return context.apply(
      "Reshape", {gathered, context.concatenate({context.makeInts(-1), rest})});
}

//===----------------------------------------------------------------------===//
// Updates
//===----------------------------------------------------------------------===//

/// Returns ONNX's name of the reduction. Fails if ONNX has no such reduction.
static FailureOr<StringRef> getReduction(LayerContext &context) {
  StringRef name = context.getString("reduction");
  StringRef onnxName = llvm::StringSwitch<StringRef>(name)
                           .Cases({"", "none"}, "none")
                           .Cases({"sum", "sub"}, "add")
                           .Case("prod", "mul")
                           .Case("min", "min")
                           .Case("max", "max")
                           .Default("");
  if (onnxName.empty())
    return context.unsupported("unknown reduction " + name);
  if (context.has("use_init_val") && !context.getFlag("use_init_val") &&
      onnxName != "none")
    return context.unsupported("reduction " + name +
                               " without the initial values");
  return onnxName;
}

LayerResults openvino_layers::convertScatterElements(LayerContext &context) {
  FailureOr<Value> indices = context.getAsInt64(1);
  FailureOr<int64_t> axis = context.requireConstantInt(3);
  FailureOr<StringRef> reduction = getReduction(context);
  if (failed(indices) || failed(axis) || failed(reduction))
    return failure();
  NamedAttribute attributes[] = {context.intAttr("axis", *axis),
                                 context.stringAttr("reduction", *reduction)};
  return context.apply("ScatterElements",
                       {context.inputs[0], *indices, context.inputs[2]},
                       attributes);
}

LayerResults openvino_layers::convertScatterND(LayerContext &context) {
  FailureOr<Value> indices = context.getAsInt64(1);
  FailureOr<StringRef> reduction = getReduction(context);
  if (failed(indices) || failed(reduction))
    return failure();
  Value updates = context.inputs[2];
  if (context.getString("reduction") == "sub")
    updates = context.apply("Neg", updates);
  return context.apply("ScatterND", {context.inputs[0], *indices, updates},
                       context.stringAttr("reduction", *reduction));
}

/// Replaces slices along an axis, which is moved to the front, as ScatterND
/// requires.
LayerResults openvino_layers::convertScatterUpdate(LayerContext &context) {
  FailureOr<Value> indices = context.getAsInt64(1);
  FailureOr<int64_t> axis = context.requireConstantInt(3);
  FailureOr<int64_t> rank = context.requireRank(0);
  FailureOr<int64_t> indexRank = context.requireRank(1);
  if (failed(indices) || failed(axis) || failed(rank) || failed(indexRank))
    return failure();
  int64_t from = *axis + (*axis < 0 ? *rank : 0);
  if (from < 0 || from >= *rank)
    return context.unsupported("axis " + Twine(*axis) + " of rank " +
                               Twine(*rank));
  SmallVector<int64_t> order = moveAxis(*rank, from, 0);
  // The indices' dimensions are at the position of the axis in the updates.
  SmallVector<int64_t> updateOrder;
  llvm::append_range(updateOrder, llvm::seq(from, from + *indexRank));
  llvm::append_range(updateOrder, llvm::seq(from));
  llvm::append_range(updateOrder,
                     llvm::seq(from + *indexRank, *rank - 1 + *indexRank));
  Value data = context.transpose(context.inputs[0], order);
  Value updates = context.transpose(context.inputs[2], updateOrder);
  Value changed = context.apply(
      "ScatterND", {data, context.unsqueeze(*indices, -1), updates});
  return context.transpose(changed, invert(order));
}

//===----------------------------------------------------------------------===//
// OneHot
//===----------------------------------------------------------------------===//

/// A negative index sets no element. In ONNX it would count from the end.
LayerResults openvino_layers::convertOneHot(LayerContext &context) {
  FailureOr<Value> indices = context.getAsInt64(0);
  FailureOr<Value> depth = context.getAsInt64(1);
  if (failed(indices) || failed(depth))
    return failure();
  Value on = context.reshape(context.inputs[2], 1);
  Value off = context.reshape(context.inputs[3], 1);
  Type wide = context.b.getI64Type();
  Value zero = context.makeNumber(wide, 0);
  Value isNegative = context.compare("Less", {*indices, zero});
  Value found =
      context.buildNode("Where", {isNegative, *depth, *indices}, wide);
  Type type = context.elementType(2);
  return context.buildNode(
      "OneHot", {found, *depth, context.concatenate({off, on})}, type,
      context.intAttr("axis", context.getInt("axis")));
}

//===----------------------------------------------------------------------===//
// NonZero
//===----------------------------------------------------------------------===//

/// The result has a row of positions for each axis.
LayerResults openvino_layers::convertNonZero(LayerContext &context) {
  FailureOr<int64_t> rank = context.requireRank(0);
  Type wide = context.b.getI64Type();
  FailureOr<Type> type = context.getIntegerType("output_type", wide);
  if (failed(rank) || failed(type))
    return failure();
  if (*rank == 0)
    return context.unsupported("a scalar has no axes");
  if (!context.elementType(0).isInteger(1) && failed(context.requireNumbers()))
    return failure();
  return context.cast(context.buildNode("NonZero", context.inputs[0], wide),
                      *type);
}
