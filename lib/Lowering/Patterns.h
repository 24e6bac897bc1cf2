//===- Patterns.h - Patterns of the expansion -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_PATTERNS_H
#define QUANT_FLOAT_LIB_LOWERING_PATTERNS_H

#include "mlir/IR/PatternMatch.h"
#include "quant-float/Lowering/LoweringTarget.h"

namespace mlir::quant_float {

// The steps of ExpandQuantFloatOps.cpp, which defines their order. The patterns
// keep a reference to the target.

//===- QuantizePatterns.cpp -----------------------------------------------===//

/// Converts quantize, dequantize and qdq to quantize_elements and casts.
void populateQuantizationPatterns(RewritePatternSet &patterns);
/// Combines the scales of the quantize_elements ops of a block to vectors, so
/// that their reciprocals and other derived values are computed at once.
void groupScales(Operation *root);
/// Replaces saturating quantizations of elements to float8 that are cast back
/// by rounding in place.
void populateQuantizeInPlacePatterns(const LoweringTarget &target,
                                     RewritePatternSet &patterns);
void populateQuantizeElementsPatterns(const LoweringTarget &target,
                                      RewritePatternSet &patterns);

//===- BFloatArithmetic.cpp -----------------------------------------------===//

/// Converts ops of arith and math with results of bf16 to ops on f32 and casts,
/// and truncations of f64 to f16 to casts.
void populateBFloatArithmeticPatterns(RewritePatternSet &patterns);

//===- OpenVinoCastBody.cpp -----------------------------------------------===//

/// Expands casts in mode openvino to arith ops and casts of ONNX.
void populateOpenVinoCastPatterns(RewritePatternSet &patterns);

//===- RoundThroughFloats.cpp ---------------------------------------------===//

/// Replaces divisions of vectors of float8, optionally plus a scalar, by a
/// scalar with multiplications by its reciprocal if the result has the same
/// bits.
void populateDivisionByScalarPatterns(const LoweringTarget &target,
                                      RewritePatternSet &patterns);
/// Replaces saturating casts of f32 to float8 that are cast back by rounding in
/// place.
void populateRoundThroughFloatsPatterns(const LoweringTarget &target,
                                        RewritePatternSet &patterns);

//===- CastPatterns.cpp ---------------------------------------------------===//

void populateCastSplitPatterns(const LoweringTarget &target,
                               RewritePatternSet &patterns);
void populateCastPatterns(const LoweringTarget &target,
                          RewritePatternSet &patterns);

//===- Flatten.cpp --------------------------------------------------------===//

/// Flattens casts and quantizations of vectors of another rank than 1.
void populateFlatteningPatterns(RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_LOWERING_PATTERNS_H
