//===- Quantization.cpp - quantized_decomposed ops -----------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of PyTorch's PT2E quantization, as the Python functions of
// torch.ao.quantization define them. QuantizeLinear and DequantizeLinear
// replace the arithmetic if they give the same bits.
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

//===----------------------------------------------------------------------===//
// Types and bounds
//===----------------------------------------------------------------------===//

namespace {
/// The type and the range of quantized values.
struct QuantizedRange {
  Type type;
  int64_t low, high;
};
} // namespace

/// Returns the lowest and highest value of a type of quantized values, or none.
static std::optional<std::pair<int64_t, int64_t>> getBounds(Type type) {
  if (isa<Float8E5M2Type>(type))
    return std::pair<int64_t, int64_t>(-57344, 57344);
  if (isa<Float8E4M3FNType>(type))
    return std::pair<int64_t, int64_t>(-448, 448);
  auto integer = dyn_cast<IntegerType>(type);
  unsigned width = integer ? integer.getWidth() : 0;
  if (width != 8 && width != 16 && !type.isSignlessInteger(32))
    return std::nullopt;
  if (integer.isUnsigned())
    return std::pair<int64_t, int64_t>(0, (int64_t(1) << width) - 1);
  return std::pair<int64_t, int64_t>(-(int64_t(1) << (width - 1)),
                                     (int64_t(1) << (width - 1)) - 1);
}

/// Requires a range that the type at `typeIndex` contains.
static FailureOr<QuantizedRange> requireRange(OpImporter &op, size_t lowIndex,
                                              size_t typeIndex) {
  FailureOr<Type> type = requireDtype(op, typeIndex);
  if (failed(type))
    return failure();
  std::optional<std::pair<int64_t, int64_t>> bounds = getBounds(*type);
  if (!bounds)
    return failOperand(op, typeIndex, "the type of quantized values");
  // The variant `tensor2` has tensors as bounds.
  auto read = [&](size_t index) -> FailureOr<int64_t> {
    if (index < op.inputs.size() &&
        isa<TensorType>(op.inputs[index].getType())) {
      std::optional<SmallVector<int64_t>> values =
          readIntConstant(op.inputs[index]);
      if (values && values->size() == 1)
        return values->front();
    }
    return requireIntOperand(op, index);
  };
  FailureOr<int64_t> low = read(lowIndex), high = read(lowIndex + 1);
  if (failed(low) || failed(high))
    return failure();
  if (*low < bounds->first || *high > bounds->second || *low > *high)
    return op.unsupported("expected a range within " + showType(*type) +
                          ", but got " + Twine(*low) + " to " + Twine(*high));
  return QuantizedRange{*type, *low, *high};
}

/// Whether QuantizeLinear and DequantizeLinear have the type, and f32
/// represents all sums and differences of two values.
static bool isNarrowInteger(Type type) {
  return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 16;
}

/// Returns a constant of quantized values, or null if the type cannot represent
/// one of them. Equal values have rank 0 if `isCollapsed`.
static Value makeQuantized(OpImporter &op, Type type, ArrayRef<int64_t> values,
                           ArrayRef<int64_t> shape, bool isCollapsed = false) {
  std::optional<std::pair<int64_t, int64_t>> bounds = getBounds(type);
  if (!bounds || !isa<IntegerType>(type) || values.empty())
    return {};
  SmallVector<APInt> codes;
  for (int64_t value : values) {
    if (value < bounds->first || value > bounds->second)
      return {};
    codes.push_back(APInt(64, value, /*isSigned=*/true)
                        .trunc(type.getIntOrFloatBitWidth()));
  }
  // One value fills the shape.
  if (llvm::all_equal(codes)) {
    codes.truncate(1);
    if (isCollapsed)
      shape = {};
  }
  auto tensor = RankedTensorType::get(shape, type);
  if (codes.size() != 1 &&
      tensor.getNumElements() != static_cast<int64_t>(codes.size()))
    return {};
  return op.makeConstant(DenseElementsAttr::get(tensor, codes));
}

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

namespace {
/// Zero points of an op: constants, or a tensor that can be broadcast to the
/// input.
struct ZeroPoints {
  Operand operand;
  /// The values, if they are constants.
  std::optional<SmallVector<int64_t>> values;
  /// The axis of QuantizeLinear if there are several values.
  int64_t axis = 0;

  bool areZero() const {
    return values &&
           llvm::all_of(*values, [](int64_t value) { return value == 0; });
  }
};
} // namespace

/// Rounds scaled values, adds the zero points and clamps:
/// clamp(round(scaled) + zeroPoints, low, high). NaN becomes 0.
static Value quantizeScaled(TorchMath &math, Value scaled,
                            const ZeroPoints &zeroPoints,
                            const QuantizedRange &range) {
  OpImporter &op = math.op;
  ImplicitLocOpBuilder &b = op.b;
  Type type = range.type;
  Value zeroPoint;
  if (getElementTypeOrSelf(scaled).isF32() && isNarrowInteger(type) &&
      zeroPoints.values)
    zeroPoint =
        makeQuantized(op, type, *zeroPoints.values, zeroPoints.values->size(),
                      /*isCollapsed=*/true);
  if (!zeroPoint) {
    Value result = math.add(math.round(scaled), zeroPoints.operand);
    return math.to(math.clamp(result, range.low, range.high), type);
  }
  Value one = math.makeNumber(b.getF32Type(), Number::fromInt(1));
  auto zeroPointType = cast<RankedTensorType>(zeroPoint.getType());
  if (zeroPointType.getRank() != 0)
    one = op.buildNode(
        "Expand", {one, op.makeInts(zeroPointType.getShape())},
        RankedTensorType::get(zeroPointType.getShape(), b.getF32Type()));
  Type resultType = cast<TensorType>(scaled.getType()).clone(type);
  Value result = op.buildNode("QuantizeLinear", {scaled, one, zeroPoint},
                              resultType, op.intAttr("axis", zeroPoints.axis));
  std::pair<int64_t, int64_t> bounds = *getBounds(type);
  auto limit = [&](StringRef opType, int64_t bound) {
    result = math.node(opType,
                       {result, math.makeNumber(type, Number::fromInt(bound))});
  };
  if (range.low > bounds.first)
    limit("Max", range.low);
  if (range.high < bounds.second)
    limit("Min", range.high);
  // QuantizeLinear gives the zero point for NaN.
  if (!zeroPoints.areZero() || range.low > 0 || range.high < 0)
    result =
        math.node("Where", {math.isNaN(scaled),
                            math.makeNumber(type, Number::fromInt(0)), result});
  return result;
}

/// Returns a tensor of one element as a tensor of rank 0.
static FailureOr<Value> requireScalar(OpImporter &op, size_t index) {
  FailureOr<Value> value = requireRankedTensor(op, index);
  if (failed(value))
    return failure();
  auto type = cast<RankedTensorType>(value->getType());
  if (!type.hasStaticShape() || type.getNumElements() != 1)
    return failOperand(op, index, "a tensor of one element");
  return TorchMath(op).reshape(*value, {});
}

/// Returns the number of a constant or of a constant tensor of one element.
static std::optional<Number> readScalar(OpImporter &op, size_t index) {
  Value value = op.inputs[index];
  if (std::optional<Number> number = readNumber(value))
    return number;
  if (auto integers = readIntConstant(value); integers && integers->size() == 1)
    return Number::fromInt(integers->front());
  if (auto reals = readFloatConstant(value); reals && reals->size() == 1)
    return Number::fromFloat(reals->front());
  return std::nullopt;
}

/// Reads the zero point of one tensor, a number or a tensor of one element.
static FailureOr<ZeroPoints> readZeroPoint(OpImporter &op, size_t index,
                                           Type computed) {
  if (std::optional<Number> number = readScalar(op, index);
      number && !number->isFloat())
    return ZeroPoints{Operand(*number), SmallVector<int64_t>{number->integer},
                      0};
  FailureOr<Value> value = requireScalar(op, index);
  if (failed(value))
    return failure();
  return ZeroPoints{Operand(TorchMath(op).to(*value, computed)), std::nullopt,
                    0};
}

/// Requires a tensor of f32, f16 or bf16, and returns it as f32.
static FailureOr<Value> requireSingle(OpImporter &op, size_t index) {
  FailureOr<Value> value = requireRankedTensor(op, index);
  if (failed(value))
    return failure();
  Type type = op.elementType(index);
  if (!isStandardFloat(type) || type.isF64())
    return failOperand(op, index, "elements of 'f32', 'f16' or 'bf16'");
  return TorchMath(op).to(*value, op.b.getF32Type());
}

NodeResults torch_ops::convertQuantizePerTensor(OpImporter &op) {
  FailureOr<Value> input = requireSingle(op, 0);
  FailureOr<QuantizedRange> range = requireRange(op, 3, 5);
  FailureOr<ZeroPoints> zeroPoint = readZeroPoint(op, 2, op.b.getF32Type());
  if (failed(input) || failed(range) || failed(zeroPoint))
    return failure();
  TorchMath math(op);
  Type single = op.b.getF32Type(), wide = op.b.getF64Type();
  // The reciprocal is computed in f64.
  Value reciprocal;
  if (std::optional<Number> scale = readScalar(op, 1)) {
    if (scale->toDouble() == 0)
      return failOperand(op, 1, "a scale other than 0");
    reciprocal =
        math.makeNumber(single, Number::fromFloat(1 / scale->toDouble()));
  } else {
    FailureOr<Value> given = requireScalar(op, 1);
    if (failed(given))
      return failure();
    reciprocal =
        math.to(math.node("Reciprocal", math.to(*given, wide)), single);
  }
  Value scaled = math.node("Mul", {*input, reciprocal});
  return quantizeScaled(math, scaled, *zeroPoint, *range);
}

namespace {
/// Scales and zero points along an axis, with axes of size 1 for all others.
struct ChannelParameters {
  Value scales;
  std::optional<ZeroPoints> zeroPoints;
  int64_t axis;
};
} // namespace

static FailureOr<ChannelParameters> readChannels(OpImporter &op,
                                                 size_t axisIndex) {
  FailureOr<Value> input = requireRankedTensor(op, 0);
  if (failed(input))
    return failure();
  auto type = cast<RankedTensorType>(input->getType());
  FailureOr<int64_t> axis = requireAxis(op, axisIndex, type.getRank());
  if (failed(axis))
    return failure();
  if (type.getRank() == 0)
    return failOperand(op, 0, "a tensor with axes");
  SmallVector<int64_t> shape(type.getRank(), 1);
  shape[*axis] = type.getDimSize(*axis);
  TorchMath math(op);
  auto read = [&](size_t index) -> FailureOr<Value> {
    FailureOr<Value> value = requireRankedTensor(op, index);
    if (failed(value))
      return failure();
    auto given = cast<RankedTensorType>(value->getType());
    if (given.getRank() != 1 || !given.hasStaticShape() ||
        given.getDimSize(0) != shape[*axis])
      return failOperand(
          op, index, "one element for each element along axis " + Twine(*axis));
    return math.reshape(*value, shape);
  };
  FailureOr<Value> scales = read(1);
  if (failed(scales))
    return failure();
  if (!isStandardFloat(getElementTypeOrSelf(*scales)))
    return failOperand(op, 1, "a tensor of floats");
  ChannelParameters result{*scales, std::nullopt, *axis};
  if (isNone(op, 2))
    return result;
  FailureOr<Value> zeroPoints = read(2);
  if (failed(zeroPoints))
    return failure();
  result.zeroPoints =
      ZeroPoints{Operand(*zeroPoints), readIntConstant(op.inputs[2]), *axis};
  return result;
}

NodeResults torch_ops::convertQuantizePerChannel(OpImporter &op) {
  FailureOr<Value> input = requireSingle(op, 0);
  FailureOr<QuantizedRange> range = requireRange(op, 4, 6);
  FailureOr<ChannelParameters> channels = readChannels(op, 3);
  if (failed(input) || failed(range) || failed(channels))
    return failure();
  if (!channels->zeroPoints)
    return failOperand(op, 2, "a tensor of zero points");
  TorchMath math(op);
  Value reciprocals = math.div(1.0, channels->scales);
  Value scaled = math.mul(*input, reciprocals);
  return quantizeScaled(math, scaled, *channels->zeroPoints, *range);
}

/// Adds the zero points before it rounds:
/// clamp(round(input * (1 / scales) + zeroPoints), low, high).
static Value quantizeAddingFirst(TorchMath &math, Value input, Value scales,
                                 Value zeroPoints, bool areZero,
                                 const QuantizedRange &range) {
  Value scaled = math.mul(input, math.div(1.0, scales));
  if (areZero)
    return quantizeScaled(
        math, scaled, {Operand(int64_t(0)), SmallVector<int64_t>{0}, 0}, range);
  Value result = math.round(math.add(scaled, zeroPoints));
  return math.to(math.clamp(result, range.low, range.high), range.type);
}

static bool areZeros(Value value) {
  auto values = readIntConstant(value);
  return values &&
         llvm::all_of(*values, [](int64_t element) { return element == 0; });
}

/// Requires a tensor that has one element for each row of operand 0.
static LogicalResult requireTokens(OpImporter &op, size_t index) {
  FailureOr<Value> value = requireRankedTensor(op, index);
  FailureOr<Value> input = requireRankedTensor(op, 0);
  if (failed(value) || failed(input))
    return failure();
  auto type = cast<RankedTensorType>(value->getType());
  if (type.getRank() != 0 && type.getDimSize(type.getRank() - 1) == 1 &&
      type.getRank() <= cast<RankedTensorType>(input->getType()).getRank())
    return success();
  return failOperand(op, index, "one element for each row");
}

NodeResults torch_ops::convertQuantizePerToken(OpImporter &op) {
  FailureOr<QuantizedRange> range = requireRange(op, 3, 5);
  if (failed(range) || failed(requireTokens(op, 1)) ||
      failed(requireTokens(op, 2)))
    return failure();
  TorchMath math(op);
  return quantizeAddingFirst(math, op.inputs[0], op.inputs[1], op.inputs[2],
                             areZeros(op.inputs[2]), *range);
}

namespace {
/// A matrix whose rows are split into groups, and one scale for each group.
struct Groups {
  RankedTensorType type;
  /// The number of elements of a group.
  int64_t size;
  /// The shapes of the split matrix and of the parameters.
  SmallVector<int64_t> split, parameters;
};
} // namespace

static FailureOr<Groups> readGroups(OpImporter &op, size_t sizeIndex) {
  FailureOr<Value> input = requireRankedTensor(op, 0);
  FailureOr<int64_t> size = getInt(op, sizeIndex, 128);
  FailureOr<Value> scales = requireRankedTensor(op, 1);
  if (failed(input) || failed(size) || failed(scales))
    return failure();
  auto type = cast<RankedTensorType>(input->getType());
  if (type.getRank() != 2 || !type.hasStaticShape())
    return failOperand(op, 0, "a matrix of static shape");
  auto scaleType = cast<RankedTensorType>(scales->getType());
  int64_t columns = type.getDimSize(1);
  if (*size > columns && scaleType.getRank() == 2 &&
      scaleType.getDimSize(1) == 1)
    *size = columns;
  if (*size <= 1 || columns % *size != 0)
    return failOperand(op, sizeIndex,
                       "a divisor of " + Twine(columns) + " above 1");
  int64_t rows = type.getDimSize(0), count = columns / *size;
  for (size_t index : {1, 2}) {
    if (isNone(op, index))
      continue;
    FailureOr<Value> value = requireRankedTensor(op, index);
    if (failed(value))
      return failure();
    auto given = cast<RankedTensorType>(value->getType());
    if (given.getShape() != ArrayRef<int64_t>({rows, count}))
      return failOperand(op, index,
                         "a tensor of " + Twine(rows) + " x " + Twine(count) +
                             " elements");
  }
  return Groups{type, *size, {rows, count, *size}, {rows, count, 1}};
}

NodeResults torch_ops::convertQuantizeGroups(OpImporter &op) {
  FailureOr<QuantizedRange> range = requireRange(op, 3, 5);
  FailureOr<Groups> groups = readGroups(op, 6);
  if (failed(range) || failed(groups))
    return failure();
  FailureOr<Value> zeroPoints = requireTensor(op, 2);
  if (failed(zeroPoints))
    return failure();
  TorchMath math(op);
  Value result =
      quantizeAddingFirst(math, math.reshape(op.inputs[0], groups->split),
                          math.reshape(op.inputs[1], groups->parameters),
                          math.reshape(*zeroPoints, groups->parameters),
                          areZeros(*zeroPoints), *range);
  return math.reshape(result, groups->type.getShape());
}

//===----------------------------------------------------------------------===//
// Dequantization
//===----------------------------------------------------------------------===//

/// Requires that the quantized values have the type that an operand states.
static LogicalResult checkQuantized(OpImporter &op, size_t typeIndex) {
  FailureOr<Value> input = requireRankedTensor(op, 0);
  FailureOr<Type> type = requireDtype(op, typeIndex);
  if (failed(input) || failed(type))
    return failure();
  if (*type != op.elementType(0))
    return failOperand(op, 0, "elements of type " + showType(*type));
  return success();
}

NodeResults torch_ops::convertDequantizePerTensor(OpImporter &op) {
  Type single = op.b.getF32Type();
  FailureOr<Type> outType = getDtype(op, 6, single);
  if (failed(checkQuantized(op, 5)) || failed(outType))
    return failure();
  if (!isStandardFloat(*outType))
    return failOperand(op, 6, "the number of a float");
  TorchMath math(op);
  Type type = op.elementType(0);
  Type computed = math.getComputeType(*outType);
  FailureOr<ZeroPoints> zeroPoint = readZeroPoint(op, 2, computed);
  if (failed(zeroPoint))
    return failure();
  Value scale;
  if (std::optional<Number> number = readScalar(op, 1)) {
    scale = math.makeNumber(computed, *number);
  } else {
    FailureOr<Value> given = requireScalar(op, 1);
    if (failed(given))
      return failure();
    scale = math.to(*given, computed);
  }
  if (outType->isF32() && zeroPoint->values &&
      (isNarrowInteger(type) ||
       (type.isSignlessInteger(32) && zeroPoint->areZero())))
    if (Value constant = makeQuantized(op, type, *zeroPoint->values, {}))
      return op.buildNode(
          "DequantizeLinear", {op.inputs[0], scale, constant},
          cast<TensorType>(op.inputs[0].getType()).clone(single));
  // Each step is rounded to the type of the result.
  Value value = math.to(math.to(op.inputs[0], *outType), computed);
  Value offset = zeroPoint->operand.tensor
                     ? zeroPoint->operand.tensor
                     : math.makeNumber(computed, zeroPoint->operand.number);
  value = math.to(math.node("Sub", {value, offset}), *outType);
  return math.to(math.node("Mul", {math.to(value, computed), scale}), *outType);
}

NodeResults torch_ops::convertDequantizePerChannel(OpImporter &op) {
  FailureOr<Type> outType = getDtype(op, 7, op.b.getF32Type());
  if (failed(checkQuantized(op, 6)) || failed(outType) ||
      failed(requireRange(op, 4, 6)))
    return failure();
  FailureOr<ChannelParameters> channels = readChannels(op, 3);
  if (failed(channels))
    return failure();
  TorchMath math(op);
  Value input = op.inputs[0], scales = channels->scales;
  Type type = op.elementType(0);
  auto resultType = cast<TensorType>(input.getType()).clone(op.b.getF32Type());
  const std::optional<ZeroPoints> &zeroPoints = channels->zeroPoints;
  // Zero points of few bits would wrap.
  bool isWide =
      !zeroPoints || zeroPoints->areZero() ||
      (zeroPoints->values && op.elementType(2).getIntOrFloatBitWidth() >= 32);
  if (isNarrowInteger(type) && op.elementType(1).isF32() && isWide) {
    SmallVector<int64_t> values =
        zeroPoints ? *zeroPoints->values : SmallVector<int64_t>{0};
    Value constant =
        makeQuantized(op, type, values, op.getRanked(1).getShape());
    if (constant)
      return math.to(op.buildNode("DequantizeLinear",
                                  {input, op.inputs[1], constant}, resultType,
                                  op.intAttr("axis", channels->axis)),
                     *outType);
  }
  Value value = input;
  if (zeroPoints)
    value = math.sub(value, zeroPoints->operand);
  return math.to(math.mul(value, scales), *outType);
}

NodeResults torch_ops::convertDequantizePerToken(OpImporter &op) {
  FailureOr<Type> outType = getDtype(op, 6, op.b.getF32Type());
  FailureOr<Value> input = requireRankedTensor(op, 0);
  if (failed(outType) || failed(input) || failed(requireTokens(op, 1)) ||
      failed(requireTokens(op, 2)))
    return failure();
  TorchMath math(op);
  Value value = math.sub(*input, op.inputs[2]);
  return math.to(math.mul(value, op.inputs[1]), *outType);
}

NodeResults torch_ops::convertDequantizeGroups(OpImporter &op) {
  FailureOr<Type> outType = getDtype(op, 7, op.b.getF32Type());
  FailureOr<Groups> groups = readGroups(op, 6);
  if (failed(outType) || failed(groups))
    return failure();
  TorchMath math(op);
  Type type = op.elementType(0);
  bool hasZeroPoints = !isNone(op, 2);
  auto values = hasZeroPoints ? readIntConstant(op.inputs[2])
                              : std::optional(SmallVector<int64_t>{0});
  bool isWide = !hasZeroPoints || areZeros(op.inputs[2]) ||
                (values && op.elementType(2).getIntOrFloatBitWidth() >= 32);
  if (isNarrowInteger(type) && op.elementType(1).isF32() && values && isWide) {
    SmallVector<Value> operands = {op.inputs[0], op.inputs[1]};
    bool isRepresented = true;
    if (hasZeroPoints && !areZeros(op.inputs[2])) {
      Value zeroPoints =
          makeQuantized(op, type, *values, op.getRanked(2).getShape());
      isRepresented = zeroPoints != nullptr;
      operands.push_back(zeroPoints);
    }
    if (isRepresented)
      return math.to(op.buildNode("DequantizeLinear", operands,
                                  groups->type.clone(op.b.getF32Type()),
                                  {op.intAttr("axis", 1),
                                   op.intAttr("block_size", groups->size)}),
                     *outType);
  }
  Value value = math.reshape(op.inputs[0], groups->split);
  // Without zero points, PyTorch subtracts a 0 of 32 bits and rank 0.
  if (hasZeroPoints)
    value = math.sub(value, math.reshape(op.inputs[2], groups->parameters));
  value = math.mul(value, math.reshape(op.inputs[1], groups->parameters));
  return math.to(math.reshape(value, groups->type.getShape()), *outType);
}

//===----------------------------------------------------------------------===//
// Scales of torchao
//===----------------------------------------------------------------------===//

/// Repeats the scales of blocks, so that they have the shape of operand 0.
static FailureOr<Value> expandScales(OpImporter &op) {
  FailureOr<Value> input = requireRankedTensor(op, 0);
  FailureOr<Value> scales = requireRankedTensor(op, 1);
  if (failed(input) || failed(scales))
    return failure();
  auto type = cast<RankedTensorType>(input->getType());
  auto scaleType = cast<RankedTensorType>(scales->getType());
  if (!scaleType.getElementType().isF32())
    return failOperand(op, 1, "a tensor of 'f32'");
  TorchMath math(op);
  if (scaleType.hasStaticShape() && scaleType.getNumElements() == 1)
    return math.reshape(*scales, {});
  if (!type.hasStaticShape() || !scaleType.hasStaticShape() ||
      type.getRank() != scaleType.getRank())
    return failOperand(op, 1, "scales of the rank of the input");
  SmallVector<int64_t> split, expanded;
  bool isRepeated = false;
  for (auto [size, count] :
       llvm::zip_equal(type.getShape(), scaleType.getShape())) {
    if (count < 1 || size % count != 0)
      return failOperand(op, 1, "scales of blocks of equal sizes");
    split.append({count, 1});
    expanded.append({count, size / count});
    isRepeated |= size / count != 1;
  }
  if (!isRepeated)
    return *scales;
  Value result = math.reshape(*scales, split);
  result = op.buildNode("Expand", {result, op.makeInts(expanded)},
                        RankedTensorType::get(expanded, op.b.getF32Type()));
  return math.reshape(result, type.getShape());
}

NodeResults torch_ops::convertQuantizeFloat8(OpImporter &op) {
  FailureOr<Type> type =
      getDtype(op, 2, Float8E4M3FNType::get(op.b.getContext()));
  FailureOr<Value> input = requireSingle(op, 0);
  FailureOr<Value> scales = expandScales(op);
  if (failed(type) || failed(input) || failed(scales))
    return failure();
  if (!isFloat8(*type))
    return failOperand(op, 2, "the number of a float8 type");
  TorchMath math(op);
  double highest = FloatFormat(*type).maxValue.convertToDouble();
  Value scaled = math.node("Div", {*input, *scales});
  return math.to(math.clamp(scaled, -highest, highest), *type);
}

NodeResults torch_ops::convertDequantizeFloat8(OpImporter &op) {
  FailureOr<Type> type = getDtype(op, 2, op.b.getF32Type());
  FailureOr<Value> input = requireRankedTensor(op, 0);
  FailureOr<Value> scales = expandScales(op);
  if (failed(type) || failed(input) || failed(scales))
    return failure();
  if (!isFloat8(op.elementType(0)) || !isStandardFloat(*type))
    return op.unsupported("conversions from " + showType(op.elementType(0)) +
                          " to " + showType(*type));
  TorchMath math(op);
  Value value = math.to(*input, op.b.getF32Type());
  return math.to(math.node("Mul", {value, *scales}), *type);
}

//===----------------------------------------------------------------------===//
// Affine quantization of torchao
//===----------------------------------------------------------------------===//

namespace {
/// The blocks of operand 0, whose elements share a scale and a zero point.
struct AffineBlocks {
  RankedTensorType type;
  SmallVector<int64_t> sizes;
  /// The shape of the operand with an axis for the elements of each block, and
  /// the same with the size 1 of these axes.
  SmallVector<int64_t> split, parameters;
  /// The axes of `split` that have the elements of a block.
  SmallVector<int64_t> axes;
};
} // namespace

static FailureOr<AffineBlocks> readBlocks(OpImporter &op, size_t index) {
  FailureOr<Value> input = requireRankedTensor(op, 0);
  FailureOr<SmallVector<int64_t>> sizes = requireIntList(op, index);
  if (failed(input) || failed(sizes))
    return failure();
  AffineBlocks blocks{op.getRanked(0), *sizes, {}, {}, {}};
  if (!blocks.type.hasStaticShape())
    return failOperand(op, 0, "a tensor of static shape");
  if (static_cast<int64_t>(sizes->size()) != blocks.type.getRank())
    return failOperand(op, index, "a size for each axis of operand 0");
  for (auto [size, all] :
       llvm::zip_equal(blocks.sizes, blocks.type.getShape())) {
    if (size < 1 || (size != all && all % size != 0))
      return failOperand(op, index, "divisors of the sizes of operand 0");
    bool isSplit = size != all && size > 1;
    if (isSplit) {
      blocks.split.push_back(all / size);
      blocks.parameters.push_back(all / size);
    }
    if (size != 1)
      blocks.axes.push_back(blocks.split.size());
    blocks.split.push_back(isSplit ? size : all);
    blocks.parameters.push_back(size == 1 ? all : 1);
  }
  return blocks;
}

/// Returns a tensor with one element for each block, in the shape of the split
/// operand.
static FailureOr<Value> readParameters(OpImporter &op, size_t index,
                                       const AffineBlocks &blocks) {
  FailureOr<Value> value = requireRankedTensor(op, index);
  if (failed(value))
    return failure();
  RankedTensorType type = op.getRanked(index);
  std::optional<int64_t> count = countElements(blocks.parameters);
  if (!type.hasStaticShape() || !count ||
      countElements(type.getShape()) != count)
    return failOperand(op, index, "one element for each block");
  return TorchMath(op).reshape(*value, blocks.parameters);
}

/// Reads the range of quantized values, which is that of the type by default.
static FailureOr<QuantizedRange>
readAffineRange(OpImporter &op, size_t typeIndex, size_t lowIndex) {
  FailureOr<Type> type = requireDtype(op, typeIndex);
  if (failed(type))
    return failure();
  std::optional<std::pair<int64_t, int64_t>> bounds = getBounds(*type);
  if (!bounds)
    return failOperand(op, typeIndex, "the type of quantized values");
  int64_t limits[] = {bounds->first, bounds->second};
  for (size_t i : {0, 1}) {
    if (isNone(op, lowIndex + i))
      continue;
    FailureOr<Number> given = requireNumber(op, lowIndex + i);
    if (failed(given))
      return failure();
    double number = given->toDouble();
    if (number < bounds->first || number > bounds->second ||
        number != std::floor(number))
      return failOperand(op, lowIndex + i,
                         "an integer in the range of " + showType(*type));
    limits[i] = static_cast<int64_t>(number);
  }
  if (limits[0] > limits[1])
    return op.unsupported("expected a range within " + showType(*type) +
                          ", but got " + Twine(limits[0]) + " to " +
                          Twine(limits[1]));
  return QuantizedRange{*type, limits[0], limits[1]};
}

/// Reads the domain of zero points, an operand of torchao before 0.10. Returns
/// whether zero points are integers, floats, or absent.
static FailureOr<std::string> readDomain(OpImporter &op, size_t index) {
  if (isNone(op, index))
    return std::string("INT");
  FailureOr<std::string> domain = requireString(op, index);
  if (failed(domain))
    return failure();
  if (*domain == "INT" || *domain == "FLOAT" || *domain == "NONE")
    return *domain;
  return op.unsupported("operand " + Twine(index) +
                        ": expected 'INT', 'FLOAT' or 'NONE', but got '" +
                        *domain + "'");
}

/// Returns the value that the middle of the range has in the domain of floats.
static double getMiddle(const QuantizedRange &range) {
  return (static_cast<double>(range.high) + static_cast<double>(range.low) +
          1) /
         2;
}

NodeResults torch_ops::convertQuantizeAffine(OpImporter &op) {
  FailureOr<AffineBlocks> blocks = readBlocks(op, 1);
  FailureOr<QuantizedRange> range = readAffineRange(op, 4, 5);
  FailureOr<std::string> domain = readDomain(op, 7);
  if (failed(blocks) || failed(range) || failed(domain))
    return failure();
  Type type = op.elementType(0);
  if (!isStandardFloat(type) || type.isF64())
    return failOperand(op, 0, "elements of 'f32', 'f16' or 'bf16'");
  FailureOr<Value> scales = readParameters(op, 2, *blocks);
  if (failed(scales))
    return failure();
  Value zeroPoints;
  if (*domain != "NONE") {
    FailureOr<Value> given = readParameters(op, 3, *blocks);
    if (failed(given))
      return failure();
    zeroPoints = *given;
  }
  TorchMath math(op);
  Value value = math.reshape(op.inputs[0], blocks->split);
  if (*domain == "FLOAT") {
    Value lowest = math.sub(zeroPoints, math.mul(*scales, getMiddle(*range)));
    value = math.round(math.div(math.sub(value, lowest), *scales));
  } else {
    value = math.round(math.mul(value, math.div(1.0, *scales)));
    if (zeroPoints)
      value = math.add(value, zeroPoints);
  }
  value = math.to(math.clamp(value, range->low, range->high), range->type);
  return math.reshape(value, blocks->type.getShape());
}

/// Returns a DequantizeLinear with the same bits, or null if there is none.
static Value dequantizeLinear(OpImporter &op, const AffineBlocks &blocks,
                              bool hasZeroPoints) {
  Type type = op.elementType(0);
  if (!isNarrowInteger(type) || !op.elementType(2).isF32())
    return {};
  std::optional<SmallVector<int64_t>> values = SmallVector<int64_t>{0};
  if (hasZeroPoints)
    values = readIntConstant(op.inputs[3]);
  if (!values)
    return {};
  // One scale, one for each position of an axis, or one for each block along
  // an axis.
  TorchMath math(op);
  Value scales = op.inputs[2];
  SmallVector<int64_t> counts;
  for (auto [size, all] : llvm::zip_equal(blocks.sizes, blocks.type.getShape()))
    counts.push_back(size == 0 ? 0 : all / size);
  int64_t split = llvm::count_if(counts, [](int64_t n) { return n != 1; });
  SmallVector<NamedAttribute> attributes;
  SmallVector<int64_t> shape;
  if (split == 1) {
    int64_t axis = llvm::find_if(counts, [](int64_t n) { return n != 1; }) -
                   counts.begin();
    if (blocks.sizes[axis] != 1)
      split = 2;
    attributes = {op.intAttr("axis", axis)};
    shape = {counts[axis]};
  }
  if (split > 1) {
    std::optional<int64_t> axis;
    for (auto [index, size] : llvm::enumerate(blocks.sizes)) {
      if (size == 1)
        continue;
      if (axis)
        return {};
      axis = index;
    }
    if (!axis)
      return {};
    attributes = {op.intAttr("axis", *axis),
                  op.intAttr("block_size", blocks.sizes[*axis])};
    shape = counts;
  }
  Value zeroPoints = makeQuantized(op, type, *values, shape);
  if (!zeroPoints)
    return {};
  RankedTensorType resultType = blocks.type;
  return op.buildNode("DequantizeLinear",
                      {op.inputs[0], math.reshape(scales, shape), zeroPoints},
                      resultType.clone(op.b.getF32Type()), attributes);
}

NodeResults torch_ops::convertDequantizeAffine(OpImporter &op) {
  // In torchao before 0.10, the domain precedes the type of the result.
  size_t typeIndex = 7;
  FailureOr<std::string> domain(std::string("INT"));
  if (op.inputs.size() > 7 && !isNone(op, 7) && !readNumber(op.inputs[7])) {
    domain = readDomain(op, 7);
    typeIndex = 8;
  }
  FailureOr<AffineBlocks> blocks = readBlocks(op, 1);
  FailureOr<QuantizedRange> range = readAffineRange(op, 4, 5);
  FailureOr<Type> outType = getDtype(op, typeIndex, op.b.getF32Type());
  if (failed(domain) || failed(blocks) || failed(range) || failed(outType))
    return failure();
  if (range->type != op.elementType(0))
    return failOperand(op, 0, "elements of type " + showType(range->type));
  if (!isStandardFloat(*outType) || outType->isF64())
    return failOperand(op, typeIndex, "the number of f32, f16 or bf16");
  FailureOr<Value> scales = readParameters(op, 2, *blocks);
  if (failed(scales))
    return failure();
  Value zeroPoints;
  if (*domain != "NONE" && !isNone(op, 3)) {
    FailureOr<Value> given = readParameters(op, 3, *blocks);
    if (failed(given))
      return failure();
    zeroPoints = *given;
  }
  if (*domain != "FLOAT" && outType->isF32())
    if (Value result = dequantizeLinear(op, *blocks, zeroPoints != nullptr))
      return result;
  TorchMath math(op);
  Value value = math.reshape(op.inputs[0], blocks->split);
  if (*domain == "FLOAT") {
    value = math.to(math.sub(value, getMiddle(*range)), *outType);
    value = math.to(math.mul(value, *scales), *outType);
    if (zeroPoints)
      value = math.to(math.add(value, zeroPoints), *outType);
  } else {
    value = math.to(value, *outType);
    if (zeroPoints)
      value = math.sub(value, math.to(zeroPoints, *outType));
    value = math.mul(value, *scales);
  }
  return math.to(math.reshape(value, blocks->type.getShape()), *outType);
}

//===----------------------------------------------------------------------===//
// Choice of parameters
//===----------------------------------------------------------------------===//

/// Returns the smaller of the minimum and 0, and the greater of the maximum and
/// 0.
static std::pair<Value, Value>
findRange(TorchMath &math, Value value, ArrayRef<int64_t> axes, bool keepDims) {
  Type type = getElementTypeOrSelf(value);
  Value computed = math.to(value, math.getComputeType(type));
  Value low = math.to(math.reduce("ReduceMin", computed, axes, keepDims), type);
  Value high =
      math.to(math.reduce("ReduceMax", computed, axes, keepDims), type);
  Value zero = math.to(
      math.makeNumber(math.getComputeType(type), Number::fromInt(0)), type);
  return {math.apply("Min", {low, zero}), math.apply("Max", {high, zero})};
}

static NodeResults chooseParameters(OpImporter &op, bool isSymmetric) {
  FailureOr<Value> input = requireSingle(op, 0);
  FailureOr<QuantizedRange> range = requireRange(op, 1, 4);
  FailureOr<double> epsilon = requireDouble(op, 3);
  if (failed(input) || failed(range) || failed(epsilon))
    return failure();
  if (range->low >= range->high)
    return failOperand(op, 2, "more than one quantized value");
  TorchMath math(op);
  int64_t rank = op.getRanked(0).getRank();
  auto [low, high] =
      findRange(math, op.inputs[0], llvm::to_vector(llvm::seq(rank)),
                /*keepDims=*/false);
  Value least = math.reshape(
      math.makeNumber(op.b.getF32Type(), Number::fromFloat(*epsilon)), {1});
  double steps = static_cast<double>(range->high - range->low);
  if (isSymmetric) {
    Value extent = math.apply("Max", {math.sub(int64_t(0), low), high});
    Value scale = math.apply("Max", {math.div(extent, steps / 2), least});
    Type unsignedByte = op.b.getIntegerType(8, /*isSigned=*/false);
    Value results[] = {math.to(scale, op.b.getF64Type()),
                       op.makeInts(range->type == unsignedByte ? 128 : 0)};
    return ValueRange(results);
  }
  Value scale =
      math.apply("Max", {math.div(math.sub(high, low), steps), least});
  Value rounded = math.to(math.round(math.div(low, scale)), op.b.getI32Type());
  Value zeroPoint =
      math.clamp(math.sub(range->low, rounded), range->low, range->high);
  Value results[] = {math.to(scale, op.b.getF64Type()),
                     math.to(zeroPoint, op.b.getI64Type())};
  return ValueRange(results);
}

NodeResults torch_ops::convertChooseParameters(OpImporter &op) {
  return chooseParameters(op, /*isSymmetric=*/false);
}

NodeResults torch_ops::convertChooseParametersSymmetric(OpImporter &op) {
  return chooseParameters(op, /*isSymmetric=*/true);
}

NodeResults torch_ops::convertChooseAffine(OpImporter &op) {
  FailureOr<std::string> mapping = requireString(op, 1);
  FailureOr<AffineBlocks> blocks = readBlocks(op, 2);
  FailureOr<QuantizedRange> range = readAffineRange(op, 3, 4);
  if (failed(mapping) || failed(blocks) || failed(range))
    return failure();
  Type type = op.elementType(0);
  if (!isStandardFloat(type) || type.isF64())
    return failOperand(op, 0, "elements of 'f32', 'f16' or 'bf16'");
  FailureOr<Type> scaleType = getDtype(op, 7, type);
  FailureOr<Type> zeroPointType = getDtype(op, 8, op.b.getI32Type());
  double epsilon =
      APFloat::getSmallestNormalized(cast<FloatType>(type).getFloatSemantics())
          .convertToDouble();
  if (!isNone(op, 6)) {
    FailureOr<double> given = requireDouble(op, 6);
    if (failed(given))
      return failure();
    epsilon = *given;
  }
  FailureOr<RankedTensorType> resultType = op.requireRankedResult(0);
  if (failed(scaleType) || failed(zeroPointType) || failed(resultType))
    return failure();
  // PyTorch reduces all axes if the list is empty.
  if (blocks->axes.empty())
    return failOperand(op, 2, "blocks of several elements");
  if (range->low >= range->high)
    return failOperand(op, 4, "more than one quantized value");
  TorchMath math(op);
  auto [low, high] =
      findRange(math, math.reshape(op.inputs[0], blocks->split), blocks->axes,
                /*keepDims=*/false);
  double steps =
      static_cast<double>(range->high) - static_cast<double>(range->low);
  Value scale, zeroPoint;
  if (*mapping == "ASYMMETRIC") {
    scale =
        math.clamp(math.div(math.sub(high, low), steps), epsilon, std::nullopt);
    zeroPoint = math.sub(range->low, math.round(math.div(low, scale)));
    zeroPoint = math.clamp(zeroPoint, range->low, range->high);
  } else {
    if (*mapping == "SYMMETRIC") {
      Value extent = math.apply("Max", {math.apply("Neg", {low}), high});
      scale = math.div(extent, steps / 2);
    } else if (*mapping == "SYMMETRIC_NO_CLIPPING_ERR") {
      if (range->low == 0 || range->high == 0)
        return failOperand(op, 4, "quantized values of both signs");
      Value fromLow = math.div(low, static_cast<double>(range->low));
      Value fromHigh = math.div(high, static_cast<double>(range->high));
      scale = math.where(math.compare("Greater", fromLow, fromHigh), fromLow,
                         fromHigh);
    } else {
      return op.unsupported("operand 1: expected a mapping of torchao, but got "
                            "'" +
                            *mapping + "'");
    }
    scale = math.clamp(scale, epsilon, std::nullopt);
    zeroPoint = math.makeNumber(
        *zeroPointType,
        Number::fromInt(static_cast<int64_t>(getMiddle(*range))));
    auto shape = cast<RankedTensorType>(scale.getType());
    if (shape.getRank() != 0)
      zeroPoint =
          op.buildNode("Expand", {zeroPoint, op.makeInts(shape.getShape())},
                       shape.clone(*zeroPointType));
  }
  Value results[] = {math.to(scale, *scaleType),
                     math.to(zeroPoint, *zeroPointType)};
  auto computed = cast<RankedTensorType>(scale.getType());
  if (!resultType->hasStaticShape() || countElements(resultType->getShape()) !=
                                           countElements(computed.getShape()))
    return op.unsupported("result 0 has the type " + showType(*resultType) +
                          ", but must have " + showType(computed));
  for (Value &result : results)
    result = math.reshape(result, resultType->getShape());
  return ValueRange(results);
}

/// Requires a tensor of floats with axes.
static FailureOr<Value> requireRows(OpImporter &op) {
  FailureOr<Value> input = requireRankedTensor(op, 0);
  if (failed(input))
    return failure();
  if (!isStandardFloat(op.elementType(0)) || op.getRanked(0).getRank() == 0)
    return failOperand(op, 0, "a tensor of floats with axes");
  return *input;
}

NodeResults torch_ops::convertChoosePerToken(OpImporter &op) {
  FailureOr<Value> input = requireRows(op);
  FailureOr<Type> type = requireDtype(op, 1);
  if (failed(input) || failed(type))
    return failure();
  if (!type->isSignlessInteger(8))
    return failOperand(op, 1, "the number of int8");
  TorchMath math(op);
  Type from = op.elementType(0);
  Value magnitude = math.apply("Abs", {*input});
  magnitude = math.to(magnitude, math.getComputeType(from));
  Value scale =
      math.to(math.reduce("ReduceMax", magnitude, op.getRanked(0).getRank() - 1,
                          /*keepDims=*/true),
              from);
  if (from.isF16())
    scale = math.to(scale, op.b.getF32Type());
  scale = math.div(math.clamp(scale, 1e-5, std::nullopt), int64_t(127));
  Value zeroPoint = math.mul(scale, int64_t(0));
  // Infinite and NaN scales have zero points of 0, too.
  zeroPoint = math.where(math.compare("Equal", zeroPoint, int64_t(0)),
                         zeroPoint, int64_t(0));
  // PyTorch declares f64 and i64, but returns the type of the scales, which the
  // arithmetic of the other ops depends on.
  Value computed[] = {scale, zeroPoint}, declared[2];
  bool isValid = true;
  for (size_t index : {0, 1}) {
    declared[index] = math.to(computed[index], op.resultElementType(index));
    isValid &= areCompatible(op.resultType(index), declared[index].getType());
  }
  // The caller reports invalid types, and erases the new ops.
  if (!isValid || !op.getProblem().empty())
    return ValueRange(declared);
  for (size_t index : {0, 1})
    op.op->getResult(index).replaceUsesWithIf(
        computed[index], [](OpOperand &use) {
          StringRef user = use.getOwner()->getName().getStringRef();
          return user == "torch.quantized_decomposed.quantize_per_token" ||
                 user == "torch.quantized_decomposed.dequantize_per_token";
        });
  return ValueRange(declared);
}

NodeResults torch_ops::convertChoosePerTokenAsymmetric(OpImporter &op) {
  FailureOr<Value> input = requireRows(op);
  if (failed(input))
    return failure();
  TorchMath math(op);
  constexpr int64_t kLow = -128, kHigh = 127;
  auto [low, high] = findRange(math, *input, op.getRanked(0).getRank() - 1,
                               /*keepDims=*/true);
  // The least scale is the precision of f32.
  constexpr double kEpsilon = 1.1920928955078125e-7;
  Value scale = math.clamp(math.div(math.sub(high, low), double(kHigh - kLow)),
                           kEpsilon, std::nullopt);
  Value lowest = math.div(low, scale), highest = math.div(high, scale);
  Value lowError = math.add(kLow, lowest), highError = math.add(kHigh, highest);
  Value isFromLow =
      math.compare("Greater", math.add(lowError, highError), int64_t(0));
  Value zeroPoint =
      math.where(isFromLow, math.sub(kLow, lowest), math.sub(kHigh, highest));
  zeroPoint = math.round(math.clamp(zeroPoint, kLow, kHigh));
  Value results[] = {math.to(scale, op.b.getF64Type()),
                     math.to(zeroPoint, op.b.getI64Type())};
  return ValueRange(results);
}

//===----------------------------------------------------------------------===//
// Fake quantization
//===----------------------------------------------------------------------===//

/// The largest magnitude of integers that f32 represents.
static constexpr int64_t kMaxSingle = int64_t(1) << 24;

/// Quantizes and dequantizes as the kernels of aten do. NaN becomes the lowest
/// quantized value. The kernel for channels converts the rounded values to
/// integers of 64 bits, so that values of at least 2^63 become the lowest
/// quantized value, too. Returns the result and whether the values were in
/// range.
static NodeResults fakeQuantize(OpImporter &op, Value scale, Value zeroPoint,
                                size_t lowIndex, bool isPerChannel) {
  FailureOr<Value> input = requireSingle(op, 0);
  FailureOr<int64_t> low = requireIntOperand(op, lowIndex);
  FailureOr<int64_t> high = requireIntOperand(op, lowIndex + 1);
  if (failed(input) || failed(low) || failed(high))
    return failure();
  if (*low > *high || *low < -kMaxSingle / 2 || *high > kMaxSingle / 2)
    return op.unsupported("expected a range within -2^23 to 2^23, but got " +
                          Twine(*low) + " to " + Twine(*high));
  TorchMath math(op);
  Type single = op.b.getF32Type();
  scale = math.to(scale, single);
  zeroPoint = math.to(zeroPoint, single);
  Value reciprocal = math.node("Reciprocal", scale);
  Value rounded = math.node("Round", math.node("Mul", {*input, reciprocal}));
  Value value = math.node("Add", {rounded, zeroPoint});
  auto constant = [&](double number) {
    return math.makeNumber(single, Number::fromFloat(number));
  };
  Type boolean = op.b.getI1Type();
  // False for NaN.
  Value isNumber = isPerChannel
                       ? math.node("Less", {value, constant(0x1p63)}, boolean)
                       : math.node("Not", math.isNaN(value));
  Value lowest = constant(*low), highest = constant(*high);
  Value clamped = math.node("Max", {value, lowest});
  clamped = math.node("Min", {clamped, highest});
  clamped = math.node("Where", {isNumber, clamped, lowest});
  Value result = math.node("Sub", {clamped, zeroPoint});
  result = math.to(math.node("Mul", {result, scale}), op.elementType(0));
  if (op.op->getNumResults() == 1)
    return result;
  Value isInside = math.node("GreaterOrEqual", {value, lowest}, boolean);
  Value isBelow = math.node("LessOrEqual", {value, highest}, boolean);
  Value results[] = {result, math.node("And", {isInside, isBelow})};
  return ValueRange(results);
}

/// Returns a number or a tensor of one element as a tensor of rank 0.
static FailureOr<Value> requireScalarOrNumber(OpImporter &op, size_t index,
                                              Type type) {
  if (std::optional<Number> number = readScalar(op, index)) {
    if (!number->isFloat() && std::abs(number->toDouble()) > kMaxSingle / 2)
      return failOperand(op, index, "a zero point within -2^23 to 2^23");
    return TorchMath(op).makeNumber(type, *number);
  }
  return requireScalar(op, index);
}

NodeResults torch_ops::convertFakeQuantizePerTensor(OpImporter &op) {
  FailureOr<Value> scale = requireScalarOrNumber(op, 1, op.b.getF32Type());
  FailureOr<Value> zeroPoint = requireScalarOrNumber(op, 2, op.b.getF32Type());
  if (failed(scale) || failed(zeroPoint))
    return failure();
  return fakeQuantize(op, *scale, *zeroPoint, 3, /*isPerChannel=*/false);
}

NodeResults torch_ops::convertFakeQuantizeTensorParameters(OpImporter &op) {
  std::optional<Number> isEnabled = readScalar(op, 3);
  if (!isEnabled || isEnabled->toDouble() != 1)
    return failOperand(op, 3, "the constant 1");
  FailureOr<Value> scale = requireScalarOrNumber(op, 1, op.b.getF32Type());
  FailureOr<Value> zeroPoint = requireScalarOrNumber(op, 2, op.b.getF32Type());
  if (failed(scale) || failed(zeroPoint))
    return failure();
  return fakeQuantize(op, *scale, *zeroPoint, 4, /*isPerChannel=*/false);
}

NodeResults torch_ops::convertFakeQuantizePerChannel(OpImporter &op) {
  FailureOr<ChannelParameters> channels = readChannels(op, 3);
  if (failed(channels))
    return failure();
  if (!channels->zeroPoints ||
      !getElementTypeOrSelf(channels->zeroPoints->operand.tensor)
           .isSignlessInteger(32))
    return failOperand(op, 2, "zero points of 'i32'");
  return fakeQuantize(op, channels->scales,
                      channels->zeroPoints->operand.tensor, 4,
                      /*isPerChannel=*/true);
}

NodeResults torch_ops::convertFakeQuantPerChannel(OpImporter &op) {
  FailureOr<ChannelParameters> channels = readChannels(op, 3);
  FailureOr<int64_t> low = requireIntOperand(op, 4);
  FailureOr<int64_t> high = requireIntOperand(op, 5);
  if (failed(channels) || failed(low) || failed(high))
    return failure();
  if (!op.elementType(0).isF32() || !channels->zeroPoints)
    return failOperand(op, 0, "elements of 'f32', and zero points");
  TorchMath math(op);
  Value scales = math.to(channels->scales, op.b.getF32Type());
  Value zeroPoints =
      math.to(channels->zeroPoints->operand.tensor, op.b.getI32Type());
  Value scaled = math.mul(op.inputs[0], math.div(1.0, scales));
  Value value = math.add(math.round(scaled), zeroPoints);
  value = math.sub(math.clamp(value, *low, *high), zeroPoints);
  return math.mul(value, scales);
}
