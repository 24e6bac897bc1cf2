//===- Shapes.cpp - Shapes in verifiers and inference ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Shapes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

std::string quant_float::describeShape(ShapedType type) {
  if (!type)
    return "a scalar";
  if (!type.hasRank())
    return "no known shape";
  std::string text = "the shape [";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(type.getShape(), stream, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      stream << "?";
    else
      stream << size;
  });
  return text + "]";
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
  // The element type is the op's own choice: only the shape follows.
  auto shaped = dyn_cast<ShapedType>(input.getType());
  if (shaped && shaped.hasRank())
    components.emplace_back(shaped.getShape());
  else
    components.emplace_back();
}
