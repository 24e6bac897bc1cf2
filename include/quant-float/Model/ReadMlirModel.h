//===- ReadMlirModel.h - Models in MLIR -------------------------*- C++ -*-===//
//
// Part of the quant-float project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef QUANT_FLOAT_MODEL_READMLIRMODEL_H
#define QUANT_FLOAT_MODEL_READMLIRMODEL_H

#include "quant-float/Model/Model.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::quant_float {

/// Parses a model in MLIR and converts the ops of other compilers. No op,
/// attribute name or type of an unregistered dialect remains. Returns null
/// after emitting an error.
OwningOpRef<ModuleOp> readMlirModel(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                    MLIRContext &context,
                                    const LoadOptions &options);

/// Same, for the exporters. If ops were converted, the functions that calls
/// refer to are inlined, constants are folded, arguments and results have
/// names, and the opset of the module is the newest one, to which
/// convertOpset must convert the nodes. `isConverted` is then set.
OwningOpRef<ModuleOp> readMlirGraph(std::unique_ptr<llvm::MemoryBuffer> buffer,
                                    MLIRContext &context, bool &isConverted);

} // namespace mlir::quant_float

#endif // QUANT_FLOAT_MODEL_READMLIRMODEL_H
