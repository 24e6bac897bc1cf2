//===- Resize.cpp - Interpolate -------------------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/Sequence.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

/// Returns the resized axes: those in the list, or all if there is none.
static FailureOr<SmallVector<int64_t>> getAxes(LayerContext &context,
                                               size_t index) {
  FailureOr<int64_t> rank = context.requireRank(0);
  if (failed(rank))
    return failure();
  if (context.inputs.size() <= index)
    return llvm::to_vector(llvm::seq(*rank));
  return context.requireConstantInts(index);
}

/// Pads the input with zeros.
static Value pad(LayerContext &context) {
  SmallVector<int64_t> begin = context.getInts("pads_begin");
  SmallVector<int64_t> end = context.getInts("pads_end");
  Value x = context.inputs[0];
  auto isZero = [](int64_t pad) { return pad == 0; };
  if (llvm::all_of(begin, isZero) && llvm::all_of(end, isZero))
    return x;
  // The lists may be shorter than the rank.
  begin.resize(*context.getRank(0));
  end.resize(*context.getRank(0));
  auto pads = llvm::to_vector(llvm::concat<int64_t>(begin, end));
  return context.apply("Pad", {x, context.makeInts(pads)});
}

/// Converts scales to sizes for align_corners. OpenVINO rounds the output size,
/// while ONNX computes the coordinates from its fraction too.
static FailureOr<Value> getSizes(LayerContext &context, size_t index,
                                 ArrayRef<int64_t> axes) {
  DenseFPElementsAttr scales;
  auto type = dyn_cast<RankedTensorType>(context.inputs[0].getType());
  if (!type || !matchPattern(context.inputs[index], m_Constant(&scales)) ||
      scales.getNumElements() != static_cast<int64_t>(axes.size()))
    return context.unsupported("scales must be a constant with a value for "
                               "each axis");
  SmallVector<int64_t> sizes;
  for (auto [axis, scale] :
       llvm::zip_equal(axes, scales.getValues<APFloat>())) {
    int64_t from = axis < 0 ? axis + type.getRank() : axis;
    if (from < 0 || from >= type.getRank() || type.isDynamicDim(from))
      return context.unsupported("the size of axis " + Twine(axis) +
                                 " is not known");
    double size = type.getDimSize(from) * scale.convertToDouble();
    // This also rejects NaN.
    if (!(size >= 0 && size < 0x1p31))
      return context.unsupported("a scale gives the size " +
                                 Twine(std::to_string(size)));
    // The product with an f32 scale may be slightly below an integer.
    sizes.push_back(std::floor(size + 1e-5));
  }
  return context.makeInts(sizes);
}

/// Resizes by `sizes` or `scales`; the other one is null.
static LayerResults resize(LayerContext &context, FailureOr<Value> sizes,
                           FailureOr<Value> scales, size_t axesIndex) {
  FailureOr<SmallVector<int64_t>> axes = getAxes(context, axesIndex);
  if (failed(axes) || failed(sizes) || failed(scales))
    return failure();
  StringRef coordinates = context.getString("coordinate_transformation_mode");
  if (*scales && coordinates == "align_corners") {
    size_t index = context.opset() < 11 ? 2 : 1;
    sizes = getSizes(context, index, *axes);
    scales = Value();
    if (failed(sizes))
      return failure();
  }
  StringRef mode = context.getString("mode");
  if (context.getFlag("antialias"))
    return context.unsupported("antialias");
  StringRef nearest = context.getString("nearest_mode");
  if (mode == "nearest" && nearest == "simple")
    return context.unsupported("nearest_mode simple");
  StringRef onnxMode = mode.starts_with("linear") ? "linear" : mode;
  SmallVector<NamedAttribute> attributes = {
      context.stringAttr("mode", onnxMode), context.intsAttr("axes", *axes),
      context.stringAttr("coordinate_transformation_mode", coordinates),
      context.floatAttr("cubic_coeff_a", context.getFloat("cube_coeff"))};
  if (mode == "nearest")
    attributes.push_back(context.stringAttr("nearest_mode", nearest));
  Type type = context.elementType(0);
  Value x = pad(context);
  return context.buildNodes("Resize", {x, Value(), *scales, *sizes}, type,
                            attributes);
}

LayerResults openvino_layers::convertInterpolate(LayerContext &context) {
  if (context.getString("shape_calculation_mode") == "sizes")
    return resize(context, context.getAsInt64(1), Value(), 3);
  return resize(context, Value(), context.inputs[2], 3);
}

LayerResults
openvino_layers::convertInterpolateBySizesOrScales(LayerContext &context) {
  if (context.getString("shape_calculation_mode") == "sizes")
    return resize(context, context.getAsInt64(1), Value(), 2);
  return resize(context, Value(), context.inputs[1], 2);
}
