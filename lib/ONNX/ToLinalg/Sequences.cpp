//===- Sequences.cpp - Lowering of sequence ops ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sequence whose length is known is represented by its tensors and does not
// exist at run time. A position that is known only at run time selects among
// all tensors.
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

/// Limits the number of ops that a sequence is lowered to.
static constexpr int64_t kMaxTensors = 1024;

//===----------------------------------------------------------------------===//
// Sequences as values
//===----------------------------------------------------------------------===//

bool onnx_nodes::isSequence(Value value) {
  return isa<UnknownType>(value.getType()) &&
         value.getDefiningOp<UnrealizedConversionCastOp>();
}

SmallVector<Value> NodeContext::getSequence(size_t index) const {
  return inputs[index].getDefiningOp<UnrealizedConversionCastOp>().getInputs();
}

static NodeResults makeSequence(NodeContext &context, ArrayRef<Value> tensors) {
  ImplicitLocOpBuilder &b = context.b;
  if (static_cast<int64_t>(tensors.size()) > kMaxTensors)
    return context.unsupported("a sequence may have at most " +
                               Twine(kMaxTensors) + " tensors");
  for (Value tensor : tensors)
    if (getElementTypeOrSelf(tensor) != getElementTypeOrSelf(tensors.front()))
      return context.unsupported("tensors of a sequence must have elements of "
                                 "the same type, but got " +
                                 show(tensors.front().getType()) + " and " +
                                 show(tensor.getType()));
  Type type = UnknownType::get(b.getContext());
  return SmallVector<Value>{
      UnrealizedConversionCastOp::create(b, type, tensors).getResult(0)};
}

/// Returns the position that an input specifies, counted from the front. It
/// must be between -count and `max`, which is checked at run time if
/// necessary.
static FailureOr<OpFoldResult> getPosition(NodeContext &context, size_t input,
                                           int64_t count, int64_t max) {
  ImplicitLocOpBuilder &b = context.b;
  FailureOr<OpFoldResult> position = context.getIndex(input);
  if (failed(position) ||
      failed(context.requireAtLeast(-count, *position, "the position")) ||
      failed(context.requireAtMost(b.getIndexAttr(max), *position,
                                   "the position")))
    return failure();
  if (std::optional<int64_t> known = getConstantIntValue(*position))
    return OpFoldResult(b.getIndexAttr(*known < 0 ? *known + count : *known));
  Value value = makeIndex(b, *position);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value isNegative =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, value, zero);
  Value fromEnd =
      arith::AddIOp::create(b, value, arith::ConstantIndexOp::create(b, count));
  return OpFoldResult(
      arith::SelectOp::create(b, isNegative, fromEnd, value).getResult());
}

/// Selects one of two tensors by comparing the position with `other`. Sizes in
/// which the tensors differ are dynamic in the result.
static FailureOr<Value> selectTensor(NodeContext &context,
                                     arith::CmpIPredicate predicate,
                                     OpFoldResult position, int64_t other,
                                     Value isTrue, Value isFalse) {
  ImplicitLocOpBuilder &b = context.b;
  Value condition =
      b.createOrFold<arith::CmpIOp>(predicate, makeIndex(b, position),
                                    arith::ConstantIndexOp::create(b, other));
  APInt known;
  if (matchPattern(condition, m_ConstantInt(&known)))
    return known.isZero() ? isFalse : isTrue;
  auto left = cast<RankedTensorType>(isTrue.getType());
  auto right = cast<RankedTensorType>(isFalse.getType());
  if (left.getRank() != right.getRank())
    return context.unsupported(
        "tensors of a sequence have ranks " + Twine(left.getRank()) + " and " +
        Twine(right.getRank()) + ", but the position is not a constant");
  RankedTensorType type = joinTypes(left, right);
  Value tensors[] = {isTrue, isFalse};
  for (Value &tensor : tensors) {
    if (tensor.getType() != type)
      tensor = tensor::CastOp::create(b, type, tensor);
    tensor = toStorage(b, tensor);
  }
  // Both operands of arith.select must have the same sizes, so use scf.if.
  auto branch = scf::IfOp::create(
      b, condition,
      [&](OpBuilder &builder, Location loc) {
        scf::YieldOp::create(builder, loc, tensors[0]);
      },
      [&](OpBuilder &builder, Location loc) {
        scf::YieldOp::create(builder, loc, tensors[1]);
      });
  return fromStorage(b, branch.getResult(0), type.getElementType());
}

//===----------------------------------------------------------------------===//
// Ops that return sequences
//===----------------------------------------------------------------------===//

NodeResults onnx_nodes::convertSequenceEmpty(NodeContext &context) {
  return makeSequence(context, {});
}

NodeResults onnx_nodes::convertSequenceConstruct(NodeContext &context) {
  return makeSequence(context, context.inputs);
}

NodeResults onnx_nodes::convertSplitToSequence(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value input = context.input(0);
  SmallVector<OpFoldResult> sizes = context.getSizes(input);
  FailureOr<int64_t> axis =
      context.normalizeAxis(context.getInt("axis"), sizes.size());
  if (failed(axis))
    return failure();
  SmallVector<OpFoldResult> parts;
  if (context.input(1) && context.type(1).getRank() == 1) {
    auto specified = context.getIndices(1);
    if (!specified)
      return context.unsupported("the number of parts is not known");
    parts = std::move(*specified);
  } else {
    std::optional<int64_t> size = getConstantIntValue(sizes[*axis]);
    std::optional<int64_t> part = 1;
    if (context.input(1)) {
      FailureOr<OpFoldResult> specified = context.getIndex(1);
      if (failed(specified))
        return failure();
      part = getConstantIntValue(*specified);
    }
    if (!size || !part)
      return context.unsupported("the number of parts is not known");
    if (failed(context.requireAtLeast(1, b.getIndexAttr(*part),
                                      "the size of a split")))
      return failure();
    if ((*size - 1) / *part >= kMaxTensors)
      return context.unsupported("a sequence may have at most " +
                                 Twine(kMaxTensors) + " tensors");
    for (int64_t rest = *size; rest > 0; rest -= *part)
      parts.push_back(b.getIndexAttr(std::min(rest, *part)));
  }
  NodeResults tensors = buildParts(context, input, *axis, parts);
  if (failed(tensors))
    return failure();
  // Parts have size 1 if input 1 is absent. Only then keepdims applies.
  if (!context.input(1) && !context.getFlag("keepdims")) {
    sizes.erase(sizes.begin() + *axis);
    for (Value &tensor : *tensors)
      tensor = context.reshape(tensor, sizes);
  }
  return makeSequence(context, *tensors);
}

NodeResults onnx_nodes::convertSequenceInsert(NodeContext &context) {
  SmallVector<Value> tensors = context.getSequence(0);
  Value added = context.input(1);
  int64_t count = tensors.size();
  OpFoldResult position = context.b.getIndexAttr(count);
  if (context.input(2)) {
    FailureOr<OpFoldResult> specified = getPosition(context, 2, count, count);
    if (failed(specified))
      return failure();
    position = *specified;
  }
  SmallVector<Value> result;
  for (int64_t i = 0; i <= count; ++i) {
    FailureOr<Value> tensor = i > 0 ? tensors[i - 1] : added;
    if (i > 0)
      tensor = selectTensor(context, arith::CmpIPredicate::eq, position, i,
                            added, *tensor);
    if (succeeded(tensor) && i < count)
      tensor = selectTensor(context, arith::CmpIPredicate::sgt, position, i,
                            tensors[i], *tensor);
    if (failed(tensor))
      return failure();
    result.push_back(*tensor);
  }
  return makeSequence(context, result);
}

NodeResults onnx_nodes::convertSequenceErase(NodeContext &context) {
  SmallVector<Value> tensors = context.getSequence(0);
  int64_t last = static_cast<int64_t>(tensors.size()) - 1;
  if (last < 0)
    return context.unsupported("the sequence is empty");
  OpFoldResult position = context.b.getIndexAttr(last);
  if (context.input(1)) {
    FailureOr<OpFoldResult> specified = getPosition(context, 1, last + 1, last);
    if (failed(specified))
      return failure();
    position = *specified;
  }
  SmallVector<Value> result;
  for (int64_t i = 0; i < last; ++i) {
    FailureOr<Value> tensor =
        selectTensor(context, arith::CmpIPredicate::sgt, position, i,
                     tensors[i], tensors[i + 1]);
    if (failed(tensor))
      return failure();
    result.push_back(*tensor);
  }
  return makeSequence(context, result);
}

//===----------------------------------------------------------------------===//
// Ops that return tensors
//===----------------------------------------------------------------------===//

NodeResults onnx_nodes::convertSequenceAt(NodeContext &context) {
  SmallVector<Value> tensors = context.getSequence(0);
  int64_t last = static_cast<int64_t>(tensors.size()) - 1;
  if (last < 0)
    return context.unsupported("the sequence is empty");
  FailureOr<OpFoldResult> position = getPosition(context, 1, last + 1, last);
  if (failed(position))
    return failure();
  FailureOr<Value> result = tensors[last];
  for (int64_t i = last - 1; i >= 0 && succeeded(result); --i)
    result = selectTensor(context, arith::CmpIPredicate::eq, *position, i,
                          tensors[i], *result);
  if (failed(result))
    return failure();
  return SmallVector<Value>{*result};
}

NodeResults onnx_nodes::convertSequenceLength(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value count = makeNumber(b, b.getI64Type(), context.getSequence(0).size());
  return SmallVector<Value>{
      context.makeTensor(count, RankedTensorType::get({}, b.getI64Type()))};
}

NodeResults onnx_nodes::convertConcatFromSequence(NodeContext &context) {
  context.inputs = context.getSequence(0);
  if (context.inputs.empty())
    return context.unsupported("the sequence is empty");
  if (context.getFlag("new_axis"))
    for (Value &tensor : context.inputs) {
      SmallVector<OpFoldResult> sizes = context.getSizes(tensor);
      FailureOr<int64_t> axis =
          context.normalizeAxis(context.getInt("axis"), sizes.size() + 1);
      if (failed(axis))
        return failure();
      sizes.insert(sizes.begin() + *axis, context.b.getIndexAttr(1));
      tensor = context.reshape(tensor, sizes);
    }
  return convertConcat(context);
}
