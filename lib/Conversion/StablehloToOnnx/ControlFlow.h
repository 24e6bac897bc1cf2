//===- ControlFlow.h - Control flow of StableHLO ----------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_CONTROLFLOW_H
#define QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_CONTROLFLOW_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::quant_float::stablehlo_ops {

/// Replaces StableHLO's if, case and while by ONNX's If and Loop. The ops of
/// their regions, which move to the nodes, are not converted. Emits an error
/// for each op that cannot be replaced.
LogicalResult expandControlFlow(ModuleOp module);

} // namespace mlir::quant_float::stablehlo_ops

#endif // QUANT_FLOAT_LIB_CONVERSION_STABLEHLOTOONNX_CONTROLFLOW_H
