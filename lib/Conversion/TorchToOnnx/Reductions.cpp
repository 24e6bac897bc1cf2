//===- Reductions.cpp - Reductions of torch ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Support/FloatFormat.h"
#include <cmath>

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

namespace {
/// The operands of a reduction.
struct Reduction {
  Value value;
  SmallVector<int64_t> axes;
  bool keepDims = false;
};
} // namespace

/// Reads a tensor and, if the op has more than `first` operands, a list of axes
/// and whether to keep them.
static FailureOr<Reduction> readReduction(OpImporter &op, bool hasAxes) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value))
    return failure();
  Reduction reduction{*value, {}, false};
  int64_t rank = op.getRanked(0).getRank();
  reduction.axes = llvm::to_vector(llvm::seq(rank));
  Type type = op.elementType(0);
  if (!isNumber(type) || isNarrowFloat(type))
    return op.unsupported("elements of type " + showType(type));
  if (!hasAxes)
    return reduction;
  FailureOr<SmallVector<int64_t>> axes = requireAxes(op, 1, rank);
  FailureOr<bool> keepDims = getBool(op, 2, false);
  if (failed(axes) || failed(keepDims))
    return failure();
  reduction.axes = *axes;
  reduction.keepDims = *keepDims;
  return reduction;
}

NodeResults torch_ops::convertSum(OpImporter &op) {
  bool hasAxes = op.op.getName() != "aten.sum";
  FailureOr<Reduction> reduction = readReduction(op, hasAxes);
  if (failed(reduction))
    return failure();
  TorchMath math(op);
  Type type = op.resultElementType();
  if (!isNumber(type) || isNarrowFloat(type) || type.isInteger(1))
    return op.unsupported("elements of type " + showType(type));
  // The low bits of sums depend on the low bits of the operands.
  Type sum = math.getComputeType(type);
  if (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() < 32)
    sum = op.b.getI32Type();
  // The operand is rounded to the type of the result first.
  Value value = math.to(math.to(reduction->value, type), sum);
  Value result =
      math.reduce("ReduceSum", value, reduction->axes, reduction->keepDims);
  return math.to(result, type);
}

NodeResults torch_ops::convertMean(OpImporter &op) {
  bool hasAxes = op.op.getName() != "aten.mean";
  FailureOr<Reduction> reduction = readReduction(op, hasAxes);
  if (failed(reduction))
    return failure();
  TorchMath math(op);
  Type type = op.resultElementType();
  if (!isStandardFloat(type))
    return op.unsupported("elements of type " + showType(type));
  Value value =
      math.to(math.to(reduction->value, type), math.getComputeType(type));
  Value result =
      math.reduce("ReduceMean", value, reduction->axes, reduction->keepDims);
  return math.to(result, type);
}

static Value reduceExtremum(OpImporter &op, const Reduction &reduction,
                            bool isMax) {
  TorchMath math(op);
  Type type = getElementTypeOrSelf(reduction.value);
  Value value = math.to(reduction.value, math.getComputeType(type));
  return math.to(math.reduce(isMax ? "ReduceMax" : "ReduceMin", value,
                             reduction.axes, reduction.keepDims),
                 type);
}

NodeResults torch_ops::convertExtremum(OpImporter &op) {
  StringRef name = op.op.getName();
  FailureOr<Reduction> reduction =
      readReduction(op, name == "aten.amax" || name == "aten.amin");
  if (failed(reduction))
    return failure();
  return reduceExtremum(op, *reduction, name.ends_with("max"));
}

NodeResults torch_ops::convertExtrema(OpImporter &op) {
  FailureOr<Reduction> reduction = readReduction(op, /*hasAxes=*/false);
  FailureOr<bool> keepDims = getBool(op, 2, false);
  if (failed(reduction) || failed(keepDims))
    return failure();
  if (!isNone(op, 1)) {
    FailureOr<int64_t> axis = requireAxis(op, 1, reduction->axes.size());
    if (failed(axis))
      return failure();
    reduction->axes.assign(1, *axis);
  }
  reduction->keepDims = *keepDims;
  Value results[] = {reduceExtremum(op, *reduction, /*isMax=*/false),
                     reduceExtremum(op, *reduction, /*isMax=*/true)};
  return ValueRange(results);
}

NodeResults torch_ops::convertVariance(OpImporter &op) {
  FailureOr<Reduction> reduction = readReduction(op, /*hasAxes=*/false);
  if (failed(reduction))
    return failure();
  Type type = op.resultElementType();
  auto tensor = cast<RankedTensorType>(reduction->value.getType());
  FailureOr<SmallVector<int64_t>> axes = requireAxes(op, 1, tensor.getRank());
  FailureOr<bool> keepDims = getBool(op, 3, false);
  FailureOr<double> correction(1.0);
  // aten.var.dim and aten.std.dim have a flag instead of the correction.
  bool hasFlag = op.op.getName().ends_with(".dim");
  if (hasFlag) {
    FailureOr<bool> isUnbiased = getBool(op, 2, true);
    if (failed(isUnbiased))
      return failure();
    correction = *isUnbiased;
  } else {
    correction = getDouble(op, 2, 1);
  }
  if (failed(axes) || failed(keepDims) || failed(correction))
    return failure();
  if (!isStandardFloat(type) || tensor.getElementType() != type)
    return op.unsupported("elements of type " +
                          showType(tensor.getElementType()));
  TorchMath math(op);
  Type computed = math.getComputeType(type);
  Value value = math.to(reduction->value, computed);
  Value mean = math.reduce("ReduceMean", value, *axes, /*keepDims=*/true);
  Value centered = math.node("Sub", {value, mean});
  Value squares = math.node("Mul", {centered, centered});
  Value variance = math.reduce("ReduceMean", squares, *axes, *keepDims);
  if (*correction != 0) {
    double count = 1;
    for (int64_t axis : *axes) {
      if (tensor.isDynamicDim(axis))
        return failOperand(op, 2, "no correction for an unknown size");
      count *= tensor.getDimSize(axis);
    }
    double divisor = std::max(count - *correction, 0.0);
    Value sum = math.reduce("ReduceSum", squares, *axes, *keepDims);
    variance = math.node(
        "Div", {sum, math.makeNumber(computed, Number::fromFloat(divisor))});
  }
  if (op.op.getName().starts_with("aten.std"))
    variance = math.node("Sqrt", variance);
  if (!*keepDims && op.op->getNumResults() == 2)
    mean = math.reduce("ReduceMean", value, *axes, /*keepDims=*/false);
  SmallVector<Value> results = {math.to(variance, type), math.to(mean, type)};
  results.resize(op.op->getNumResults());
  return ValueRange(results);
}

NodeResults torch_ops::convertAnyAll(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value))
    return failure();
  StringRef name = op.op.getName();
  int64_t rank = op.getRanked(0).getRank();
  SmallVector<int64_t> axes = llvm::to_vector(llvm::seq(rank));
  FailureOr<bool> keepDims = getBool(op, 2, false);
  if (failed(keepDims))
    return failure();
  if (name.ends_with(".dim")) {
    FailureOr<int64_t> axis = requireAxis(op, 1, rank);
    if (failed(axis))
      return failure();
    if (rank != 0)
      axes.assign(1, *axis);
  } else if (name.ends_with(".dims")) {
    FailureOr<SmallVector<int64_t>> given = requireAxes(op, 1, rank);
    if (failed(given))
      return failure();
    axes = *given;
  }
  TorchMath math(op);
  Type byte = op.b.getIntegerType(8, /*isSigned=*/false);
  Value flags = op.cast(math.to(*value, op.b.getI1Type()), byte);
  Value result =
      math.reduce(name.starts_with("aten.any") ? "ReduceMax" : "ReduceMin",
                  flags, axes, *keepDims);
  return math.to(result, op.resultElementType());
}

NodeResults torch_ops::convertProduct(OpImporter &op) {
  FailureOr<Reduction> reduction = readReduction(op, /*hasAxes=*/false);
  if (failed(reduction))
    return failure();
  if (op.op.getName() != "aten.prod") {
    FailureOr<int64_t> axis = requireAxis(op, 1, reduction->axes.size());
    FailureOr<bool> keepDims = getBool(op, 2, false);
    if (failed(axis) || failed(keepDims))
      return failure();
    if (!reduction->axes.empty())
      reduction->axes.assign(1, *axis);
    reduction->keepDims = *keepDims;
  }
  TorchMath math(op);
  Type type = op.resultElementType();
  if (!isNumber(type) || isNarrowFloat(type) || type.isInteger(1))
    return op.unsupported("elements of type " + showType(type));
  // The low bits of products depend on the low bits of the operands.
  Type product = math.getComputeType(type);
  if (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() < 32)
    product = op.b.getI32Type();
  Value value = math.to(math.to(reduction->value, type), product);
  return math.to(
      math.reduce("ReduceProd", value, reduction->axes, reduction->keepDims),
      type);
}

NodeResults torch_ops::convertLogSumExp(OpImporter &op) {
  FailureOr<Reduction> reduction = readReduction(op, /*hasAxes=*/true);
  if (failed(reduction))
    return failure();
  Type type = op.resultElementType();
  if (!isStandardFloat(type))
    return op.unsupported("elements of type " + showType(type));
  TorchMath math(op);
  Value value =
      math.to(math.to(reduction->value, type), math.getComputeType(type));
  return math.to(math.reduce("ReduceLogSumExp", value, reduction->axes,
                             reduction->keepDims),
                 type);
}

NodeResults torch_ops::convertVectorNorm(OpImporter &op) {
  FailureOr<Reduction> reduction = readReduction(op, /*hasAxes=*/false);
  FailureOr<double> order = getDouble(op, 1, 2);
  if (failed(reduction) || failed(order))
    return failure();
  FailureOr<SmallVector<int64_t>> axes =
      requireAxes(op, 2, reduction->axes.size());
  FailureOr<bool> keepDims = getBool(op, 3, false);
  if (failed(axes) || failed(keepDims))
    return failure();
  if (std::isnan(*order))
    return failOperand(op, 1, "an order");
  Type type = op.resultElementType();
  if (!isStandardFloat(type))
    return op.unsupported("elements of type " + showType(type));
  TorchMath math(op);
  Value value =
      math.to(math.to(reduction->value, type), math.getComputeType(type));
  auto reduce = [&](StringRef node, Value operand) {
    return math.to(math.reduce(node, operand, *axes, *keepDims), type);
  };
  if (*order == 1 || *order == 2)
    return reduce(*order == 1 ? "ReduceL1" : "ReduceL2", value);
  value = math.node("Abs", value);
  if (std::isinf(*order))
    return reduce(*order > 0 ? "ReduceMax" : "ReduceMin", value);
  // The order 0 counts elements that are not 0.
  if (*order == 0) {
    Value zero =
        math.makeNumber(getElementTypeOrSelf(value), Number::fromInt(0));
    Value isZero = math.node("Equal", {value, zero}, op.b.getI1Type());
    return reduce("ReduceSum", op.cast(math.node("Not", isZero),
                                       getElementTypeOrSelf(value)));
  }
  auto raise = [&](Value operand, double exponent) {
    return math.node("Pow",
                     {operand, math.makeNumber(getElementTypeOrSelf(operand),
                                               Number::fromFloat(exponent))});
  };
  Value sum = math.reduce("ReduceSum", raise(value, *order), *axes, *keepDims);
  return math.to(raise(sum, 1 / *order), type);
}

NodeResults torch_ops::convertSoftmax(OpImporter &op) {
  FailureOr<Value> value = requireRankedTensor(op, 0);
  if (failed(value))
    return failure();
  int64_t rank = op.getRanked(0).getRank();
  FailureOr<int64_t> axis = requireAxis(op, 1, rank);
  if (failed(axis))
    return failure();
  Type type = op.resultElementType();
  for (Type checked : {op.elementType(0), type})
    if (!isStandardFloat(checked) || rank == 0)
      return op.unsupported("elements of type " + showType(checked));
  TorchMath math(op);
  bool isLog = op.op.getName().contains("log");
  Value result = math.node(isLog ? "LogSoftmax" : "Softmax",
                           math.to(*value, math.getComputeType(type)), {},
                           op.intAttr("axis", *axis));
  return math.to(result, type);
}
