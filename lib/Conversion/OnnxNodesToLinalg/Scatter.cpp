//===- Scatter.cpp - Ops that write elements by indices ------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

/// How an update goes together with the element that is there; none where it
/// takes its place.
static FailureOr<std::optional<Combine>> getReduction(NodeContext &context) {
  auto combine =
      llvm::StringSwitch<std::optional<Combine>>(context.getString("reduction"))
          .Case("add", Combine::Sum)
          .Case("mul", Combine::Product)
          .Case("max", Combine::Max)
          .Case("min", Combine::Min)
          .Default(std::nullopt);
  if (combine && failed(context.requireKind(0, kinds::Float | kinds::Integer)))
    return failure();
  return combine;
}

/// Updates in the order of their elements, one after the other: `getPosition`
/// says where the one at some indices goes.
static NodeResults
buildScatter(NodeContext &context, std::optional<Combine> combine,
             llvm::function_ref<SmallVector<Value>(ImplicitLocOpBuilder &,
                                                   ArrayRef<Value>)>
                 getPosition) {
  ImplicitLocOpBuilder &b = context.b;
  Value updates = context.input(2);
  Type elementType = context.elementType(0);
  if (!elementType.isIntOrFloat())
    return context.unsupported("elements of type " + show(elementType));
  bool isUnsigned = isUnsignedElement(elementType);
  Type storageType = getStorageElementType(elementType);
  auto update = [&](ImplicitLocOpBuilder &b, Value before, Value update) {
    Value result = buildCombine(b, *combine, toCompute(b, before),
                                toCompute(b, update), isUnsigned);
    return fromCompute(b, result, elementType);
  };
  Value result = buildSequential(
      b, context.getSizes(updates), toStorage(b, context.input(0)),
      [&](ImplicitLocOpBuilder &b, ValueRange indices,
          ValueRange tensors) -> SmallVector<Value> {
        SmallVector<Value> position = getPosition(b, llvm::to_vector(indices));
        Value element = tensor::ExtractOp::create(b, updates, indices);
        if (combine) {
          Value before = tensor::ExtractOp::create(b, tensors[0], position);
          element = update(
              b, b.createOrFold<StorageCastOp>(elementType, before), element);
        }
        element = b.createOrFold<StorageCastOp>(storageType, element);
        return {tensor::InsertOp::create(b, element, tensors[0], position)};
      })[0];
  return SmallVector<Value>{fromStorage(b, result, elementType)};
}

NodeResults onnx_nodes::convertScatterElements(NodeContext &context) {
  Value indices = context.input(1);
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(0));
  FailureOr<int64_t> axis =
      context.normalizeAxis(context.getInt("axis"), sizes.size());
  FailureOr<std::optional<Combine>> combine = getReduction(context);
  if (failed(axis) || failed(combine) ||
      failed(requireElementIndices(context, *axis)) ||
      failed(context.requireElementType(2, context.elementType(0))))
    return failure();
  SmallVector<OpFoldResult> given = context.getSizes(indices);
  SmallVector<OpFoldResult> updated = context.getSizes(context.input(2));
  if (updated.size() != given.size())
    return context.unsupported("updates must have rank " + Twine(given.size()) +
                               ", but got " + Twine(updated.size()));
  for (auto [index, size] : llvm::enumerate(updated))
    if (failed(context.requireEqual(given[index], size,
                                    "the size of axis " + Twine(index) +
                                        " of the updates")))
      return failure();
  if (failed(context.requireElements(*axis, sizes[*axis],
                                     context.computeProduct(given))))
    return failure();
  return buildScatter(
      context, *combine, [&](ImplicitLocOpBuilder &b, ArrayRef<Value> loops) {
        SmallVector<Value> position(loops);
        Value index = tensor::ExtractOp::create(b, indices, loops);
        position[*axis] = toPosition(b, index, sizes[*axis]);
        return position;
      });
}

NodeResults onnx_nodes::convertScatterND(NodeContext &context) {
  Value indices = context.input(1);
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(0));
  FailureOr<int64_t> length = requireTuples(context, /*batch=*/0);
  FailureOr<std::optional<Combine>> combine = getReduction(context);
  if (failed(length) || failed(combine) ||
      failed(context.requireElementType(2, context.elementType(0))))
    return failure();
  SmallVector<OpFoldResult> expected = context.getSizes(indices);
  expected.pop_back();
  size_t numTuples = expected.size();
  llvm::append_range(expected, ArrayRef(sizes).drop_front(*length));
  SmallVector<OpFoldResult> updated = context.getSizes(context.input(2));
  if (updated.size() != expected.size())
    return context.unsupported("updates must have rank " +
                               Twine(expected.size()) + ", but got " +
                               Twine(updated.size()));
  for (auto [index, size] : llvm::enumerate(updated))
    if (failed(context.requireEqual(expected[index], size,
                                    "the size of axis " + Twine(index) +
                                        " of the updates")))
      return failure();
  for (int64_t axis = 0; axis < *length; ++axis)
    if (failed(context.requireElements(axis, sizes[axis],
                                       context.computeProduct(expected))))
      return failure();
  return buildScatter(
      context, *combine, [&](ImplicitLocOpBuilder &b, ArrayRef<Value> loops) {
        SmallVector<Value> position =
            extractPositions(b, indices, loops.take_front(numTuples),
                             ArrayRef(sizes).take_front(*length));
        llvm::append_range(position, loops.drop_front(numTuples));
        return position;
      });
}
