//===- ElementBodies.h - Elementwise op expansion ---------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LOWERING_ELEMENTBODIES_H
#define QUANT_FLOAT_LOWERING_ELEMENTBODIES_H

#include "quant-float/IR/QuantFloatOps.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace mlir::quant_float {

/// Returns a scale, zero point or shift with one element for each element of
/// `inputType`, a scalar or vector type. The result is a vector of this shape,
/// or a scalar if one value applies to all elements.
Value broadcastParameter(OpBuilder &builder, Location loc,
                         const reference::Granularity &granularity,
                         Value parameter, Type inputType);

/// The operands of a quantize, dequantize or qdq for one element. The zero
/// point and the random bits are null if the op does not have them.
struct ElementOperands {
  Value input, scale, zeroPoint, random;
};

/// Returns the operands from `values`, which are in the order of the op's
/// operands.
ElementOperands getElementOperands(QuantizationOpInterface op,
                                   ValueRange values);

/// Builds the computation of `op` for one element, in ops without granularity.
/// It is the body of the loops of the tensor op. The operands have the element
/// types of the op's operands. They are scalars, or vectors of one shape with
/// parameters that are vectors or scalars.
Value buildElementBody(OpBuilder &builder, Location loc,
                       QuantizationOpInterface op,
                       const ElementOperands &operands);

/// Builds the computation of a fakeconvert for one element as arith ops and
/// casts, in the arithmetic of its mode. `shift` may be null. The values are
/// scalars, or vectors of one shape with parameters that are vectors or
/// scalars.
Value buildElementBody(OpBuilder &builder, Location loc, FakeConvertOp op,
                       Value input, Value scale, Value shift);

/// Patterns that expand fakeconvert on scalars and vectors in this way.
void populateFakeConvertPatterns(RewritePatternSet &patterns);

/// Builds the computation of a cast in mode openvino for a scalar or vector, as
/// arith ops and casts of ONNX. The result has the values that OpenVINO
/// produces.
Value buildOpenVinoCast(OpBuilder &builder, Location loc, Value x, Type to);

/// The operands of rules with two levels: the largest magnitude of the tensor
/// or its scale, an f32. Both are null for other rules.
struct TensorLevelOperands {
  Value amax, scale;
};

/// Build the computations of the ops on blocks for one element, as arith ops,
/// casts and quantize_elements. The values are scalars, or vectors of one shape
/// with parameters that are vectors or scalars. `random` may be null.
Value buildElementBody(OpBuilder &builder, Location loc, TensorScaleOp op,
                       Value amax);
Value buildElementBody(OpBuilder &builder, Location loc, BlockScaleOp op,
                       Value amax, const TensorLevelOperands &tensor);
Value buildElementBody(OpBuilder &builder, Location loc,
                       BlockQuantizeElementsOp op, Value x, Value scale,
                       const TensorLevelOperands &tensor, Value random);
Value buildElementBody(OpBuilder &builder, Location loc, BlockDequantizeOp op,
                       Value values, Value scale, Value tensorScale);

Value buildElementBody(OpBuilder &builder, Location loc, ConvertToBlockOp op,
                       Value x, Value scale, Value random);
Value buildElementBody(OpBuilder &builder, Location loc, ConvertFromBlockOp op,
                       Value values, Value scale, Value random);

/// Patterns that expand the ops on blocks of scalars and vectors in this way.
void populateBlockPatterns(RewritePatternSet &patterns);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LOWERING_ELEMENTBODIES_H
