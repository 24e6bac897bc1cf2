//===- Convert.cpp - OpenVINO Convert and ConvertLike ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "quant-float/IR/ElementTypes.h"
#include "quant-float/IR/OpenVinoConvert.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::openvino_layers;

static FailureOr<Value> convertTo(LayerContext &context, Type to) {
  Value input = context.inputs[0];
  Type from = context.elementType(0);
  if (from == to)
    return input;
  if (getOpenVinoConversion(from, to) == OpenVinoConversion::None)
    return context.unsupported("no conversion of elements of type " +
                               show(from) + " to " + show(to));
  ImplicitLocOpBuilder &b = context.b;
  return b.createOrFold<CastOp>(
      withElementType(input.getType(), to), input, b.getI64IntegerAttr(1),
      UnitAttr(), BoolAttr(), RoundModeAttr(),
      CastModeAttr::get(b.getContext(), CastMode::OpenVINO));
}

FailureOr<Value> openvino_layers::convertConvert(LayerContext &context) {
  // A type that MLIR lacks is a name.
  Attribute given = context.node.getNodeAttributes().get("destination_type");
  if (auto name = dyn_cast_or_null<StringAttr>(given))
    return context.unsupported("no conversion of elements of type " +
                               show(context.elementType(0)) + " to '" +
                               name.getValue() + "'");
  Type to = context.getType("destination_type");
  if (!to)
    return context.unsupported("attribute 'destination_type' is missing");
  return convertTo(context, to);
}

FailureOr<Value> openvino_layers::convertConvertLike(LayerContext &context) {
  return convertTo(context, context.elementType(1));
}
