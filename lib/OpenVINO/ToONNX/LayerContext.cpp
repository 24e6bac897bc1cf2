//===- LayerContext.cpp - Conversion of a layer ---------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayerContext.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/OpenVinoConvert.h"
#include "quant-float/IR/OpsetRules.h"
#include "quant-float/Support/BufferSize.h"
#include "quant-float/Support/FloatFormat.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

LayerContext::LayerContext(NodeOp node, ImplicitLocOpBuilder &b)
    : NodeRewriter(node, b, kOnnxOpset) {
  inputs = llvm::to_vector(node.getInputs());
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

FailureOr<Type> LayerContext::getIntegerType(StringRef attribute,
                                             Type byDefault) {
  Type type = has(attribute) ? getType(attribute) : byDefault;
  if (isa_and_nonnull<IntegerType>(type))
    return type;
  return unsupported(
      "attribute '" + attribute + "' must be an integer type, but got " +
      (type ? showType(type) : "'" + getString(attribute).str() + "'"));
}

FailureOr<Value> LayerContext::getAsInt64(size_t index) {
  Type type = elementType(index), wide = b.getI64Type();
  if (!isa<IntegerType>(type) || type.isInteger(1))
    return unsupported(
        "input " + Twine(index) +
        " must have integer elements, but got elements of type " +
        showType(type));
  if (type == wide)
    return inputs[index];
  // Convert constants directly, so that they remain constants.
  auto ranked = dyn_cast<RankedTensorType>(inputs[index].getType());
  std::optional<SmallVector<int64_t>> values = getConstantInts(index);
  if (!ranked || !values)
    return cast(inputs[index], wide);
  return makeConstant(
      DenseElementsAttr::get(ranked.clone(wide), ArrayRef(*values)));
}

//===----------------------------------------------------------------------===//
// Construction of nodes
//===----------------------------------------------------------------------===//

Value LayerContext::getSize(size_t index, int64_t axis) {
  auto type = dyn_cast<RankedTensorType>(inputs[index].getType());
  if (type && !type.isDynamicDim(axis))
    return makeInts(type.getDimSize(axis));
  Value shape = buildNode("Shape", inputs[index], b.getI64Type());
  return apply("Gather", {shape, makeInts(axis)}, intAttr("axis", 0));
}

Value LayerContext::widen(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  bool isHalf = isa<Float16Type, BFloat16Type>(type);
  return isHalf ? cast(value, b.getF32Type()) : value;
}
