//===- Gathers.cpp - Nodes that access elements by index ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormContext.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_forms;

/// Whether an input is known to have no negative indices.
static bool countsFromFront(FormContext &context, size_t index) {
  std::optional<SmallVector<int64_t>> indices = context.getConstantInts(index);
  return indices &&
         llvm::all_of(*indices, [](int64_t index) { return index >= 0; });
}

/// Returns indices along an axis, counted from the front.
static Value getNonnegativeIndices(FormContext &context, int64_t axis) {
  Value indices = context.inputs[1];
  return countsFromFront(context, 1)
             ? indices
             : context.countFromFront(indices, context.getSize(0, axis));
}

/// The same for several axes, which are the last axis of the indices.
static FailureOr<Value> getNonnegativeTuples(FormContext &context,
                                             int64_t batchDims) {
  Value indices = context.inputs[1];
  if (countsFromFront(context, 1))
    return indices;
  RankedTensorType type = context.getRanked(1);
  if (!type || type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1))
    return context.unsupported(
        "the size of the last axis of the indices is not known");
  int64_t count = type.getShape().back();
  Value sizes = context.apply(
      "Slice", {context.getShape(0), context.makeInts(batchDims),
                context.makeInts(batchDims + count), context.makeInts(1)});
  return context.countFromFront(indices, sizes);
}

NodeResults openvino_forms::convertGather(FormContext &context) {
  return context.apply("Gather",
                       {context.inputs[0], context.inputs[1],
                        context.makeInt(context.getInt("axis"))},
                       context.intAttr("batch_dims", 0));
}

NodeResults openvino_forms::convertGatherElements(FormContext &context) {
  int64_t axis = context.getInt("axis");
  return context.apply(
      "GatherElements",
      {context.inputs[0], getNonnegativeIndices(context, axis)},
      context.intAttr("axis", axis));
}

NodeResults openvino_forms::convertGatherND(FormContext &context) {
  int64_t batchDims = context.getInt("batch_dims");
  FailureOr<Value> indices = getNonnegativeTuples(context, batchDims);
  if (failed(indices))
    return failure();
  return context.apply("GatherND", {context.inputs[0], *indices},
                       context.intAttr("batch_dims", batchDims));
}

/// Returns OpenVINO's name for the reduction of a scatter.
static StringRef getReduction(FormContext &context) {
  StringRef name = context.getString("reduction");
  return name == "add" ? "sum" : name == "mul" ? "prod" : name;
}

NodeResults openvino_forms::convertScatterElements(FormContext &context) {
  int64_t axis = context.getInt("axis");
  return context.apply("ScatterElementsUpdate",
                       {context.inputs[0], getNonnegativeIndices(context, axis),
                        context.inputs[2], context.makeInt(axis)},
                       {context.stringAttr("reduction", getReduction(context)),
                        context.flagAttr("use_init_val", true)});
}

NodeResults openvino_forms::convertScatterND(FormContext &context) {
  FailureOr<Value> indices = getNonnegativeTuples(context, /*batchDims=*/0);
  if (failed(indices))
    return failure();
  SmallVector<Value> operands = {context.inputs[0], *indices,
                                 context.inputs[2]};
  StringRef reduction = getReduction(context);
  if (reduction == "none")
    return context.apply("ScatterNDUpdate", operands);
  constexpr int64_t kFirstOpsetWithReduction = 15;
  return context.apply("ScatterNDUpdate", operands,
                       context.stringAttr("reduction", reduction),
                       kFirstOpsetWithReduction);
}

/// Indices may be floats, and may be negative.
NodeResults openvino_forms::convertOneHot(FormContext &context) {
  Type wide = context.b.getI64Type();
  Value depth = context.convert(context.makeScalar(1), wide);
  Value indices =
      context.countFromFront(context.convert(context.inputs[0], wide), depth);
  auto pick = [&](int64_t index) {
    return context.apply(
        "Gather",
        {context.inputs[2], context.makeInt(index), context.makeInt(0)},
        context.intAttr("batch_dims", 0));
  };
  Value off = pick(0), on = pick(1);
  return context.addLayer("OneHot", {indices, depth, on, off},
                          context.elementType(2),
                          context.intAttr("axis", context.getInt("axis", -1)));
}

NodeResults openvino_forms::convertNonZero(FormContext &context) {
  Type wide = context.b.getI64Type();
  return context.addLayer("NonZero", context.inputs[0], wide,
                          context.typeAttr("output_type", wide));
}
