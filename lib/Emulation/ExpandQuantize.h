//===- ExpandQuantize.h - Division by a scale -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_EXPANDQUANTIZE_H
#define QUANT_FLOAT_LIB_EMULATION_EXPANDQUANTIZE_H

#include "CastExpander.h"

namespace mlir::quant_float {

/// What a quantization of elements works on.
struct QuantizeOperands {
  /// D2
  FloatType precision;
  /// f32, or f64 where that is the precision.
  Value input, scale;
  /// As storage; null where there is none.
  Value zeroPoint;
  /// Scale and zero point are scalars that all lanes share; otherwise they have
  /// the lanes of the input.
  bool isUniform;
  /// Where given, scale and zero point are vectors whose element of this number
  /// is meant; those of the other elements are prepared with it.
  std::optional<int64_t> lane;
  /// Given where these round, not to nearest (S5).
  std::optional<RandomBits> random = {};
};

/// Quantizes to storage of `to` (D1 to D4, S5). `uniform` makes the ops that
/// only the scale and the zero point are needed for: on a scalar (or a vector,
/// with a lane) where the operands are uniform.
Value expandQuantize(Lanes &lanes, Lanes &uniform,
                     const QuantizeOperands &operands, Type to, bool saturate);

/// A quotient for a sequence that rounds it, and the zero point as storage that
/// is still to be added.
struct SequenceQuotient {
  /// An f32. For integers it is capped above; below, an infinity may be NaN,
  /// and a NaN may be anything.
  Carrier carrier;
  /// For integers, NaN where the quotient is NaN, and nowhere else.
  Value dividend = {};
  Value zeroPoint = {};
};
SequenceQuotient expandSequenceQuotient(Lanes &lanes, Lanes &uniform,
                                        const QuantizeOperands &operands,
                                        Type to,
                                        const CastSemantics &semantics);

/// The quotient (D2, D3), an f32 to be rounded to the float `to` once.
Value expandQuotient(Lanes &lanes, Lanes &uniform,
                     const QuantizeOperands &operands, Type to,
                     const CastSemantics &semantics);
/// The f32 that quantizing to `to`, which rounds in place, and casting back
/// give.
Value expandQuantizeInPlace(Lanes &lanes, Lanes &uniform,
                            const QuantizeOperands &operands, FloatType to);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_EMULATION_EXPANDQUANTIZE_H
