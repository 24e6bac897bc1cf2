//===- QuantizationUtils.cpp - Parameters of quantization -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "QuantizationUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

std::optional<std::pair<int64_t, int64_t>> torch_ops::getBounds(Type type) {
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

FailureOr<QuantizedRange>
torch_ops::requireRange(OpImporter &op, size_t lowIndex, size_t typeIndex) {
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

bool torch_ops::isNarrowInteger(Type type) {
  return isa<IntegerType>(type) && type.getIntOrFloatBitWidth() <= 16;
}

Value torch_ops::makeQuantized(OpImporter &op, Type type,
                               ArrayRef<int64_t> values,
                               ArrayRef<int64_t> shape, bool isCollapsed) {
  std::optional<std::pair<int64_t, int64_t>> bounds = getBounds(type);
  if (!bounds || !isa<IntegerType>(type) || values.empty())
    return {};
  SmallVector<APInt> elements;
  for (int64_t value : values) {
    if (value < bounds->first || value > bounds->second)
      return {};
    elements.push_back(APInt(64, value, /*isSigned=*/true)
                           .trunc(type.getIntOrFloatBitWidth()));
  }
  // One value fills the shape.
  if (llvm::all_equal(elements)) {
    elements.truncate(1);
    if (isCollapsed)
      shape = {};
  }
  auto tensor = RankedTensorType::get(shape, type);
  if (elements.size() != 1 &&
      tensor.getNumElements() != static_cast<int64_t>(elements.size()))
    return {};
  return op.makeConstant(DenseElementsAttr::get(tensor, elements));
}

FailureOr<Value> torch_ops::requireScalar(OpImporter &op, size_t index) {
  FailureOr<Value> value = requireRankedTensor(op, index);
  if (failed(value))
    return failure();
  auto type = cast<RankedTensorType>(value->getType());
  if (!type.hasStaticShape() || type.getNumElements() != 1)
    return failOperand(op, index, "a tensor of one element");
  return TorchMath(op).reshape(*value, {});
}

std::optional<Number> torch_ops::readScalar(OpImporter &op, size_t index) {
  Value value = op.inputs[index];
  if (std::optional<Number> number = readNumber(value))
    return number;
  if (auto integers = readIntConstant(value); integers && integers->size() == 1)
    return Number::fromInt(integers->front());
  if (auto reals = readFloatConstant(value); reals && reals->size() == 1)
    return Number::fromFloat(reals->front());
  return std::nullopt;
}

FailureOr<Value> torch_ops::requireSingle(OpImporter &op, size_t index) {
  FailureOr<Value> value = requireRankedTensor(op, index);
  if (failed(value))
    return failure();
  Type type = op.elementType(index);
  if (!isStandardFloat(type) || type.isF64())
    return failOperand(op, index, "elements of 'f32', 'f16' or 'bf16'");
  return TorchMath(op).to(*value, op.b.getF32Type());
}

FailureOr<ChannelParameters> torch_ops::readChannels(OpImporter &op,
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

std::pair<Value, Value> torch_ops::findRange(TorchMath &math, Value value,
                                             ArrayRef<int64_t> axes,
                                             bool keepDims) {
  Type type = getElementTypeOrSelf(value);
  Value computed = math.to(value, math.getComputeType(type));
  Value low = math.to(math.reduce("ReduceMin", computed, axes, keepDims), type);
  Value high =
      math.to(math.reduce("ReduceMax", computed, axes, keepDims), type);
  Value zero = math.to(
      math.makeNumber(math.getComputeType(type), Number::fromInt(0)), type);
  return {math.apply("Min", {low, zero}), math.apply("Max", {high, zero})};
}
