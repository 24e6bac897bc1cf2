//===- QuantizeSemantics.h - Semantics of quantize --------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_QUANTIZESEMANTICS_H
#define QUANT_FLOAT_IR_QUANTIZESEMANTICS_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::quant_float {

/// The semantics of quantize besides its types and granularity, resolved from
/// the opset.
struct QuantizeSemantics {
  /// The type of the division: f32, f16, bf16 or f64 (D2).
  FloatType precision;
  /// To float8: overflow gives the largest value (D3).
  bool saturate = true;
};

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_QUANTIZESEMANTICS_H
