//===- BlocksToLinalg.h - Ops on blocks to linalg ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTOLINALG_BLOCKSTOLINALG_H
#define QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTOLINALG_BLOCKSTOLINALG_H

#include "mlir/Transforms/DialectConversion.h"

namespace mlir::quant_float {

/// Patterns that convert the ops on blocks of ranked tensors to linalg.generic
/// on storage types. block_quantize must have been decomposed.
void populateBlocksToLinalgPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns);

/// Patterns that convert pack_scales and unpack_scales to ops on tensors.
void populateScaleLayoutsToLinalgPatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CONVERSION_QUANTFLOATTOLINALG_BLOCKSTOLINALG_H
