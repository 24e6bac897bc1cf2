//===- Storage.h - Storage casts --------------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_STORAGE_H
#define QUANT_FLOAT_LIB_LOWERING_STORAGE_H

#include "VectorBuilder.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::quant_float {

// getStorageType (ElementTypes.h) returns the types that represent bf16,
// unsigned elements and sub-byte elements. Conversions compute on storage
// types, between storage casts. These fold between two conversions and with
// those of linalg bodies.

Value toStorage(OpBuilder &builder, Location loc, Value value);
Value fromStorage(OpBuilder &builder, Location loc, Value storage, Type type);

/// Masks the bits of a byte above a narrower element, which are unspecified in
/// inputs.
Value dropUnusedBits(VectorBuilder &lanes, Value storage, Type element);

/// Patterns that expand the remaining storage casts to arith ops.
void populateStorageCastPatterns(RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_LOWERING_STORAGE_H
