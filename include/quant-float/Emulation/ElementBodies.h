//===- ElementBodies.h - Elementwise op expansion ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_EMULATION_ELEMENTBODIES_H
#define QUANT_FLOAT_EMULATION_ELEMENTBODIES_H

#include "quant-float/IR/QuantFloatOps.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::quant_float {

/// A scale, a zero point or a shift, for each element of a scalar or vector of
/// `inputType`: of its shape, or one scalar where it is for all.
Value spreadParameter(OpBuilder &builder, Location loc,
                      const reference::Granularity &granularity,
                      Value parameter, Type inputType);

/// What belongs to an element of a quantize, dequantize or qdq; null are a zero
/// point and random bits that the op does not have.
struct ElementOperands {
  Value input, scale, zeroPoint, random;
};

/// `values` are in the order of the op's operands.
ElementOperands getElementOperands(QuantizationOpInterface op,
                                   ValueRange values);

/// What `op` computes of an element as ops that have no granularity: the body
/// of the tensor op's loops. The operands are of the element types that the op
/// has: scalars, or vectors of one shape, with scalar parameters perhaps.
Value buildElementBody(OpBuilder &builder, Location loc,
                       QuantizationOpInterface op,
                       const ElementOperands &operands);

/// What a fakeconvert computes of an element, its scale and its shift, which
/// may be null, as arith ops and casts, in the arithmetic of its mode. The
/// values are scalars, or vectors of one shape, with scalar parameters perhaps.
Value buildElementBody(OpBuilder &builder, Location loc, FakeConvertOp op,
                       Value input, Value scale, Value shift);

/// fakeconvert of scalars and vectors to that.
void populateFakeConvertPatterns(RewritePatternSet &patterns);

/// What a cast in the mode openvino computes of an element, or of a vector of
/// them, as arith ops and casts of ONNX. OpenVINO converts the types.
Value buildOpenVinoCast(OpBuilder &builder, Location loc, Value x, Type to);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_EMULATION_ELEMENTBODIES_H
