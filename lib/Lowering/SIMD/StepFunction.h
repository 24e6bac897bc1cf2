//===- StepFunction.h - Encoding as a step function -------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_LOWERING_SIMD_STEPFUNCTION_H
#define QUANT_FLOAT_LIB_LOWERING_SIMD_STEPFUNCTION_H

#include "../ConversionRow.h"

namespace mlir::quant_float::simd {

/// The encodings of magnitudes of a signed narrow float as a monotonic function
/// of the magnitude bits of f16 or bf16.
struct Steps {
  Steps(FloatType from, Type to, const CastSemantics &semantics);

  /// starts[i] is the smallest magnitude, as bits, whose encoding is
  /// greater than i. Does not include infinity and NaN.
  SmallVector<unsigned, 128> starts;
  /// The bits of infinity in `from`. NaNs are greater.
  unsigned infinity;
  /// The encodings of infinity and NaN. For formats without NaN, the latter is
  /// the sign bit, so that a NaN gives the zero of the other sign (C8).
  unsigned infinityEncoding, nanEncoding;
};

} // namespace mlir::quant_float::simd

#endif // QUANT_FLOAT_LIB_LOWERING_SIMD_STEPFUNCTION_H
