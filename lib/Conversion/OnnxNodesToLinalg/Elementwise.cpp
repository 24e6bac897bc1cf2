//===- Elementwise.cpp - Ops on one element at a time ---------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Elementwise.h"
#include "Building.h"
#include "Conversions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::onnx_nodes;

Value ElementContext::number(double value) const {
  return makeNumber(b, type, value);
}

static Value relu(ElementContext &e, ValueRange x) {
  if (e.isFloat())
    return e.b.createOrFold<arith::MaximumFOp>(x[0], e.number(0));
  return e.b.createOrFold<arith::MaxSIOp>(x[0], e.number(0));
}

NodeResults onnx_nodes::convertElementwise(NodeContext &context) {
  Type elementType = context.elementType(0);
  return buildBroadcast(
      context, context.inputs, elementType,
      [&](ImplicitLocOpBuilder &b, ValueRange args) {
        ElementContext e{b, context, elementType, getComputeType(elementType)};
        SmallVector<Value> operands = llvm::map_to_vector(
            args, [&](Value arg) { return toCompute(b, arg); });
        return fromCompute(b, relu(e, operands), elementType);
      });
}
