//===- RowVectors.h - Vector accesses along rows ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_ONNX_TOLINALG_ROWVECTORS_H
#define QUANT_FLOAT_LIB_ONNX_TOLINALG_ROWVECTORS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::quant_float::onnx_nodes {

/// The number of elements of a vector, which occupies one or a few registers.
inline constexpr int64_t kRowVector = 16;

/// Reads a vector along the last axis of a tensor. The entire vector must be in
/// bounds.
inline Value readRowVector(ImplicitLocOpBuilder &b, Value tensor,
                           ValueRange indices) {
  Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
  Value padding = arith::ConstantOp::create(b, b.getZeroAttr(type));
  return vector::TransferReadOp::create(
      b, VectorType::get(kRowVector, type), tensor, indices, padding,
      AffineMap::getMinorIdentityMap(indices.size(), 1, b.getContext()),
      ArrayRef(true));
}

inline Value writeRowVector(ImplicitLocOpBuilder &b, Value vector, Value tensor,
                            ValueRange indices) {
  return vector::TransferWriteOp::create(
             b, vector, tensor, indices,
             AffineMap::getMinorIdentityMap(indices.size(), 1, b.getContext()),
             ArrayRef(true))
      .getResult();
}

inline Value broadcastToRow(ImplicitLocOpBuilder &b, Value scalar) {
  return vector::BroadcastOp::create(
      b, VectorType::get(kRowVector, scalar.getType()), scalar);
}

} // namespace mlir::quant_float::onnx_nodes

#endif // QUANT_FLOAT_LIB_ONNX_TOLINALG_ROWVECTORS_H
