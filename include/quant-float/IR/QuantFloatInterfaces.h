//===- QuantFloatInterfaces.h - Op interfaces -------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_IR_QUANTFLOATINTERFACES_H
#define QUANT_FLOAT_IR_QUANTFLOATINTERFACES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "quant-float/IR/QuantizeSemantics.h"
#include "quant-float/Reference/Granularity.h"

#include "quant-float/IR/QuantFloatInterfaces.h.inc"

namespace mlir::quant_float {

/// Returns whether both ops have the same scale, zero point and granularity.
/// Parameters are the same if they are the same SSA value or equal constants.
bool haveSameParameters(QuantizationOpInterface a, QuantizationOpInterface b);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_IR_QUANTFLOATINTERFACES_H
