//===- Patterns.h - The steps of an expansion -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_PATTERNS_H
#define QUANT_FLOAT_LIB_EMULATION_PATTERNS_H

#include "mlir/IR/PatternMatch.h"
#include "quant-float/Emulation/EmulationTarget.h"

namespace mlir::quant_float {

// Each is a step of ExpandQuantFloatOps.cpp, which says in which order. The
// patterns refer to the target.

//===- QuantizePatterns.cpp -----------------------------------------------===//

/// quantize, dequantize and qdq to quantize_elements and casts.
void populateQuantizationPatterns(RewritePatternSet &patterns);
/// Makes vectors of the scales that neighbouring quantize_elements have, so
/// that their reciprocals and what else is needed of them come from one
/// computation.
void groupScales(Operation *root);
/// Saturating quantizations of elements to float8 and casts back.
void populateQuantizeInPlacePatterns(const EmulationTarget &target,
                                     RewritePatternSet &patterns);
void populateQuantizeElementsPatterns(const EmulationTarget &target,
                                      RewritePatternSet &patterns);

//===- OpenVinoCastBody.cpp -----------------------------------------------===//

/// Casts in the mode openvino to arith ops and casts of ONNX.
void populateOpenVinoCastPatterns(RewritePatternSet &patterns);

//===- RoundThroughFloats.cpp ---------------------------------------------===//

/// Vectors of float8 plus a scalar divided by a scalar, by its reciprocal where
/// that gives the same bits.
void populateDivisionByScalarPatterns(const EmulationTarget &target,
                                      RewritePatternSet &patterns);
/// Saturating casts of f32 to float8 and back.
void populateRoundThroughFloatsPatterns(const EmulationTarget &target,
                                        RewritePatternSet &patterns);

//===- CastPatterns.cpp ---------------------------------------------------===//

void populateCastSplitPatterns(const EmulationTarget &target,
                               RewritePatternSet &patterns);
void populateCastPatterns(const EmulationTarget &target,
                          RewritePatternSet &patterns);

//===- Flatten.cpp --------------------------------------------------------===//

/// Casts and quantizations of vectors of other than one dimension, as those of
/// one.
void populateFlatteningPatterns(RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_EMULATION_PATTERNS_H
