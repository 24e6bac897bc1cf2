//===- OnnxNodeBuilder.cpp - Creation of ONNX nodes
//------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "quant-float/Conversion/NodeToQuantFloat/OnnxNodeBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/Constants.h"
#include "quant-float/IR/OpenVinoConvert.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using llvm::APFloat;

std::string quant_float::showType(Type type) {
  std::string printed;
  llvm::raw_string_ostream(printed) << "'" << type << "'";
  return printed;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

ValueRange OnnxNodeBuilder::buildNodes(StringRef opType,
                                       ArrayRef<Value> operands,
                                       TypeRange types,
                                       ArrayRef<NamedAttribute> attributes) {
  SmallVector<Value> present;
  SmallVector<int64_t> absent;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    if (operand)
      present.push_back(operand);
    else
      absent.push_back(index);
  }
  SmallVector<Type> tensors = llvm::map_to_vector(types, [](Type type) {
    return isa<TensorType>(type) ? type : Type(UnrankedTensorType::get(type));
  });
  return NodeOp::create(b, tensors, opType, present, /*domain=*/"", nodeOpset,
                        nodeName, b.getDictionaryAttr(attributes), absent,
                        b.getStrArrayAttr({}), /*bodiesCount=*/0)
      ->getResults();
}

Value OnnxNodeBuilder::buildNode(StringRef opType, ValueRange operands,
                                 Type type,
                                 ArrayRef<NamedAttribute> attributes) {
  return buildNodes(opType, llvm::to_vector(operands), type, attributes)[0];
}

Value OnnxNodeBuilder::apply(StringRef opType, ValueRange operands,
                             ArrayRef<NamedAttribute> attributes) {
  return buildNode(opType, operands,
                   getElementTypeOrSelf(operands.front().getType()),
                   attributes);
}

Value OnnxNodeBuilder::compare(StringRef opType, ValueRange operands) {
  return buildNode(opType, operands, b.getI1Type());
}

Type OnnxNodeBuilder::getElementwiseType(ValueRange operands,
                                         Type elementType) {
  RankedTensorType shape;
  for (Value operand : operands) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type)
      return elementType;
    if (!shape || shape.getRank() == 0)
      shape = type;
    else if (type.getRank() != 0 && type.getShape() != shape.getShape())
      return elementType;
  }
  return shape ? Type(shape.clone(elementType)) : elementType;
}

Value OnnxNodeBuilder::applyElementwise(StringRef opType, ValueRange operands,
                                        ArrayRef<NamedAttribute> attributes) {
  Type elementType = getElementTypeOrSelf(operands.back().getType());
  return buildNode(opType, operands, getElementwiseType(operands, elementType),
                   attributes);
}

Value OnnxNodeBuilder::compareElementwise(StringRef opType,
                                          ValueRange operands) {
  return buildNode(opType, operands,
                   getElementwiseType(operands, b.getI1Type()));
}

Value OnnxNodeBuilder::cast(Value input, Type elementType) {
  if (getElementTypeOrSelf(input) == elementType)
    return input;
  return createOnnxCast(b, b.getLoc(), input, elementType);
}

Value OnnxNodeBuilder::castSaturating(Value input, IntegerType elementType) {
  // All narrow floats are values of f32.
  if (isNarrowFloat(getElementTypeOrSelf(input)))
    input = cast(input, b.getF32Type());
  Type from = getElementTypeOrSelf(input);
  unsigned width = elementType.getWidth();
  bool isSigned = !elementType.isUnsigned();
  auto makeInteger = [&](const APInt &number) {
    return makeConstant(
        DenseElementsAttr::get(RankedTensorType::get({}, elementType), number));
  };
  // A bound that the type cannot represent becomes infinity.
  auto makeBound = [&](const APInt &bound) {
    APFloat exact(APFloat::IEEEdouble());
    exact.convertFromAPInt(bound, /*IsSigned=*/true,
                           APFloat::rmNearestTiesToEven);
    return makeScalar(from, exact);
  };
  APInt lowest =
      isSigned ? APInt::getSignedMinValue(width) : APInt::getMinValue(width);
  APInt highest =
      isSigned ? APInt::getSignedMaxValue(width) : APInt::getMaxValue(width);
  // The first integer that is too large is a power of two.
  APInt tooHigh = highest.zext(width + 2) + 1;
  Value result = cast(input, elementType);
  Value isHigh =
      compareElementwise("GreaterOrEqual", {input, makeBound(tooHigh)});
  result = applyElementwise("Where", {isHigh, makeInteger(highest), result});
  Value isLow = compareElementwise("Less", {input, makeBound(lowest)});
  return applyElementwise("Where", {isLow, makeInteger(lowest), result});
}

Value OnnxNodeBuilder::clampIntegers(Value value, int64_t lowest,
                                     int64_t highest) {
  auto type = llvm::cast<IntegerType>(getElementTypeOrSelf(value));
  IntegerType computed = type;
  if (type.getWidth() < 8)
    computed = IntegerType::get(type.getContext(), 8, type.getSignedness());
  auto makeBound = [&](int64_t bound) {
    return makeConstant(DenseElementsAttr::get(
        RankedTensorType::get({}, computed), APInt(computed.getWidth(), bound,
                                                   /*isSigned=*/true,
                                                   /*implicitTrunc=*/true)));
  };
  value = cast(value, computed);
  value = applyElementwise("Max", {makeBound(lowest), value});
  value = applyElementwise("Min", {makeBound(highest), value});
  return cast(value, type);
}

Value OnnxNodeBuilder::concatenate(ArrayRef<Value> values) {
  return apply("Concat", values, intAttr("axis", 0));
}

Value OnnxNodeBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  return apply("Reshape", {value, makeInts(shape)}, intAttr("allowzero", 0));
}

Value OnnxNodeBuilder::unsqueeze(Value value, ArrayRef<int64_t> axes) {
  return axes.empty() ? value : apply("Unsqueeze", {value, makeInts(axes)});
}

Value OnnxNodeBuilder::transpose(Value value, ArrayRef<int64_t> order) {
  return apply("Transpose", value, intsAttr("perm", order));
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Value OnnxNodeBuilder::makeConstant(ElementsAttr elements) {
  return createConstant(b, llvm::cast<TypedAttr>(elements));
}

Value OnnxNodeBuilder::makeNumber(Type elementType, double value) {
  auto type = RankedTensorType::get({}, elementType);
  if (auto floatType = dyn_cast<FloatType>(elementType))
    return makeConstant(
        DenseElementsAttr::get(type, FloatAttr::get(floatType, value)));
  // Truncates and saturates to the range of the type.
  APSInt integer(elementType.getIntOrFloatBitWidth(),
                 elementType.isUnsignedInteger());
  bool isExact = false;
  APFloat(value).convertToInteger(integer, APFloat::rmTowardZero, &isExact);
  return makeConstant(DenseElementsAttr::get(type, integer));
}

Value OnnxNodeBuilder::makeScalar(Type elementType, const APFloat &value) {
  auto type = RankedTensorType::get({}, elementType);
  APFloat rounded = value;
  bool isInexact;
  rounded.convert(llvm::cast<FloatType>(elementType).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &isInexact);
  return makeConstant(DenseElementsAttr::get(type, rounded));
}

Value OnnxNodeBuilder::makeInts(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get(values.size(), b.getI64Type());
  return makeConstant(DenseElementsAttr::get(type, values));
}

//===----------------------------------------------------------------------===//
// Failure
//===----------------------------------------------------------------------===//

LogicalResult OnnxNodeBuilder::unsupported(const Twine &reason) {
  if (problem.empty())
    problem = reason.str();
  return failure();
}

void quant_float::eraseNewOps(Operation *end, Operation *begin) {
  for (Operation *op = end->getPrevNode(); op && op != begin;) {
    Operation *previous = op->getPrevNode();
    op->erase();
    op = previous;
  }
}
