//===- Attention.cpp - Attention of torch ---------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// scaled_dot_product_attention, and the op for CPUs to which PyTorch decomposes
// it. Like PyTorch's kernels, they compute f16 and bf16 in f32, and give 0 for
// queries whose keys are all masked.
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
/// The positions of the operands of an op.
struct AttentionOperands {
  size_t mask, dropout, isCausal, scale;
  std::optional<size_t> isGrouped;
};
} // namespace

/// Repeats each head `count` times. The heads are the third axis from the end.
static Value repeatHeads(OpImporter &op, Value value, int64_t count) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t axis = type.getRank() - 3;
  SmallVector<int64_t> shape(type.getShape()), heads;
  for (int64_t head : llvm::seq(shape[axis]))
    heads.append(count, head);
  shape[axis] *= count;
  return op.buildNode("Gather", {value, op.makeInts(heads)}, type.clone(shape),
                      op.intAttr("axis", axis));
}

/// Returns a mask that is true for keys at or before the position of the query.
static Value makeCausalMask(OpImporter &op, Value queries, Value keys) {
  Type i64 = op.b.getI64Type();
  auto makeScalar = [&](int64_t value) {
    return op.makeConstant(
        DenseElementsAttr::get(RankedTensorType::get({}, i64), value));
  };
  auto makeRange = [&](Value value, int64_t axis) {
    auto type = cast<RankedTensorType>(value.getType());
    int64_t length = type.getDimSize(type.getRank() - 2);
    Value size = op.buildNode("Squeeze", op.getSize(value, type.getRank() - 2),
                              RankedTensorType::get({}, i64));
    Value range = op.buildNode("Range", {makeScalar(0), size, makeScalar(1)},
                               RankedTensorType::get(length, i64));
    SmallVector<int64_t> shape = {length};
    shape.insert(shape.begin() + axis, 1);
    return op.buildNode("Unsqueeze", {range, op.makeInts(axis)},
                        RankedTensorType::get(shape, i64));
  };
  return TorchMath(op).node("LessOrEqual",
                            {makeRange(keys, 0), makeRange(queries, 1)},
                            op.b.getI1Type());
}

static FailureOr<Value> buildAttention(OpImporter &op,
                                       const AttentionOperands &operands) {
  RankedTensorType types[3];
  Type elementType = op.elementType(0);
  for (size_t index : {0, 1, 2}) {
    FailureOr<Value> value = requireRankedTensor(op, index);
    if (failed(value))
      return failure();
    types[index] = op.getRanked(index);
    if (!isStandardFloat(elementType) ||
        types[index].getElementType() != elementType ||
        types[index].getRank() < 2 ||
        types[index].getRank() != types[0].getRank())
      return failOperand(op, index,
                         "a tensor of floats with the type and the rank of "
                         "operand 0, which is at least 2");
  }
  FailureOr<RankedTensorType> resultType = op.requireRankedResult();
  FailureOr<bool> isCausal = getBool(op, operands.isCausal, false);
  if (failed(resultType) || failed(isCausal))
    return failure();
  FailureOr<double> dropout = getDouble(op, operands.dropout, 0);
  if (failed(dropout))
    return failure();
  if (*dropout != 0)
    return failOperand(op, operands.dropout, "no dropout");
  int64_t rank = types[0].getRank(), width = types[0].getDimSize(rank - 1);
  double scale;
  if (!isNone(op, operands.scale)) {
    FailureOr<double> given = requireDouble(op, operands.scale);
    if (failed(given))
      return failure();
    scale = *given;
  } else if (ShapedType::isDynamic(width) || width == 0) {
    return failOperand(op, 0, "a known size of the last axis");
  } else {
    scale = 1 / std::sqrt(static_cast<double>(width));
  }

  TorchMath math(op);
  Type computed = math.getComputeType(elementType);
  Value query = math.to(op.inputs[0], computed);
  Value key = math.to(op.inputs[1], computed);
  Value value = math.to(op.inputs[2], computed);
  if (operands.isGrouped) {
    FailureOr<bool> isGrouped = getBool(op, *operands.isGrouped, false);
    if (failed(isGrouped))
      return failure();
    for (auto [index, repeated] : {std::pair(1, &key), std::pair(2, &value)}) {
      if (!*isGrouped)
        continue;
      int64_t axis = rank - 3;
      int64_t heads = axis < 0 ? 0 : types[0].getDimSize(axis);
      int64_t groups = axis < 0 ? 0 : types[index].getDimSize(axis);
      constexpr int64_t kMaxHeads = int64_t(1) << 16;
      if (heads <= 0 || groups <= 0 || heads > kMaxHeads || heads % groups != 0)
        return failOperand(op, index,
                           "heads whose number divides that of operand 0");
      if (heads != groups)
        *repeated = repeatHeads(op, *repeated, heads / groups);
    }
  }

  query = math.node(
      "Mul", {query, math.makeNumber(computed, Number::fromFloat(scale))});
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq(rank));
  std::swap(order[rank - 1], order[rank - 2]);
  auto keyType = cast<RankedTensorType>(key.getType());
  SmallVector<int64_t> keyShape(keyType.getShape());
  std::swap(keyShape[rank - 1], keyShape[rank - 2]);
  Value transposed = op.buildNode("Transpose", key, keyType.clone(keyShape),
                                  op.intsAttr("perm", order));
  SmallVector<int64_t> scoreShape(resultType->getShape());
  if (resultType->getRank() != rank)
    return op.unsupported("the result has the type " + showType(*resultType) +
                          ", but must have rank " + Twine(rank));
  scoreShape[rank - 1] = keyShape[rank - 1];
  auto scoreType = RankedTensorType::get(scoreShape, computed);
  Value scores = op.buildNode("MatMul", {query, transposed}, scoreType);

  Value lowest = op.makeScalar(computed, APFloat::getInf(APFloat::IEEEdouble(),
                                                         /*Negative=*/true));
  bool hasMask = !isNone(op, operands.mask);
  if (hasMask && *isCausal)
    return failOperand(op, operands.mask, "no mask of causal attention");
  if (hasMask) {
    FailureOr<Value> mask = requireRankedTensor(op, operands.mask);
    if (failed(mask))
      return failure();
    Type maskType = getElementTypeOrSelf(*mask);
    if (maskType.isInteger(1))
      scores = op.buildNode("Where", {*mask, scores, lowest}, scoreType);
    else if (isStandardFloat(maskType))
      scores =
          op.buildNode("Add", {scores, math.to(*mask, computed)}, scoreType);
    else
      return failOperand(op, operands.mask, "a mask of booleans or floats");
  }
  if (*isCausal)
    scores = op.buildNode(
        "Where", {makeCausalMask(op, query, key), scores, lowest}, scoreType);
  Value weights =
      op.buildNode("Softmax", scores, scoreType, op.intAttr("axis", rank - 1));
  if (hasMask) {
    Value highest =
        math.reduce("ReduceMax", scores, {rank - 1}, /*keepDims=*/true);
    Value isMasked = math.node("Equal", {highest, lowest}, op.b.getI1Type());
    weights = op.buildNode(
        "Where",
        {isMasked, math.makeNumber(computed, Number::fromInt(0)), weights},
        scoreType);
  }
  Value result =
      op.buildNode("MatMul", {weights, value}, resultType->clone(computed));
  return math.to(result, elementType);
}

NodeResults torch_ops::convertAttention(OpImporter &op) {
  return buildAttention(op,
                        {/*mask=*/3, /*dropout=*/4, /*isCausal=*/5, /*scale=*/6,
                         /*isGrouped=*/7});
}

NodeResults torch_ops::convertAttentionForCpu(OpImporter &op) {
  FailureOr<Value> result = buildAttention(op, {/*mask=*/5, /*dropout=*/3,
                                                /*isCausal=*/4, /*scale=*/6,
                                                /*isGrouped=*/std::nullopt});
  FailureOr<RankedTensorType> logSums = op.requireRankedResult(1);
  if (failed(result) || failed(logSums))
    return failure();
  if (!op.op->getResult(1).use_empty())
    return op.unsupported("the logarithms of the sums are used");
  if (!logSums->hasStaticShape() || !isa<FloatType>(logSums->getElementType()))
    return op.unsupported("result 1 has the type " + showType(*logSums) +
                          ", but must have a static shape");
  Value results[] = {
      *result, op.makeConstant(DenseElementsAttr::get(
                   *logSums, op.b.getFloatAttr(logSums->getElementType(), 0)))};
  return ValueRange(results);
}
