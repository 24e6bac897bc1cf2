//===- DynamicQuantize.cpp - DynamicQuantizeLinear ------------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

/// D9: lo = min(0, min x), hi = max(0, max x), scale = (hi - lo) / 255, or 1 if
/// lo and hi are equal, zero point = saturate(rne(-lo / scale)). Quantizing -lo
/// without a zero point computes the zero point, so that both divisions follow
/// D1.
DynamicQuantization onnx_nodes::buildDynamicQuantize(NodeContext &context,
                                                     Value input) {
  ImplicitLocOpBuilder &b = context.b;
  // A flat tensor can be vectorized along its only axis.
  SmallVector<OpFoldResult> sizes = context.getSizes(input);
  Value flat = buildReshape(b, input, sizes, {context.computeProduct(sizes)});
  Value min = buildReductionOfAxes(context, flat, 0, Combine::Min);
  Value max = buildReductionOfAxes(context, flat, 0, Combine::Max);

  Type type = b.getF32Type();
  AffineMap map = AffineMap::get(b.getContext());
  auto withZero = [&](ImplicitLocOpBuilder &b, Combine combine, Value value) {
    return buildCombine(b, combine, value, makeNumber(b, type, 0),
                        /*isUnsigned=*/false);
  };
  Value scale = buildParallel(
      b, {}, type, {min, max}, {map, map},
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        Value low = withZero(b, Combine::Min, args[0]);
        Value high = withZero(b, Combine::Max, args[1]);
        Value range = b.createOrFold<arith::SubFOp>(high, low);
        Value divided =
            b.createOrFold<arith::DivFOp>(range, makeNumber(b, type, 255));
        Value isPoint =
            arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, high, low);
        return b.createOrFold<arith::SelectOp>(isPoint, makeNumber(b, type, 1),
                                               divided);
      });
  Value offset = buildParallel(b, {}, type, min, map,
                               [&](ImplicitLocOpBuilder &b, ValueRange args) {
                                 return b.createOrFold<arith::NegFOp>(
                                     withZero(b, Combine::Min, args[0]));
                               });
  auto quantize = [&](Value value, Value zeroPoint) -> Value {
    Type type = cast<RankedTensorType>(value.getType())
                    .clone(b.getIntegerType(8, /*isSigned=*/false));
    return QuantizeOp::create(
        b, type, value, scale, zeroPoint, b.getI64IntegerAttr(context.opset),
        /*domain=*/StringAttr(), /*axis=*/IntegerAttr(),
        /*blockSize=*/IntegerAttr(), /*ignoredAttributes=*/ArrayAttr(),
        /*saturate=*/BoolAttr(), /*precision=*/TypeAttr());
  };
  Value zeroPoint = quantize(offset, Value());
  return {quantize(input, zeroPoint), scale, zeroPoint};
}

NodeResults onnx_nodes::convertDynamicQuantizeLinear(NodeContext &context) {
  if (!context.elementType(0).isF32())
    return context.unsupported("the input must have elements of f32, but got " +
                               show(context.elementType(0)));
  DynamicQuantization made = buildDynamicQuantize(context, context.input(0));
  return SmallVector<Value>{made.values, made.scale, made.zeroPoint};
}
