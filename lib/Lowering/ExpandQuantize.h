//===- ExpandQuantize.h - Division by a scale -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_EXPANDQUANTIZE_H
#define QUANT_FLOAT_LIB_LOWERING_EXPANDQUANTIZE_H

#include "CastExpander.h"

namespace mlir::quant_float {

/// The operands of a quantization of elements.
struct QuantizeOperands {
  /// The type in which the quantization divides (D2).
  FloatType precision;
  /// f32, or f64 if that is the precision.
  Value input, scale;
  /// In its storage type; null if there is none.
  Value zeroPoint;
  /// Whether scale and zero point are scalars for all elements. Otherwise they
  /// have the shape of the input.
  bool isUniform;
  /// If present, scale and zero point are vectors, and the element at this
  /// index is used. The values that depend on them are computed for all
  /// elements at once.
  std::optional<int64_t> lane;
  /// Present for stochastic rounding (S5).
  std::optional<RandomBits> random = {};
};

/// Quantizes to `to` in its storage type (D1 to D4, S5). `uniform` builds the
/// ops that depend only on the scale and the zero point: on scalars (or on
/// vectors, if `lane` is present) if the operands are uniform.
Value expandQuantize(VectorBuilder &lanes, VectorBuilder &uniform,
                     const QuantizeOperands &operands, Type to, bool saturate);

/// The quotient for a sequence that rounds it, and the zero point, in its
/// storage type, that the sequence adds.
struct SequenceQuotient {
  /// An f32. For integers it is capped above, a negative infinity may have
  /// become NaN, and a NaN may have become any value.
  Intermediate intermediate;
  /// For integers: NaN if and only if the quotient is NaN.
  Value dividend = {};
  Value zeroPoint = {};
};
SequenceQuotient expandSequenceQuotient(VectorBuilder &lanes,
                                        VectorBuilder &uniform,
                                        const QuantizeOperands &operands,
                                        Type to,
                                        const CastSemantics &semantics);

/// Returns the quotient (D2, D3) as an f32, which the caller rounds to the
/// float `to` once.
Value expandQuotient(VectorBuilder &lanes, VectorBuilder &uniform,
                     const QuantizeOperands &operands, Type to,
                     const CastSemantics &semantics);
/// Returns the f32 that results from quantizing to `to` and casting back. The
/// type must support rounding in place.
Value expandQuantizeInPlace(VectorBuilder &lanes, VectorBuilder &uniform,
                            const QuantizeOperands &operands, FloatType to);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_LOWERING_EXPANDQUANTIZE_H
