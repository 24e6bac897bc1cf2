//===- RecurrentActivations.h - RNN, GRU, LSTM activations ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_TOLINALG_RECURRENTACTIVATIONS_H
#define QUANT_FLOAT_LIB_ONNX_TOLINALG_RECURRENTACTIVATIONS_H

#include "Building.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::quant_float::onnx_nodes {

/// An activation function, with up to two parameters.
struct Activation {
  StringLiteral name;
  /// The number of parameters that the function uses.
  unsigned numbers;
  double alpha, beta;
  Value (*build)(ImplicitLocOpBuilder &b, Value x, Value alpha, Value beta);
};

inline Value number(ImplicitLocOpBuilder &b, Value like, double value) {
  return makeNumber(b, like.getType(), value);
}
inline Value add(ImplicitLocOpBuilder &b, Value x, Value y) {
  return arith::AddFOp::create(b, x, y);
}
inline Value mul(ImplicitLocOpBuilder &b, Value x, Value y) {
  return arith::MulFOp::create(b, x, y);
}
inline Value clamp(ImplicitLocOpBuilder &b, Value x, Value low, Value high) {
  return arith::MinimumFOp::create(b, arith::MaximumFOp::create(b, x, low),
                                   high);
}

/// Returns the activations of all directions, or `defaults` for each if the
/// node lists none. Each activation with parameters takes the next values from
/// the attributes activation_alpha and activation_beta.
FailureOr<SmallVector<Activation>> getActivations(NodeContext &context,
                                                  ArrayRef<StringRef> defaults,
                                                  size_t directions);

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_ONNX_TOLINALG_RECURRENTACTIVATIONS_H
