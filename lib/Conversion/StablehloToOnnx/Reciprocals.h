//===- Reciprocals.h - Divisions as XLA compiles them -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_RECIPROCALS_H
#define QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_RECIPROCALS_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::quant_float::stablehlo_ops {

/// Replaces each division of f16, f32 or f64 by a constant, or by a value that
/// is broadcast, by a multiplication by the reciprocal, as XLA does. The
/// reciprocal is rounded to the type.
void multiplyByReciprocals(ModuleOp module);

} // namespace mlir::quant_float::stablehlo_ops

#endif // QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_RECIPROCALS_H
