//===- QuantizedValues.h - Quantized types of StableHLO ---------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_QUANTIZEDVALUES_H
#define QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_QUANTIZEDVALUES_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::quant_float::stablehlo_ops {

/// Replaces quantized types by their storage types, in all functions of the
/// module. StableHLO ops on quantized values compute on dequantized values, and
/// their results are quantized, as StableHLO's specification defines. Emits an
/// error for each op for which this is not possible, and fails.
LogicalResult expandQuantizedValues(ModuleOp module);

} // namespace mlir::quant_float::stablehlo_ops

#endif // QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_QUANTIZEDVALUES_H
