//===- Resize.cpp - Resize and Upsample ----------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "Conversions.h"
#include "Interpolation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

namespace {
/// Gathers what Resize and Upsample say of the axes.
struct ResizeBuilder {
  explicit ResizeBuilder(NodeContext &context)
      : context(context), b(context.b),
        sizes(context.getSizes(context.input(0))) {}

  LogicalResult readMode();
  LogicalResult readOptions();
  LogicalResult readAxes();
  LogicalResult useScales(ArrayRef<Value> scales);
  LogicalResult useSizes(size_t index);
  LogicalResult useRegion(size_t index);
  NodeResults build();

  /// The elements of a small tensor of floats as f32; none if it is absent or
  /// empty.
  FailureOr<SmallVector<Value>> getFloats(size_t index, StringRef name);
  Value fromIndex(OpFoldResult size);
  Value toSize(Value value);

  NodeContext &context;
  ImplicitLocOpBuilder &b;
  SmallVector<OpFoldResult> sizes;
  ResizeOptions options;
  SmallVector<ResizeAxis> axes;
};
} // namespace

/// With the other options as they were before there were others.
LogicalResult ResizeBuilder::readMode() {
  StringRef mode = context.getString("mode", "nearest");
  auto foundMode = llvm::StringSwitch<std::optional<ResizeMode>>(mode)
                       .Case("nearest", ResizeMode::Nearest)
                       .Case("linear", ResizeMode::Linear)
                       .Case("bilinear", ResizeMode::Linear)
                       .Case("cubic", ResizeMode::Cubic)
                       .Default(std::nullopt);
  if (!foundMode)
    return context.unsupported("mode '" + mode + "' is unknown");
  options.mode = *foundMode;
  options.coordinates = Coordinates::Asymmetric;
  options.nearest = Nearest::Simple;
  return success();
}

LogicalResult ResizeBuilder::readOptions() {
  StringRef coordinates =
      context.getString("coordinate_transformation_mode", "half_pixel");
  auto foundCoordinates =
      llvm::StringSwitch<std::optional<Coordinates>>(coordinates)
          .Case("half_pixel", Coordinates::HalfPixel)
          .Case("half_pixel_symmetric", Coordinates::HalfPixelSymmetric)
          .Case("pytorch_half_pixel", Coordinates::PytorchHalfPixel)
          .Case("align_corners", Coordinates::AlignCorners)
          .Case("asymmetric", Coordinates::Asymmetric)
          .Case("tf_half_pixel_for_nn", Coordinates::TfHalfPixelForNn)
          .Case("tf_crop_and_resize", Coordinates::TfCropAndResize)
          .Default(std::nullopt);
  if (!foundCoordinates)
    return context.unsupported("coordinate_transformation_mode '" +
                               coordinates + "' is unknown");
  options.coordinates = *foundCoordinates;
  StringRef nearest = context.getString("nearest_mode", "round_prefer_floor");
  auto foundNearest = llvm::StringSwitch<std::optional<Nearest>>(nearest)
                          .Case("round_prefer_floor", Nearest::RoundPreferFloor)
                          .Case("round_prefer_ceil", Nearest::RoundPreferCeil)
                          .Case("floor", Nearest::Floor)
                          .Case("ceil", Nearest::Ceil)
                          .Default(std::nullopt);
  if (!foundNearest)
    return context.unsupported("nearest_mode '" + nearest + "' is unknown");
  options.nearest = *foundNearest;
  options.cubicCoefficient = context.getFloat("cubic_coeff_a", -0.75f);
  options.excludeOutside = context.getFlag("exclude_outside", false);
  options.antialias = context.getFlag("antialias", false);
  options.extrapolation = context.getFloat("extrapolation_value", 0);
  if (options.antialias && options.mode == ResizeMode::Nearest)
    return context.unsupported("antialias is not defined for mode 'nearest'");
  return success();
}

LogicalResult ResizeBuilder::readAxes() {
  int64_t rank = sizes.size();
  FailureOr<SmallVector<int64_t>> named = context.normalizeAxes(
      context.getInts("axes", llvm::to_vector(llvm::seq<int64_t>(rank))), rank);
  if (failed(named))
    return failure();
  for (int64_t axis : *named) {
    ResizeAxis resized;
    resized.axis = axis;
    resized.input = sizes[axis];
    axes.push_back(resized);
  }
  return success();
}

FailureOr<SmallVector<Value>> ResizeBuilder::getFloats(size_t index,
                                                       StringRef name) {
  SmallVector<Value> values;
  Value tensor = context.input(index);
  if (!tensor)
    return values;
  RankedTensorType type = context.type(index);
  if (!isa<FloatType>(type.getElementType()) || type.getRank() != 1 ||
      !type.hasStaticShape() ||
      type.getNumElements() > static_cast<int64_t>(2 * sizes.size()))
    return context.unsupported(name + " must be floats, at most " +
                               Twine(2 * sizes.size()));
  if (auto scalars = context.getScalars(tensor)) {
    values = *scalars;
  } else {
    for (int64_t i = 0; i < type.getNumElements(); ++i) {
      Value position = arith::ConstantIndexOp::create(b, i);
      values.push_back(tensor::ExtractOp::create(b, tensor, position));
    }
  }
  for (Value &value : values)
    value = b.createOrFold<CastOp>(value, b.getF32Type());
  return values;
}

Value ResizeBuilder::fromIndex(OpFoldResult size) {
  Value value = b.createOrFold<arith::IndexCastOp>(
      b.getI64Type(), getValueOrCreateConstantIndexOp(b, b.getLoc(), size));
  return b.createOrFold<arith::SIToFPOp>(b.getF32Type(), value);
}

/// Toward zero; what is no size becomes 0 (C11).
Value ResizeBuilder::toSize(Value value) {
  Value zero = makeNumber(b, b.getI64Type(), 0);
  Value size = b.createOrFold<CastOp>(value, b.getI64Type());
  size = b.createOrFold<arith::MaxSIOp>(size, zero);
  return b.createOrFold<arith::IndexCastOp>(b.getIndexType(), size);
}

LogicalResult ResizeBuilder::useScales(ArrayRef<Value> scales) {
  if (scales.size() != axes.size())
    return context.unsupported("expected " + Twine(axes.size()) +
                               " scales, but got " + Twine(scales.size()));
  for (auto [axis, scale] : llvm::zip_equal(axes, scales)) {
    APFloat constant(0.0f);
    bool isConstant = matchPattern(scale, m_ConstantFloat(&constant));
    if (isConstant && !(constant.convertToDouble() > 0))
      return context.unsupported("scales must be positive");
    axis.scale = scale;
    axis.length = b.createOrFold<arith::MulFOp>(fromIndex(axis.input), scale);
    bool isOne = isConstant && constant.isExactlyValue(1.0);
    axis.output = isOne ? axis.input : getAsOpFoldResult(toSize(axis.length));
  }
  return success();
}

LogicalResult ResizeBuilder::useSizes(size_t index) {
  std::optional<SmallVector<OpFoldResult>> outputs = context.getIndices(index);
  if (!outputs || outputs->size() != axes.size())
    return context.unsupported("expected " + Twine(axes.size()) + " sizes");
  for (auto [axis, output] : llvm::zip_equal(axes, *outputs)) {
    if (failed(context.requireAtLeast(0, output, "a size")))
      return failure();
    axis.output = output;
    axis.length = fromIndex(output);
    axis.scale =
        b.createOrFold<arith::DivFOp>(axis.length, fromIndex(axis.input));
  }
  StringRef policy = context.getString("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    return context.unsupported("keep_aspect_ratio_policy '" + policy +
                               "' is unknown");
  if (policy == "stretch" || axes.empty())
    return success();
  // One scale for all, and the sizes that it gives, rounded half up.
  Value scale = axes.front().scale;
  for (const ResizeAxis &axis : ArrayRef(axes).drop_front())
    scale = policy == "not_larger"
                ? b.createOrFold<arith::MinimumFOp>(scale, axis.scale)
                : b.createOrFold<arith::MaximumFOp>(scale, axis.scale);
  for (ResizeAxis &axis : axes) {
    axis.scale = scale;
    axis.length = b.createOrFold<arith::MulFOp>(fromIndex(axis.input), scale);
    Value half = makeNumber(b, b.getF32Type(), 0.5);
    axis.output = getAsOpFoldResult(
        toSize(b.createOrFold<arith::AddFOp>(axis.length, half)));
  }
  return success();
}

LogicalResult ResizeBuilder::useRegion(size_t index) {
  if (options.coordinates != Coordinates::TfCropAndResize)
    return success();
  FailureOr<SmallVector<Value>> region = getFloats(index, "the region");
  if (failed(region))
    return failure();
  if (region->size() != 2 * axes.size())
    return context.unsupported("tf_crop_and_resize needs a region of " +
                               Twine(2 * axes.size()) + " numbers, but got " +
                               Twine(region->size()));
  for (auto [i, axis] : llvm::enumerate(axes)) {
    axis.roiStart = (*region)[i];
    axis.roiEnd = (*region)[axes.size() + i];
  }
  return success();
}

NodeResults ResizeBuilder::build() {
  // Where nothing changes there is nothing to do.
  llvm::erase_if(axes, [](const ResizeAxis &axis) {
    bool isWhole =
        !axis.roiStart || (matchPattern(axis.roiStart, m_AnyZeroFloat()) &&
                           matchPattern(axis.roiEnd, m_OneFloat()));
    return isWhole && isEqualConstantIntOrValue(axis.input, axis.output);
  });
  for (const ResizeAxis &axis : axes)
    if (failed(context.requireElements(axis.axis, axis.input, axis.output)))
      return failure();
  return SmallVector<Value>{
      buildResize(context, context.input(0), axes, options)};
}

/// There are the region, the scales and the sizes, absent or empty where not
/// meant.
NodeResults onnx_nodes::convertResize(NodeContext &context) {
  ResizeBuilder builder(context);
  if (failed(builder.readMode()) || failed(builder.readOptions()) ||
      failed(builder.readAxes()))
    return failure();
  FailureOr<SmallVector<Value>> scales = builder.getFloats(2, "the scales");
  if (failed(scales))
    return failure();
  if (scales->empty() && !context.input(3))
    return context.unsupported("there are neither scales nor sizes");
  if (failed(scales->empty() ? builder.useSizes(3)
                             : builder.useScales(*scales)) ||
      failed(builder.useRegion(1)))
    return failure();
  return builder.build();
}

static NodeResults upsample(ResizeBuilder &builder, ArrayRef<Value> scales) {
  if (failed(builder.readMode()) || failed(builder.readAxes()) ||
      failed(builder.useScales(scales)))
    return failure();
  return builder.build();
}

/// The scales as constants.
static NodeResults upsample(NodeContext &context, ArrayRef<float> scales) {
  ResizeBuilder builder(context);
  SmallVector<Value> values;
  for (float scale : scales)
    values.push_back(makeNumber(context.b, context.b.getF32Type(), scale));
  return upsample(builder, values);
}

NodeResults onnx_nodes::convertUpsampleOfImages(NodeContext &context) {
  return upsample(context, {1, 1, context.getFloat("height_scale", 1),
                            context.getFloat("width_scale", 1)});
}

NodeResults onnx_nodes::convertFixedUpsample(NodeContext &context) {
  return upsample(context, context.getFloats("scales"));
}

NodeResults onnx_nodes::convertUpsample(NodeContext &context) {
  ResizeBuilder builder(context);
  FailureOr<SmallVector<Value>> scales = builder.getFloats(1, "the scales");
  if (failed(scales))
    return failure();
  return upsample(builder, *scales);
}
