//===- CollapseWeightDecoders.h - Decode weights as matrices ----*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CODEGEN_COMMON_COLLAPSEWEIGHTDECODERS_H
#define QUANT_FLOAT_LIB_CODEGEN_COMMON_COLLAPSEWEIGHTDECODERS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::quant_float {

/// Collapses the loops of an elementwise op that decodes weights instead of the
/// dimensions of its result:
///
///   %0 = linalg.generic ins(%quantized[n, b, i], %scale[n, b, 0])
///   %1 = tensor.collapse_shape %0 [[0], [1, 2]]
///
/// becomes
///
///   %1 = linalg.generic ins(%quantized[n, k], %scale[n, k floordiv size])
void populateCollapseWeightDecodersPatterns(RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_CODEGEN_COMMON_COLLAPSEWEIGHTDECODERS_H
