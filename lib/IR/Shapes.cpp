//===- Shapes.cpp - Shapes for verifiers and inference --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/Reference/Granularity.h"

using namespace mlir;
using namespace mlir::quant_float;

std::optional<SmallVector<int64_t>> quant_float::getSizes(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return SmallVector<int64_t>();
  return shaped.hasRank() ? std::optional(reference::getSizes(shaped))
                          : std::nullopt;
}

bool quant_float::haveCompatibleShapes(Type a, Type b) {
  std::optional<SmallVector<int64_t>> left = getSizes(a), right = getSizes(b);
  return !left || !right || succeeded(verifyCompatibleShape(*left, *right));
}

std::string quant_float::describeShape(Type type) {
  if (!isa<ShapedType>(type))
    return "a scalar";
  std::optional<SmallVector<int64_t>> sizes = getSizes(type);
  if (!sizes)
    return "an unknown shape";
  std::string description = "the shape [";
  llvm::raw_string_ostream stream(description);
  llvm::interleaveComma(*sizes, stream, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      stream << "?";
    else if (reference::isScalable(size))
      stream << "[" << -size << "]";
    else
      stream << size;
  });
  return description + "]";
}

LogicalResult quant_float::reifyShapeOf(Value input, OpBuilder &builder,
                                        Location loc,
                                        ReifiedRankedShapedTypeDims &reified) {
  if (!isa<RankedTensorType>(input.getType()))
    return failure();
  reified.push_back(tensor::getMixedSizes(builder, loc, input));
  return success();
}

void quant_float::inferShapeOf(
    Value input, SmallVectorImpl<ShapedTypeComponents> &components) {
  // Only the shape is inferred. The op determines the element type.
  auto shaped = dyn_cast<ShapedType>(input.getType());
  if (shaped && shaped.hasRank())
    components.emplace_back(shaped.getShape());
  else
    components.emplace_back();
}
