//===- ElementFunctions.h - What elementwise ops compute --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that Elementwise.def names. All of them fold, so that shape
// arithmetic on constants leaves constants.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_ELEMENTFUNCTIONS_H
#define QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_ELEMENTFUNCTIONS_H

#include "Elementwise.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace mlir::quant_float::onnx_nodes::functions {

/// One op for all kinds of elements.
template <typename OpT> Value only(ElementContext &e, ValueRange x) {
  return e.b.createOrFold<OpT>(x);
}

/// One op for floats, another for integers.
template <typename FloatOpT, typename IntegerOpT>
Value either(ElementContext &e, ValueRange x) {
  return e.isFloat() ? e.b.createOrFold<FloatOpT>(x[0], x[1])
                     : e.b.createOrFold<IntegerOpT>(x[0], x[1]);
}

/// One after the other.
template <Value (*Fn)(ElementContext &, Value, Value)>
Value reduceBy(ElementContext &e, ValueRange x) {
  Value result = x[0];
  for (Value next : x.drop_front())
    result = Fn(e, result, next);
  return result;
}

// NaN wins, as in numpy.
Value maximum(ElementContext &e, Value a, Value b);
Value minimum(ElementContext &e, Value a, Value b);

Value divide(ElementContext &e, ValueRange x);
Value modulo(ElementContext &e, ValueRange x);
Value sum(ElementContext &e, ValueRange x);
Value mean(ElementContext &e, ValueRange x);
Value negate(ElementContext &e, ValueRange x);
Value absolute(ElementContext &e, ValueRange x);
Value sign(ElementContext &e, ValueRange x);
Value reciprocal(ElementContext &e, ValueRange x);
Value shiftBits(ElementContext &e, ValueRange x);
Value complement(ElementContext &e, ValueRange x);

Value relu(ElementContext &e, ValueRange x);
Value leakyRelu(ElementContext &e, ValueRange x);
Value pRelu(ElementContext &e, ValueRange x);
Value thresholdedRelu(ElementContext &e, ValueRange x);
Value elu(ElementContext &e, ValueRange x);
Value selu(ElementContext &e, ValueRange x);
Value celu(ElementContext &e, ValueRange x);
Value gelu(ElementContext &e, ValueRange x);
Value sigmoid(ElementContext &e, ValueRange x);
Value hardSigmoid(ElementContext &e, ValueRange x);
Value hardSwish(ElementContext &e, ValueRange x);
Value softplus(ElementContext &e, ValueRange x);
Value softsign(ElementContext &e, ValueRange x);
Value mish(ElementContext &e, ValueRange x);

Value equal(ElementContext &e, ValueRange x);
Value less(ElementContext &e, ValueRange x);
Value lessOrEqual(ElementContext &e, ValueRange x);
Value greater(ElementContext &e, ValueRange x);
Value greaterOrEqual(ElementContext &e, ValueRange x);
Value isNaN(ElementContext &e, ValueRange x);
Value isInf(ElementContext &e, ValueRange x);

} // namespace mlir::quant_float::onnx_nodes::functions

#endif // QUANT_FLOAT_LIB_CONVERSION_ONNXNODESTOLINALG_ELEMENTFUNCTIONS_H
