//===- QuantFloatToTosa.cpp - Casts and quantization in TOSA --------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===---------------------------------------------------------------------===//
//
// The ops have the results that upstream's tosa-to-linalg gives them:
// tosa.cast to float8 rounds to nearest, ties to even, and overflows to NaN or
// infinity; to integers it rounds to nearest and saturates. Only the pairs of
// types that the TOSA specification lists are cast.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodeBuilder.h"
#include "quant-float/Conversion/OpExport/OpExporter.h"
#include "quant-float/Conversion/Passes.h"
#include "quant-float/Support/FloatFormat.h"

namespace mlir::quant_float {
#define GEN_PASS_DEF_CONVERTQUANTFLOATTOTOSAPASS
#include "quant-float/Conversion/Passes.h.inc"
} // namespace mlir::quant_float

using namespace mlir;
using namespace mlir::quant_float;
using llvm::APFloat;

namespace {
struct ConvertQuantFloatToTosa final
    : quant_float::impl::ConvertQuantFloatToTosaPassBase<
          ConvertQuantFloatToTosa> {
  using ConvertQuantFloatToTosaPassBase::ConvertQuantFloatToTosaPassBase;

  void runOnOperation() override;
};

/// Creates ops of TOSA.
struct TosaBuilder {
  explicit TosaBuilder(ImplicitLocOpBuilder &b) : b(b) {}

  ImplicitLocOpBuilder &b;

  static RankedTensorType typeOf(Value value) {
    return cast<RankedTensorType>(value.getType());
  }
  static Type elementOf(Value value) { return typeOf(value).getElementType(); }

  Value constant(DenseElementsAttr elements) {
    return tosa::ConstOp::create(b, cast<ShapedType>(elements.getType()),
                                 elements);
  }
  /// Creates a constant with one element and the rank of `like`.
  Value splat(Attribute element, Value like) {
    auto type =
        RankedTensorType::get(SmallVector<int64_t>(typeOf(like).getRank(), 1),
                              cast<TypedAttr>(element).getType());
    return constant(DenseElementsAttr::get(type, element));
  }
  Value castTo(Value value, Type element) {
    if (elementOf(value) == element)
      return value;
    return tosa::CastOp::create(b, typeOf(value).clone(element), value);
  }
  /// NaN stays.
  Value clamp(Value value, TypedAttr lowest, TypedAttr highest) {
    return tosa::ClampOp::create(b, value.getType(), value, lowest, highest);
  }
  Value multiply(Value lhs, Value rhs) {
    auto type = RankedTensorType::get({1}, b.getI8Type());
    Value shift = constant(DenseElementsAttr::get(type, APInt(8, 0)));
    return tosa::MulOp::create(b, lhs.getType(), lhs, rhs, shift);
  }
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    if (typeOf(value).getShape() == shape)
      return value;
    return tosa::ReshapeOp::create(b, typeOf(value).clone(shape), value,
                                   tosa::getTosaConstShape(b, shape));
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Fails unless TOSA has the type.
static LogicalResult checkType(OpExporter &op, Type type) {
  if (isa<Float16Type, BFloat16Type, Float32Type, Float8E4M3FNType,
          Float8E5M2Type>(type) ||
      type.isSignlessInteger(1) || type.isSignlessInteger(8) ||
      type.isSignlessInteger(16) || type.isSignlessInteger(32))
    return success();
  return op.unsupported("tosa.cast has no elements of type " + showType(type));
}

/// Casts between floats that TOSA has.
static Value castFloat(TosaBuilder &builder, Value value, Type to,
                       bool saturate) {
  ImplicitLocOpBuilder &b = builder.b;
  Type from = TosaBuilder::elementOf(value);
  if (from == to)
    return value;
  // There are casts between types of different widths only, and f32 represents
  // all values.
  if (isFloat8(from) == isFloat8(to) && !from.isF32() && !to.isF32())
    value = builder.castTo(value, from = b.getF32Type());
  if (isFloat8(to) && saturate) {
    APFloat highest = FloatFormat(to).maxValue;
    bool isInexact;
    highest.convert(cast<FloatType>(from).getFloatSemantics(),
                    APFloat::rmNearestTiesToEven, &isInexact);
    APFloat lowest = highest;
    lowest.changeSign();
    value = builder.clamp(value, b.getFloatAttr(from, lowest),
                          b.getFloatAttr(from, highest));
  }
  return builder.castTo(value, to);
}

static FailureOr<Value> castToBoolean(TosaBuilder &builder, Value value) {
  ImplicitLocOpBuilder &b = builder.b;
  if (isa<IntegerType>(TosaBuilder::elementOf(value)))
    return builder.castTo(value, b.getI1Type());
  // NaN is true.
  value = castFloat(builder, value, b.getF32Type(), /*saturate=*/false);
  Value zero = builder.splat(b.getF32FloatAttr(0), value);
  Type type = TosaBuilder::typeOf(value).clone(b.getI1Type());
  Value isZero = tosa::EqualOp::create(b, type, value, zero);
  return tosa::LogicalNotOp::create(b, type, isZero).getResult();
}

static FailureOr<Value> castElements(OpExporter &op, Value value, Type to,
                                     bool saturate) {
  TosaBuilder builder(op.b);
  Type from = TosaBuilder::elementOf(value);
  if (failed(checkType(op, from)) || failed(checkType(op, to)))
    return failure();
  if (to.isInteger(1))
    return castToBoolean(builder, value);
  auto source = dyn_cast<IntegerType>(from), target = dyn_cast<IntegerType>(to);
  if (source && target)
    return builder.castTo(value, to);
  if (target) {
    StringRef example = target.getWidth() == 8    ? ", and 300 would be 127"
                        : target.getWidth() == 16 ? ", and 65537 would be 32767"
                                                  : "";
    return op.unsupported("tosa.cast rounds to nearest and saturates: 1.5 "
                          "would be 2" +
                          example);
  }
  if (!source)
    return castFloat(builder, value, to, saturate);
  if (source.getWidth() == 32 && isa<BFloat16Type>(to))
    return op.unsupported("a cast of 'i32' to 'bf16': compilers may round "
                          "16842753 twice");
  if (source.getWidth() == 1)
    value = builder.castTo(value, op.b.getI8Type());
  // f32 represents all values that do not overflow float8.
  if (isFloat8(to))
    value = builder.castTo(value, op.b.getF32Type());
  return castFloat(builder, value, to, saturate);
}

static FailureOr<Value> convertCast(OpExporter &op) {
  auto source = cast<CastOp>(op.op);
  if (!source.hasOnnxRules())
    return op.unsupported("a cast with 'mode " +
                          stringifyCastMode(*source.getMode()) + "'");
  if (source.getRandom())
    return op.unsupported("stochastic rounding");
  auto input = dyn_cast<RankedTensorType>(source.getInput().getType());
  auto result = dyn_cast<RankedTensorType>(source.getResult().getType());
  if (!input || !result)
    return op.unsupported("expected ranked tensors, but got " +
                          showType(source.getInput().getType()) + " and " +
                          showType(source.getResult().getType()));
  FailureOr<Value> value =
      castElements(op, source.getInput(), result.getElementType(),
                   source.getSemantics().saturate);
  if (failed(value))
    return failure();
  return op.toResultType(*value);
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

namespace {
/// The shapes of operands whose sizes are 1 or equal.
struct Granularity {
  /// The shape of the input; empty if it is not reshaped.
  SmallVector<int64_t> input;
  /// The shape of scales and zero points.
  SmallVector<int64_t> parameter;
};
} // namespace

static FailureOr<Granularity>
makeGranularity(OpExporter &op, const ExportedQuantization &source) {
  Granularity granularity;
  granularity.parameter.assign(source.inputType.getRank(), 1);
  auto scale = cast<RankedTensorType>(source.scale.getType());
  if (!source.axis)
    return granularity;
  if (!scale.hasStaticShape())
    return op.unsupported("scales of unknown number, " + showType(scale));
  int64_t axis = *source.axis;
  if (!source.blockSize) {
    granularity.parameter[axis] = scale.getDimSize(0);
    return granularity;
  }
  if (!source.inputType.hasStaticShape())
    return op.unsupported("blocks in " + showType(source.inputType) +
                          ", whose sizes are not known");
  if (failed(op.requireWholeBlocks(source)))
    return failure();
  granularity.input = llvm::to_vector(source.inputType.getShape());
  granularity.input[axis] /= *source.blockSize;
  granularity.input.insert(granularity.input.begin() + axis + 1,
                           *source.blockSize);
  granularity.parameter = llvm::to_vector(scale.getShape());
  granularity.parameter.insert(granularity.parameter.begin() + axis + 1, 1);
  return granularity;
}

/// Returns the scales in f32.
static FailureOr<Value> makeScale(OpExporter &op,
                                  const ExportedQuantization &source,
                                  const Granularity &granularity) {
  TosaBuilder builder(op.b);
  Type element = TosaBuilder::elementOf(source.scale);
  FloatType f32 = op.b.getF32Type();
  DenseElementsAttr elements = OpExporter::getConstant(source.scale);
  if (elements && isa<FloatType>(element)) {
    elements = OpExporter::convertElements(elements, f32);
    return builder.constant(
        elements.reshape(RankedTensorType::get(granularity.parameter, f32)));
  }
  if (failed(checkType(op, element)))
    return failure();
  Value scale = castFloat(builder, source.scale, f32, /*saturate=*/false);
  return builder.reshape(scale, granularity.parameter);
}

/// Returns the zero points in i32.
static Value makeZeroPoint(OpExporter &op, const ExportedQuantization &source,
                           const Granularity &granularity) {
  TosaBuilder builder(op.b);
  Type i32 = op.b.getI32Type();
  if (DenseElementsAttr elements = OpExporter::getConstant(source.zeroPoint)) {
    auto wide = elements.mapValues(
        i32, [](const APInt &value) { return value.sext(32); });
    return builder.constant(
        wide.reshape(RankedTensorType::get(granularity.parameter, i32)));
  }
  return builder.reshape(builder.castTo(source.zeroPoint, i32),
                         granularity.parameter);
}

static bool areZero(Value value) {
  DenseElementsAttr elements = OpExporter::getConstant(value);
  auto isZero = [](const APInt &element) { return element.isZero(); };
  return elements && OpExporter::allOf<APInt>(elements, isZero);
}

/// Reads an op with storage of signed integers or float8. Drops zero points
/// that have no effect.
static FailureOr<ExportedQuantization> readQuantization(OpExporter &op) {
  FailureOr<ExportedQuantization> source = op.readQuantization();
  if (failed(source))
    return failure();
  auto integer = dyn_cast<IntegerType>(source->storage);
  if (integer && integer.isUnsigned())
    return op.unsupported("TOSA has no unsigned integers: 200 would be -56");
  if (failed(checkType(op, source->storage)))
    return failure();
  if (source->zeroPoint && (!integer || areZero(source->zeroPoint)))
    source->zeroPoint = {};
  return source;
}

/// Returns the value in the shape of the op.
static Value finish(OpExporter &op, const ExportedQuantization &source,
                    const Granularity &granularity, Value value) {
  if (!granularity.input.empty())
    value = TosaBuilder(op.b).reshape(value, source.inputType.getShape());
  return op.toResultType(value);
}

static FailureOr<Value> convertDequantize(OpExporter &op) {
  FailureOr<ExportedQuantization> source = readQuantization(op);
  if (failed(source))
    return failure();
  FailureOr<Granularity> granularity = makeGranularity(op, *source);
  if (failed(granularity))
    return failure();
  TosaBuilder builder(op.b);
  Value value = source->input;
  if (!granularity->input.empty())
    value = builder.reshape(value, granularity->input);
  Type f32 = op.b.getF32Type();
  if (auto integer = dyn_cast<IntegerType>(source->storage)) {
    if (integer.getWidth() == 32 && source->zeroPoint)
      return op.unsupported("a zero point of 32 bits: -2147483648 - 1 would "
                            "overflow");
    value = builder.castTo(value, op.b.getI32Type());
    if (source->zeroPoint)
      value = tosa::SubOp::create(op.b, value.getType(), value,
                                  makeZeroPoint(op, *source, *granularity));
    value = builder.castTo(value, f32);
  } else {
    value = castFloat(builder, value, f32, /*saturate=*/false);
  }
  FailureOr<Value> scale = makeScale(op, *source, *granularity);
  Type element = source->resultType.getElementType();
  if (failed(scale) || failed(checkType(op, element)))
    return failure();
  value = castFloat(builder, builder.multiply(value, *scale), element,
                    /*saturate=*/false);
  return finish(op, *source, *granularity, value);
}

/// Returns the reciprocals of scales if a multiplication by them is a division.
static DenseElementsAttr invert(DenseElementsAttr scales) {
  auto type = cast<FloatType>(scales.getElementType());
  SmallVector<APFloat> reciprocals;
  auto addReciprocal = [&](const APFloat &scale) {
    reciprocals.emplace_back(type.getFloatSemantics());
    return scale.getExactInverse(&reciprocals.back());
  };
  if (!OpExporter::allOf<APFloat>(scales, addReciprocal))
    return {};
  return DenseElementsAttr::get(cast<ShapedType>(scales.getType()),
                                reciprocals);
}

/// Rounds to integers, adds the zero point and clamps (D1).
static Value roundToIntegers(OpExporter &op, Value value, Value zeroPoint,
                             IntegerType storage) {
  TosaBuilder builder(op.b);
  ImplicitLocOpBuilder &b = op.b;
  // tosa.cast of NaN is not defined.
  value = castFloat(builder, value, b.getF32Type(), /*saturate=*/false);
  Type booleans = TosaBuilder::typeOf(value).clone(b.getI1Type());
  Value isNumber = tosa::EqualOp::create(b, booleans, value, value);
  Value zero = builder.splat(b.getF32FloatAttr(0), value);
  value = tosa::SelectOp::create(b, value.getType(), isNumber, value, zero);
  // Zero points of at most 16 bits can be added.
  constexpr int kBound = 1 << 20;
  value = builder.clamp(value, b.getF32FloatAttr(-kBound),
                        b.getF32FloatAttr(kBound));
  value = builder.castTo(value, b.getI32Type());
  if (zeroPoint)
    value = tosa::AddOp::create(b, value.getType(), value, zeroPoint);
  unsigned width = storage.getWidth();
  value = builder.clamp(value, b.getI32IntegerAttr(llvm::minIntN(width)),
                        b.getI32IntegerAttr(llvm::maxIntN(width)));
  return builder.castTo(value, storage);
}

static FailureOr<Value> convertQuantize(OpExporter &op) {
  FailureOr<ExportedQuantization> source = readQuantization(op);
  if (failed(source))
    return failure();
  FailureOr<Granularity> granularity = makeGranularity(op, *source);
  if (failed(granularity))
    return failure();
  QuantizeSemantics semantics = cast<QuantizeOp>(op.op).getSemantics();
  Type element = source->inputType.getElementType();
  if (failed(checkType(op, element)) ||
      failed(checkType(op, semantics.precision)))
    return failure();
  DenseElementsAttr scales = OpExporter::getConstant(source->scale);
  if (scales && isa<FloatType, IntegerType>(scales.getElementType()))
    scales = invert(OpExporter::convertElements(scales, semantics.precision));
  else
    scales = {};
  if (!scales)
    return op.unsupported(
        "TOSA has no division, and scales that are not constant powers of two "
        "have no exact reciprocals: -12.149999618530273 times 1 / 0.1 is "
        "-122 instead of -121");
  TosaBuilder builder(op.b);
  FailureOr<Value> input =
      castElements(op, source->input, semantics.precision, /*saturate=*/false);
  if (failed(input))
    return failure();
  Value value = *input;
  if (!granularity->input.empty())
    value = builder.reshape(value, granularity->input);
  value = builder.multiply(
      value, builder.constant(scales.reshape(RankedTensorType::get(
                 granularity->parameter, semantics.precision))));
  if (auto integer = dyn_cast<IntegerType>(source->storage)) {
    Value zeroPoint;
    if (source->zeroPoint)
      zeroPoint = makeZeroPoint(op, *source, *granularity);
    value = roundToIntegers(op, value, zeroPoint, integer);
  } else {
    value = castFloat(builder, value, source->storage, semantics.saturate);
  }
  return finish(op, *source, *granularity, value);
}

void ConvertQuantFloatToTosa::runOnOperation() {
  if (failed(exportOps(getOperation(), "tosa",
                       [](OpExporter &op) -> FailureOr<Value> {
                         if (isa<CastOp>(op.op))
                           return convertCast(op);
                         if (isa<QuantizeOp>(op.op))
                           return convertQuantize(op);
                         return convertDequantize(op);
                       })))
    signalPassFailure();
}
