//===- NodeBuilder.cpp - Builder of ONNX nodes ----------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NodeBuilder.h"

#include "RewriteUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/Support/Locations.h"

using namespace mlir;
using namespace mlir::quant_float;

Location NodeBuilder::getLoc(StringRef what) {
  StringRef name = getNodeName(loc);
  return name.empty()
             ? loc
             : NameLoc::get(builder.getStringAttr(name + "/" + what), loc);
}

Value NodeBuilder::makeScalar(Type elementType, int64_t number) {
  return createConstantOfBits(
      builder, getLoc("constant"), RankedTensorType::get({}, elementType),
      APInt(elementType.getIntOrFloatBitWidth(), number, /*isSigned=*/true,
            /*implicitTrunc=*/true));
}

Value NodeBuilder::makeNode(StringRef opType, ValueRange inputs, Type result,
                            ArrayRef<NamedAttribute> attributes) {
  OperationState state(getLoc(opType), NodeOp::getOperationName());
  NodeOp::Properties &properties =
      state.getOrAddProperties<NodeOp::Properties>();
  properties.op_type = builder.getStringAttr(opType);
  properties.opset = builder.getI64IntegerAttr(opset);
  if (!attributes.empty())
    properties.node_attributes = builder.getDictionaryAttr(attributes);
  state.addOperands(inputs);
  state.addTypes(result);
  return builder.create(state)->getResult(0);
}

Value NodeBuilder::compute(StringRef opType, Value value, int64_t number) {
  Value scalar = makeScalar(getElementTypeOrSelf(value), number);
  return makeNode(opType, {value, scalar}, value.getType());
}

Value NodeBuilder::clip(Value value, int64_t min, int64_t max) {
  Type type = getElementTypeOrSelf(value);
  return makeNode("Clip", {value, makeScalar(type, min), makeScalar(type, max)},
                  value.getType());
}

Value NodeBuilder::cast(Value value, Type elementType, StringRef what) {
  Type type = withElementType(value.getType(), elementType);
  if (type == value.getType())
    return value;
  OperationState state(getLoc(what), CastOp::getOperationName());
  state.getOrAddProperties<CastOp::Properties>().opset =
      builder.getI64IntegerAttr(opset);
  state.addOperands(value);
  state.addTypes(type);
  return builder.create(state)->getResult(0);
}
