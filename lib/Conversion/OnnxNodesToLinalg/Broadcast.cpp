//===- Broadcast.cpp - Tensors broadcast together -------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "Elementwise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

FailureOr<SmallVector<OpFoldResult>>
onnx_nodes::broadcastSizes(NodeContext &context,
                           ArrayRef<SmallVector<OpFoldResult>> inputSizes) {
  // Of the inputs that are not repeated along an axis, the first one.
  SmallVector<size_t> owners;
  size_t rank = 0;
  for (const SmallVector<OpFoldResult> &sizes : inputSizes)
    rank = std::max(rank, sizes.size());
  SmallVector<OpFoldResult> result(rank, context.b.getIndexAttr(1));
  owners.resize(rank);
  for (auto [input, sizes] : llvm::enumerate(inputSizes)) {
    for (auto [index, size] : llvm::enumerate(sizes)) {
      size_t axis = rank - sizes.size() + index;
      OpFoldResult &common = result[axis];
      if (isConstantIntValue(size, 1))
        continue;
      if (isConstantIntValue(common, 1)) {
        common = size;
        owners[axis] = input;
        continue;
      }
      std::optional<int64_t> a = getConstantIntValue(common);
      std::optional<int64_t> c = getConstantIntValue(size);
      if (a && c && a != c)
        return context.unsupported("the sizes " + Twine(*a) + " and " +
                                   Twine(*c) + " do not broadcast");
      if (!(a && c) &&
          failed(context.requireEqual(
              common, size,
              "axis " + Twine(axis) + " of inputs " + Twine(owners[axis]) +
                  " and " + Twine(input),
              "must have one size, as sizes that the model leaves open are "
              "not broadcast")))
        return failure();
      // A constant says more than a value does.
      if (!a && c)
        common = size;
    }
  }
  return result;
}

/// Small tensors as scalars, repeated where broadcast.
static std::optional<SmallVector<SmallVector<Value>>>
getBroadcastScalars(NodeContext &context, ArrayRef<Value> inputs,
                    int64_t count) {
  SmallVector<SmallVector<Value>> all;
  for (Value input : inputs) {
    std::optional<SmallVector<Value>> scalars = context.getScalars(input);
    if (!scalars)
      return std::nullopt;
    if (scalars->size() == 1)
      scalars->append(count - 1, scalars->front());
    all.push_back(std::move(*scalars));
  }
  return all;
}

NodeResults onnx_nodes::buildBroadcast(
    NodeContext &context, ArrayRef<Value> inputs, Type elementType,
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)> body) {
  SmallVector<SmallVector<OpFoldResult>> inputSizes;
  for (Value input : inputs)
    inputSizes.push_back(context.getSizes(input));
  FailureOr<SmallVector<OpFoldResult>> sizes =
      broadcastSizes(context, inputSizes);
  if (failed(sizes))
    return failure();
  ImplicitLocOpBuilder &b = context.b;

  auto type = RankedTensorType::get(getShape(*sizes), elementType);
  if (type.getRank() <= 1 && type.hasStaticShape() &&
      type.getNumElements() > 0) {
    int64_t count = type.getNumElements();
    if (auto scalars = getBroadcastScalars(context, inputs, count)) {
      SmallVector<Value> results;
      for (int64_t i = 0; i < count; ++i)
        results.push_back(
            body(b, llvm::map_to_vector(*scalars, [&](const auto &values) {
                   return values[i];
                 })));
      return SmallVector<Value>{context.makeTensor(results, type)};
    }
  }

  SmallVector<AffineMap> maps;
  for (const SmallVector<OpFoldResult> &input : inputSizes)
    maps.push_back(getBroadcastMap(b.getContext(), input, *sizes));
  return SmallVector<Value>{
      buildParallel(b, *sizes, elementType, inputs, maps, body)};
}
