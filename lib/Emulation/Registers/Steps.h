//===- Steps.h - Encoding as a staircase ------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_EMULATION_REGISTERS_STEPS_H
#define QUANT_FLOAT_LIB_EMULATION_REGISTERS_STEPS_H

#include "../ConversionRow.h"

namespace mlir::quant_float::registers {

/// The magnitude codes of a signed narrow float, as a function of the magnitude
/// bits of f16 or bf16: one that never falls.
struct Steps {
  Steps(FloatType from, Type to, const CastSemantics &semantics);

  /// The bits from which on code i + 1 is given, at i: those of numbers.
  SmallVector<unsigned, 128> starts;
  /// The bits of infinity in `from`; NaNs are above.
  unsigned infinity;
  /// The codes of infinity and NaN. Formats without NaN have for it the bit of
  /// the sign, which is turned over then (C8).
  unsigned infinityCode, nanCode;
};

} // namespace mlir::quant_float::registers

#endif // QUANT_FLOAT_LIB_EMULATION_REGISTERS_STEPS_H
