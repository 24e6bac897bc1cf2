//===- Pairs.h - Vectors as pairs of elements -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_NVVM_PAIRS_H
#define QUANT_FLOAT_LIB_EMULATION_NVVM_PAIRS_H

#include "../ConversionRow.h"

namespace mlir::quant_float {

/// A vector of one dimension by instructions for two elements. Both directions
/// go by integers: shuffles of bytes cost instructions of their own.
Value convertPairs(Lanes &lanes, const ConversionRow &row, Value value,
                   const Conversion &conversion);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_EMULATION_NVVM_PAIRS_H
