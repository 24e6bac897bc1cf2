//===- Movement.cpp - Nodes that move elements ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormContext.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <array>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_forms;

/// The maximum number of axes of a Slice without steps.
static constexpr int64_t kMaxAxes = 64;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// In both, a size of 0 is the size of the input, unless the attribute disables
/// it.
NodeResults openvino_forms::convertReshape(FormContext &context) {
  return context.apply(
      "Reshape", context.inputs,
      context.flagAttr("special_zero", !context.getFlag("allowzero")));
}

/// Joins the axes before `axis`, and those from `axis` on.
NodeResults openvino_forms::convertFlatten(FormContext &context) {
  RankedTensorType type = context.getRanked(0);
  int64_t rank = type ? type.getRank() : 0, axis = context.getInt("axis", 1);
  if (!type || axis < -rank || axis > rank)
    return context.unsupported("an input of type " +
                               showType(context.inputs[0].getType()) +
                               " and axis " + Twine(axis));
  axis += axis < 0 ? rank : 0;
  // One of the two sizes may be dynamic.
  auto count = [](ArrayRef<int64_t> sizes) -> int64_t {
    if (ShapedType::isDynamicShape(sizes))
      return -1;
    int64_t numElements = 1;
    for (int64_t size : sizes)
      if (llvm::MulOverflow(numElements, size, numElements))
        return -1;
    return numElements;
  };
  int64_t outer = count(type.getShape().take_front(axis));
  int64_t inner = count(type.getShape().drop_front(axis));
  if (axis == 1 && outer < 0 && inner < 0)
    return context.apply("Reshape",
                         {context.inputs[0], context.makeInts({0, -1})},
                         context.flagAttr("special_zero", true));
  if (outer < 0 && inner < 0)
    return context.unsupported("the sizes of " + showType(type));
  return context.reshape(context.inputs[0], {outer, inner});
}

NodeResults openvino_forms::convertTranspose(FormContext &context) {
  SmallVector<int64_t> order = context.getInts("perm");
  if (order.empty()) {
    FailureOr<int64_t> rank = context.requireRank(0);
    if (failed(rank))
      return failure();
    order = llvm::to_vector(llvm::reverse(llvm::seq(*rank)));
  }
  return context.apply("Transpose",
                       {context.inputs[0], context.makeInts(order)});
}

NodeResults openvino_forms::convertSqueeze(FormContext &context) {
  return context.apply("Squeeze", context.inputs);
}

NodeResults openvino_forms::convertShape(FormContext &context) {
  Value shape = context.getShape(0);
  int64_t start = context.getInt("start");
  if (start == 0 && !context.has("end"))
    return shape;
  int64_t end = context.getInt("end", std::numeric_limits<int64_t>::max());
  return context.apply("Slice", {shape, context.makeInts(start),
                                 context.makeInts(end), context.makeInts(1)});
}

NodeResults openvino_forms::convertSize(FormContext &context) {
  return context.apply("ReduceProd", {context.getShape(0), context.makeInts(0)},
                       context.flagAttr("keep_dims", false));
}

NodeResults openvino_forms::convertExpand(FormContext &context) {
  return context.apply("Broadcast", context.inputs,
                       context.stringAttr("mode", "bidirectional"));
}

NodeResults openvino_forms::convertConstantOfShape(FormContext &context) {
  Value value;
  if (auto elements =
          dyn_cast_or_null<ElementsAttr>(context.getAttribute("value"))) {
    if (elements.getNumElements() != 1)
      return context.unsupported(
          "a value of " + Twine(elements.getNumElements()) + " elements");
    value = context.reshape(context.makeConstant(elements), {});
  } else {
    value = context.makeNumber(context.b.getF32Type(), 0);
  }
  return context.apply("Broadcast", {value, context.inputs[0]},
                       context.stringAttr("mode", "numpy"));
}

NodeResults openvino_forms::convertRange(FormContext &context) {
  SmallVector<Value> operands;
  for (size_t index : llvm::seq(context.inputs.size()))
    operands.push_back(context.makeScalar(index));
  return context.apply("Range", operands,
                       context.typeAttr("output_type", context.elementType(0)));
}

/// Keeps the elements on one side of a diagonal: those whose column is not less
/// than, or not greater than, their row.
NodeResults openvino_forms::convertTrilu(FormContext &context) {
  Type wide = context.b.getI64Type(), type = context.elementType(0);
  Value step = context.makeInt(1);
  auto count = [&](int64_t axis) {
    Value size = context.getSize(0, axis);
    return context.apply("Range", {context.makeInt(0), size, step},
                         context.typeAttr("output_type", wide));
  };
  Value rows = context.apply("Unsqueeze", {count(-2), context.makeInts(1)});
  Value columns = count(-1);
  if (context.hasInput(1))
    rows = context.broadcast("Add", {rows, context.makeScalar(1)});
  bool isUpper = context.getFlag("upper");
  Value isInTriangle =
      context.compare(isUpper ? "GreaterEqual" : "LessEqual", {columns, rows});
  Value zero = type.isInteger(1) ? context.makeConstant(DenseElementsAttr::get(
                                       RankedTensorType::get({}, type), false))
                                 : context.makeNumber(type, 0);
  return context.addLayer("Select", {isInTriangle, context.inputs[0], zero},
                          type, context.stringAttr("auto_broadcast", "numpy"));
}

//===----------------------------------------------------------------------===//
// Concat, split, slice and pad
//===----------------------------------------------------------------------===//

NodeResults openvino_forms::convertConcat(FormContext &context) {
  return context.apply("Concat", context.inputs,
                       context.intAttr("axis", context.getInt("axis")));
}

NodeResults openvino_forms::convertSplit(FormContext &context) {
  int64_t axis = context.getInt("axis"), count = context.node.getNumResults();
  Value sizes = context.hasInput(1) ? context.inputs[1] : Value();
  if (!sizes) {
    // All parts have the same size except the last one, which is smaller.
    RankedTensorType type = context.getRanked(0);
    FailureOr<int64_t> from = context.requireAxis("axis");
    if (failed(from))
      return failure();
    int64_t size = type.getDimSize(*from);
    if (ShapedType::isDynamic(size))
      return context.unsupported("the size of axis " + Twine(*from) +
                                 " is not known");
    int64_t part = llvm::divideCeil(size, count);
    SmallVector<int64_t> parts(count, part);
    parts.back() = size - part * (count - 1);
    if (parts.back() < 0)
      return context.unsupported("more outputs than elements");
    sizes = context.makeInts(parts);
  }
  SmallVector<Type> types(count, context.elementType(0));
  return context.addLayers("VariadicSplit",
                           {context.inputs[0], context.makeInt(axis), sizes},
                           types);
}

NodeResults openvino_forms::convertSlice(FormContext &context) {
  RankedTensorType starts = context.getRanked(1);
  SmallVector<Value> operands(ArrayRef(context.inputs).take_front(3));
  if (context.hasInput(4)) {
    operands.push_back(context.inputs[4]);
  } else {
    if (!starts || !starts.hasStaticShape() ||
        starts.getNumElements() > kMaxAxes)
      return context.unsupported("the number of axes is not known");
    Type type = starts.getElementType();
    Value ones =
        context.makeInts(SmallVector<int64_t>(starts.getNumElements(), 1));
    operands.push_back(context.convert(ones, type));
  }
  if (context.hasInput(3))
    operands.push_back(context.inputs[3]);
  return context.apply("Slice", operands);
}

/// Splits a list into halves, which are constants if the list is constant.
static std::array<Value, 2> halve(FormContext &context, size_t index) {
  if (std::optional<SmallVector<int64_t>> known =
          context.getConstantInts(index)) {
    size_t half = known->size() / 2;
    return {context.makeInts(ArrayRef(*known).take_front(half)),
            context.makeInts(ArrayRef(*known).take_back(half))};
  }
  Type wide = context.b.getI64Type();
  ValueRange halves =
      context.addLayers("Split", {context.inputs[index], context.makeInt(0)},
                        {wide, wide}, context.intAttr("num_splits", 2));
  return {halves[0], halves[1]};
}

NodeResults openvino_forms::convertPad(FormContext &context) {
  StringRef mode = context.getString("mode");
  if (mode == "wrap")
    return context.unsupported("mode wrap");
  std::array<Value, 2> pads = halve(context, 1);
  if (context.hasInput(3)) {
    FailureOr<int64_t> rank = context.requireRank(0);
    if (failed(rank))
      return failure();
    // Axes that are not listed have no padding.
    Value axes = context.countFromFront(
        context.convert(context.inputs[3], context.b.getI64Type()),
        context.makeInt(*rank));
    Value none = context.makeInts(SmallVector<int64_t>(*rank, 0));
    for (Value &pad : pads)
      pad = context.apply("ScatterElementsUpdate",
                          {none, axes, pad, context.makeInt(0)},
                          {context.stringAttr("reduction", "none"),
                           context.flagAttr("use_init_val", true)});
  }
  SmallVector<Value> operands = {context.inputs[0], pads[0], pads[1]};
  if (context.hasInput(2) && mode == "constant")
    operands.push_back(context.makeScalar(2));
  return context.apply("Pad", operands, context.stringAttr("pad_mode", mode));
}

//===----------------------------------------------------------------------===//
// Space, depth and reversal
//===----------------------------------------------------------------------===//

NodeResults openvino_forms::convertSpaceToDepth(FormContext &context) {
  return context.apply(
      "SpaceToDepth", context.inputs,
      {context.intAttr("block_size", context.getInt("blocksize")),
       context.stringAttr("mode", "blocks_first")});
}

NodeResults openvino_forms::convertDepthToSpace(FormContext &context) {
  bool isDepthFirst = context.getString("mode") == "CRD";
  return context.apply(
      "DepthToSpace", context.inputs,
      {context.intAttr("block_size", context.getInt("blocksize")),
       context.stringAttr("mode",
                          isDepthFirst ? "depth_first" : "blocks_first")});
}

NodeResults openvino_forms::convertReverseSequence(FormContext &context) {
  return context.apply(
      "ReverseSequence", context.inputs,
      {context.intAttr("batch_axis", context.getInt("batch_axis")),
       context.intAttr("seq_axis", context.getInt("time_axis"))});
}
