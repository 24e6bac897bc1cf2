//===- ElementwiseGeneric.h - Elementwise linalg.generic --------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTOLINALG_ELEMENTWISEGENERIC_H
#define QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTOLINALG_ELEMENTWISEGENERIC_H

#include "mlir/Transforms/DialectConversion.h"

namespace mlir::quant_float {

/// An operand of an elementwise op: a tensor of storage elements, the indexing
/// map from elements of the result to its elements, and their original type.
struct ElementwiseInput {
  Value storage;
  AffineMap map;
  Type elementType;
};

/// Replaces an op, whose only result has the first input's shape, by a
/// linalg.generic on storage types:
///
/// %r = linalg.generic ins(%x : tensor<?xSA>) outs(%empty : tensor<?xSB>) {
///   ^bb0(%in: SA, %out: SB):
///     %a = storage_cast %in : SA to A
///     %b = <body> : B
///     linalg.yield (storage_cast %b : B to SB)
/// }
///
/// SA and SB are the storage types of A and B. Storage casts between equal
/// types are omitted.
void replaceByGeneric(
    ConversionPatternRewriter &rewriter, const TypeConverter &converter,
    Operation *op, ArrayRef<ElementwiseInput> inputs,
    llvm::function_ref<Value(OpBuilder &, Location, ValueRange)> body);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTOLINALG_ELEMENTWISEGENERIC_H
