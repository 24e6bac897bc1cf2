//===- TestMatrix.h - Conversions of opset rules ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps operations of the standards and of models to the conversions that
// compute them. The test matrix has one cell for each combination of version,
// types and attributes of an operation, and of rule and types of an operation
// on blocks.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_TESTMATRIX_H
#define QUANT_FLOAT_CERTIFY_TESTMATRIX_H

#include "mlir/IR/Operation.h"
#include "quant-float/Certify/Conversion.h"
#include "quant-float/IR/OpsetRules.h"

namespace mlir::quant_float::certify {

/// One combination of a version, types and attributes of an operation.
struct Cell {
  /// The operation and its version, such as Cast-9, or its rule.
  std::string version;
  Conversion conversion;
};

/// Returns every combination of element types except strings, of values of
/// saturate, round_mode and precision (or their absence), with and without a
/// zero point, that the opset rules allow for Cast, CastLike, QuantizeLinear
/// and DequantizeLinear, including com.microsoft's. Attributes that only assign
/// scales to elements (axis, block_size) do not add cells. They are followed by
/// the rules of blocks with all types that the verifier accepts.
std::vector<Cell> listCells(MLIRContext &context);

/// Returns the conversions that an operation of the dialect computes for each
/// element. Returns none for other operations, strings, random bits, and casts
/// in the mode openvino. The operation must be valid.
SmallVector<Conversion> findConversions(Operation *op);

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_TESTMATRIX_H
