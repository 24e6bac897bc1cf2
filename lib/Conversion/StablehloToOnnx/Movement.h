//===- Movement.h - Padding and slicing -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_MOVEMENT_H
#define QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_MOVEMENT_H

#include "quant-float/Conversion/OpImport/OpImporter.h"

namespace mlir::quant_float::stablehlo_ops {

/// The amounts of StableHLO's pad, one for each axis. Negative amounts at the
/// edges remove elements. `interior` elements are inserted between any two.
struct Padding {
  SmallVector<int64_t> low, high, interior;
};

/// Pads a ranked tensor. Fails for amounts that are out of range, and if an
/// axis with interior padding has an unknown size.
FailureOr<Value> pad(OpImporter &op, Value value, Value scalar,
                     const Padding &padding);

/// Reverses the elements along the axes.
Value reverse(OpImporter &op, Value value, ArrayRef<int64_t> axes);

} // namespace mlir::quant_float::stablehlo_ops

#endif // QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_MOVEMENT_H
