//===- Casts.cpp - Casts and quantization as StableHLO --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each op has the bits of the rules (docs/rules.md), by ops whose results are
// defined or, for conversions, which XLA computes as convert-stablehlo-to-onnx
// describes. Where an op would have other results for some input, it is refused
// and such an input is stated.
//
//===----------------------------------------------------------------------===//

#include "Forms.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_forms;
using llvm::APFloat;

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// Whether StableHLO has the element type, and XLA's conversions of it are
/// known.
static LogicalResult checkType(Form &form, Type type) {
  bool isKnown = isStandardFloat(type) || isFloat8(type) ||
                 isa<Float8E8M0FNUType, Float4E2M1FNType, IntegerType>(type);
  // The dialect's own types are no FloatTypes.
  if (isKnown && isa<FloatType, IntegerType>(type))
    return success();
  return form.unsupported("StableHLO, as XLA implements it, has no elements of "
                          "type " +
                          showType(type));
}

/// Replaces the elements where the condition is true by a constant encoding,
/// whose type has at most 8 bits.
static Value replaceWhere(Form &form, Value condition, uint64_t encoding,
                          Value value) {
  Type type = StablehloBuilder::elementOf(value);
  unsigned width = getNumberWidth(type);
  APInt bits(width, encoding);
  auto scalar = RankedTensorType::get({}, type);
  Value constant = form.constant(DenseElementsAttr::get(
      scalar, APFloat(cast<FloatType>(type).getFloatSemantics(), bits)));
  return form.select(condition, constant, value);
}

static Value isNaN(Form &form, Value value) {
  return form.compare("NE", value, value);
}

/// Whether the sign bit of an f32 is set.
static Value hasSign(Form &form, Value value) {
  Type word = form.b.getI32Type();
  return form.compare("LT", form.bitcast(value, word), form.integer(word, 0));
}

/// Clamps to the range of a float type. NaN stays.
static Value clampToRange(Form &form, Value value, const FloatFormat &format) {
  Type type = StablehloBuilder::elementOf(value);
  APFloat lowest = format.maxValue;
  lowest.changeSign();
  return form
      .create("clamp", value.getType(),
              {form.number(type, lowest), value,
               form.number(type, format.maxValue)})
      ->getResult(0);
}

/// Converts f32 to f8E8M0FNU by its bits (C9).
static Value convertToScale(Form &form, Value value,
                            const CastSemantics &semantics) {
  constexpr int kMantissaBits = 23;
  constexpr int64_t kHidden = int64_t(1) << kMantissaBits;
  Type word = form.b.getIntegerType(32, /*isSigned=*/false);
  Type byte = form.b.getIntegerType(8, /*isSigned=*/false);
  auto integer = [&](int64_t number) { return form.integer(word, number); };
  Value bits = form.bitcast(value, word);
  // An increment below a power of two rounds up, half of it to nearest.
  int64_t increment = semantics.roundMode == RoundMode::Up        ? kHidden - 1
                      : semantics.roundMode == RoundMode::Nearest ? kHidden / 2
                                                                  : 0;
  Value rounded = form.elementwise("add", {bits, integer(increment)});
  Value encoding = form.elementwise("shift_right_logical",
                                    {rounded, integer(kMantissaBits)});
  // The encoding 0 is 2^-127, half of the smallest normal number of f32. Above
  // it, a subnormal number rounds up to 2^-126, to nearest from 1.5 * 2^-127
  // on.
  int64_t smallest = kHidden / 2;
  int64_t first = semantics.roundMode == RoundMode::Up        ? smallest + 1
                  : semantics.roundMode == RoundMode::Nearest ? smallest * 3 / 2
                                                              : kHidden;
  Value isSubnormal = form.compare("LT", bits, integer(kHidden));
  Value isUp = form.compare("GE", bits, integer(first));
  encoding = form.select(isSubnormal, form.convert(isUp, word), encoding);
  // 2^127 is the largest value.
  constexpr int64_t kLargest = int64_t(254) << kMantissaBits;
  constexpr int64_t kSign = int64_t(1) << 31;
  Value isNegative = form.compare("GE", bits, integer(kSign));
  if (semantics.saturate) {
    encoding = form.elementwise("minimum", {integer(254), encoding});
    encoding = form.select(isNegative, integer(0), encoding);
  } else {
    Value isTooLarge = form.compare("GT", bits, integer(kLargest));
    Value isTooSmall = form.compare("LT", bits, integer(smallest));
    encoding = form.select(form.elementwise("or", {isTooLarge, isTooSmall}),
                           integer(255), encoding);
  }
  encoding = form.select(isNaN(form, value), integer(255), encoding);
  return form.bitcast(form.convert(encoding, byte),
                      Float8E8M0FNUType::get(form.b.getContext()));
}

/// Converts f32 to a float of at most 8 bits. `isNaNNegative` means that a NaN
/// is that of an FNUZ type, which is negative.
static Value convertToNarrow(Form &form, Value value, Type to,
                             const CastSemantics &semantics,
                             bool isNaNNegative = false) {
  if (isa<Float8E8M0FNUType>(to))
    return convertToScale(form, value, semantics);
  FloatFormat format(to);
  if (isa<Float4E2M1FNType>(to)) {
    // A NaN gives a zero of the opposite sign (C8). StableHLO gives -0.
    Value isNegativeNaN = isNaN(form, value);
    if (!isNaNNegative)
      isNegativeNaN =
          form.elementwise("and", {isNegativeNaN, hasSign(form, value)});
    Value result = form.convert(value, to);
    return replaceWhere(form, isNegativeNaN, 0, result);
  }
  if (!semantics.saturate)
    return form.convert(value, to);
  Value result = form.convert(clampToRange(form, value, format), to);
  if (!semantics.infinityIsNaN || !format.isFNUZ)
    return result;
  Value magnitude = form.elementwise("abs", value);
  Value infinity = form.number(StablehloBuilder::elementOf(value),
                               APFloat::getInf(APFloat::IEEEsingle()));
  return replaceWhere(form, form.compare("EQ", magnitude, infinity),
                      format.nanEncoding, result);
}

/// Converts integers to a float that has fewer bits than f32, exactly rounded.
static FailureOr<Value> convertIntegerToNarrow(Form &form, Value value, Type to,
                                               const CastSemantics &semantics) {
  auto from = cast<IntegerType>(StablehloBuilder::elementOf(value));
  Type f32 = form.b.getF32Type();
  if (from.getWidth() > 16) {
    // f32 does not represent all values. To types of a small range, the values
    // that it does not represent overflow.
    if (isa<BFloat16Type, Float8E8M0FNUType>(to))
      return form.unsupported("a cast of " + showType(from) + " to " +
                              showType(to) +
                              ": 16842753 would be rounded twice");
    constexpr int64_t kBound = int64_t(1) << 20;
    value = form.elementwise("minimum", {form.integer(from, kBound), value});
    if (!from.isUnsigned())
      value = form.elementwise("maximum", {form.integer(from, -kBound), value});
  }
  value = form.convert(value, f32);
  if (isStandardFloat(to))
    return form.convert(value, to);
  return convertToNarrow(form, value, to, semantics);
}

static FailureOr<Value> castElements(Form &form, Value value, Type to,
                                     const CastSemantics &semantics) {
  Type from = StablehloBuilder::elementOf(value);
  if (from == to)
    return value;
  if (failed(checkType(form, from)) || failed(checkType(form, to)))
    return failure();
  Type f32 = form.b.getF32Type(), i64 = form.b.getI64Type();
  auto integer = dyn_cast<IntegerType>(to);
  if (isa<IntegerType>(from)) {
    if (integer || to.isF32() || to.isF64())
      return form.convert(value, to);
    return convertIntegerToNarrow(form, value, to, semantics);
  }
  // All of its values are nonzero, and some are subnormal in f32.
  if (to.isInteger(1) && isa<Float8E8M0FNUType>(from))
    return form.broadcastTo(form.integer(to, 1),
                            StablehloBuilder::typeOf(value).getShape());
  // f32 represents all values of the narrow types, f16 and bf16.
  if (!from.isF64())
    value = form.convert(value, f32);
  if (to.isInteger(1)) {
    // XLA treats subnormal numbers as zero, unless they are integers.
    Type word = form.b.getIntegerType(
        StablehloBuilder::elementOf(value).getIntOrFloatBitWidth());
    APInt magnitude = APInt::getSignedMaxValue(word.getIntOrFloatBitWidth());
    Value bits =
        form.elementwise("and", {form.bitcast(value, word),
                                 form.integer(word, magnitude.getSExtValue())});
    return form.compare("NE", bits, form.integer(word, 0));
  }
  if (integer) {
    // Saturate to 32 or 64 bits, and keep the low bits (C11).
    bool isWide = integer.getWidth() == 64 ||
                  (integer.getWidth() == 32 && integer.isUnsigned());
    Value whole = form.convert(value, isWide ? i64 : form.b.getI32Type());
    if (integer.getWidth() != 64 || !integer.isUnsigned())
      return form.convert(whole, to);
    Value isNegative = form.compare(
        "LT", value,
        form.number(StablehloBuilder::elementOf(value), APFloat(0.0)));
    return form.select(isNegative, form.convert(whole, to),
                       form.convert(value, to));
  }
  if (to.isF32() || to.isF64() || (isa<Float16Type>(to) && !from.isF64()) ||
      (isa<BFloat16Type>(to) && !from.isF64()))
    return form.convert(value, to);
  if (from.isF64())
    return form.unsupported("a cast of 'f64' to " + showType(to) +
                            ": values next to a midpoint, such as " +
                            (isa<Float16Type, BFloat16Type>(to)
                                 ? "1.0039062500000002"
                                 : "1.0625000000000002") +
                            ", would be rounded twice");
  return convertToNarrow(form, value, to, semantics,
                         /*isNaNNegative=*/FloatFormat(from).isFNUZ);
}

FailureOr<Value> onnx_forms::convertCast(Form &form) {
  auto op = cast<CastOp>(form.op);
  if (op.getMode() == CastMode::OpenVINO)
    return form.unsupported(
        "a cast with 'mode openvino' that is no ONNX cast: the canonicalizer "
        "converts those that are");
  if (op.getMode() == CastMode::P3109)
    return form.unsupported("a cast with 'mode p3109'");
  if (op.getRandom())
    return form.unsupported("stochastic rounding");
  Type to = getElementTypeOrSelf(op.getResult().getType());
  return castElements(form, form.inputs[0], to, op.getSemantics());
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

/// Broadcasts a scale or zero point to the shape of the input (Q1).
static FailureOr<Value> spread(Form &form, Value parameter,
                               RankedTensorType input,
                               std::optional<int64_t> axis,
                               std::optional<int64_t> blockSize) {
  RankedTensorType type = StablehloBuilder::typeOf(parameter);
  int64_t rank = input.getRank();
  int64_t place = axis.value_or(0);
  if (place < 0)
    place += rank;
  if (!blockSize) {
    if (type.getRank() != 1 || type.getDimSize(0) == 1)
      return form.reshape(parameter, {});
    SmallVector<int64_t> shape(rank, 1);
    shape[place] = type.getDimSize(0);
    return form.reshape(parameter, shape);
  }
  // Repeat each scale along its block, and drop those of a partial block.
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin() + place + 1, 1);
  parameter = form.reshape(parameter, shape);
  shape[place + 1] = *blockSize;
  parameter = form.broadcastTo(parameter, shape);
  shape.erase(shape.begin() + place + 1);
  shape[place] = type.getDimSize(place) * *blockSize;
  parameter = form.reshape(parameter, shape);
  if (ArrayRef(shape) == input.getShape())
    return parameter;
  return form
      .create("slice", type.clone(input.getShape()), parameter,
              {form.ints("start_indices", SmallVector<int64_t>(rank, 0)),
               form.ints("limit_indices", input.getShape()),
               form.ints("strides", SmallVector<int64_t>(rank, 1))})
      ->getResult(0);
}

/// Quantizes. The op is a `quantize` or a `qdq`, whose operands are `input`,
/// `scale` and `zeroPoint`, which may be null.
template <typename OpT>
static FailureOr<Value> quantize(Form &form, OpT op, Value input, Value scale,
                                 Value zeroPoint, Type to) {
  if (op.getRandom())
    return form.unsupported("stochastic rounding");
  if (failed(checkType(form, to)))
    return failure();
  QuantizeSemantics semantics = op.getSemantics();
  RankedTensorType type = StablehloBuilder::typeOf(input);
  Type precision = semantics.precision;
  CastSemantics exact;
  FailureOr<Value> dividend = castElements(form, input, precision, exact);
  FailureOr<Value> divisor = castElements(form, scale, precision, exact);
  if (failed(dividend) || failed(divisor))
    return failure();
  divisor = spread(form, *divisor, type, op.getAxis(), op.getBlockSize());
  Value quotient = form.divide(*dividend, *divisor);
  if (!isa<IntegerType>(to)) {
    if (isNarrowFloat(to) && !isFloat8(to) && zeroPoint)
      return form.unsupported("a zero point of " + showType(to));
    CastSemantics rounding;
    rounding.saturate = semantics.saturate;
    return castElements(form, quotient, to, rounding);
  }
  Type i32 = form.b.getI32Type();
  // The conversion saturates, and NaN gives 0. Half of the range is sufficient
  // for all types of at most 16 bits, and zero points can be added.
  Value rounded = form.elementwise("round_nearest_even", quotient);
  Value whole = form.convert(rounded, i32);
  constexpr int64_t kBound = int64_t(1) << 30;
  whole = form.create("clamp", whole.getType(),
                      {form.integer(i32, -kBound), whole,
                       form.integer(i32, kBound)})
              ->getResult(0);
  if (zeroPoint) {
    FailureOr<Value> offset = spread(form, form.convert(zeroPoint, i32), type,
                                     op.getAxis(), op.getBlockSize());
    whole = form.elementwise("add", {whole, *offset});
  }
  auto integer = cast<IntegerType>(to);
  unsigned width = integer.getWidth();
  int64_t low = integer.isUnsigned() ? 0 : llvm::minIntN(width);
  int64_t high =
      integer.isUnsigned() ? llvm::maxUIntN(width) : llvm::maxIntN(width);
  whole = form.create("clamp", whole.getType(),
                      {form.integer(i32, low), whole, form.integer(i32, high)})
              ->getResult(0);
  return form.convert(whole, to);
}

/// Dequantizes (D5).
static FailureOr<Value> dequantize(Form &form, Value input, Value scale,
                                   Value zeroPoint, Type to,
                                   std::optional<int64_t> axis,
                                   std::optional<int64_t> blockSize) {
  Type from = StablehloBuilder::elementOf(input);
  if (failed(checkType(form, from)) || failed(checkType(form, to)))
    return failure();
  Type f32 = form.b.getF32Type();
  RankedTensorType type = StablehloBuilder::typeOf(input);
  Value number = input;
  if (isa<IntegerType>(from) && zeroPoint) {
    Type wide = from.getIntOrFloatBitWidth() < 32 ? form.b.getI32Type()
                                                  : form.b.getI64Type();
    FailureOr<Value> offset =
        spread(form, form.convert(zeroPoint, wide), type, axis, blockSize);
    number =
        form.elementwise("subtract", {form.convert(number, wide), *offset});
  }
  CastSemantics exact;
  FailureOr<Value> left = castElements(form, number, f32, exact);
  FailureOr<Value> right = castElements(form, scale, f32, exact);
  if (failed(left) || failed(right))
    return failure();
  right = spread(form, *right, type, axis, blockSize);
  return castElements(form, form.elementwise("multiply", {*left, *right}), to,
                      exact);
}

FailureOr<Value> onnx_forms::convertQuantize(Form &form) {
  auto op = cast<QuantizeOp>(form.op);
  return quantize(form, op, form.inputs[0], form.inputs[1],
                  op.getZeroPoint() ? form.inputs[2] : Value(),
                  getElementTypeOrSelf(op.getResult().getType()));
}

FailureOr<Value> onnx_forms::convertDequantize(Form &form) {
  auto op = cast<DequantizeOp>(form.op);
  return dequantize(form, form.inputs[0], form.inputs[1],
                    op.getZeroPoint() ? form.inputs[2] : Value(),
                    getElementTypeOrSelf(op.getResult().getType()),
                    op.getAxis(), op.getBlockSize());
}

FailureOr<Value> onnx_forms::convertQdq(Form &form) {
  auto op = cast<QdqOp>(form.op);
  Value zeroPoint = op.getZeroPoint() ? form.inputs[2] : Value();
  FailureOr<Value> quantized = quantize(
      form, op, form.inputs[0], form.inputs[1], zeroPoint, op.getStorage());
  if (failed(quantized))
    return failure();
  return dequantize(form, *quantized, form.inputs[1], zeroPoint,
                    getElementTypeOrSelf(op.getResult().getType()),
                    op.getAxis(), op.getBlockSize());
}
