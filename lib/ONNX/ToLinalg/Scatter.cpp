//===- Scatter.cpp - Lowering of scatter ops ------------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

/// Returns how an update is combined with the existing element, or none if it
/// replaces the element.
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

/// Applies the updates sequentially, in the order of their elements.
/// `getPosition` returns the position that the update at these indices is
/// written to.
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
  SmallVector<OpFoldResult> updateSizes = context.getSizes(indices);
  SmallVector<OpFoldResult> updated = context.getSizes(context.input(2));
  if (updated.size() != updateSizes.size())
    return context.unsupported("updates must have rank " +
                               Twine(updateSizes.size()) + ", but got " +
                               Twine(updated.size()));
  for (auto [index, size] : llvm::enumerate(updated))
    if (failed(context.requireEqual(updateSizes[index], size,
                                    "the size of axis " + Twine(index) +
                                        " of the updates")))
      return failure();
  if (failed(context.requireElements(*axis, sizes[*axis],
                                     context.computeProduct(updateSizes))))
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

//===----------------------------------------------------------------------===//
// TensorScatter
//===----------------------------------------------------------------------===//

/// Replaces the elements of a cache along an axis with those of an update. Each
/// sequence of the batch has its own start index.
NodeResults onnx_nodes::convertTensorScatter(NodeContext &context) {
  ImplicitLocOpBuilder &b = context.b;
  Value update = context.input(1), begins = context.input(2);
  SmallVector<OpFoldResult> sizes = context.getSizes(context.input(0));
  SmallVector<OpFoldResult> updateSizes = context.getSizes(update);
  int64_t rank = sizes.size();
  FailureOr<int64_t> axis = context.normalizeAxis(context.getInt("axis"), rank);
  if (failed(axis) ||
      failed(context.requireElementType(1, context.elementType(0))))
    return failure();
  if (*axis == 0)
    return context.unsupported("axis 0 is the batch axis");
  if (static_cast<int64_t>(updateSizes.size()) != rank)
    return context.unsupported("the update must have rank " + Twine(rank) +
                               ", but got " + Twine(updateSizes.size()));
  for (int64_t i = 0; i < rank; ++i) {
    std::string what =
        "the size of axis " + std::to_string(i) + " of the update";
    if (failed(i == *axis
                   ? context.requireAtMost(sizes[i], updateSizes[i], what)
                   : context.requireEqual(sizes[i], updateSizes[i], what)))
      return failure();
  }
  bool isCircular = context.getString("mode") == "circular";
  if (failed(requireSequenceLengths(context, 2, sizes[0])))
    return failure();
  auto scatter = [&](ImplicitLocOpBuilder &b) {
    return buildParallel(
        b, sizes, context.elementType(0), context.input(0),
        b.getMultiDimIdentityMap(rank),
        [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
          SmallVector<Value> indices;
          for (int64_t i = 0; i < rank; ++i)
            indices.push_back(linalg::IndexOp::create(b, i));
          Value zero = arith::ConstantIndexOp::create(b, 0);
          Value one = arith::ConstantIndexOp::create(b, 1);
          Value size = makeIndex(b, sizes[*axis]);
          Value length = makeIndex(b, updateSizes[*axis]);
          Value step = indices[*axis];
          if (begins) {
            Value begin =
                toPosition(b, tensor::ExtractOp::create(b, begins, indices[0]),
                           sizes[*axis]);
            step = arith::SubIOp::create(b, step, begin);
          }
          Value isBefore =
              arith::CmpIOp::create(b, arith::CmpIPredicate::slt, step, zero);
          if (isCircular) {
            step = arith::SelectOp::create(
                b, isBefore, arith::AddIOp::create(b, step, size), step);
            isBefore = makeNumber(b, b.getI1Type(), 0);
          }
          Value isPastEnd =
              arith::CmpIOp::create(b, arith::CmpIPredicate::sge, step, length);
          Value isOutside = arith::OrIOp::create(b, isBefore, isPastEnd);
          Value last = arith::MaxSIOp::create(
              b, arith::SubIOp::create(b, length, one), zero);
          step = arith::MaxSIOp::create(b, step, zero);
          indices[*axis] = arith::MinSIOp::create(b, step, last);
          // The index is clamped because both operands of a select are
          // evaluated.
          return buildSelect(b, isOutside, args[0],
                             tensor::ExtractOp::create(b, update, indices));
        });
  };
  if (std::optional<int64_t> length = getConstantIntValue(updateSizes[*axis]))
    return SmallVector<Value>{*length == 0 ? context.input(0) : scatter(b)};
  // An empty update has no element to read.
  Value length = makeIndex(b, updateSizes[*axis]);
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value hasElements =
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, length, zero);
  auto branch = scf::IfOp::create(
      b, hasElements,
      [&](OpBuilder &builder, Location loc) {
        ImplicitLocOpBuilder inside(loc, builder);
        Value result = scatter(inside);
        if (result.getType() != context.input(0).getType())
          result = tensor::CastOp::create(inside, context.input(0).getType(),
                                          result);
        scf::YieldOp::create(inside, toStorage(inside, result));
      },
      [&](OpBuilder &builder, Location loc) {
        ImplicitLocOpBuilder inside(loc, builder);
        scf::YieldOp::create(inside, toStorage(inside, context.input(0)));
      });
  return SmallVector<Value>{
      fromStorage(b, branch.getResult(0), context.elementType(0))};
}
