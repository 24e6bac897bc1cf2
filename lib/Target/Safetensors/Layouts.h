//===- Layouts.h - Tensors that are a weight together -----------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_TARGET_SAFETENSORS_LAYOUTS_H
#define QUANT_FLOAT_LIB_TARGET_SAFETENSORS_LAYOUTS_H

#include "../Common/WeightsModule.h"
#include "Checkpoint.h"

namespace mlir::quant_float::safetensors_import {

/// The module of all tensors. Null after an error diagnostic.
OwningOpRef<ModuleOp> importWeights(const Checkpoint &checkpoint, Location loc);

} // namespace mlir::quant_float::safetensors_import

#endif // QUANT_FLOAT_LIB_TARGET_SAFETENSORS_LAYOUTS_H
