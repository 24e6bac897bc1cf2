//===- LookUpPackedElements.h - Results of packed codes by look-up -*- C++ -*-//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_ENTRYPOINT_LOOKUPPACKEDELEMENTS_H
#define QUANT_FLOAT_ENTRYPOINT_LOOKUPPACKEDELEMENTS_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::quant_float {

/// What elementwise ops make of a vector of packed codes, looked up in a table
/// of what they make of each code. `codes` has one code in each byte, the
/// vector `packed` the same side by side in `bits` bits. What cannot be looked
/// up keeps using `codes`.
///
/// For machines with AVX-512 VBMI.
void lookUpPackedElements(arith::ExtUIOp codes, Value packed, unsigned bits);

/// The same of 32 codes of 4 bits where the table is constant, for machines
/// with AVX2.
void lookUpNibbles(arith::ExtUIOp codes, Value packed);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_ENTRYPOINT_LOOKUPPACKEDELEMENTS_H
