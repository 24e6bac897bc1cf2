//===- Convert.cpp - Conversions of elements of torch --------------------===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conversions.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::quant_float;
using namespace mlir::quant_float::torch_ops;

static NodeResults convertTo(OpImporter &op, FailureOr<Type> elementType) {
  FailureOr<Value> value = requireTensor(op, 0);
  if (failed(value) || failed(elementType))
    return failure();
  return TorchMath(op).to(*value, *elementType);
}

NodeResults torch_ops::convertElementType(OpImporter &op) {
  return convertTo(op, requireDtype(op, 1));
}

NodeResults torch_ops::convertToCopy(OpImporter &op) {
  return convertTo(op, getDtype(op, 1, op.elementType(0)));
}

NodeResults torch_ops::convertTypeAs(OpImporter &op) {
  FailureOr<Value> like = requireTensor(op, 1);
  if (failed(like))
    return failure();
  return convertTo(op, op.elementType(1));
}
