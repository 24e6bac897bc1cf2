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
#include "QuantizationUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

//===----------------------------------------------------------------------===//
// Quantization
//===----------------------------------------------------------------------===//

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
