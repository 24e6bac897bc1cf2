//===- ExplainOps.h - Explanations of other compilers' ops ------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_MODEL_EXPLAINOPS_H
#define QUANT_FLOAT_LIB_MODEL_EXPLAINOPS_H

#include "quant-float/Model/Model.h"

namespace mlir::quant_float {

/// Calls `onOp` for each op of the module that QuantizationRules.def lists, in
/// the order of the module.
void explainOps(ModuleOp module,
                llvm::function_ref<void(const ExplainedOp &)> onOp);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_MODEL_EXPLAINOPS_H
