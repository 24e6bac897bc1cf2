//===- Cells.h - Conversions of opset rules ---------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From ops, of standards or in models, to the conversions that compute what
// they mean: of an op with all of its versions, types and attributes, one cell
// for each.
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_CERTIFY_CELLS_H
#define QUANT_FLOAT_CERTIFY_CELLS_H

#include "mlir/IR/Operation.h"
#include "quant-float/Certify/Conversion.h"
#include "quant-float/IR/OpsetRules.h"

namespace mlir::quant_float::certify {

/// One way in which a version of an op may be used.
struct Cell {
  OpKind op;
  int64_t since;
  Conversion conversion;
};

/// Every combination of element types but strings, of the values of saturate,
/// round_mode and precision (which may be absent), with and without a zero
/// point, that the opset rules allow Cast, CastLike, QuantizeLinear and
/// DequantizeLinear, and com.microsoft's. What only says which scale belongs to
/// which element (axis, block_size) makes no cells.
std::vector<Cell> listCells();

/// The conversion that an op of the dialect computes of each element; none of
/// other ops, strings, and casts in the mode openvino. The op must be valid.
std::optional<Conversion> findConversion(Operation *op);

} // namespace mlir::quant_float::certify

#endif // QUANT_FLOAT_CERTIFY_CELLS_H
