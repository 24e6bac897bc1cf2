//===- LookUpPackedElements.h - Table lookup of encodings -------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_SUBBYTE_LOOKUPPACKEDELEMENTS_H
#define QUANT_FLOAT_LIB_CODEGEN_SUBBYTE_LOOKUPPACKEDELEMENTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::quant_float {

/// Replaces results of elementwise ops on a vector of encodings by lookups in
/// tables of their results for each encoding. `encodings` has one encoding in
/// each byte, and the vector `packed` has the same ones packed in `bits` bits.
/// Results that cannot be looked up keep using `encodings`.
///
/// Requires AVX-512 VBMI.
void lookUpPackedElements(arith::ExtUIOp encodings, Value packed,
                          unsigned bits);

/// Does the same for 32 4-bit encodings if the table is constant. Requires
/// AVX2.
void lookUpNibbles(arith::ExtUIOp encodings, Value packed);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_SUBBYTE_LOOKUPPACKEDELEMENTS_H
