//===- Resize.cpp - Lowering of Resize and Upsample -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

namespace {
// The choices of the attributes, in the order of OnnxNodes.def.
enum class Coordinates {
  HalfPixel,
  HalfPixelSymmetric,
  PytorchHalfPixel,
  AlignCorners,
  Asymmetric,
  TfHalfPixelForNn,
  TfCropAndResize
};
/// Simple is not a choice of the attribute. It is the rounding of Resize 10 and
/// Upsample: up if the axis shrinks, and down otherwise.
enum class Nearest { RoundPreferFloor, RoundPreferCeil, Floor, Ceil, Simple };
enum class ResizeMode { Nearest, Linear, Cubic, Bilinear };

/// The options that apply to all axes of a node.
struct ResizeOptions {
  ResizeMode mode = ResizeMode::Nearest;
  Coordinates coordinates = Coordinates::HalfPixel;
  Nearest nearest = Nearest::RoundPreferFloor;
  float cubicCoefficient = -0.75f;
  bool excludeOutside = false, antialias = false;
  float extrapolation = 0;
};

/// An axis that is resized. The values are f32.
struct ResizeAxis {
  int64_t axis;
  OpFoldResult input, output;
  Value scale;
  /// The length of the result that coordinates are computed with. It may be
  /// fractional.
  Value length;
  /// The region of interest, for TfCropAndResize only.
  Value roiStart, roiEnd;
};
} // namespace

namespace {
/// Builder of f32 arithmetic.
struct F32 {
  ImplicitLocOpBuilder &b;

  Value number(double value) { return makeNumber(b, b.getF32Type(), value); }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return b.createOrFold<arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return b.createOrFold<arith::MulFOp>(x, y); }
  Value div(Value x, Value y) { return b.createOrFold<arith::DivFOp>(x, y); }
  Value floor(Value x) { return math::FloorOp::create(b, x); }
  Value ceil(Value x) { return math::CeilOp::create(b, x); }
  Value less(Value x, Value y) {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return b.createOrFold<arith::SelectOp>(condition, x, y);
  }
  Value fromIndex(OpFoldResult index) {
    Value value = b.createOrFold<arith::IndexCastOp>(
        b.getI64Type(), getValueOrCreateConstantIndexOp(b, b.getLoc(), index));
    return b.createOrFold<arith::SIToFPOp>(b.getF32Type(), value);
  }
};

class AxisResizer {
public:
  AxisResizer(NodeContext &context, const ResizeAxis &axis,
              const ResizeOptions &options)
      : context(context), b(context.b), axis(axis), options(options) {}

  /// Returns the input index (i64) of each position of the result, for mode
  /// nearest.
  Value buildNearestIndices();
  Value interpolate(Value tensor);

  /// Replaces elements whose coordinates are outside of the input, for
  /// TfCropAndResize only.
  Value extrapolate(Value tensor);

private:
  /// Returns the coordinate in the input of a position of the result.
  Value getCoordinate(F32 f, Value outputPosition);
  Value getWeight(F32 f, Value distance);
  Value clampIndex(ImplicitLocOpBuilder &b, Value coordinate);
  void setTaps();
  /// Builds a table with one row per position of the result and one column per
  /// tap. `body` gets the coordinate in the input and the index of the tap,
  /// which is floor(coordinate) + firstTap + column.
  Value
  buildTable(Type type,
             llvm::function_ref<Value(F32, Value coordinate, Value tap)> body);
  Value buildWeights();

  NodeContext &context;
  ImplicitLocOpBuilder &b;
  const ResizeAxis &axis;
  const ResizeOptions &options;
  /// min(scale, 1) with antialiasing, or else null. Distances are multiplied by
  /// it, which widens the filter.
  Value stretch;
  OpFoldResult taps;
  Value firstTap;
};
} // namespace

Value AxisResizer::getCoordinate(F32 f, Value outputPosition) {
  Value half = f.number(0.5), zero = f.number(0), one = f.number(1);
  Value input = f.fromIndex(axis.input);
  auto getHalfPixel = [&] {
    return f.sub(f.div(f.add(outputPosition, half), axis.scale), half);
  };
  Value hasMany = f.less(one, axis.length);
  switch (options.coordinates) {
  case Coordinates::HalfPixel:
    return getHalfPixel();
  case Coordinates::HalfPixelSymmetric: {
    Value adjustment =
        f.div(f.fromIndex(axis.output), f.mul(axis.scale, input));
    Value offset = f.mul(f.mul(input, half), f.sub(one, adjustment));
    return f.add(offset, getHalfPixel());
  }
  case Coordinates::PytorchHalfPixel:
    return f.select(hasMany, getHalfPixel(), zero);
  case Coordinates::AlignCorners:
    return f.select(hasMany,
                    f.div(f.mul(outputPosition, f.sub(input, one)),
                          f.sub(axis.length, one)),
                    zero);
  case Coordinates::Asymmetric:
    return f.div(outputPosition, axis.scale);
  case Coordinates::TfHalfPixelForNn:
    return f.div(f.add(outputPosition, half), axis.scale);
  case Coordinates::TfCropAndResize: {
    Value last = f.sub(input, one);
    Value step = f.div(f.mul(f.sub(axis.roiEnd, axis.roiStart), last),
                       f.sub(axis.length, one));
    Value many = f.add(f.mul(axis.roiStart, last), f.mul(outputPosition, step));
    Value middle = f.mul(half, f.mul(f.add(axis.roiStart, axis.roiEnd), last));
    return f.select(hasMany, many, middle);
  }
  }
  return {};
}

Value AxisResizer::clampIndex(ImplicitLocOpBuilder &b, Value coordinate) {
  // The cast saturates and maps NaN to 0 (C11).
  Type type = b.getI64Type();
  Value index = b.createOrFold<CastOp>(coordinate, type);
  Value size = b.createOrFold<arith::IndexCastOp>(
      type, getValueOrCreateConstantIndexOp(b, b.getLoc(), axis.input));
  Value last = b.createOrFold<arith::SubIOp>(size, makeNumber(b, type, 1));
  index = b.createOrFold<arith::MinSIOp>(index, last);
  return b.createOrFold<arith::MaxSIOp>(index, makeNumber(b, type, 0));
}

Value AxisResizer::buildNearestIndices() {
  return buildParallel(
      b, axis.output, b.getI64Type(), {}, {},
      [&](ImplicitLocOpBuilder &b, ValueRange) {
        F32 f{b};
        Value outputPosition =
            f.fromIndex(linalg::IndexOp::create(b, 0).getResult());
        Value x = getCoordinate(f, outputPosition);
        switch (options.nearest) {
        case Nearest::RoundPreferFloor:
          x = f.ceil(f.sub(x, f.number(0.5)));
          break;
        case Nearest::RoundPreferCeil:
          x = f.floor(f.add(x, f.number(0.5)));
          break;
        case Nearest::Floor:
          x = f.floor(x);
          break;
        case Nearest::Ceil:
          x = f.ceil(x);
          break;
        case Nearest::Simple:
          x = f.select(f.less(axis.scale, f.number(1)), f.ceil(x), f.floor(x));
          break;
        }
        return clampIndex(b, x);
      });
}

/// Returns the value of the filter: a triangle of half width 1, or the cubic
/// filter of half width 2.
Value AxisResizer::getWeight(F32 f, Value distance) {
  Value one = f.number(1), zero = f.number(0);
  Value x = math::AbsFOp::create(f.b, distance);
  if (options.mode == ResizeMode::Linear)
    return f.select(f.less(x, one), f.sub(one, x), zero);
  float a = options.cubicCoefficient;
  // The filter consists of two polynomials. Evaluate them by Horner's rule.
  auto evaluate = [&](double c3, double c2, double c1, double c0) {
    Value value = f.add(f.mul(f.number(c3), x), f.number(c2));
    value = f.add(f.mul(value, x), f.number(c1));
    return f.add(f.mul(value, x), f.number(c0));
  };
  Value inner = evaluate(a + 2.0, -(a + 3.0), 0, 1);
  Value outer = evaluate(a, -5.0 * a, 8.0 * a, -4.0 * a);
  outer = f.select(f.less(x, f.number(2)), outer, zero);
  return f.select(f.less(x, one), inner, outer);
}

void AxisResizer::setTaps() {
  F32 f{b};
  int64_t halfWidth = options.mode == ResizeMode::Linear ? 1 : 2;
  if (!options.antialias) {
    taps = b.getIndexAttr(2 * halfWidth);
    firstTap = f.number(1 - halfWidth);
    return;
  }
  // If the axis shrinks, the filter is 1 / scale times as wide.
  Value one = f.number(1);
  stretch = b.createOrFold<arith::MinimumFOp>(axis.scale, one);
  Value reach = f.div(f.number(-halfWidth), stretch);
  firstTap = f.add(b.createOrFold<math::FloorOp>(reach), one);
  Value first = b.createOrFold<CastOp>(firstTap, b.getI64Type());
  Value count = b.createOrFold<arith::SubIOp>(
      makeNumber(b, b.getI64Type(), 2),
      b.createOrFold<arith::AddIOp>(first, first));
  taps = getAsOpFoldResult(
      b.createOrFold<arith::IndexCastOp>(b.getIndexType(), count));
}

Value AxisResizer::buildTable(
    Type type,
    llvm::function_ref<Value(F32, Value coordinate, Value tap)> body) {
  return buildParallel(
      b, {axis.output, taps}, type, {}, {},
      [&](ImplicitLocOpBuilder &b, ValueRange) {
        F32 f{b};
        Value outputPosition =
            f.fromIndex(linalg::IndexOp::create(b, 0).getResult());
        Value tap = f.fromIndex(linalg::IndexOp::create(b, 1).getResult());
        Value x = getCoordinate(f, outputPosition);
        tap = f.add(f.add(f.floor(x), firstTap), tap);
        return body(f, x, tap);
      });
}

Value AxisResizer::buildWeights() {
  Type type = b.getF32Type();
  Value weights = buildTable(type, [&](F32 f, Value x, Value tap) {
    Value distance = f.sub(x, tap);
    if (stretch)
      distance = f.mul(distance, stretch);
    Value weight = getWeight(f, distance);
    if (!options.excludeOutside)
      return weight;
    Value zero = f.number(0);
    Value last = f.sub(f.fromIndex(axis.input), f.number(1));
    weight = f.select(f.less(tap, zero), zero, weight);
    return f.select(f.less(last, tap), zero, weight);
  });
  if (!options.excludeOutside && !options.antialias)
    return weights;
  // Normalize the remaining weights to a sum of 1.
  Value sums = buildReductionOfAxes(context, weights, 1, Combine::Sum);
  return buildAlongAxes(context, {axis.output, taps}, type, {weights, sums},
                        {SmallVector<int64_t>{0, 1}, SmallVector<int64_t>{0}},
                        [](ImplicitLocOpBuilder &b, ValueRange args) {
                          return b.createOrFold<arith::DivFOp>(args[0],
                                                               args[1]);
                        });
}

Value AxisResizer::extrapolate(Value tensor) {
  if (options.coordinates != Coordinates::TfCropAndResize)
    return tensor;
  Type type = getElementTypeOrSelf(tensor);
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
  Value inside = buildParallel(
      b, axis.output, b.getI1Type(), {}, {},
      [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
        F32 f{b};
        Value outputPosition =
            f.fromIndex(linalg::IndexOp::create(b, 0).getResult());
        Value x = getCoordinate(f, outputPosition);
        Value last = f.sub(f.fromIndex(axis.input), f.number(1));
        using Predicate = arith::CmpFPredicate;
        return arith::AndIOp::create(
            b, arith::CmpFOp::create(b, Predicate::OGE, x, f.number(0)),
            arith::CmpFOp::create(b, Predicate::OLE, x, last));
      });
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(sizes.size()));
  return buildAlongAxes(context, sizes, type, {tensor, inside},
                        {all, SmallVector<int64_t>{axis.axis}},
                        [&](ImplicitLocOpBuilder &b, ValueRange args) {
                          Value value = makeNumber(b, getComputeType(type),
                                                   options.extrapolation);
                          return b.createOrFold<arith::SelectOp>(
                              args[1], args[0], fromCompute(b, value, type));
                        });
}

/// Extracts, in a body, the element at the indices of the loops, with some
/// indices replaced.
static Value buildExtract(ImplicitLocOpBuilder &b, Value tensor,
                          ArrayRef<std::pair<int64_t, Value>> replacements) {
  SmallVector<Value> position;
  for (int64_t i = 0; i < cast<RankedTensorType>(tensor.getType()).getRank();
       ++i)
    position.push_back(linalg::IndexOp::create(b, i));
  for (auto [axis, index] : replacements)
    position[axis] = arith::IndexCastOp::create(b, b.getIndexType(), index);
  return tensor::ExtractOp::create(b, tensor, position);
}

Value AxisResizer::interpolate(Value tensor) {
  setTaps();
  // f64 elements are accumulated in f64, although the weights are f32.
  Type type = getElementTypeOrSelf(tensor).isF64() ? Type(b.getF64Type())
                                                   : b.getF32Type();
  Value indices = buildTable(b.getI64Type(), [&](F32 f, Value, Value tap) {
    return clampIndex(f.b, tap);
  });
  Value weights = buildWeights();
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
  sizes[axis.axis] = axis.output;
  // The taps are the innermost loop.
  AffineMap result = AffineMap::get(
      sizes.size() + 1, 0, b.getMultiDimIdentityMap(sizes.size()).getResults(),
      b.getContext());
  AffineMap table = AffineMap::get(
      sizes.size() + 1, 0,
      {b.getAffineDimExpr(axis.axis), b.getAffineDimExpr(sizes.size())},
      b.getContext());
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange elements,
                  ValueRange accumulators) -> SmallVector<Value> {
    Value element = buildExtract(b, tensor, {{axis.axis, elements[0]}});
    Value weight = b.createOrFold<CastOp>(elements[1], type);
    element = b.createOrFold<CastOp>(element, type);
    return {b.createOrFold<arith::AddFOp>(
        accumulators[0], b.createOrFold<arith::MulFOp>(weight, element))};
  };
  Value interpolated =
      buildReduction(b, {indices, weights}, {table, table},
                     buildFilled(b, sizes, makeNumber(b, type, 0)), result,
                     body)
          .front();
  return extrapolate(interpolated);
}

/// Resizes all axes at once, because elements are only moved.
static Value buildNearest(NodeContext &context, Value tensor,
                          ArrayRef<ResizeAxis> axes,
                          const ResizeOptions &options) {
  SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
  SmallVector<Value> tables;
  SmallVector<SmallVector<int64_t>> tableAxes;
  for (const ResizeAxis &axis : axes) {
    sizes[axis.axis] = axis.output;
    tables.push_back(AxisResizer(context, axis, options).buildNearestIndices());
    tableAxes.push_back({axis.axis});
  }
  Value result =
      buildAlongAxes(context, sizes, getElementTypeOrSelf(tensor), tables,
                     tableAxes, [&](ImplicitLocOpBuilder &b, ValueRange args) {
                       SmallVector<std::pair<int64_t, Value>> replacements;
                       for (auto [axis, index] : llvm::zip_equal(axes, args))
                         replacements.push_back({axis.axis, index});
                       return buildExtract(b, tensor, replacements);
                     });
  for (const ResizeAxis &axis : axes)
    result = AxisResizer(context, axis, options).extrapolate(result);
  return result;
}

/// Integers are rounded to nearest, ties to even, and clamped to the range of
/// the type.
static Value roundToElement(ImplicitLocOpBuilder &b, Value value,
                            Type elementType) {
  auto integer = dyn_cast<IntegerType>(elementType);
  if (!integer)
    return b.createOrFold<CastOp>(value, elementType);
  F32 f{b};
  unsigned width = integer.getWidth();
  bool isUnsigned = isUnsignedElement(elementType);
  double min = isUnsigned ? 0 : -std::ldexp(1.0, width - 1);
  double max = std::ldexp(1.0, isUnsigned ? width : width - 1);
  value = math::RoundEvenOp::create(b, value);
  value = arith::MaximumFOp::create(b, value, f.number(min));
  // From 32 bits on, the largest integer is not exact in f32. The cast
  // saturates (C11).
  if (width < 32)
    value = arith::MinimumFOp::create(b, value, f.number(max - 1));
  return b.createOrFold<CastOp>(value, elementType);
}

/// Resizes `tensor` along the axes.
static Value buildResize(NodeContext &context, Value tensor,
                         ArrayRef<ResizeAxis> axes,
                         const ResizeOptions &options) {
  Type elementType = getElementTypeOrSelf(tensor);
  if (axes.empty())
    return tensor;
  if (options.mode == ResizeMode::Nearest)
    return buildNearest(context, tensor, axes, options);
  for (const ResizeAxis &axis : axes)
    tensor = AxisResizer(context, axis, options).interpolate(tensor);
  ImplicitLocOpBuilder &b = context.b;
  if (elementType == getElementTypeOrSelf(tensor))
    return tensor;
  return buildParallel(b, context.getSizes(tensor), elementType, tensor,
                       b.getMultiDimIdentityMap(
                           cast<RankedTensorType>(tensor.getType()).getRank()),
                       [&](ImplicitLocOpBuilder &b, ValueRange args) {
                         return roundToElement(b, args[0], elementType);
                       });
}

//===----------------------------------------------------------------------===//
// Inputs and attributes of the nodes
//===----------------------------------------------------------------------===//

namespace {
/// Collects the options and the axes of Resize and Upsample.
struct ResizeBuilder {
  explicit ResizeBuilder(NodeContext &context)
      : context(context), b(context.b),
        sizes(context.getSizes(context.input(0))) {}

  void readMode();
  LogicalResult readOptions();
  LogicalResult readAxes();
  LogicalResult useScales(ArrayRef<Value> scales);
  LogicalResult useSizes(size_t index);
  LogicalResult useRegion(size_t index);
  NodeResults build();

  /// Returns the elements of a small tensor of floats as f32. Returns an empty
  /// list if the input is absent or empty.
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

/// Reads the mode, and sets the other options to the behavior of the versions
/// without them.
void ResizeBuilder::readMode() {
  options.mode = context.getChoice<ResizeMode>("mode");
  if (options.mode == ResizeMode::Bilinear)
    options.mode = ResizeMode::Linear;
  options.coordinates = Coordinates::Asymmetric;
  options.nearest = Nearest::Simple;
}

LogicalResult ResizeBuilder::readOptions() {
  options.coordinates =
      context.getChoice<Coordinates>("coordinate_transformation_mode");
  options.nearest = context.getChoice<Nearest>("nearest_mode");
  options.cubicCoefficient = context.getFloat("cubic_coeff_a");
  options.excludeOutside = context.getFlag("exclude_outside");
  options.antialias = context.getFlag("antialias");
  options.extrapolation = context.getFloat("extrapolation_value");
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
    return context.unsupported(name + " must have at most " +
                               Twine(2 * sizes.size()) +
                               " floating-point elements");
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

/// Rounds toward zero. Negative values and NaN become 0 (C11).
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
  StringRef policy = context.getString("keep_aspect_ratio_policy");
  if (policy == "stretch" || axes.empty())
    return success();
  // Use one scale for all axes. Round the resulting sizes to nearest, ties up.
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
    return context.unsupported("tf_crop_and_resize requires a region of " +
                               Twine(2 * axes.size()) + " numbers, but got " +
                               Twine(region->size()));
  for (auto [i, axis] : llvm::enumerate(axes)) {
    axis.roiStart = (*region)[i];
    axis.roiEnd = (*region)[axes.size() + i];
  }
  return success();
}

NodeResults ResizeBuilder::build() {
  // Skip axes that the node does not change.
  llvm::erase_if(axes, [](const ResizeAxis &axis) {
    bool isEntire =
        !axis.roiStart || (matchPattern(axis.roiStart, m_AnyZeroFloat()) &&
                           matchPattern(axis.roiEnd, m_OneFloat()));
    return isEntire && isEqualConstantIntOrValue(axis.input, axis.output);
  });
  for (const ResizeAxis &axis : axes)
    if (failed(context.requireElements(axis.axis, axis.input, axis.output)))
      return failure();
  return SmallVector<Value>{
      buildResize(context, context.input(0), axes, options)};
}

/// The inputs are the region, the scales and the sizes. Unused inputs are
/// absent or empty.
NodeResults onnx_nodes::convertResize(NodeContext &context) {
  ResizeBuilder builder(context);
  builder.readMode();
  if (failed(builder.readOptions()) || failed(builder.readAxes()))
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
  builder.readMode();
  if (failed(builder.readAxes()) || failed(builder.useScales(scales)))
    return failure();
  return builder.build();
}

/// The same for constant scales.
static NodeResults upsample(NodeContext &context, ArrayRef<float> scales) {
  ResizeBuilder builder(context);
  SmallVector<Value> values;
  for (float scale : scales)
    values.push_back(makeNumber(context.b, context.b.getF32Type(), scale));
  return upsample(builder, values);
}

NodeResults onnx_nodes::convertUpsampleOfImages(NodeContext &context) {
  return upsample(context,
                  {1, 1, static_cast<float>(context.getFloat("height_scale")),
                   static_cast<float>(context.getFloat("width_scale"))});
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
