//===- Storage.h - Elements as registers hold them --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_STORAGE_H
#define QUANT_FLOAT_LIB_EMULATION_STORAGE_H

#include "Lanes.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::quant_float {

// getStorageType (ElementTypes.h) says what holds bf16, unsigned elements and
// those of less than a byte. Conversions compute between storage casts, which
// fold away between two conversions and where linalg made them.

Value toStorage(OpBuilder &builder, Location loc, Value value);
Value fromStorage(OpBuilder &builder, Location loc, Value storage, Type type);

/// Callers may leave anything in the bits of a byte above a narrow element.
Value dropUnusedBits(Lanes &lanes, Value storage, Type element);

/// Storage casts that are left, at the border of what was converted, to arith
/// ops.
void populateStorageCastPatterns(RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_EMULATION_STORAGE_H
