//===- Movement.cpp - Layers that move elements ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

/// special_zero: a size of 0 is the size of the input.
LayerResults openvino_layers::convertReshape(LayerContext &context) {
  FailureOr<Value> shape = context.getAsInt64(1);
  if (failed(shape))
    return failure();
  bool copiesZero = context.getFlag("special_zero");
  return context.buildNode("Reshape", {context.inputs[0], *shape},
                           context.elementType(0),
                           context.intAttr("allowzero", !copiesZero));
}

/// An empty order reverses the axes.
LayerResults openvino_layers::convertTranspose(LayerContext &context) {
  auto order = context.getConstantInts(1);
  if (!order)
    return context.unsupported("the order of axes must be a constant");
  if (llvm::any_of(*order, [](int64_t axis) { return axis < 0; }))
    return context.unsupported(
        "the order of axes must not contain negative axes");
  SmallVector<NamedAttribute> attributes;
  if (!order->empty())
    attributes.push_back(context.intsAttr("perm", *order));
  return context.buildNode("Transpose", context.inputs[0],
                           context.elementType(0), attributes);
}

LayerResults openvino_layers::convertConcat(LayerContext &context) {
  return context.buildNode("Concat", context.inputs, context.elementType(0),
                           context.intAttr("axis", context.getInt("axis")));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// The axes are an optional input. No axes means all axes of size 1.
LayerResults openvino_layers::convertSqueeze(LayerContext &context) {
  if (context.inputs.size() < 2)
    return context.apply("Squeeze", context.inputs);
  FailureOr<SmallVector<int64_t>> axes = context.requireConstantInts(1);
  if (failed(axes))
    return failure();
  SmallVector<Value> operands = {context.inputs[0]};
  if (!axes->empty())
    operands.push_back(context.makeInts(*axes));
  return context.apply("Squeeze", operands);
}

LayerResults openvino_layers::convertUnsqueeze(LayerContext &context) {
  FailureOr<SmallVector<int64_t>> axes = context.requireConstantInts(1);
  if (failed(axes))
    return failure();
  return context.unsqueeze(context.inputs[0], *axes);
}

LayerResults openvino_layers::convertShapeOf(LayerContext &context) {
  Type wide = context.b.getI64Type();
  FailureOr<Type> type = context.getIntegerType("output_type", wide);
  if (failed(type))
    return failure();
  return context.cast(context.buildNode("Shape", context.inputs[0], wide),
                      *type);
}

/// Returns the number of elements of a list of axes or similar.
static FailureOr<int64_t> getLength(LayerContext &context, size_t index) {
  auto type = dyn_cast<RankedTensorType>(context.inputs[index].getType());
  constexpr int64_t kMaxSize = 64;
  if (!type || type.getRank() > 1 || !type.hasStaticShape() ||
      (type.getRank() == 1 && type.getDimSize(0) > kMaxSize))
    return context.unsupported("input " + Twine(index) + " has the type " +
                               showType(context.inputs[index].getType()) +
                               ", which is not a list of at most " +
                               Twine(kMaxSize) + " elements");
  return type.getNumElements();
}

/// Inserts axes, so that each axis of the input is at the position that the
/// third input specifies.
static FailureOr<Value> buildPermutation(LayerContext &context) {
  FailureOr<SmallVector<int64_t>> axes = context.requireConstantInts(2);
  FailureOr<int64_t> rank = getLength(context, 1);
  if (failed(axes) || failed(rank))
    return failure();
  if (!llvm::is_sorted(*axes))
    return context.unsupported("the axis mapping must be sorted");
  SmallVector<int64_t> added;
  for (int64_t axis : llvm::seq(*rank))
    if (!llvm::is_contained(*axes, axis))
      added.push_back(axis);
  return context.unsqueeze(context.inputs[0], added);
}

LayerResults openvino_layers::convertBroadcast(LayerContext &context) {
  FailureOr<Value> shape = context.getAsInt64(1);
  bool isExplicit = context.getString("mode") == "explicit";
  if (isExplicit && context.inputs.size() < 3)
    return context.unsupported("mode explicit requires an axis mapping");
  FailureOr<Value> data = isExplicit ? buildPermutation(context)
                                     : FailureOr<Value>(context.inputs[0]);
  if (failed(shape) || failed(data))
    return failure();
  return context.apply("Expand", {*data, *shape});
}

/// The shorter one of repeats and shape is extended by leading ones.
LayerResults openvino_layers::convertTile(LayerContext &context) {
  FailureOr<Value> repeats = context.getAsInt64(1);
  FailureOr<int64_t> rank = context.requireRank(0);
  FailureOr<int64_t> length = getLength(context, 1);
  if (failed(repeats) || failed(rank) || failed(length))
    return failure();
  int64_t added = std::max<int64_t>(*length - *rank, 0);
  Value data =
      context.unsqueeze(context.inputs[0], llvm::to_vector(llvm::seq(added)));
  Value all = *repeats;
  if (*length < *rank)
    all = context.concatenate(
        {context.makeInts(SmallVector<int64_t>(*rank - *length, 1)), all});
  return context.apply("Tile", {data, all});
}

/// Integers and floats may be mixed. The range is computed in floats then.
LayerResults openvino_layers::convertRange(LayerContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Type type = context.has("output_type") ? context.getType("output_type")
                                         : context.elementType(0);
  if (!type) {
    StringRef name = context.getString("output_type");
    return context.unsupported("unsupported element type '" + name + "'");
  }
  Type computed = b.getI64Type();
  for (size_t index : llvm::seq(context.inputs.size()))
    if (Type inputType = context.elementType(index); isa<FloatType>(inputType))
      computed = inputType.isF64() ? inputType : Type(b.getF32Type());
  SmallVector<Value> limits =
      llvm::map_to_vector(context.inputs, [&](Value input) {
        return context.cast(input, computed);
      });
  return context.cast(context.apply("Range", limits), type);
}

/// Returns the numbers from 0 to the value of input `index`, exclusively.
static FailureOr<Value> countUp(LayerContext &context, size_t index) {
  FailureOr<Value> size = context.getAsInt64(index);
  if (failed(size))
    return failure();
  Type wide = context.b.getI64Type();
  Value scalar = context.reshape(*size, ArrayRef<int64_t>());
  return context.apply("Range", {context.makeNumber(wide, 0), scalar,
                                 context.makeNumber(wide, 1)});
}

/// Ones where the column minus the row is equal to the diagonal's index.
LayerResults openvino_layers::convertEye(LayerContext &context) {
  Type type = context.getType("output_type");
  StringRef name = context.getString("output_type");
  if (!type)
    return context.unsupported("unsupported element type '" + name + "'");
  FailureOr<Value> rows = countUp(context, 0), columns = countUp(context, 1);
  FailureOr<Value> diagonal = context.getAsInt64(2);
  if (failed(rows) || failed(columns) || failed(diagonal))
    return failure();
  Value difference =
      context.apply("Sub", {*columns, context.unsqueeze(*rows, 1)});
  Value ones = context.cast(
      context.compare("Equal", {difference, context.reshape(*diagonal, 1)}),
      type);
  if (context.inputs.size() < 4)
    return ones;
  FailureOr<Value> batch = context.getAsInt64(3);
  if (failed(batch))
    return failure();
  // Expand does not change sizes for which the shape has 1.
  Value shape = context.concatenate({*batch, context.makeInts({1, 1})});
  return context.apply("Expand", {ones, shape});
}

/// Moves the last elements along an axis, as many as the shift, to the front.
LayerResults openvino_layers::convertRoll(LayerContext &context) {
  FailureOr<int64_t> rank = context.requireRank(0);
  FailureOr<int64_t> shiftCount = getLength(context, 1);
  FailureOr<int64_t> axisCount = getLength(context, 2);
  FailureOr<SmallVector<int64_t>> axes = context.requireConstantInts(2);
  FailureOr<Value> shifts = context.getAsInt64(1);
  if (failed(rank) || failed(shiftCount) || failed(axisCount) || failed(axes) ||
      failed(shifts))
    return failure();
  // The specification permits one shift for several axes, but neither
  // OpenVINO's plugin nor its reference supports it.
  if (*shiftCount != *axisCount)
    return context.unsupported("expected one shift for each of " +
                               Twine(*axisCount) + " axes, but got " +
                               Twine(*shiftCount));
  Value list = context.reshape(*shifts, -1), result = context.inputs[0];
  Value zero = context.makeInts(0), one = context.makeInts(1);
  Value end = context.makeInts(std::numeric_limits<int64_t>::max());
  for (auto [number, axisValue] : llvm::enumerate(*axes)) {
    int64_t axis = axisValue + (axisValue < 0 ? *rank : 0);
    if (axis < 0 || axis >= *rank)
      return context.unsupported("axis " + Twine(axisValue) + " of rank " +
                                 Twine(*rank));
    Value which = context.makeInts(number);
    Value shift =
        context.apply("Gather", {list, which}, context.intAttr("axis", 0));
    Value size = context.getSize(0, axis);
    // Prevent a division by zero if the axis is empty.
    Value last =
        context.apply("Mod", {shift, context.apply("Max", {size, one})});
    Value middle = context.apply("Sub", {size, last});
    Value along = context.makeInts(axis);
    Value parts[] = {context.apply("Slice", {result, middle, end, along}),
                     context.apply("Slice", {result, zero, middle, along})};
    result = context.apply("Concat", parts, context.intAttr("axis", axis));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Split and slice
//===----------------------------------------------------------------------===//

static ValueRange split(LayerContext &context, size_t count, Value lengths,
                        ArrayRef<NamedAttribute> attributes) {
  SmallVector<Type> types(count, context.elementType(0));
  return context.buildNodes("Split", {context.inputs[0], lengths}, types,
                            attributes);
}

LayerResults openvino_layers::convertSplit(LayerContext &context) {
  FailureOr<int64_t> axis = context.requireConstantInt(1);
  int64_t count = context.getInt("num_splits");
  if (failed(axis))
    return failure();
  // Every part must have a result.
  if (count != context.node->getNumResults())
    return context.unsupported("num_splits is " + Twine(count) +
                               ", but the number of outputs is " +
                               Twine(context.node->getNumResults()));
  NamedAttribute attributes[] = {context.intAttr("axis", *axis),
                                 context.intAttr("num_outputs", count)};
  return split(context, count, /*lengths=*/Value(), attributes);
}

/// A length of -1 is the remaining length.
LayerResults openvino_layers::convertVariadicSplit(LayerContext &context) {
  FailureOr<int64_t> axis = context.requireConstantInt(1);
  FailureOr<int64_t> rank = context.requireRank(0);
  FailureOr<Value> lengths = context.getAsInt64(2);
  if (failed(axis) || failed(rank) || failed(lengths))
    return failure();
  Value parts = *lengths;
  if (std::optional<SmallVector<int64_t>> known = context.getConstantInts(2))
    if (auto *inferred = llvm::find(*known, -1); inferred != known->end()) {
      if (failed(context.requireRange("input 2", *known, -1)))
        return failure();
      int64_t sum = 1;
      for (int64_t length : *known)
        sum += length;
      int64_t from = *axis + (*axis < 0 ? *rank : 0);
      if (from < 0 || from >= *rank)
        return context.unsupported("axis " + Twine(*axis) + " of rank " +
                                   Twine(*rank));
      Value rest = context.apply(
          "Sub", {context.getSize(0, from), context.makeInts(sum)});
      ArrayRef<int64_t> all = *known;
      size_t position = inferred - known->begin();
      parts =
          context.concatenate({context.makeInts(all.take_front(position)), rest,
                               context.makeInts(all.drop_front(position + 1))});
    }
  return split(context, context.node->getNumResults(), parts,
               context.intAttr("axis", *axis));
}

/// The inputs are start, stop, step, axes. In ONNX, step follows axes.
LayerResults openvino_layers::convertSlice(LayerContext &context) {
  SmallVector<Value> lists;
  for (size_t index : llvm::seq<size_t>(1, context.inputs.size())) {
    FailureOr<Value> list = context.getAsInt64(index);
    if (failed(list))
      return failure();
    lists.push_back(*list);
  }
  if (lists.size() < 4) {
    FailureOr<int64_t> count = getLength(context, 1);
    if (failed(count))
      return failure();
    lists.push_back(
        context.makeInts(llvm::to_vector(llvm::seq<int64_t>(*count))));
  }
  return context.apply(
      "Slice", {context.inputs[0], lists[0], lists[1], lists[3], lists[2]});
}

namespace {
/// The range of each axis, and the axes to remove and to add.
struct Strides {
  SmallVector<Value> starts, ends;
  SmallVector<int64_t> steps, axes;
  SmallVector<int64_t> removed, added;
};
} // namespace

static constexpr int64_t kFirst = std::numeric_limits<int64_t>::min();
static constexpr int64_t kLast = std::numeric_limits<int64_t>::max();

/// The masks specify, for each element of the lists, whether the range begins
/// or ends where the axis does, whether it adds an axis or removes one (then
/// the range has one element), or whether it stands for all axes that are not
/// listed.
static FailureOr<Strides> readStrides(LayerContext &context) {
  FailureOr<int64_t> rank = context.requireRank(0);
  FailureOr<int64_t> count = getLength(context, 1);
  FailureOr<Value> begin = context.getAsInt64(1), end = context.getAsInt64(2);
  if (failed(rank) || failed(count) || failed(begin) || failed(end))
    return failure();
  SmallVector<int64_t> steps(*count, 1);
  if (context.inputs.size() > 3) {
    FailureOr<SmallVector<int64_t>> specified = context.requireConstantInts(3);
    if (failed(specified))
      return failure();
    steps = *specified;
    steps.resize(*count, 1);
  }
  std::optional<SmallVector<int64_t>> first = context.getConstantInts(1);
  auto isSet = [&](StringRef mask, int64_t index) {
    SmallVector<int64_t> values = context.getInts(mask);
    return index < static_cast<int64_t>(values.size()) && values[index] != 0;
  };
  int64_t listed = llvm::count_if(llvm::seq(*count), [&](int64_t index) {
    return !isSet("new_axis_mask", index) && !isSet("ellipsis_mask", index);
  });
  if (listed > *rank)
    return context.unsupported("slices of " + Twine(listed) +
                               " axes of a tensor of rank " + Twine(*rank));
  Strides strides;
  int64_t axis = 0, output = 0;
  for (int64_t index : llvm::seq(*count)) {
    if (isSet("ellipsis_mask", index)) {
      axis += *rank - listed;
      output += *rank - listed;
      continue;
    }
    if (isSet("new_axis_mask", index)) {
      strides.added.push_back(output++);
      continue;
    }
    auto get = [&](Value list, StringRef mask, int64_t limit) {
      if (isSet(mask, index))
        return context.makeInts(limit);
      return context.apply("Gather", {list, context.makeInts(index)},
                           context.intAttr("axis", 0));
    };
    int64_t step = steps[index];
    if (isSet("shrink_axis_mask", index)) {
      if (!first)
        return context.unsupported(
            "the position of a removed axis must be a constant");
      int64_t position = (*first)[index];
      // After -1 comes the end.
      strides.starts.push_back(context.makeInts(position));
      strides.ends.push_back(context.makeInts(
          position == -1 || position == kLast ? kLast : position + 1));
      strides.removed.push_back(axis);
      step = 1;
    } else {
      strides.starts.push_back(get(*begin, "begin_mask", step > 0 ? 0 : kLast));
      strides.ends.push_back(get(*end, "end_mask", step > 0 ? kLast : kFirst));
      ++output;
    }
    strides.steps.push_back(step);
    strides.axes.push_back(axis++);
  }
  return strides;
}

LayerResults openvino_layers::convertStridedSlice(LayerContext &context) {
  FailureOr<Strides> strides = readStrides(context);
  if (failed(strides))
    return failure();
  Value result = context.inputs[0];
  if (!strides->axes.empty())
    result =
        context.apply("Slice", {result, context.concatenate(strides->starts),
                                context.concatenate(strides->ends),
                                context.makeInts(strides->axes),
                                context.makeInts(strides->steps)});
  if (!strides->removed.empty())
    result =
        context.apply("Squeeze", {result, context.makeInts(strides->removed)});
  return context.unsqueeze(result, strides->added);
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

static Value slice(LayerContext &context, Value value, int64_t axis,
                   int64_t start, int64_t end, int64_t step) {
  return context.apply("Slice",
                       {value, context.makeInts(start), context.makeInts(end),
                        context.makeInts(axis), context.makeInts(step)});
}

/// Mirrors including the border elements, which ONNX's reflect excludes.
static FailureOr<Value> padSymmetrically(LayerContext &context) {
  FailureOr<SmallVector<int64_t>> before = context.requireConstantInts(1);
  FailureOr<SmallVector<int64_t>> behind = context.requireConstantInts(2);
  if (failed(before) || failed(behind))
    return failure();
  FailureOr<int64_t> rank = context.requireRank(0);
  if (failed(rank))
    return failure();
  if (static_cast<int64_t>(before->size()) != *rank ||
      static_cast<int64_t>(behind->size()) != *rank)
    return context.unsupported(
        "expected " + Twine(*rank) + " pads on each side, but got " +
        Twine(before->size()) + " and " + Twine(behind->size()));
  Value result = context.inputs[0];
  for (auto [axis, low, high] : llvm::enumerate(*before, *behind)) {
    if (low < 0 || high < 0)
      return context.unsupported("symmetric pads must not be negative");
    SmallVector<Value> parts;
    if (low > 0)
      parts.push_back(slice(context, result, axis, low - 1, kFirst, -1));
    parts.push_back(result);
    if (high > 0)
      parts.push_back(slice(context, result, axis, -1, -1 - high, -1));
    if (parts.size() > 1)
      result = context.apply("Concat", parts, context.intAttr("axis", axis));
  }
  return result;
}

LayerResults openvino_layers::convertPad(LayerContext &context) {
  StringRef mode = context.getString("pad_mode");
  if (mode == "symmetric")
    return padSymmetrically(context);
  FailureOr<Value> begin = context.getAsInt64(1), end = context.getAsInt64(2);
  if (failed(begin) || failed(end))
    return failure();
  SmallVector<Value> operands = {context.inputs[0],
                                 context.concatenate({*begin, *end})};
  if (mode == "constant" && context.inputs.size() > 3)
    operands.push_back(context.inputs[3]);
  return context.apply("Pad", operands, context.stringAttr("mode", mode));
}
