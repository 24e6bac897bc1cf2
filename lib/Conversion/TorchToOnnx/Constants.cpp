//===- Constants.cpp - Constants and assertions of torch -----------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Conversion/OpImport/ImportConstant.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

/// The maximum number of elements of a range that becomes a constant.
static constexpr int64_t kMaxRange = int64_t(1) << 24;

/// The maximum number of equal elements that become a constant, which other
/// conversions read.
static constexpr int64_t kMaxSplat = 1024;

//===----------------------------------------------------------------------===//
// Assertions
//===----------------------------------------------------------------------===//

NodeResults torch_ops::convertAnnotation(OpImporter &op) {
  return ValueRange();
}

NodeResults torch_ops::convertAssertScalar(OpImporter &op) {
  FailureOr<bool> condition = requireBool(op, 0);
  if (failed(condition))
    return failure();
  if (!*condition)
    return op.unsupported("the assertion does not hold");
  return ValueRange();
}

NodeResults torch_ops::convertAssertMetadata(OpImporter &op) {
  FailureOr<Value> value = requireTensor(op, 0);
  if (failed(value))
    return failure();
  auto type = cast<TensorType>(value->getType());
  FailureOr<Type> elementType = getDtype(op, 3, type.getElementType());
  if (failed(elementType))
    return failure();
  if (*elementType != type.getElementType())
    return op.unsupported("expected a tensor of " + showType(*elementType) +
                          ", but got " + showType(type));
  if (isNone(op, 1))
    return ValueRange();
  FailureOr<SmallVector<int64_t>> sizes = requireIntList(op, 1);
  if (failed(sizes))
    return failure();
  if (failed(verifyCompatibleShape(
          type, RankedTensorType::get(*sizes, type.getElementType()))))
    return op.unsupported("expected a tensor of the asserted shape, but got " +
                          showType(type));
  return ValueRange();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

NodeResults torch_ops::convertLiteral(OpImporter &op) {
  TypedAttr constant = importConstant(op.op.getAttribute("value"));
  if (!constant || constant.getType() != op.resultType())
    return op.unsupportedAttribute("value", "a constant of type " +
                                                showType(op.resultType()));
  return op.makeConstant(cast<ElementsAttr>(constant));
}

/// Returns a tensor of the type of the result, which has one value.
static NodeResults fillResult(OpImporter &op, Number number) {
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(type))
    return failure();
  TorchMath math(op);
  Type elementType = type->getElementType();
  // Integers and wide floats are not rounded by f32.
  Type filled = isNarrowFloat(elementType) ? op.b.getF32Type() : elementType;
  Value scalar = math.makeNumber(filled, number);
  DenseElementsAttr splat;
  if (type->hasStaticShape() && filled == elementType &&
      countElements(type->getShape()).value_or(kMaxSplat + 1) <= kMaxSplat &&
      matchPattern(scalar, m_Constant(&splat)))
    return op.makeConstant(splat.resizeSplat(*type));
  Value shape;
  if (type->hasStaticShape()) {
    shape = op.makeInts(type->getShape());
  } else {
    // Operators such as full_like have the shape of their operand.
    RankedTensorType like =
        op.inputs.empty() ? RankedTensorType() : op.getRanked(0);
    if (!like || !op.op.getName().ends_with("_like"))
      return op.unsupported("the result has the type " + showType(*type) +
                            ", but must have a static shape");
    shape =
        op.buildNode("Shape", op.inputs[0],
                     RankedTensorType::get(like.getRank(), op.b.getI64Type()));
  }
  if (type->getRank() != 0)
    scalar = op.buildNode("Expand", {scalar, shape}, type->clone(filled));
  return math.to(scalar, elementType);
}

static NodeResults fillWith(OpImporter &op, size_t index) {
  FailureOr<Number> number = requireNumber(op, index);
  if (failed(number))
    return failure();
  return fillResult(op, *number);
}

NodeResults torch_ops::convertFull(OpImporter &op) { return fillWith(op, 1); }

NodeResults torch_ops::convertFullLike(OpImporter &op) {
  return fillWith(op, 1);
}

NodeResults torch_ops::convertNewFull(OpImporter &op) {
  return fillWith(op, 2);
}

NodeResults torch_ops::convertScalarTensor(OpImporter &op) {
  return fillWith(op, 0);
}

NodeResults torch_ops::convertOnes(OpImporter &op) {
  return fillResult(op, Number::fromInt(1));
}

// The elements of an empty tensor may have any value.
NodeResults torch_ops::convertZeros(OpImporter &op) {
  return fillResult(op, Number::fromInt(0));
}

/// Returns a tensor of rank 1 with elements computed in f64.
static NodeResults makeFloats(OpImporter &op, RankedTensorType type,
                              int64_t count,
                              llvm::function_ref<double(int64_t)> compute) {
  auto floatType = cast<FloatType>(type.getElementType());
  if (type.getRank() != 1 || type.getDimSize(0) != count)
    return op.unsupported("the result has the type " + showType(type) +
                          ", but must have " + Twine(count) + " elements");
  SmallVector<APFloat> values;
  for (int64_t i : llvm::seq(count)) {
    bool isInexact;
    values.emplace_back(compute(i));
    values.back().convert(floatType.getFloatSemantics(),
                          APFloat::rmNearestTiesToEven, &isInexact);
  }
  return op.makeConstant(DenseElementsAttr::get(type, values));
}

NodeResults torch_ops::convertEye(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(type))
    return failure();
  if (type->getRank() != 2 || !type->hasStaticShape() ||
      llvm::any_of(type->getShape(),
                   [](int64_t size) { return size > kMaxRange; }))
    return op.unsupported("the result has the type " + showType(*type) +
                          ", but must have a static shape");
  int64_t height = type->getDimSize(0), width = type->getDimSize(1);
  TorchMath math(op);
  Value rows = math.reshape(op.makeInts(llvm::to_vector(llvm::seq(height))),
                            {height, 1});
  Value columns = op.makeInts(llvm::to_vector(llvm::seq(width)));
  Value isDiagonal = math.node("Equal", {rows, columns}, op.b.getI1Type());
  return math.to(isDiagonal, type->getElementType());
}

NodeResults torch_ops::convertLinspace(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  FailureOr<Number> start = requireNumber(op, 0), end = requireNumber(op, 1);
  FailureOr<int64_t> count = requireIntOperand(op, 2);
  if (failed(type) || failed(start) || failed(end) || failed(count))
    return failure();
  if (*count < 0 || *count > kMaxRange)
    return failOperand(op, 2, "at most 2^24 elements");
  if (!type->getElementType().isF32())
    return op.unsupported("elements of type " +
                          showType(type->getElementType()));
  // The second half counts from the end.
  auto first = float(start->toDouble()), last = float(end->toDouble());
  float step = *count > 1 ? (last - first) / float(*count - 1) : 0;
  return makeFloats(op, *type, *count, [&](int64_t i) -> double {
    if (i < *count / 2 || *count == 1)
      return first + step * float(i);
    return last - step * float(*count - i - 1);
  });
}

NodeResults torch_ops::convertArange(OpImporter &op) {
  FailureOr<RankedTensorType> type = op.requireRankedResult();
  if (failed(type))
    return failure();
  bool hasStart = op.op.getName() != "aten.arange";
  bool hasStep = op.op.getName().ends_with("step");
  Number start = Number::fromInt(0), step = Number::fromInt(1);
  FailureOr<Number> end = requireNumber(op, hasStart ? 1 : 0);
  if (failed(end))
    return failure();
  if (hasStart) {
    FailureOr<Number> given = requireNumber(op, 0);
    if (failed(given))
      return failure();
    start = *given;
  }
  if (hasStep) {
    FailureOr<Number> given = requireNumber(op, 2);
    if (failed(given))
      return failure();
    step = *given;
  }
  Type elementType = type->getElementType();
  bool isFloat = start.isFloat() || end->isFloat() || step.isFloat();
  if (isFloat && (elementType.isF32() || elementType.isF64()) &&
      step.toDouble() != 0) {
    double from = start.toDouble(), by = step.toDouble();
    double size = std::ceil((end->toDouble() - from) / by);
    if (size >= 0 && size <= kMaxRange)
      return makeFloats(op, *type, int64_t(size),
                        [&](int64_t i) { return from + double(i) * by; });
  }
  for (Number number : {start, *end, step})
    if (number.isFloat() || std::abs(number.toDouble()) > kMaxRange)
      return op.unsupported("expected integers of at most 24 bits");
  if (step.integer == 0)
    return failOperand(op, 2, "a step other than 0");
  int64_t distance = end->integer - start.integer;
  int64_t count = std::max<int64_t>(
      step.integer > 0
          ? llvm::divideCeil(std::max<int64_t>(distance, 0), step.integer)
          : llvm::divideCeil(std::max<int64_t>(-distance, 0), -step.integer),
      0);
  if (type->getRank() != 1 || type->getDimSize(0) != count)
    return op.unsupported("the result has the type " + showType(*type) +
                          ", but must have " + Twine(count) + " elements");
  SmallVector<int64_t> values;
  for (int64_t i : llvm::seq(count))
    values.push_back(start.integer + i * step.integer);
  return TorchMath(op).to(op.makeInts(values), type->getElementType());
}
