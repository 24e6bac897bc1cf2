//===- ReadMlirModel.h - Models in MLIR -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_LIB_MODEL_READMLIRMODEL_H
#define QUANT_FLOAT_LIB_MODEL_READMLIRMODEL_H

#include "quant-float/Model/Model.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::quant_float {

/// Parses a model in MLIR and converts the ops of other compilers. No op,
/// attribute name or type of an unregistered dialect remains. Returns null
/// after emitting an error.
OwningOpRef<ModuleOp> readMlirModel(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                    MLIRContext &context,
                                    const LoadOptions &options);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_LIB_MODEL_READMLIRMODEL_H
