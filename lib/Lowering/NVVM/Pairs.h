//===- Pairs.h - Vectors as pairs of elements -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_NVVM_PAIRS_H
#define QUANT_FLOAT_LIB_LOWERING_NVVM_PAIRS_H

#include "../ConversionRow.h"

namespace mlir::quant_float {

/// Converts a vector of rank 1 with instructions for two elements. Pairs are
/// extracted and joined as integers, because shuffles of bytes need additional
/// instructions.
Value convertPairs(VectorBuilder &lanes, const ConversionRow &row, Value value,
                   const Conversion &conversion);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_LOWERING_NVVM_PAIRS_H
