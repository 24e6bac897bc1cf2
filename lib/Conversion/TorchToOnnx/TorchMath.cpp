//===- TorchMath.cpp - Elementwise arithmetic of PyTorch ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TorchMath.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type TorchMath::getComputeType(Type elementType) {
  if (isa<Float16Type, BFloat16Type>(elementType))
    return b.getF32Type();
  return elementType;
}

namespace {
/// The categories of PyTorch's type promotion.
enum class Category { Bool, Int, Float };
} // namespace

static Category getCategory(Type elementType) {
  if (elementType.isInteger(1))
    return Category::Bool;
  return isa<IntegerType>(elementType) ? Category::Int : Category::Float;
}

/// Returns the smallest type that represents both types of the same kind of
/// tensors, or null.
static Type promotePair(Type lhs, Type rhs) {
  if (!lhs || !rhs || lhs == rhs)
    return lhs == rhs ? lhs : lhs ? lhs : rhs;
  Category left = getCategory(lhs), right = getCategory(rhs);
  if (left != right)
    return left > right ? lhs : rhs;
  unsigned lhsWidth = lhs.getIntOrFloatBitWidth();
  unsigned rhsWidth = rhs.getIntOrFloatBitWidth();
  if (left == Category::Float) {
    // PyTorch has no arithmetic on float8.
    if (!isStandardFloat(lhs) || !isStandardFloat(rhs))
      return {};
    if (lhsWidth == rhsWidth)
      return Float32Type::get(lhs.getContext());
    return lhsWidth > rhsWidth ? lhs : rhs;
  }
  bool isLeftUnsigned = lhs.isUnsignedInteger();
  if (isLeftUnsigned == rhs.isUnsignedInteger())
    return lhsWidth > rhsWidth ? lhs : rhs;
  unsigned unsignedWidth = isLeftUnsigned ? lhsWidth : rhsWidth;
  unsigned signedWidth = isLeftUnsigned ? rhsWidth : lhsWidth;
  if (signedWidth > unsignedWidth)
    return isLeftUnsigned ? rhs : lhs;
  // PyTorch promotes only unsigned integers of 8 bits with signed ones.
  if (unsignedWidth != 8)
    return {};
  return IntegerType::get(lhs.getContext(), 16);
}

Type TorchMath::promote(ArrayRef<Operand> operands) {
  // Tensors with axes take precedence over those of rank 0, and these over
  // numbers, within a category.
  Type tensors, scalars;
  std::optional<Category> numbers;
  for (const Operand &operand : operands) {
    if (!operand.tensor) {
      Category category =
          operand.number.kind == Number::Kind::Bool  ? Category::Bool
          : operand.number.kind == Number::Kind::Int ? Category::Int
                                                     : Category::Float;
      numbers = std::max(numbers.value_or(Category::Bool), category);
      continue;
    }
    auto type = cast<TensorType>(operand.tensor.getType());
    Type elementType = type.getElementType();
    bool isScalar = type.hasRank() && type.getRank() == 0;
    Type &group = isScalar ? scalars : tensors;
    if (!isNumber(elementType)) {
      (void)op.unsupported("elements of type " + showType(elementType));
      return b.getF32Type();
    }
    Type joined = promotePair(group, elementType);
    if (!joined) {
      (void)op.unsupported("elements of types " + showType(group) + " and " +
                           showType(elementType));
      return b.getF32Type();
    }
    group = joined;
  }
  Type result = tensors;
  if (!result || (scalars && getCategory(scalars) > getCategory(result)))
    result = scalars;
  if (numbers && (!result || *numbers > getCategory(result)))
    result = *numbers == Category::Float ? Type(b.getF32Type())
             : *numbers == Category::Int ? Type(b.getI64Type())
                                         : Type(b.getI1Type());
  return result;
}

Type TorchMath::broadcast(ValueRange operands, Type elementType) {
  SmallVector<int64_t> shape;
  for (Value operand : operands) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      return elementType;
    int64_t rank = type.getRank();
    if (rank > static_cast<int64_t>(shape.size()))
      shape.insert(shape.begin(), rank - shape.size(), 1);
    for (int64_t axis : llvm::seq(rank)) {
      int64_t size = type.getDimSize(axis);
      int64_t &known = shape[shape.size() - rank + axis];
      if (size == known || size == 1)
        continue;
      if (known == 1 || ShapedType::isDynamic(known)) {
        known = size;
      } else if (!ShapedType::isDynamic(size)) {
        (void)op.unsupported("operands with sizes " + Twine(known) + " and " +
                             Twine(size) + " cannot be broadcast");
        return elementType;
      }
    }
  }
  return RankedTensorType::get(shape, elementType);
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

Value TorchMath::makeNumber(Type elementType, Number number) {
  auto type = RankedTensorType::get({}, elementType);
  if (auto floatType = dyn_cast<FloatType>(elementType)) {
    APFloat value(number.real);
    if (!number.isFloat()) {
      value = APFloat(floatType.getFloatSemantics());
      value.convertFromAPInt(APInt(64, number.integer, /*isSigned=*/true),
                             /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
    }
    return op.makeScalar(elementType, value);
  }
  auto integer = dyn_cast<IntegerType>(elementType);
  unsigned width = integer ? integer.getWidth() : 0;
  if (width == 1)
    return op.makeConstant(DenseElementsAttr::get(
        type, number.isFloat() ? number.real != 0 : number.integer != 0));
  APInt value(64, number.integer, /*isSigned=*/true);
  bool isRepresented =
      integer && !number.isFloat() &&
      (integer.isUnsigned() ? number.integer >= 0 && value.isIntN(width)
                            : value.isSignedIntN(width));
  if (!isRepresented) {
    (void)op.unsupported("the number " + showNumber(number) +
                         " is not a value of " + showType(elementType));
    return op.makeNumber(b.getF32Type(), 0);
  }
  return op.makeConstant(
      DenseElementsAttr::get(type, value.sextOrTrunc(width)));
}

/// Converts to f8E8M0FNU: the magnitude is rounded to nearest, ties up for
/// normal numbers. Subnormal numbers round up from 2^-127, ties down.
Value TorchMath::toScale(Value value) {
  Type word = b.getIntegerType(32, /*isSigned=*/false);
  Type byte = b.getIntegerType(8, /*isSigned=*/false);
  auto constant = [&](uint32_t number) {
    return op.makeConstant(DenseElementsAttr::get(
        RankedTensorType::get({}, word), APInt(32, number)));
  };
  value = to(value, b.getF32Type());
  Value bits =
      node("BitCast", value, word, op.intAttr("to", *getOnnxDataType(word)));
  bits = node("BitwiseAnd", {bits, constant(0x7FFFFFFF)});
  Value isNormal =
      node("GreaterOrEqual", {bits, constant(0x00800000)}, b.getI1Type());
  bits = node("Add", {bits, constant(0x003FFFFF)});
  bits = node("Add", {bits, op.cast(isNormal, word)});
  bits = node("BitShift", {bits, constant(23)}, {},
              op.stringAttr("direction", "RIGHT"));
  bits = op.cast(node("Min", {bits, constant(255)}), byte);
  Type scale = Float8E8M0FNUType::get(b.getContext());
  return node("BitCast", bits, scale,
              op.intAttr("to", *getOnnxDataType(scale)));
}

/// Converts floats as x86-64 does: toward zero to a signed integer of 32 bits,
/// or 64 bits for ui8 and i64, of which the result has the low bits.
/// The smallest integer results from NaN and values out of range.
Value TorchMath::toInteger(Value value, IntegerType type) {
  unsigned width = type.getWidth();
  bool isLong = width == 64 || (type.isUnsigned() && width == 8);
  if (type.isUnsigned() && width >= 32) {
    (void)op.unsupported("conversions from floats to " + showType(type));
    return value;
  }
  if (isNarrowFloat(getElementTypeOrSelf(value)))
    value = op.cast(value, b.getF32Type());
  Type from = getElementTypeOrSelf(value);
  auto word = b.getIntegerType(isLong ? 64 : 32);
  // f16 has no values out of range but infinities.
  APFloat limit =
      scalbn(APFloat(1.0), isLong ? 63 : 31, APFloat::rmNearestTiesToEven);
  Value isInRange =
      node("Less", {value, op.makeScalar(from, limit)}, b.getI1Type());
  Value lowest = op.makeConstant(
      DenseElementsAttr::get(RankedTensorType::get({}, word),
                             APInt::getSignedMinValue(word.getWidth())));
  Value result = node("Where", {isInRange, op.cast(value, word), lowest});
  return op.cast(result, type);
}

Value TorchMath::to(Value value, Type elementType) {
  Type from = getElementTypeOrSelf(value);
  if (from == elementType)
    return value;
  for (Type type : {from, elementType})
    if (!isNumber(type)) {
      (void)op.unsupported("elements of type " + showType(type));
      return value;
    }
  if (isa<Float8E8M0FNUType>(elementType))
    return toScale(value);
  auto integer = dyn_cast<IntegerType>(elementType);
  if (integer) {
    if (integer.getWidth() == 1 || isa<IntegerType>(from))
      return op.cast(value, elementType);
    return toInteger(value, integer);
  }
  // PyTorch converts to f32 first.
  Type single = b.getF32Type();
  bool isRoundedTwice = !elementType.isF64() && !elementType.isF32() &&
                        !isa<Float16Type, BFloat16Type>(from);
  if (isRoundedTwice)
    value = op.cast(value, single);
  bool isSaturating =
      isa<Float8E4M3FNType>(elementType) && op.options.saturateE4M3FN;
  if (!isSaturating)
    return op.cast(value, elementType);
  return node("Cast", value, elementType,
              {op.intAttr("saturate", 1),
               op.intAttr("to", *getOnnxDataType(elementType))});
}

Value TorchMath::toIntInRange(Value value, Type elementType) {
  if (isa<IntegerType>(elementType) && !elementType.isInteger(1) &&
      isStandardFloat(getElementTypeOrSelf(value)))
    return op.cast(value, elementType);
  return to(value, elementType);
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Value TorchMath::node(StringRef opType, ValueRange operands, Type elementType,
                      ArrayRef<NamedAttribute> attributes) {
  if (!elementType)
    elementType = getElementTypeOrSelf(operands.back());
  return op.buildNode(opType, operands, broadcast(operands, elementType),
                      attributes);
}

Value TorchMath::prepare(const Operand &operand, Type common, bool isRounded) {
  Type computed = getComputeType(common);
  if (!operand.tensor)
    return isRounded ? to(makeNumber(common, operand.number), computed)
                     : makeNumber(computed, operand.number);
  auto type = cast<TensorType>(operand.tensor.getType());
  bool isScalar = type.hasRank() && type.getRank() == 0;
  if (isScalar && !isRounded)
    return to(operand.tensor, computed);
  return to(to(operand.tensor, common), computed);
}

Value TorchMath::applyIn(StringRef opType, ArrayRef<Operand> operands,
                         Type elementType) {
  if (isNarrowFloat(elementType) || elementType.isInteger(1)) {
    (void)op.unsupported("elements of type " + showType(elementType));
    return operands.front().tensor ? operands.front().tensor
                                   : op.makeNumber(b.getF32Type(), 0);
  }
  SmallVector<Value> values;
  for (const Operand &operand : operands)
    values.push_back(prepare(operand, elementType,
                             /*isRounded=*/opType != "Mul" && opType != "Div"));
  return to(node(opType, values), elementType);
}

Value TorchMath::apply(StringRef opType, ArrayRef<Operand> operands) {
  return applyIn(opType, operands, promote(operands));
}

Value TorchMath::compare(StringRef opType, Operand lhs, Operand rhs) {
  Type common = promote({lhs, rhs});
  if (common.isInteger(1))
    common = b.getIntegerType(8, /*isSigned=*/false);
  if (isNarrowFloat(common))
    (void)op.unsupported("elements of type " + showType(common));
  return node(opType, {prepare(lhs, common), prepare(rhs, common)},
              b.getI1Type());
}

Value TorchMath::div(Operand lhs, Operand rhs) {
  Type common = promote({lhs, rhs});
  if (isa<IntegerType>(common))
    common = b.getF32Type();
  return applyIn("Div", {lhs, rhs}, common);
}

Value TorchMath::round(Value value) {
  if (isa<IntegerType>(getElementTypeOrSelf(value)))
    return value;
  return apply("Round", {value});
}

Value TorchMath::isNaN(Value value) {
  Type type = getElementTypeOrSelf(value);
  return node("IsNaN", to(value, getComputeType(type)), b.getI1Type());
}

Value TorchMath::where(Value condition, Operand ifTrue, Operand ifFalse) {
  Type common = promote({ifTrue, ifFalse});
  auto convert = [&](const Operand &operand) {
    return operand.tensor ? to(operand.tensor, common)
                          : makeNumber(common, operand.number);
  };
  return node("Where", {condition, convert(ifTrue), convert(ifFalse)});
}

Value TorchMath::clamp(Value value, std::optional<Operand> low,
                       std::optional<Operand> high) {
  SmallVector<Operand> operands = {value};
  if (low)
    operands.push_back(*low);
  if (high)
    operands.push_back(*high);
  Type common = promote(operands);
  if (isNarrowFloat(common) || common.isInteger(1)) {
    (void)op.unsupported("elements of type " + showType(common));
    return value;
  }
  Value result = prepare(value, common);
  // A zero keeps its sign if it is equal to a bound, which the IEEE 754 maximum
  // does not guarantee.
  bool isFloat = isa<FloatType>(common);
  auto limit = [&](const Operand &bound, bool isLow) {
    Value limit = prepare(bound, common);
    bool isZero = bound.tensor || bound.number.toDouble() == 0;
    if (!isFloat || !isZero) {
      result = node(isLow ? "Max" : "Min", {result, limit});
      return;
    }
    Value isOutside =
        node(isLow ? "Less" : "Greater", {result, limit}, b.getI1Type());
    result = node("Where", {isOutside, limit, result});
    // A bound of NaN gives NaN.
    if (bound.tensor)
      result = node("Where", {isNaN(limit), limit, result});
  };
  if (low)
    limit(*low, /*isLow=*/true);
  if (high)
    limit(*high, /*isLow=*/false);
  return to(result, common);
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Value TorchMath::reduce(StringRef opType, Value value, ArrayRef<int64_t> axes,
                        bool keepDims) {
  Type elementType = getElementTypeOrSelf(value);
  Type result = elementType;
  if (auto type = dyn_cast<RankedTensorType>(value.getType())) {
    SmallVector<int64_t> shape;
    for (int64_t axis : llvm::seq(type.getRank())) {
      if (!llvm::is_contained(axes, axis))
        shape.push_back(type.getDimSize(axis));
      else if (keepDims)
        shape.push_back(1);
    }
    result = RankedTensorType::get(shape, elementType);
    if (axes.empty())
      return value;
  }
  return op.buildNode(opType, {value, op.makeInts(axes)}, result,
                      {op.intAttr("keepdims", keepDims),
                       op.intAttr("noop_with_empty_axes", 1)});
}

Value TorchMath::reshape(Value value, ArrayRef<int64_t> shape) {
  auto type = cast<TensorType>(value.getType());
  return op.reshapeTo(value,
                      RankedTensorType::get(shape, type.getElementType()));
}
