//===- Products.cpp - Matmuls, convolutions and pooling -------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormContext.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_forms;

/// The first opset whose pooling rounds output sizes up as ONNX does.
static constexpr int64_t kPoolingOpset = 14;

static Value addMatmul(FormContext &context, bool isFirstTurned,
                       bool isSecondTurned) {
  return context.apply("MatMul", {context.inputs[0], context.inputs[1]},
                       {context.flagAttr("transpose_a", isFirstTurned),
                        context.flagAttr("transpose_b", isSecondTurned)});
}

NodeResults openvino_forms::convertMatMul(FormContext &context) {
  return addMatmul(context, false, false);
}

NodeResults openvino_forms::convertGemm(FormContext &context) {
  Value value =
      addMatmul(context, context.getFlag("transA"), context.getFlag("transB"));
  Type type = context.elementType(0);
  auto scale = [&](Value factor, double by) {
    return by == 1 ? factor
                   : context.broadcast("Multiply",
                                       {factor, context.makeNumber(type, by)});
  };
  value = scale(value, context.getFloat("alpha"));
  double beta = context.getFloat("beta");
  if (!context.hasInput(2) || beta == 0)
    return value;
  return context.broadcast("Add", {value, scale(context.inputs[2], beta)});
}

NodeResults openvino_forms::convertEinsum(FormContext &context) {
  // OpenVINO accepts no blanks.
  std::string equation = context.getString("equation").str();
  llvm::erase(equation, ' ');
  return context.apply("Einsum", context.inputs,
                       context.stringAttr("equation", equation));
}

//===----------------------------------------------------------------------===//
// Convolution and pooling windows
//===----------------------------------------------------------------------===//

/// Converts the attributes of windows with `rank` spatial axes.
static FailureOr<SmallVector<NamedAttribute>>
convertWindows(FormContext &context, int64_t rank, bool hasDilations = true) {
  SmallVector<int64_t> ones(rank, 1), zeros(2 * rank, 0);
  SmallVector<int64_t> pads = context.getInts("pads", zeros);
  std::string autoPad = context.getString("auto_pad").lower();
  if (autoPad.empty() || autoPad == "notset")
    autoPad = "explicit";
  if (autoPad != "explicit")
    pads = zeros;
  SmallVector<int64_t> strides = context.getInts("strides", ones);
  SmallVector<int64_t> dilations = context.getInts("dilations", ones);
  bool fits = static_cast<int64_t>(pads.size()) == 2 * rank &&
              static_cast<int64_t>(strides.size()) == rank &&
              static_cast<int64_t>(dilations.size()) == rank;
  if (!fits)
    return context.unsupported("windows of a rank other than " + Twine(rank));
  if (failed(context.requireRange("strides", strides, 1)) ||
      failed(context.requireRange("dilations", dilations, 1)) ||
      failed(context.requireRange("pads", pads, 0)))
    return failure();
  if (!hasDilations && dilations != ones)
    return context.unsupported("dilations");
  SmallVector<NamedAttribute> attributes = {
      context.intsAttr("strides", strides),
      context.intsAttr("pads_begin", ArrayRef(pads).take_front(rank)),
      context.intsAttr("pads_end", ArrayRef(pads).take_back(rank)),
      context.stringAttr("auto_pad", autoPad)};
  if (hasDilations)
    attributes.push_back(context.intsAttr("dilations", dilations));
  return attributes;
}

/// Reshapes the filters to have a leading axis of groups.
static FailureOr<Value> splitGroups(FormContext &context, int64_t groups) {
  RankedTensorType type = context.getRanked(1);
  SmallVector<int64_t> shape(type.getShape());
  if (!type.hasStaticShape() || groups < 1 || shape[0] % groups != 0)
    return context.unsupported(Twine(groups) + " groups of filters of type " +
                               showType(type));
  shape[0] /= groups;
  shape.insert(shape.begin(), groups);
  return context.reshape(context.inputs[1], shape);
}

static NodeResults convolve(FormContext &context, StringRef layer,
                            SmallVector<NamedAttribute> attributes,
                            int64_t rank) {
  Value filters = context.inputs[1];
  int64_t groups = context.getInt("group", 1);
  if (groups != 1) {
    FailureOr<Value> split = splitGroups(context, groups);
    if (failed(split))
      return failure();
    filters = *split;
  }
  Value value = context.apply(((groups != 1 ? "Group" : "") + layer).str(),
                              {context.inputs[0], filters}, attributes);
  if (!context.hasInput(2))
    return value;
  SmallVector<int64_t> shape(rank + 2, 1);
  shape[1] = -1;
  return context.broadcast("Add",
                           {value, context.reshape(context.inputs[2], shape)});
}

/// Returns the number of spatial axes, which is the filters' rank minus two.
static FailureOr<int64_t> requireWindows(FormContext &context) {
  FailureOr<int64_t> rank = context.requireRank(1);
  if (failed(rank))
    return failure();
  if (*rank < 3)
    return context.unsupported("filters of rank " + Twine(*rank));
  return *rank - 2;
}

NodeResults openvino_forms::convertConv(FormContext &context) {
  FailureOr<int64_t> rank = requireWindows(context);
  if (failed(rank))
    return failure();
  FailureOr<SmallVector<NamedAttribute>> attributes =
      convertWindows(context, *rank);
  if (failed(attributes))
    return failure();
  return convolve(context, "Convolution", *attributes, *rank);
}

NodeResults openvino_forms::convertConvTranspose(FormContext &context) {
  FailureOr<int64_t> rank = requireWindows(context);
  if (failed(rank))
    return failure();
  StringRef autoPad = context.getString("auto_pad");
  if (context.has("output_shape") || autoPad.starts_with("SAME"))
    return context.unsupported("pads that are computed from the output");
  FailureOr<SmallVector<NamedAttribute>> attributes =
      convertWindows(context, *rank);
  if (failed(attributes))
    return failure();
  SmallVector<int64_t> padding =
      context.getInts("output_padding", SmallVector<int64_t>(*rank, 0));
  attributes->push_back(context.intsAttr("output_padding", padding));
  return convolve(context, "ConvolutionBackpropData", *attributes, *rank);
}

/// The same for pooling, whose window size is an attribute.
static FailureOr<SmallVector<NamedAttribute>>
convertPooling(FormContext &context, bool hasDilations) {
  SmallVector<int64_t> kernel = context.getInts("kernel_shape");
  FailureOr<SmallVector<NamedAttribute>> attributes =
      convertWindows(context, kernel.size(), hasDilations);
  if (failed(attributes))
    return failure();
  bool isUp = context.getFlag("ceil_mode");
  attributes->push_back(context.intsAttr("kernel", kernel));
  attributes->push_back(
      context.stringAttr("rounding_type", isUp ? "ceil_torch" : "floor"));
  return attributes;
}

NodeResults openvino_forms::convertMaxPool(FormContext &context) {
  FailureOr<SmallVector<NamedAttribute>> attributes =
      convertPooling(context, /*hasDilations=*/true);
  if (failed(attributes))
    return failure();
  if (context.getInt("storage_order") != 0)
    return context.unsupported("storage_order");
  Type type = context.elementType(0), wide = context.b.getI64Type();
  attributes->push_back(context.typeAttr("index_element_type", wide));
  attributes->push_back(context.intAttr("axis", 0));
  ValueRange results = context.addLayers(
      "MaxPool", context.inputs[0], {type, wide}, *attributes, kPoolingOpset);
  return results;
}

NodeResults openvino_forms::convertAveragePool(FormContext &context) {
  FailureOr<SmallVector<NamedAttribute>> attributes =
      convertPooling(context, /*hasDilations=*/false);
  if (failed(attributes))
    return failure();
  attributes->push_back(
      context.flagAttr("exclude-pad", !context.getFlag("count_include_pad")));
  return context.apply("AvgPool", context.inputs[0], *attributes,
                       kPoolingOpset);
}

//===----------------------------------------------------------------------===//
// GridSample and Resize
//===----------------------------------------------------------------------===//

/// Whether the scales result in integral sizes. The coordinates of
/// align_corners depend on the size, which ONNX, unlike OpenVINO, does not
/// round.
static bool hasIntegralSizes(FormContext &context) {
  DenseFPElementsAttr scales;
  RankedTensorType type = context.getRanked(0);
  if (!matchPattern(context.inputs[2], m_Constant(&scales)) || !type)
    return false;
  SmallVector<int64_t> axes =
      context.getInts("axes", llvm::to_vector(llvm::seq(type.getRank())));
  return llvm::all_of(
      llvm::zip(axes, scales.getValues<APFloat>()), [&](auto pair) {
        auto [axis, scale] = pair;
        int64_t position = axis + (axis < 0 ? type.getRank() : 0);
        if (position < 0 || position >= type.getRank())
          return false;
        double factor = FloatAttr::getValueAsDouble(scale);
        double size = factor * type.getDimSize(position);
        return factor == 1 ||
               (!type.isDynamicDim(position) && size == std::floor(size));
      });
}

NodeResults openvino_forms::convertResize(FormContext &context) {
  StringRef mode = context.getString("mode");
  StringRef coordinates = context.getString("coordinate_transformation_mode");
  if (context.getString("keep_aspect_ratio_policy") != "stretch" ||
      context.getFlag("exclude_outside") || context.getFlag("antialias") ||
      coordinates == "tf_crop_and_resize" ||
      coordinates == "half_pixel_symmetric")
    return context.unsupported("keep_aspect_ratio_policy, exclude_outside, "
                               "antialias or coordinate_transformation_mode " +
                               coordinates);
  bool hasSizes = context.hasInput(3);
  if (!hasSizes && !context.hasInput(2))
    return context.unsupported("neither sizes nor scales");
  if (!hasSizes && coordinates == "align_corners" && !hasIntegralSizes(context))
    return context.unsupported(
        "align_corners with scales that give fractional sizes");
  SmallVector<Value> operands = {context.inputs[0],
                                 context.inputs[hasSizes ? 3 : 2]};
  SmallVector<int64_t> axes = context.getInts("axes");
  if (axes.empty()) {
    FailureOr<int64_t> rank = context.requireRank(0);
    if (failed(rank))
      return failure();
    axes = llvm::to_vector(llvm::seq(*rank));
  }
  operands.push_back(context.makeInts(axes));
  return context.apply(
      "Interpolate", operands,
      {context.stringAttr("mode", mode == "linear" ? "linear_onnx" : mode),
       context.stringAttr("shape_calculation_mode",
                          hasSizes ? "sizes" : "scales"),
       context.stringAttr("coordinate_transformation_mode", coordinates),
       context.stringAttr("nearest_mode", context.getString("nearest_mode")),
       context.flagAttr("antialias", false), context.intsAttr("pads_begin", {}),
       context.intsAttr("pads_end", {}),
       context.floatAttr("cube_coeff", context.getFloat("cubic_coeff_a"))});
}

NodeResults openvino_forms::convertGridSample(FormContext &context) {
  if (context.getRank(0) != 4)
    return context.unsupported("an input of type " +
                               showType(context.inputs[0].getType()));
  StringRef mode = context.getString("mode");
  if (mode == "linear" || mode == "cubic")
    mode = mode == "linear" ? "bilinear" : "bicubic";
  return context.apply(
      "GridSample", context.inputs,
      {context.flagAttr("align_corners", context.getFlag("align_corners")),
       context.stringAttr("mode", mode),
       context.stringAttr("padding_mode", context.getString("padding_mode"))});
}
